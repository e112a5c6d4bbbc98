package linalg

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Simplex minimises costᵀv over v ≥ 0 with a v = b ≥ 0 by the simplex method, in at most so many
// pivots, and returns the vertex that it ends at. The columns of a are completed by an identity
// matrix, the columns of which cost what basisCost says; their variables are the last entries of v,
// and the basis to start from. (gonum's lp.Simplex goes round in circles without end at some
// degenerate vertices, of which such programs may have little else.)
func Simplex(a [][]float64, b, cost, basisCost []float64, pivots int) (v []float64) {
	return newTableau(a, b, cost, basisCost).solve(pivots)
}

// tableau is a linear program in the form of the simplex method.
type tableau struct {
	rows  [][]float64 // of a, each followed by its b
	cost  []float64   // reduced, followed by minus the objective
	basis []int
}

// newTableau completes the columns of a by an identity matrix, the columns of which cost
// what basisCost says.
func newTableau(a [][]float64, b, cost, basisCost []float64) *tableau {
	n, m := len(cost), len(a)
	t := &tableau{cost: append(append(append([]float64{}, cost...), make([]float64, m)...), 0)}
	for i, row := range a {
		full := make([]float64, n+m+1)
		copy(full, row)
		full[n+i], full[n+m] = 1, b[i]
		t.rows, t.basis = append(t.rows, full), append(t.basis, n+i)
		floats.AddScaled(t.cost[:n], -basisCost[i], row)
		t.cost[n+m] -= basisCost[i] * b[i]
	}
	return t
}

// solve makes at most so many pivots and returns the vertex that it ends at.
func (t *tableau) solve(pivots int) []float64 {
	const tolerance = 1e-11
	n := len(t.cost) - 1
	for range pivots {
		enter := floats.MinIdx(t.cost[:n])
		if t.cost[enter] >= -tolerance {
			break
		}
		leave, least := -1, math.Inf(1)
		for i, row := range t.rows {
			if row[enter] > tolerance && row[n]/row[enter] < least {
				leave, least = i, row[n]/row[enter]
			}
		}
		if leave < 0 {
			break // unbounded
		}
		t.pivot(leave, enter)
	}
	v := make([]float64, n)
	for i, k := range t.basis {
		v[k] = t.rows[i][n]
	}
	return v
}

// pivot makes a variable basic in place of that of a row.
func (t *tableau) pivot(leave, enter int) {
	pivot := t.rows[leave]
	floats.Scale(1/pivot[enter], pivot)
	for i, row := range t.rows {
		if i != leave && row[enter] != 0 {
			floats.AddScaled(row, -row[enter], pivot)
		}
	}
	floats.AddScaled(t.cost, -t.cost[enter], pivot)
	t.basis[leave] = enter
}
