package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestRowSpace compares the BFGS matrix of vectors that are stored as those of a row space with the one
// of the vectors themselves, which are long, in several parts.
func TestRowSpace(t *testing.T) {
	const rows, n, pairs = 4500, 3, 4
	r := rand.New(rand.NewPCG(3, 0))
	a := mat.NewDense(rows, n, nil)
	for i := range rows {
		for j := range n {
			a.Set(i, j, r.NormFloat64())
		}
	}
	space := Space{OfRows: true}
	draw := func() (stored, long []float64) {
		coefficients := make([]float64, rows)
		for i := range coefficients {
			coefficients[i] = r.NormFloat64()
		}
		var u, products mat.VecDense
		u.MulVec(a.T(), mat.NewVecDense(rows, coefficients))
		products.MulVec(a, &u)
		stored = make([]float64, 2*rows)
		Join(stored, coefficients, products.RawVector().Data)
		back, through := make([]float64, rows), make([]float64, rows)
		Split(back, through, stored)
		if !slices.Equal(back, coefficients) || !slices.Equal(through, products.RawVector().Data) {
			t.Fatal("halves are not what was joined")
		}
		return stored, u.RawVector().Data
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	b, long := NewBFGS(space, 2*rows, pairs, 1), NewBFGS(Space{}, n, pairs, 1)
	var y, ly []float64
	for range pairs + 1 {
		s, ls := draw()
		y, ly = draw()
		near("a product", space.Dot(s, y), floats.Dot(ls, ly))
		near("a norm", space.Norm(s), floats.Norm(ls, 2))
		floats.AddScaled(y, 3, s) // more curvature
		floats.AddScaled(ly, 3, ls)
		b.Update(s, y, s)
		long.Update(ls, ly, ls)
		floats.Scale(0, long.diagonal)
		floats.AddConst(floats.Dot(ly, ly)/floats.Dot(ls, ly), long.diagonal)
	}
	b.Solve(y)
	long.Solve(ly)
	g, lg := draw()
	near("a product with B⁻¹y", space.Dot(g, y), floats.Dot(lg, ly))
	near("the norm of B⁻¹y", space.Norm(y), floats.Norm(ly, 2))
}
