package solver

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// TestEstimatorError checks Corollary estimator-error: with the batches of the theory
// rule, the mean squared error of each estimator stays below ε̄² at every iteration of
// an epoch. The mean is over many runs from one starting point.
func TestEstimatorError(t *testing.T) {
	const (
		runs   = 400
		steps  = 12
		epsBar = 0.3
	)
	for _, m := range []int{1, 3} {
		q := problemtest.NewQuadratic(10, m, 256, 5, 0.3, rand.New(rand.NewPCG(1, uint64(m))))
		s := theoryFSFO(q, epsBar)
		n, _ := q.Dims()
		exact := problem.NewValues(n, m)
		var worst [3]float64
		sums := make([][3]float64, steps)
		for run := range runs {
			it := newIterate(q)
			if err := s.Init(q, NewStreams(5, run), it); err != nil {
				t.Fatal(err)
			}
			for k := range steps {
				q.Evaluate(exact, it.X, nil)
				if err := s.Step(it); err != nil {
					t.Fatal(err)
				}
				it.K++
				e := s.estimate.values
				sums[k][0] += square(floats.Distance(e.Gradient, exact.Gradient, 2)) / runs
				sums[k][1] += square(floats.Distance(e.Constraint, exact.Constraint, 2)) / runs
				sums[k][2] += square(floats.Distance(e.Jacobian.Data, exact.Jacobian.Data, 2)) / runs
			}
		}
		for _, sum := range sums {
			for i := range worst {
				worst[i] = max(worst[i], sum[i])
			}
		}
		t.Logf("m = %d: worst mean squared errors of ∇f, c, ∇c: %.3g, bound %.3g", m, worst, epsBar*epsBar)
		for i, name := range []string{"∇f", "c", "∇c"} {
			if !(worst[i] <= epsBar*epsBar) {
				t.Errorf("m = %d: mean squared error of the estimate of %s is %g, bound %g", m,
					name, worst[i], epsBar*epsBar)
			}
			if worst[i] < 1e-6*epsBar*epsBar {
				t.Errorf("m = %d: the error of %s is %g: the test sees no noise", m, name, worst[i])
			}
		}
	}
}

// theoryFSFO is FSFO with theory batches and constants measured on q's whole
// population, from single samples, so that they hold for Assumption 2.
func theoryFSFO(q *problemtest.Quadratic, epsBar float64) *FSFO {
	c, err := EstimateConstants(q, rand.New(rand.NewPCG(3, 3)))
	if err != nil {
		panic(err)
	}
	s := DefaultFSFO()
	s.Rule, s.Tau, s.EpsBar = Theory, 4, epsBar
	s.Constants = c
	s.Eta = 0.2 / c.Lf
	return s
}

func newIterate(p problem.Problem) *Iterate {
	n, m := p.Dims()
	it := &Iterate{X: make([]float64, n), Y: make([]float64, m)}
	p.Start(it.X)
	return it
}

func TestEstimatedConstants(t *testing.T) {
	// Without noise every sample is the quadratic itself, whose constants are known.
	q := problemtest.NewQuadratic(20, 2, 16, 8, 0, rand.New(rand.NewPCG(2, 2)))
	c, err := EstimateConstants(q, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(c.Lf-8) > 0.05 {
		t.Errorf("L_f = %v, the largest eigenvalue of H is 8", c.Lf)
	}
	if c.LJ > 1e-6 || c.Lhf > 1e-6 || c.Lhc > 1e-6 {
		t.Errorf("L_J, L_h^f, L_h^c = %v, %v, %v of a quadratic with linear constraints, want 0", c.LJ, c.Lhf, c.Lhc)
	}
	if c.SigmaF > 1e-6 || c.SigmaC > 1e-6 || c.SigmaJ > 1e-6 {
		t.Errorf("σ = %v, %v, %v without noise", c.SigmaF, c.SigmaC, c.SigmaJ)
	}
	j := problem.NewJacobian(2, 20)
	q.Evaluate(&problem.Values{Jacobian: j}, nil, nil)
	space := linalg.NewRangeSpace(2, 20)
	space.Decompose(j)
	if math.Abs(c.Nu-space.MuMin) > 1e-9 {
		t.Errorf("ν = %v, the smallest singular value is %v", c.Nu, space.MuMin)
	}
}

// TestStepOfNothing: constants whose powers overflow leave no step.
func TestStepOfNothing(t *testing.T) {
	s := DefaultFSFO()
	s.Constants = problem.Constants{G: 1, M: 1, Lf: 1, Lc: 1, LJ: 1, Lhf: 1, Lhc: 1, Nu: 1e-160}
	q := problemtest.NewQuadratic(4, 1, 16, 2, 0.5, rand.New(rand.NewPCG(1, 2)))
	_, err := Run(t.Context(), q, s, Settings{MaxIterations: 1}, NewStreams(1, 0), nil)
	if err == nil || !strings.Contains(err.Error(), "the step size is 0") {
		t.Errorf("error %v", err)
	}
}
