package linalg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawBoxQP draws a program whose G = JJᵀ is singular where J has few columns, equal rows
// or a row of zeros, with rows of any scale.
func drawBoxQP(t *rapid.T, most int) *BoxQP {
	m, n := rapid.IntRange(1, most).Draw(t, "m"), rapid.IntRange(1, 8).Draw(t, "n")
	entry := rapid.Float64Range(-3, 3)
	q := NewBoxQP(m)
	j := make([][]float64, m)
	for i := range j {
		j[i] = rapid.SliceOfN(entry, n, n).Draw(t, "row of J")
		switch rapid.SampledFrom([]string{"as it is", "as it is", "scaled", "a copy", "zero"}).Draw(t, "kind") {
		case "scaled":
			floats.Scale(math.Pow(10, float64(rapid.IntRange(-4, 4).Draw(t, "log scale"))), j[i])
		case "a copy":
			copy(j[i], j[0])
		case "zero":
			clear(j[i])
		}
		for k := range i + 1 {
			q.G.Data[i*q.m+k], q.G.Data[k*q.m+i] = floats.Dot(j[i], j[k]), floats.Dot(j[i], j[k])
		}
		q.R[i] = entry.Draw(t, "r")
		q.High[i] = rapid.Float64Range(0.1, 10).Draw(t, "high")
		q.Low[i] = rapid.SampledFrom([]float64{0, -q.High[i]}).Draw(t, "low")
	}
	return q
}

// value is the objective, damping included.
func (q *BoxQP) value(lambda []float64) float64 {
	sum := floats.Dot(q.R, lambda)
	for i, l := range lambda {
		sum += l * (floats.Dot(q.G.Data[i*q.m:(i+1)*q.m], lambda) + q.damping[i]*l) / 2
	}
	return sum
}

// TestBoxQPIsOptimal tests the conditions of optimality: no variable inside of its bounds
// has a slope and none at a bound is pulled away from it.
func TestBoxQPIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawBoxQP(t, 12)
		for range 2 { // cold and warm
			q.Solve()
			for i, l := range q.Lambda {
				row := q.G.Data[i*q.m : (i+1)*q.m]
				slope, size := q.R[i], math.Abs(q.R[i])
				for k, g := range row {
					slope += g * q.Lambda[k]
					size = max(size, math.Abs(g*q.Lambda[k]))
				}
				tolerance := 1e-7 * (1 + size)
				switch {
				case !(l >= q.Low[i] && l <= q.High[i]):
					t.Fatalf("λ_%d = %v is outside of [%v, %v]", i, l, q.Low[i], q.High[i])
				case l > q.Low[i] && slope > tolerance:
					t.Fatalf("λ_%d = %v of [%v, %v] has the slope %v", i, l, q.Low[i], q.High[i], slope)
				case l < q.High[i] && slope < -tolerance:
					t.Fatalf("λ_%d = %v of [%v, %v] has the slope %v", i, l, q.Low[i], q.High[i], slope)
				}
			}
			for i := range q.R { // another program of the same G
				q.R[i] = rapid.Float64Range(-3, 3).Draw(t, "r")
			}
		}
	})
}

// TestBoxQPOfActiveSets compares with the best of all choices of variables that are at
// their bounds.
func TestBoxQPOfActiveSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawBoxQP(t, 4)
		q.Solve()
		best := math.Inf(1)
		sets := 1
		for range q.m {
			sets *= 3
		}
		for set := range sets {
			if lambda, ok := q.withActive(set); ok {
				best = min(best, q.value(lambda))
			}
		}
		if got := q.value(q.Lambda); !(math.Abs(got-best) <= 1e-7*(1+math.Abs(best))) {
			t.Fatalf("the value is %v at %v, the least of all active sets %v", got, q.Lambda, best)
		}
	})
}

// withActive minimises by least squares with some variables at their bounds. The digits of
// set, to the base of 3, say which: 0 is a free variable, 1 a variable at its lower and 2 a
// variable at its upper bound. It reports whether the result is within bounds.
func (q *BoxQP) withActive(set int) ([]float64, bool) {
	lambda := make([]float64, q.m)
	var free []int
	for i := range lambda {
		switch set % 3 {
		case 0:
			free = append(free, i)
		case 1:
			lambda[i] = q.Low[i]
		case 2:
			lambda[i] = q.High[i]
		}
		set /= 3
	}
	if len(free) == 0 {
		return lambda, true
	}
	a, b := mat.NewDense(len(free), len(free), nil), mat.NewVecDense(len(free), nil)
	for k, i := range free {
		b.SetVec(k, -q.R[i]-floats.Dot(q.G.Data[i*q.m:(i+1)*q.m], lambda))
		for l, j := range free {
			a.Set(k, l, q.G.Data[i*q.m+j])
		}
		a.Set(k, k, a.At(k, k)+q.damping[i])
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, false
	}
	rank := svd.Rank(1e-13)
	if rank == 0 {
		return nil, false // another set has these variables at bounds
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, b, rank)
	for k, i := range free {
		lambda[i] = x.AtVec(k)
		if !(lambda[i] >= q.Low[i] && lambda[i] <= q.High[i]) {
			return nil, false
		}
	}
	return lambda, true
}

// TestBoxQPPrefersSmallMultipliers tests that equal constraints share their multiplier.
func TestBoxQPPrefersSmallMultipliers(t *testing.T) {
	q := NewBoxQP(3)
	for i := range 3 {
		q.R[i], q.Low[i], q.High[i] = -6, 0, 100
		for k := range i + 1 {
			q.G.Data[i*q.m+k], q.G.Data[k*q.m+i] = 2, 2
		}
	}
	q.Solve()
	if !floats.EqualApprox(q.Lambda, []float64{1, 1, 1}, 1e-6) {
		t.Errorf("λ = %v, the solution of least norm has 1, 1, 1", q.Lambda)
	}
}
