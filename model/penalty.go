package model

import "github.com/fairtrain/fairtrain/dataset"

// Penalty is (λ/2)·wᵀΩw. wᵀΩw sums the squares of the weights, and in a chain of neighbouring bins
// the squared differences of neighbours in place of the squares: the function of a number that has a
// weight for each bin becomes smooth, not small.
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
		for ; j+1 < c.End; j++ {
			each(j, j+1, p.L2)
		}
		j = c.End
	}
}

// Of returns the λ of weight j.
func (p *Penalty) Of(j int) float64 {
	if j >= p.N-p.Cells {
		return p.CellL2
	}
	return p.L2
}

// largest returns the largest λ.
func (p *Penalty) largest() float64 {
	if p.Cells > 0 {
		return max(p.L2, p.CellL2)
	}
	return p.L2
}
