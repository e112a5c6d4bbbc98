package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
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

func (p inUnit) Constraint(dst, x []float64, b *problem.Batch) {
	p.Problem.Constraint(dst, x, b)
	floats.Scale(p.scale, dst)
}

func (p inUnit) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	p.Problem.Jacobian(dst, x, b)
	floats.Scale(p.scale, dst.Data)
}

// With the Gauss-Newton step the iterates don't depend on the unit of the constraints, here
// a power of two, not even in their last bits. With the gradient step they do.
func TestUnitOfConstraints(t *testing.T) {
	for _, m := range []int{1, 3} {
		q := problemtest.NewQuadratic(12, m, 64, 5, 0.05, rand.New(rand.NewPCG(11, uint64(m))))
		end := func(normal string, damping, unit float64) []float64 {
			s := solver.DefaultFSFO()
			s.Rule, s.Tau, s.Eta, s.W = solver.Fixed, 4, 0.1, 0.1
			s.Normal, s.Damping = normal, damping
			r, err := solver.Run(t.Context(), inUnit{q, unit}, s, solver.Settings{MaxSamples: 20_000}, solver.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			return r.X
		}
		for _, damping := range []float64{0, 1e-3} {
			if a, b := end(solver.GaussNewton, damping, 1), end(solver.GaussNewton, damping, 1.0/64); !slices.Equal(a, b) {
				t.Errorf("m = %d, damping %g: the iterates depend on the unit: %v and %v", m, damping, a, b)
			}
		}
		if a, b := end(solver.GradientNormal, 0, 1), end(solver.GradientNormal, 0, 1.0/64); floats.EqualApprox(a, b, 1e-3) {
			t.Errorf("m = %d: the gradient step doesn't depend on the unit, so that the test shows nothing", m)
		}
	}
}
