package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/problem"
)

// sampling is a distribution over disjoint cells that gives the batch mean of C, which is
// linear in the weights w_i of the rows, little variance: rows with large weights, those
// of small groups, are drawn often and count little. With n_k the rows of cell k and q_k
// the probability of that cell, of which a row is then drawn uniformly, the mean squared
// norm of a sample is at most
//
//	(1/|S|²) Σ_k (n_k/q_k) Σ_{i∈k} ‖w_i‖²,
//
// least for q_k² ∝ n_k Σ_{i∈k} ‖w_i‖² and then never above that of uniform sampling (by
// Cauchy's inequality), so that the constants σ_c and σ_J of Bounds hold for it too. Equal
// q_k, for Options.Stratified, promise nothing of the kind.
type sampling struct {
	upTo   []float64  // q_1 + … + q_k
	weight []float64  // n_k/(|S| q_k), so that the mean is unbiased
	rows   [][]uint32 // of each cell
}

func newSampling(cells []cell, of cellOf, strata *dataset.Strata, stratified bool) *sampling {
	s := &sampling{make([]float64, len(cells)), make([]float64, len(cells)), make([][]uint32, len(cells))}
	population := float64(strata.Rows())
	for k, c := range cells {
		s.rows[k] = make([]uint32, 0, c.rows)
		if s.upTo[k] = 1; !stratified {
			squares := 0.0
			for stratum, f := range c.factor {
				squares += float64(f*f) * strata.Squares(stratum)
			}
			s.upTo[k] = math.Sqrt(float64(c.rows)*squares) * floats.Norm(c.tuple, 2)
		}
	}
	total := floats.Sum(s.upTo)
	for k, q := range s.upTo {
		s.weight[k] = float64(cells[k].rows) / population * total / q
	}
	floats.CumSum(s.upTo, s.upTo)
	floats.Scale(1/total, s.upTo)
	for row := range strata.Rows() {
		stratum := strata.Of(row)
		for _, phase := range of {
			if k := phase[stratum]; k != noCell {
				s.rows[k] = append(s.rows[k], uint32(row))
			}
		}
	}
	return s
}

// draw fills b with rows of the cells. Rows that are drawn for a tempered cell count from |S| on.
func (s *sampling) draw(b *problem.Batch, size int, cells []cell, population int, r *rand.Rand) {
	b.Size = size
	b.Index, b.Weight = slices.Grow(b.Index[:0], size)[:size], slices.Grow(b.Weight[:0], size)[:size]
	for i := range b.Index {
		k, _ := slices.BinarySearch(s.upTo, r.Float64())
		k = min(k, len(cells)-1) // the last sum may round to less than 1
		b.Weight[i] = s.weight[k]
		b.Index[i] = int(s.rows[k][r.IntN(len(s.rows[k]))])
		if cells[k].tempered {
			b.Index[i] += population
		}
	}
}

// DrawObjective draws rows of D uniformly.
func (p *Fair) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.DrawUniform(size, len(p.labels), r)
}

// DrawConstraint draws rows of S uniformly or, where there are several cells, those of
// small groups more often (sampling).
func (p *Fair) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	if p.cellOf == nil {
		b.DrawUniform(size, p.population, r)
	} else {
		p.sampling().draw(b, size, p.cells, p.population, r)
	}
}
