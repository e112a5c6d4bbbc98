package solver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// fullBatch is FSFO with batches as large as the population, so that every step is
// exact.
func fullBatch(eta float64) *solver.FSFO {
	s := solver.DefaultFSFO()
	s.Rule, s.Tau, s.Eta = solver.Fixed, 1, eta
	s.BatchF, s.BatchC, s.BatchJ = 1<<20, 1<<20, 1<<20
	return s
}

func TestFSFOClosedForm(t *testing.T) {
	for _, n := range []int{5, 50, 200} {
		for _, m := range []int{1, 3} {
			t.Run(fmt.Sprintf("equality/n=%d/m=%d", n, m), func(t *testing.T) {
				q := problemtest.NewQuadratic(n, m, 8, 10, 0, rand.New(rand.NewPCG(uint64(n), uint64(m))))
				kappa := scales(q)
				p, err := problem.NewStandard(q, kappa)
				if err != nil {
					t.Fatal(err)
				}
				x, lambda := q.Solution(all(m))
				run(t, p, fullBatch(0.1), x, lambda, kappa)
			})
			t.Run(fmt.Sprintf("inequality/n=%d/m=%d", n, m), func(t *testing.T) {
				q := problemtest.NewQuadratic(n, m, 8, 10, 0, rand.New(rand.NewPCG(uint64(n), uint64(m))))
				kappa := scales(q)
				p, err := problem.NewStandard(q.AtMost(all(m)...), kappa)
				if err != nil {
					t.Fatal(err)
				}
				x, lambda := q.SolutionInequality()
				t.Logf("multipliers %v", lambda)
				run(t, p, fullBatch(0.1), x, lambda, kappa)
			})
		}
	}
}

func run(t *testing.T, p *problem.Standard, s *solver.FSFO, x, lambda, kappa []float64) {
	t.Helper()
	r, err := solver.Run(context.Background(), p, s, solver.Settings{MaxIterations: 20000}, solver.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if d := floats.Distance(p.X(r.X), x, 2); !(d <= 1e-8) {
		t.Errorf("distance to the solution is %g after %d steps, want ≤ 1e-8", d, r.Iterations)
	}
	for i := range lambda {
		if got := r.Y[i] * kappa[i]; !(abs(got-lambda[i]) <= 1e-7*(1+abs(lambda[i]))) {
			t.Errorf("multiplier %d is %g, want %g", i, got, lambda[i])
		}
	}
}

// scales makes every constraint gradient of length 1, as the automatic scaling does.
func scales(p problem.Problem) []float64 {
	n, m := p.Dims()
	x := make([]float64, n)
	p.Start(x)
	j := problem.NewJacobian(m, n)
	p.Evaluate(&problem.Values{Jacobian: j}, x, nil)
	kappa := make([]float64, m)
	for i := range kappa {
		kappa[i] = 1 / floats.Norm(j.Data[i*n:(i+1)*n], 2)
	}
	return kappa
}

func all(m int) []int {
	x := make([]int, m)
	for i := range x {
		x[i] = i
	}
	return x
}

func abs(x float64) float64 { return max(x, -x) }
