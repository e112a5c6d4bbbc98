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
	upTo   []float64 // q_1 + … + q_k
	weight []float64 // n_k/(|S| q_k), which keeps the mean unbiased
	cells  []members
	*dataset.Strata
}

// members finds the rows of a cell by their number among those.
type members struct {
	// of is the cell of every stratum; this one is the number own.
	of  []int32
	own int32
	// mark has the rows of the members 0, every, 2·every, …: from one to the next there are some
	// near rows to look at.
	mark  []uint32
	every int
}

// near is the number of rows between two marks.
const near = 32

func newSampling(cells []cell, of cellOf, strata *dataset.Strata, stratified bool) sampling {
	s := sampling{make([]float64, len(cells)), make([]float64, len(cells)), make([]members, len(cells)), strata}
	population := float64(strata.Rows())
	for k, c := range cells {
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
		rows := float64(cells[k].rows)
		s.weight[k] = rows / population * total / q
		s.cells[k] = members{of: of[cells[k].phase()], own: int32(k), every: max(1, int(near*rows/population))}
	}
	floats.CumSum(s.upTo, s.upTo)
	floats.Scale(1/total, s.upTo)
	s.mark(of)
	return s
}

// mark sets the marks.
func (s *sampling) mark(of cellOf) {
	count := make([]int, len(s.cells))
	for row := range s.Rows() {
		stratum := s.Of(row)
		for _, cells := range of {
			k := cells[stratum]
			if k == noCell {
				continue
			}
			if c := &s.cells[k]; count[k]%c.every == 0 {
				c.mark = append(c.mark, uint32(row))
			}
			count[k]++
		}
	}
}

// row returns the row of member i of a cell.
func (s *sampling) row(c *members, i int) int {
	row := int(c.mark[i/c.every])
	for left := i % c.every; left > 0; {
		if row++; c.of[s.Of(row)] == c.own {
			left--
		}
	}
	return row
}

// draw fills b with rows of the cells. Rows that are drawn for a tempered cell count from |S| on.
func (s *sampling) draw(b *problem.Batch, size int, cells []cell, r *rand.Rand) {
	b.Size = size
	b.Index, b.Weight = slices.Grow(b.Index[:0], size)[:size], slices.Grow(b.Weight[:0], size)[:size]
	for i := range b.Index {
		k, _ := slices.BinarySearch(s.upTo, r.Float64())
		k = min(k, len(cells)-1) // the last sum may round to less than 1
		b.Weight[i] = s.weight[k]
		b.Index[i] = s.row(&s.cells[k], r.IntN(cells[k].rows))
		if cells[k].tempered {
			b.Index[i] += s.Rows()
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
		p.sampling.draw(b, size, p.cells, r)
	}
}
