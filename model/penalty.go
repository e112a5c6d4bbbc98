package model

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset"
)

// Penalty is (λ/2)·wᵀΩw. wᵀΩw sums the squares of the weights, and in a chain of neighbouring bins
// the squared differences of neighbours in place of the squares: the function of a number that has a
// weight for each bin becomes smooth, not small. The more bins, the smaller are the differences that
// make the same function. So those of a chain count times the root of their number, between what a
// single step (once) and a straight line (their number) would need.
type Penalty struct {
	L2     float64 // λ
	CellL2 float64 // λ of the last weights
	N      int     // number of weights, the first entries of a vector
	Cells  int     // number of the last weights, those of cells of pairs of columns
	Chains []dataset.Chain
}

// Value returns the penalty of weights.
func (p *Penalty) Value(x []float64) float64 {
	sum := 0.0
	p.Each(func(j, next int, lambda float64) {
		d := x[j]
		if next > j {
			d -= x[next]
		}
		sum += float64(lambda * d * d)
	})
	return sum / 2
}

// AddGradient adds its gradient to dst.
func (p *Penalty) AddGradient(dst, x []float64) {
	p.Each(func(j, next int, lambda float64) {
		if next == j {
			dst[j] += float64(lambda * x[j])
			return
		}
		d := float64(lambda * (x[j] - x[next]))
		dst[j] += d
		dst[next] -= d
	})
}

// Each calls each for every term λ/2·(…)²: of weight j where next is j, and otherwise of its
// difference to weight next, which is j+1.
func (p *Penalty) Each(each func(j, next int, lambda float64)) {
	j := 0
	for k := 0; k <= len(p.Chains); k++ {
		c := dataset.Chain{First: p.N, End: p.N}
		if k < len(p.Chains) {
			c = p.Chains[k]
		}
		for ; j < c.First; j++ {
			each(j, j, p.Of(j))
		}
		lambda := p.ofSteps(c)
		for ; j+1 < c.End; j++ {
			each(j, j+1, lambda)
		}
		j = c.End
	}
}

// ofSteps returns the λ of the differences of a chain.
func (p *Penalty) ofSteps(c dataset.Chain) float64 {
	return p.L2 * math.Sqrt(float64(max(c.End-c.First-1, 1)))
}

// Of returns the λ of weight j that is in no chain.
func (p *Penalty) Of(j int) float64 {
	if j >= p.N-p.Cells {
		return p.CellL2
	}
	return p.L2
}

// largest returns the largest λ.
func (p *Penalty) largest() float64 {
	most := p.L2
	if p.Cells > 0 {
		most = max(most, p.CellL2)
	}
	for _, c := range p.Chains {
		most = max(most, p.ofSteps(c))
	}
	return most
}
