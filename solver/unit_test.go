package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// inUnit is a problem whose constraints are in another unit.
type inUnit struct {
	problem.Problem
	scale float64
}

func (p inUnit) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	p.Problem.Evaluate(out, x, b)
	if out.Constraint != nil {
		floats.Scale(p.scale, out.Constraint)
	}
	if out.WantJacobian() {
		floats.Scale(p.scale, out.Jacobian.Data)
	}
}

// With the Gauss-Newton step, and so with Adaptive, the iterates don't depend on the unit of
// the constraints. If the unit is a power of two, not even the last bits do. With the gradient
// step they do.
func TestUnitOfConstraints(t *testing.T) {
	for _, m := range []int{1, 3} {
		q := problemtest.NewQuadratic(12, m, 64, 5, 0.05, rand.New(rand.NewPCG(11, uint64(m))))
		run := func(s solver.Method, unit float64) []float64 {
			r, err := solver.Run(t.Context(), inUnit{q, unit}, s,
				solver.Settings{MaxSamples: 20_000}, solver.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			return r.X
		}
		end := func(normal string, damping, unit float64) []float64 {
			s := solver.DefaultFSFO()
			s.Rule, s.Tau, s.Eta, s.W = solver.Fixed, 4, 0.1, 0.1
			s.Normal, s.Damping = normal, damping
			return run(s, unit)
		}
		if a, b := run(solver.DefaultAdaptive(), 1), run(solver.DefaultAdaptive(), 1.0/64); !slices.Equal(a, b) {
			t.Errorf("m = %d: the iterates of adaptive depend on the unit: %v and %v", m, a, b)
		}
		for _, damping := range []float64{0, 1e-3} {
			if a, b := end(solver.GaussNewton, damping, 1), end(solver.GaussNewton, damping,
				1.0/64); !slices.Equal(a, b) {
				t.Errorf("m = %d, damping %g: the iterates depend on the unit: %v and %v", m, damping, a, b)
			}
		}
		if a, b := end(solver.GradientNormal, 0, 1), end(solver.GradientNormal, 0,
			1.0/64); floats.EqualApprox(a, b, 1e-3) {
			t.Errorf("m = %d: the gradient step doesn't depend on the unit, so that the test shows nothing", m)
		}
	}
}

// With the Gauss-Newton step every c_i is a first-order recursion, c_i ← (1 − w) c_i − w e_i
// with the error e_i of its estimate. So in the long run the variance of c_i is w/(2 − w)
// times the variance of e_i, whatever η, the units or the condition of ∇c are.
func TestNoiseFloor(t *testing.T) {
	const (
		batch = 4
		w     = 0.2
		warm  = 200
		steps = 20_000
	)
	for _, m := range []int{1, 3} {
		q := problemtest.NewQuadratic(12, m, 64, 5, 0.05, rand.New(rand.NewPCG(11, uint64(m))))
		variance := 0.0 // of a sample, summed over the constraints
		x, _ := q.Solution(all(m))
		c, mean := make([]float64, m), make([]float64, m)
		q.Evaluate(&problem.Values{Constraint: mean}, x, nil)
		for i := range 64 {
			q.Evaluate(&problem.Values{Constraint: c}, x, &problem.Batch{Size: 1, Index: []int{i}})
			d := floats.Distance(c, mean, 2)
			variance += d * d / 64
		}
		s := solver.DefaultFSFO()
		s.Rule, s.Tau, s.Eta, s.W, s.Normal = solver.Fixed, 1, 0.05, w, solver.GaussNewton
		s.BatchF, s.BatchC, s.BatchJ = 64, batch, 64
		squares := 0.0
		record := func(it *solver.Snapshot) (bool, error) {
			if it.Iterate.K > warm {
				q.Evaluate(&problem.Values{Constraint: c}, it.Iterate.X, nil)
				squares += floats.Dot(c, c) / (steps - warm)
			}
			return false, nil
		}
		if _, err := solver.Run(t.Context(), q, s, solver.Settings{MaxIterations: steps},
			solver.NewStreams(3, 0), record); err != nil {
			t.Fatal(err)
		}
		want := w / (2 - w) * variance / batch
		if ratio := squares / want; !(ratio > 0.9 && ratio < 1.1) {
			t.Errorf("m = %d: mean square of c is %g, want %g", m, squares, want)
		}
	}
}
