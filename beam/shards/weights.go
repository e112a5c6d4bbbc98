package shards

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/fairtrain/fairtrain/dataset"
)

// Where rows have weights, the sums of these say what a sample stands for, and workers add up the weights
// of decisions. No sum may depend on how the rows are cut into shards.

// Exact is a sum of numbers ≥ 0: for each exponent, the sum of 53 bits of the numbers that have it, the
// lower 64 bits first.
type Exact map[int][2]uint64

func (s Exact) add(v float64) {
	fraction, exponent := math.Frexp(v)
	s.addTo(exponent, [2]uint64{uint64(math.Ldexp(fraction, 53))})
}

func (s Exact) addTo(exponent int, n [2]uint64) {
	var carry uint64
	sum := s[exponent]
	sum[0], carry = bits.Add64(sum[0], n[0], 0)
	sum[1] += n[1] + carry
	s[exponent] = sum
}

func (s Exact) merge(other Exact) {
	for exponent, n := range other {
		s.addTo(exponent, n)
	}
}

// value returns the number next to the sum.
func (s Exact) value() float64 {
	lowest := math.MaxInt
	for exponent := range s {
		lowest = min(lowest, exponent)
	}
	sum := new(big.Int)
	for exponent, n := range s {
		part := new(big.Int).SetUint64(n[1])
		part.Or(part.Lsh(part, 64), new(big.Int).SetUint64(n[0]))
		sum.Add(sum, part.Lsh(part, uint(exponent-lowest)))
	}
	if sum.Sign() == 0 {
		return 0
	}
	exact := new(big.Float).SetInt(sum)
	v, _ := exact.SetMantExp(exact, lowest-53).Float64()
	return v
}

// CellWeights are the weights of the rows of a cell.
type CellWeights struct {
	Sum     Exact
	Largest float64
}

// weightsOf adds up what was found, by cell; nil if rows have no weights.
func weightsOf(all []*Found) map[string]CellWeights {
	var cells map[string]CellWeights
	for _, f := range all {
		for name, from := range f.Weights {
			if cells == nil {
				cells = map[string]CellWeights{}
			}
			to, known := cells[name]
			if !known {
				to.Sum = Exact{}
			}
			to.Sum.merge(from.Sum)
			to.Largest = max(to.Largest, from.Largest)
			cells[name] = to
		}
	}
	return cells
}

// total returns the sum of the weights of all cells.
func total(cells map[string]CellWeights) float64 {
	sum := Exact{}
	for _, c := range cells {
		sum.merge(c.Sum)
	}
	return sum.value()
}

// unitOf returns the unit of which weights with a sum are made multiples, so that all of their sums are
// exact: 2⁻⁵² of the sum or less. Whole numbers stay as they are.
func unitOf(sum float64) float64 {
	_, exponent := math.Frexp(sum)
	return math.Ldexp(1, exponent-52)
}

// inUnits returns weights as multiples of a unit.
func inUnits(weights []float64, unit float64) []float64 {
	var rounded []float64
	for i, w := range weights {
		r := math.RoundToEven(w/unit) * unit
		if rounded == nil && r != w {
			rounded = append(make([]float64, 0, len(weights)), weights[:i]...)
		}
		if rounded != nil {
			rounded = append(rounded, r)
		}
	}
	if rounded == nil {
		return weights
	}
	return rounded
}

// stand gives rows weights by which those of a cell stand for all rows of the cell. If rows have weights,
// each stands for a number of rows and for a weight, in inverse proportion to the probability with which
// it was drawn; both add up to those of the cell.
func (d *Draw) stand(drawn *dataset.Dataset, count map[string]int, weights map[string]CellWeights, rows int) error {
	c, err := newCells(drawn, d.Groups)
	if err != nil {
		return err
	}
	inverse := make([]float64, drawn.Rows())
	stand, weigh := map[string]float64{}, map[string]float64{}
	for i := range inverse {
		cell := c.of(i)
		inverse[i] = 1
		if d.Mean != nil {
			inverse[i] = 1 / min(d.probability(cell, drawn.Weights[i]), 1)
			weigh[cell] += float64(inverse[i] * drawn.Weights[i])
		}
		stand[cell] += inverse[i]
	}
	for cell, n := range count {
		switch {
		case stand[cell] == 0:
			return fmt.Errorf("%s: none of the %d rows %s was drawn", drawn.Name, n, cell)
		case d.Mean != nil && weigh[cell] == 0 && d.Mean[cell] > 0:
			return fmt.Errorf("%s: none of the rows %s that have a weight was drawn", drawn.Name, cell)
		}
	}
	drawn.SampleOf = rows
	n := float64(drawn.Rows())
	stands := make([]float64, drawn.Rows())
	for i := range stands {
		cell := c.of(i)
		stands[i] = inverse[i] * float64(count[cell]) / stand[cell] * n / float64(rows)
	}
	if d.Mean == nil {
		drawn.Weights = stands
		return nil
	}
	drawn.OfWeights = &dataset.OfWeights{Total: total(weights), Stands: stands}
	factor := map[string]float64{}
	for cell, w := range weights {
		if weigh[cell] > 0 {
			factor[cell] = w.Sum.value() / weigh[cell] * n / float64(rows)
		}
	}
	own := drawn.Weights
	drawn.Weights = make([]float64, len(own))
	for i, w := range own {
		cell := c.of(i)
		drawn.OfWeights.Largest = append(drawn.OfWeights.Largest, weights[cell].Largest)
		drawn.Weights[i] = w * inverse[i] * factor[cell]
	}
	return nil
}
