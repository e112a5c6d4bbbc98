package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestBFGSIsItsMatrix compares the two-loop recursion with the product formula
//
//	H⁺ = (I − ρsyᵀ)H(I − ρysᵀ) + ρssᵀ
//
// over the pairs that are remembered, from γI.
func TestBFGSIsItsMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, memory := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "memory")
		b := NewBFGS(n, memory, 2)
		for range rapid.IntRange(0, 12).Draw(t, "updates") {
			updateRandom(t, b, n)
		}
		h := mat.NewDense(n, n, nil)
		for i := range n {
			h.Set(i, i, 1/b.diagonal[i])
		}
		for k := range b.pairs {
			s, y := mat.NewVecDense(n, b.s[k]), mat.NewVecDense(n, b.y[k])
			rho := 1 / mat.Dot(s, y)
			var left, sum mat.Dense
			left.Outer(-rho, s, y)
			for i := range n {
				left.Set(i, i, left.At(i, i)+1)
			}
			sum.Product(&left, h, left.T())
			left.Outer(rho, s, s)
			h.Add(&sum, &left)
		}
		g, got, beside := vectors(n).Draw(t, "g"), make([]float64, n), vectors(n).Draw(t, "beside")
		copy(got, g)
		b.Solve(beside, got)
		var want mat.VecDense
		want.MulVec(h, mat.NewVecDense(n, g))
		if !floats.EqualApprox(got, want.RawVector().Data, 1e-8*(1+mat.Max(h)-mat.Min(h))) {
			t.Fatalf("B⁻¹g = %v, from the formula %v", got, want.RawVector().Data)
		}
	})
}

// TestBFGSStaysPositive feeds steps of any curvature, negative ones among them.
func TestBFGSStaysPositive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		b := NewBFGS(n, rapid.IntRange(1, 5).Draw(t, "memory"), 1)
		g, d := vectors(n).Draw(t, "g"), make([]float64, n)
		for range rapid.IntRange(0, 12).Draw(t, "updates") {
			updateRandom(t, b, n)
			copy(d, g)
			if b.Solve(d); floats.Norm(g, 2) > 1e-3 && !(floats.Dot(d, g) > 0) {
				t.Fatalf("gᵀB⁻¹g = %v", floats.Dot(d, g))
			}
		}
	})
}

// TestBFGSKeepsTheLastPair tests B⁻¹y = s, also for variables in several parts of a sweep.
func TestBFGSKeepsTheLastPair(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{5, 4096, 10_000} {
		b := NewBFGS(n, 4, 1)
		step, change, bs := make([]float64, n), make([]float64, n), make([]float64, n)
		for range 6 {
			for i := range step {
				bs[i] = r.NormFloat64()
			}
			copy(step, bs)
			b.Solve(step)
			for i := range step {
				change[i] = step[i] * (1 + float64(i%3))
			}
			b.Update(step, change, bs)
		}
		copy(bs, change)
		if b.Solve(bs); !floats.EqualApprox(bs, step, 1e-12) {
			t.Errorf("n = %d: B⁻¹y is off by %g", n, floats.Distance(bs, step, math.Inf(1)))
		}
	}
}

// vectors draws vectors of n numbers that are neither large nor nearly 0.
func vectors(n int) *rapid.Generator[[]float64] {
	entry := rapid.Map(rapid.IntRange(-20, 20), func(k int) float64 { return float64(k) / 10 })
	return rapid.SliceOfN(entry, n, n)
}

// updateRandom takes in a step and a change that may be of negative curvature.
func updateRandom(t *rapid.T, b *BFGS, n int) {
	bs, change, step := vectors(n).Draw(t, "Bs"), vectors(n).Draw(t, "change"), make([]float64, n)
	copy(step, bs)
	b.Solve(step)
	b.Update(step, change, bs)
}
