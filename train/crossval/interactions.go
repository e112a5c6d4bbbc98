package crossval

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model/penalty"
	"github.com/fairtrain/fairtrain/train/pairs"
	"github.com/fairtrain/fairtrain/train/ridge"
)

const (
	// cellRows by the number of rows is the least penalty of a cell of a pair: it counts about as if
	// its rows were so many more, of which the columns tell everything.
	cellRows = 10
)

// Interactions is what cross-validation says of pairs of columns.
type Interactions struct {
	Columns [][2]string  `json:"columns"` // of the pairs that the model has
	Tried   []TriedPairs `json:"tried"`   // the most promising pairs first
}

// TriedPairs is a number of pairs that was tried. The gain is that over none, in log loss on rows held
// out, with its standard error.
type TriedPairs struct {
	Pairs   int     `json:"pairs"`
	LogLoss float64 `json:"log_loss"`
	Gain    float64 `json:"gain"`
	SE      float64 `json:"gain_se"`
}

// cross adds pairs of columns to the encoding: 1, 2, 4, … of the most promising ones, as many as gain
// most on rows held out, and none unless they gain more than the standard error of the gain. The
// encoding is of the rows, nil for all, of which drawn are compared.
func (o *learner) cross(t *tabular.Table, rows, drawn []int) error {
	c := o.Choice
	if o.Interactions == 0 || c == nil {
		return nil
	}
	c.Interactions = &Interactions{[][2]string{}, []TriedPairs{}}
	e, margins, fits := o.Encoding, c.Margins, slices.Clone(c.fits)
	promising := pairs.Promising(c.Data, margins, e.Coarse(t, rows, drawn))
	most := min(o.Interactions, len(promising))
	for n, before := 1, 0; before < most; n, before = 2*n, n {
		some := promising[:min(n, most)]
		for _, p := range some[before:] {
			e = e.Cross(t, rows, p[0], p[1])
		}
		d, err := e.Apply(t, drawn)
		if err != nil {
			return err
		}
		for k, x := range fits { // the new weights start at 0, before the intercept
			last := len(x) - 1
			fits[k] = slices.Concat(x[:last], make([]float64, e.Width()-last), x[last:])
		}
		p := Problem(d, d.Weights, c.withCells(d.Blocks))
		found := ridge.At(p, c.Split, 1, fits)
		gain, se := p.Gain(margins, found.Margins, c.Split)
		c.Interactions.Tried = append(c.Interactions.Tried, TriedPairs{len(some), found.Loss, gain, se})
		fits = slices.Clone(found.Fits)
		if gain <= se || found.Loss >= c.loss {
			continue
		}
		c.Data, o.Encoding, o.Data, found.Tried = d, e, d, nil
		if err := c.take(found, o.Threshold); err != nil {
			return err
		}
		c.Interactions.Columns = nil
		for _, p := range some {
			c.Interactions.Columns = append(c.Interactions.Columns, [2]string{p[0].Column.Column, p[1].Column.Column})
		}
	}
	return nil
}

// withCells returns the penalty with that of the cells of pairs, the last ones of the blocks.
func (c *Choice) withCells(blocks []dataset.Block) penalty.Penalty {
	p, least := c.penalty, cellRows/float64(c.Rows)
	if p.BlockL2 = slices.Clone(p.BlockL2); p.BlockL2 == nil {
		p.BlockL2 = slices.Repeat([]float64{p.L2}, len(c.Data.Blocks))
	}
	if p.L2 < constantL2 { // otherwise the columns alone tell nothing
		least = max(least, p.L2)
	}
	p.BlockL2 = append(p.BlockL2, slices.Repeat([]float64{least}, len(blocks)-len(p.BlockL2))...)
	return p
}

// Problem is the fit of rows with given weights, and a penalty of their blocks.
func Problem(d *dataset.Dataset, weights []float64, penalty penalty.Penalty) *ridge.Problem {
	penalty.Blocks = d.Blocks
	return &ridge.Problem{X: d.X, Y: d.Y, Weights: weights, Penalty: penalty, Orders: d.Orders}
}
