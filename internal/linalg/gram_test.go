package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// TestGram compares what is known of J through JJᵀ with what RangeSpace knows through J,
// also where rows are alike.
func TestGram(t *testing.T) {
	const n = 40
	r := rand.New(rand.NewPCG(1, 2))
	for m := 1; m <= 6; m++ {
		for _, alike := range []bool{false, true} {
			if alike && m == 1 {
				continue
			}
			j := matrix(m, n)
			for k := range j.Data {
				j.Data[k] = r.NormFloat64()
			}
			if alike {
				copy(Row(j, 1).Data, Row(j, 0).Data)
			}
			jj := matrix(m, m)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, j, j, 0, jj)
			s, g := NewRangeSpace(m, n), NewGram(m)
			s.Decompose(j)
			g.Decompose(jj.Data)
			if math.Abs(g.MuMin-s.MuMin) > 1e-5 { // RangeSpace iterates
				t.Errorf("m = %d, rows alike %v: μ_min is %v, want %v", m, alike, g.MuMin, s.MuMin)
			}
			if want := blas64.Nrm2(Vector(j.Data)); math.Abs(g.Norm-want) > 1e-12*want {
				t.Errorf("m = %d: ‖J‖ is %v, want %v", m, g.Norm, want)
			}
			b := make([]float64, m)
			for k := range b {
				b[k] = r.NormFloat64()
			}
			got, want := append([]float64(nil), b...), append([]float64(nil), b...)
			g.Solve(got, 0)
			s.SolveNormal(want)
			if !floats.EqualApprox(got, want, 1e-10) {
				t.Errorf("m = %d, rows alike %v: (JJᵀ)†b is %v, want %v", m, alike, got, want)
			}
			copy(got, b)
			copy(want, b)
			g.Solve(got, 0.5)
			s.SolveDamped(want, j, 0.5)
			if m > 1 && !floats.EqualApprox(got, want, 1e-10) {
				t.Errorf("m = %d, rows alike %v: (JJᵀ + I/2)⁻¹b is %v, want %v", m, alike, got, want)
			}
		}
	}
}

// TestGramNotFinite has no solution, and says so.
func TestGramNotFinite(t *testing.T) {
	g := NewGram(2)
	g.Decompose([]float64{1, 0, 0, math.NaN()})
	b := []float64{1, 2}
	if g.Solve(b, 0.1); !math.IsNaN(g.MuMin) || b[0] != 0 || b[1] != 0 {
		t.Errorf("μ_min %v and solution %v of a matrix with NaN, want NaN and 0", g.MuMin, b)
	}
}
