package kkt_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
)

// sized is a problem of which only the dimensions count, with inequalities alone.
type sized struct {
	problem.Problem
	n, m int
}

func (p sized) Dims() (n, m int) { return p.n, p.m }
func (p sized) Inequalities() []int {
	all := make([]int, p.m)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestManyVariables repeats each variable so often that multipliers are computed from
// products: over the root of that number, values and gradients have the same norms and
// products as before, and so the same residual.
func TestManyVariables(t *testing.T) {
	const few, times = 40, 2000
	r := rand.New(rand.NewPCG(7, 1))
	for trial := range 40 {
		m := 2 + trial%4
		v, w := problem.NewValues(few, m), problem.NewValues(few*times, m)
		for j := range v.Gradient {
			v.Gradient[j] = r.NormFloat64()
		}
		for i := range m {
			v.Constraint[i] = math.Pow(10, -float64(trial%7)) * r.NormFloat64()
			for j := range few {
				v.Jacobian.Data[i*few+j] = r.NormFloat64() - 0.3*v.Gradient[j]
			}
		}
		if trial%3 == 0 { // two sides of one bound
			for j := range few {
				v.Jacobian.Data[few+j] = -v.Jacobian.Data[j]
			}
		}
		repeat := func(dst, src []float64) {
			for j := range dst {
				dst[j] = src[j%few] / math.Sqrt(times)
			}
		}
		repeat(w.Gradient, v.Gradient)
		copy(w.Constraint, v.Constraint)
		for i := range m {
			repeat(w.Jacobian.Data[i*few*times:(i+1)*few*times], v.Jacobian.Data[i*few:(i+1)*few])
		}
		want := kkt.NewEvaluator(sized{n: few, m: m}).Residual(v)
		got := kkt.NewEvaluator(sized{n: few * times, m: m}).Residual(w)
		if math.Abs(got.Norm()-want.Norm()) > 1e-8*want.Norm() {
			t.Errorf("trial %d: residual %v with multipliers %v, want %v with %v", trial,
				got.Norm(), got.Multiplier, want.Norm(), want.Multiplier)
		}
	}
}

// TestManyConstraints adds constraints that hold by far and whose gradients are 0, which have no
// multiplier, until multipliers are computed from products.
func TestManyConstraints(t *testing.T) {
	const n, m, all = 40, 5, 60
	r := rand.New(rand.NewPCG(8, 1))
	for trial := range 40 {
		v, w := problem.NewValues(n, m), problem.NewValues(n, all)
		for i := range v.Jacobian.Data {
			v.Jacobian.Data[i] = r.NormFloat64()
		}
		for j := range n {
			v.Gradient[j] = r.NormFloat64()
		}
		for i := range all {
			w.Constraint[i] = -1
		}
		for i := range m {
			v.Constraint[i] = math.Pow(10, -float64(trial%7)) * r.NormFloat64()
		}
		copy(w.Gradient, v.Gradient)
		copy(w.Constraint, v.Constraint)
		copy(w.Jacobian.Data, v.Jacobian.Data)
		want := kkt.NewEvaluator(sized{n: n, m: m}).Residual(v)
		got := kkt.NewEvaluator(sized{n: n, m: all}).Residual(w)
		if math.Abs(got.Norm()-want.Norm()) > 1e-8*want.Norm() {
			t.Errorf("trial %d: residual %v with multipliers %v, want %v with %v", trial,
				got.Norm(), got.Multiplier, want.Norm(), want.Multiplier)
		}
	}
}

// TestManyUndefined spoils one value of many.
func TestManyUndefined(t *testing.T) {
	const n, m = 1 << 16, 2
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		v := problem.NewValues(n, m)
		for name, at := range map[string]*float64{
			"gradient": &v.Gradient[n/2], "constraint": &v.Constraint[1], "Jacobian": &v.Jacobian.Data[n+1],
		} {
			*at = bad
			if r := kkt.NewEvaluator(sized{n: n, m: m}).Residual(v); !math.IsInf(r.Norm(), 1) ||
				!math.IsNaN(r.Multiplier[0]) {
				t.Errorf("%s with %v: residual %v with multipliers %v", name, bad, r.Norm(), r.Multiplier)
			}
			*at = 0
		}
	}
}

// TestManyPairs has two sides of each of many bounds, whose gradients are opposite: the multipliers satisfy
// the conditions of the minimum that they are to be. Each evaluator starts from those of the problem before.
func TestManyPairs(t *testing.T) {
	const n, m = 90, 80
	r := rand.New(rand.NewPCG(9, 1))
	e := kkt.NewEvaluator(sized{n: n, m: m})
	for trial := range 30 {
		v := problem.NewValues(n, m)
		for j := range n {
			v.Gradient[j] = r.NormFloat64()
		}
		for i := 0; i < m; i += 2 {
			for j := range n {
				v.Jacobian.Data[i*n+j] = r.NormFloat64() - 0.2*v.Gradient[j]
				v.Jacobian.Data[(i+1)*n+j] = -v.Jacobian.Data[i*n+j]
			}
			v.Constraint[i] = math.Pow(10, -float64(trial%5)) * r.NormFloat64()
			v.Constraint[i+1] = -0.3 - v.Constraint[i]
		}
		got := e.Residual(v)
		lagrangian := slices.Clone(v.Gradient)
		for i, z := range got.Multiplier {
			floats.AddScaled(lagrangian, z, v.Jacobian.Data[i*n:(i+1)*n])
		}
		for i, z := range got.Multiplier {
			slope := floats.Dot(lagrangian, v.Jacobian.Data[i*n:(i+1)*n]) + z*v.Constraint[i]*v.Constraint[i]
			if z < 0 || slope < -1e-9 || z > 0 && slope > 1e-9 {
				t.Errorf("trial %d: multiplier %d is %g, where the slope is %g", trial, i, z, slope)
			}
		}
	}
}
