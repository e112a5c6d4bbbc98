package crossval

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/train/decide"
)

// GivenScore returns the weights and the intercept of the classifier that is a given score: the first
// feature of its block.
func GivenScore(d *dataset.Dataset, score string) []float64 {
	x := make([]float64, d.Features()+1)
	if k := blockOf(d, score); k >= 0 {
		x[d.Blocks[k].First] = 1
	}
	return x
}

func blockOf(d *dataset.Dataset, column string) int {
	return slices.IndexFunc(d.Blocks, func(b dataset.Block) bool { return b.Name == column })
}

// without returns the rows without the values of a column: penalties are chosen as if nobody had them,
// as a given score leaves nothing to say to the columns that it was made of. They say a lot when
// constraints forbid to decide by the score.
func without(d *dataset.Dataset, column string) *dataset.Dataset {
	var b sparse.Builder
	of := d.Blocks[blockOf(d, column)]
	for i, label := range d.Y {
		var columns []int
		var values []float64
		for j, v := range d.X.Row(i) {
			if j < of.First || j >= of.End {
				columns, values = append(columns, j), append(values, v)
			}
		}
		b.Add(label, columns, values)
	}
	rest := *d
	rest.X, _ = b.Finish(d.Features())
	return &rest
}

// give makes the margins those of the given score, to which nothing was fitted, and its penalty small.
func (c *Choice) give(score string, threshold float64) (err error) {
	const small = 1e-6
	if c.penalty.BlockL2 == nil {
		c.penalty.BlockL2 = slices.Repeat([]float64{c.penalty.L2}, len(c.Data.Blocks))
	}
	c.penalty.BlockL2[blockOf(c.Data, score)] = small
	x := GivenScore(c.Data, score)
	c.Margins, c.decided = nil, true
	for _, m := range (decide.Linear{Weights: x[:len(x)-1]}).Margins(c.Data, 0, c.Data.Rows()) {
		c.Margins = append(c.Margins, m...)
	}
	c.Unseen, err = Unseen(c.Data, c.Margins, new(math.Log(threshold/(1-threshold))), threshold)
	return err
}
