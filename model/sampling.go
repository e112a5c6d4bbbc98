package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

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
	upTo       []float64 // q_1 + … + q_k
	weight     []float64 // n_k/(|S| q_k), which keeps the mean unbiased
	population int
}

func newSampling(cells []cell, population int, stratified bool) sampling {
	s := sampling{make([]float64, len(cells)), make([]float64, len(cells)), population}
	for k, c := range cells {
		if s.upTo[k] = 1; !stratified {
			s.upTo[k] = math.Sqrt(float64(len(c.rows))) * floats.Norm(c.factor, 2) * floats.Norm(c.tuple, 2)
		}
	}
	total := floats.Sum(s.upTo)
	for k, q := range s.upTo {
		s.weight[k] = float64(len(cells[k].rows)) / float64(population) * total / q
	}
	floats.CumSum(s.upTo, s.upTo)
	floats.Scale(1/total, s.upTo)
	return s
}

// draw fills b with rows of the cells; those for tempered cells are counted from |S| on.
func (s *sampling) draw(b *problem.Batch, size int, cells []cell, r *rand.Rand) {
	b.Size = size
	b.Index, b.Weight = slices.Grow(b.Index[:0], size)[:size], slices.Grow(b.Weight[:0], size)[:size]
	for i := range b.Index {
		k, _ := slices.BinarySearch(s.upTo, r.Float64())
		k = min(k, len(cells)-1) // the last sum may round to less than 1
		b.Index[i] = cells[k].rows[r.IntN(len(cells[k].rows))]
		if cells[k].tempered {
			b.Index[i] += s.population
		}
		b.Weight[i] = s.weight[k]
	}
}
