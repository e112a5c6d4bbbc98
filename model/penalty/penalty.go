// Package penalty is the L2 term of objectives: sizes of weights, and for shapes of numbers differences of
// neighbours.
package penalty

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// Penalty is ½·Σ λ_j·w_j², over weights w, but for the bins of a number, where the squared differences
// of neighbours stand in place of the squares: the function of a number that has a weight for each bin
// becomes smooth, not small. The more bins, the smaller are the differences that make the same
// function. So those of a number count times the root of how many they are, between what a single step
// (once) and a straight line (their number) would need.
type Penalty struct {
	L2      float64         // λ of weights outside the blocks, and of all where BlockL2 is nil
	BlockL2 []float64       // λ of each block
	Blocks  []dataset.Block // ascending and apart
	N       int             // number of weights, the first entries of a vector
}

// Times returns the penalty times a factor.
func (p Penalty) Times(factor float64) Penalty {
	p.L2, p.BlockL2 = p.L2*factor, slices.Clone(p.BlockL2)
	floats.Scale(factor, p.BlockL2)
	return p
}

// Validate reports a λ that is negative or no number, or a wrong number of them.
func (p *Penalty) Validate() error {
	if p.BlockL2 != nil && len(p.BlockL2) != len(p.Blocks) {
		return fmt.Errorf("penalties are %d, must be one for each of the %d blocks", len(p.BlockL2), len(p.Blocks))
	}
	for _, l2 := range append([]float64{p.L2}, p.BlockL2...) {
		if !(l2 >= 0) || math.IsInf(l2, 0) {
			return fmt.Errorf("l2 is %v, must be ≥ 0 and finite", l2)
		}
	}
	return nil
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
	if p.L2 == 0 && p.BlockL2 == nil {
		return
	}
	j := 0
	for k := 0; k <= len(p.Blocks); k++ {
		b, lambda := dataset.Block{First: p.N, End: p.N}, p.L2
		if k < len(p.Blocks) {
			b = p.Blocks[k]
		}
		for ; j < b.First; j++ {
			each(j, j, lambda)
		}
		if p.BlockL2 != nil && k < len(p.Blocks) {
			lambda = p.BlockL2[k]
		}
		if b.Bins {
			lambda *= math.Sqrt(float64(max(b.End-b.First-1, 1)))
			for ; j+1 < b.End; j++ {
				each(j, j+1, lambda)
			}
			j = b.End
		}
		for ; j < b.End; j++ {
			each(j, j, lambda)
		}
	}
}

// Largest returns the largest curvature: (a−b)² has four times that of a².
func (p *Penalty) Largest() float64 {
	most := 0.0
	p.Each(func(j, next int, lambda float64) {
		if next > j {
			lambda *= 4
		}
		most = max(most, lambda)
	})
	return most
}
