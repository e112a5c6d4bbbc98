package model

import (
	"encoding/binary"
	"math"
)

// cells groups the rows of S by their m-tuple of constraint weights up to a factor: the
// weights of row i are factor[i]·tuple[cell of i]. An exact pass then sums factor·σ and
// factor·σ′·a once per cell, and the m constraints are combinations of those sums: the
// cost of a pass does not grow with m. Groups and labels make few cells, and a single
// constraint makes one.
type cells struct {
	population int         // rows of S
	m          int         //
	tuple      [][]float64 // per cell, length m
	rows       [][]int     // per cell, ascending; rows with no weight are in none
	cell       []int32     // per row, −1 for none
	factor     []float64   // per row
	constant   []float64   // per constraint
}

func newCells(constraints []Row, population int) *cells {
	m := len(constraints)
	c := &cells{
		population: population, m: m,
		cell: make([]int32, population), factor: make([]float64, population), constant: make([]float64, m),
	}
	for j, r := range constraints {
		c.constant[j] = r.Constant
	}
	index := map[string]int32{}
	key := make([]byte, 8*m)
	tuple := make([]float64, m)
	for i := range population {
		c.factor[i] = 0
		for j, r := range constraints {
			if c.factor[i] == 0 {
				c.factor[i] = r.Weight[i] // the first that is not 0
			}
			tuple[j] = 0
			if r.Weight[i] != 0 {
				tuple[j] = r.Weight[i] / c.factor[i]
			}
			binary.LittleEndian.PutUint64(key[8*j:], math.Float64bits(tuple[j]))
		}
		c.cell[i] = -1
		if c.factor[i] == 0 {
			continue
		}
		k, ok := index[string(key)]
		if !ok {
			k = int32(len(c.tuple))
			index[string(key)] = k
			c.tuple = append(c.tuple, append([]float64(nil), tuple...))
			c.rows = append(c.rows, nil)
		}
		c.cell[i] = k
		c.rows[k] = append(c.rows[k], i)
	}
	return c
}

// weight is w_ij.
func (c *cells) weight(row, constraint int) float64 {
	if k := c.cell[row]; k >= 0 {
		return c.factor[row] * c.tuple[k][constraint]
	}
	return 0
}
