package reference_test

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver/reference"
)

// TestClosedForm solves quadratics with a known solution.
func TestClosedForm(t *testing.T) {
	for _, m := range []int{1, 3} {
		for _, inequalities := range []bool{false, true} {
			q := problemtest.NewQuadratic(40, m, 8, 10, 0, rand.New(rand.NewPCG(3, uint64(m))))
			all := []int{0, 1, 2}[:m]
			x, lambda := q.Solution(all)
			if inequalities {
				x, lambda = q.SolutionInequality()
				q = q.AtMost(all...)
			}
			r, err := reference.Solve(t.Context(), q, 1e-6, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := floats.Distance(r.X, x, 2); !(d < 2e-6) {
				t.Errorf("m = %d, inequalities %v: distance to the solution %g", m, inequalities, d)
			}
			if d := floats.Distance(r.Y, lambda, 2); !(d < 2e-6) {
				t.Errorf("m = %d, inequalities %v: multipliers %v, want %v", m, inequalities, r.Y, lambda)
			}
		}
	}
}
