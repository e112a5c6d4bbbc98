package linalg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestSolveDamped puts solutions into (JJᵀ + δI)x = b, also for a J with equal rows.
func TestSolveDamped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 8).Draw(t, "n")
		entry := rapid.Float64Range(-3, 3)
		j := matrix(m, n)
		copy(j.Data, rapid.SliceOfN(entry, m*n, m*n).Draw(t, "J"))
		if m > 1 && rapid.Bool().Draw(t, "equal rows") {
			copy(j.Data[:n], j.Data[n:2*n])
		}
		b := rapid.SliceOfN(entry, m, m).Draw(t, "b")
		delta := rapid.Float64Range(1e-3, 10).Draw(t, "δ")

		x := append([]float64(nil), b...)
		NewRangeSpace(m, n).SolveDamped(x, j, delta)

		jtx, back := make([]float64, n), make([]float64, m)
		blas64.Gemv(blas.Trans, 1, j, Vector(x), 0, Vector(jtx))
		blas64.Gemv(blas.NoTrans, 1, j, Vector(jtx), 0, Vector(back))
		floats.AddScaled(back, delta, x)
		if !floats.EqualApprox(back, b, 1e-9*(1+floats.Norm(x, math.Inf(1)))) {
			t.Fatalf("(JJᵀ + δI)x = %v, want %v", back, b)
		}
	})
}
