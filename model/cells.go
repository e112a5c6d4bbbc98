package model

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// maxCells is how many cells there can be: those of 200 groups and two labels.
const maxCells = 512

// mostCells is how many of m constraints cost less than sums over constraints.
func mostCells(m int) int { return min(max(128, m), maxCells) }

// cell is a part of the rows of S that enters the constraints through one sum: with
// s = Σ_i factor_i σ(a_iᵀx) over its rows, it contributes tuple[j]·s to |S|·c_j.
//
// The rows whose m-tuples of weights are multiples of each other form a cell. Groups and
// labels make few of them and a single constraint makes one, so that evaluating rows
// costs the same for any m.
//
// Tempered constraints and others see different scores of a row, so that no cell serves
// both.
type cell struct {
	tempered bool
	tuple    []float64 // length m
	// factor is by stratum, 0 outside of the cell; a row counts by its weight besides.
	factor []float64
	rows   int
}

// noCell is the cell of a row without a weight in any constraint.
const noCell = -1

// cellOf has the cell of every stratum, for the constraints that are not tempered and for
// those that are; nil if each cell has all rows.
type cellOf *[2][]int32

// origin says where strata come from: stratum k is where stratum of[j][k] of each of all meet.
type origin struct {
	all []*dataset.Strata
	of  [][]int
}

// shareStrata gives all constraints the same strata, which it returns.
func shareStrata(constraints []Inequality) (*dataset.Strata, origin) {
	var all []*dataset.Strata
	for j := range constraints {
		r := &constraints[j]
		if !r.Strata.SameWeights(constraints[0].Strata) {
			// Rows that weigh differently in different constraints have a stratum each.
			for k := range constraints {
				constraints[k].separate()
			}
			return shareStrata(constraints)
		}
		if !slices.Contains(all, r.Strata) {
			all = append(all, r.Strata)
		}
	}
	joined, of, _ := dataset.JoinStrata(all, nil) // fails for given numbers only
	for j := range constraints {
		r := &constraints[j]
		weight := make([]float64, joined.Len())
		for k, before := range of[slices.Index(all, r.Strata)] {
			if joined.Size(k) > 0 {
				weight[k] = r.Weight[before]
			}
		}
		r.Strata, r.Weight = joined, weight
	}
	return joined, origin{all, of}
}

// separate makes the weights of the rows part of those of their strata.
func (r *Inequality) separate() {
	weight := make([]float64, r.Strata.Rows())
	for i := range weight {
		weight[i] = r.Of(i)
	}
	r.Strata, r.Weight = dataset.StrataOf(weight)
}

// newCells groups the rows with a non-zero weight by the strata that the constraints share. If the
// weights have too little in common, every constraint is a cell by itself, with all rows. If apart,
// factors of one cell have one sign, so that a group and the others are two cells.
func newCells(constraints []Inequality, apart bool) ([]cell, cellOf) {
	s := constraints[0].Strata
	var cells []cell
	of := new([2][]int32)
	for phase := range of {
		var ok bool
		if cells, of[phase], ok = appendCells(cells, constraints, s, phase == 1, apart); !ok {
			return cellPerConstraint(constraints), nil
		}
	}
	if len(cells) == 0 || len(cells) == 1 && cells[0].rows == s.Rows() {
		of = nil
	}
	return cells, of
}

// appendCells appends the cells of the constraints that are tempered, or that are not, in the
// order of their first rows; it gives up where there are too many.
func appendCells(cells []cell, constraints []Inequality, s *dataset.Strata, tempered, apart bool) ([]cell, []int32, bool) {
	m := len(constraints)
	of, index := slices.Repeat([]int32{noCell}, s.Len()), map[string]int{}
	key, tuple := make([]byte, 8*m+1), make([]float64, m)
	for _, stratum := range inOrder(s) {
		factor := 0.0 // the largest weight, so that no quotient can overflow
		for _, r := range constraints {
			if w := r.Weight[stratum]; r.Tempered == tempered && math.Abs(w) > math.Abs(factor) {
				factor = w
			}
		}
		if factor == 0 {
			continue
		}
		for j, r := range constraints {
			tuple[j] = 0
			if r.Tempered == tempered {
				tuple[j] = r.Weight[stratum]/factor + 0 // no −0, which has bits of its own
			}
			binary.LittleEndian.PutUint64(key[8*j:], math.Float64bits(tuple[j]))
		}
		key[8*m] = 0
		if apart && factor < 0 {
			key[8*m] = 1
		}
		k, found := index[string(key)]
		if !found {
			if len(cells) == mostCells(m) {
				return nil, nil, false
			}
			k = len(cells)
			index[string(key)] = k
			cells = append(cells, cell{tempered: tempered, tuple: slices.Clone(tuple), factor: make([]float64, s.Len())})
		}
		of[stratum] = int32(k)
		cells[k].factor[stratum] = factor
		cells[k].rows += s.Size(stratum)
	}
	return cells, of, true
}

// inOrder returns the strata that have rows, in the order of their first ones.
func inOrder(s *dataset.Strata) []int {
	var strata []int
	for k := range s.Len() {
		if s.Size(k) > 0 {
			strata = append(strata, k)
		}
	}
	slices.SortFunc(strata, func(a, b int) int { return cmp.Compare(s.First(a), s.First(b)) })
	return strata
}

// cellPerConstraint makes a cell of every constraint that has weights.
func cellPerConstraint(constraints []Inequality) []cell {
	var cells []cell
	for _, tempered := range []bool{false, true} {
		for i, r := range constraints {
			if r.Tempered != tempered || floats.Norm(r.Weight, math.Inf(1)) == 0 {
				continue
			}
			c := cell{tempered: tempered, tuple: make([]float64, len(constraints)), factor: r.Weight, rows: r.Strata.Rows()}
			c.tuple[i] = 1
			cells = append(cells, c)
		}
	}
	return cells
}

// sums are those of the cells over some rows of S.
type sums struct {
	value []float64   // Σ factor·σ
	grad  [][]float64 // Σ factor·σ′·a, each of length n
}

func newSums(p *Fair) sums {
	s := sums{value: make([]float64, len(p.cells)), grad: make([][]float64, len(p.cells))}
	for k := range s.grad {
		s.grad[k] = make([]float64, p.n)
	}
	return s
}

// clear clears what is wanted.
func (s *sums) clear(w want) {
	clear(s.value)
	if w&wantJacobian != 0 {
		for _, g := range s.grad {
			clear(g)
		}
	}
}
