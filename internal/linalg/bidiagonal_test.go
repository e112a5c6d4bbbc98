package linalg

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestBidiagonal checks that a product is solved for its factor.
func TestBidiagonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		number := rapid.Float64Range(-3, 3)
		diagonal, coupling := make([]float64, n), make([]float64, n)
		for j := range n {
			coupling[j] = number.Draw(t, "coupling")
			if j == 0 || rapid.Bool().Draw(t, "apart") {
				coupling[j] = 0
			}
		}
		for j := range n { // diagonally dominant
			diagonal[j] = rapid.Float64Range(0.1, 3).Draw(t, "diagonal") + math.Abs(coupling[j])
			if j+1 < n {
				diagonal[j] += math.Abs(coupling[j+1])
			}
		}
		product := func(x []float64) []float64 {
			y := make([]float64, n)
			for j := range n {
				y[j] += diagonal[j] * x[j]
				if j > 0 {
					y[j] += coupling[j] * x[j-1]
					y[j-1] += coupling[j] * x[j]
				}
			}
			return y
		}
		near := func(what string, a, b []float64) {
			for j := range a {
				if math.Abs(a[j]-b[j]) > 1e-9*(1+math.Abs(b[j])) {
					t.Fatalf("%s: %v, want %v", what, a, b)
				}
			}
		}
		b := NewBidiagonal(n)
		b.Factorise(diagonal, coupling)
		x := make([]float64, n)
		for j := range n {
			x[j] = number.Draw(t, "x")
		}
		solved := make([]float64, n)
		b.Solve(solved, product(x))
		near("solution", solved, x)
	})
}
