package solver_test

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// TestSQPRefusesBounds tests that a variable with a bound is not taken for a slack if it is
// none.
func TestSQPRefusesBounds(t *testing.T) {
	for _, bound := range []int{0, 1} {
		p, err := problem.NewStandard(bounded{&smooth{
			start: []float64{1, 1}, m: 1, inequalities: []int{0},
			objective: func(g, x []float64) float64 {
				copy(g, x)
				return floats.Dot(x, x) / 2
			},
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0] = x[0] + 2*x[1] - 1
				copy(j.Data[:2], []float64{1, 2})
			},
		}, bound}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := solver.Run(t.Context(), p, solver.DefaultSQP(),
			solver.Settings{MaxIterations: 5}, solver.NewStreams(1, 0)); err == nil {
			t.Errorf("a bound on variable %d is taken for a slack", bound)
		}
	}
}

// TestSQPRefusesUnitColumns: a variable with a bound is no slack though it enters one equality,
// with the factor 1.
func TestSQPRefusesUnitColumns(t *testing.T) {
	p, err := problem.NewStandard(bounded{onLine(), 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := solver.Run(t.Context(), p, solver.DefaultSQP(), solver.Settings{MaxIterations: 50},
		solver.NewStreams(1, 0)); err == nil {
		t.Errorf("it ends at %v", r.X)
	}
}

// TestSQPNeedsFiniteData: nothing would be charged for exact values of an infinite population.
func TestSQPNeedsFiniteData(t *testing.T) {
	noisy, err := problem.NewNoisy(onLine(), 0.01)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewStandard(noisy, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := solver.Run(t.Context(), p, solver.DefaultSQP(), solver.Settings{MaxSamples: 3000},
		solver.NewStreams(1, 0)); err == nil || !strings.Contains(err.Error(), "finite data") {
		t.Errorf("error %v", err)
	}
}

// onLine is the distance from a point, on a line.
func onLine() *smooth {
	return &smooth{
		start: []float64{1, 0}, m: 1,
		objective: func(g, x []float64) float64 {
			floats.SubTo(g, x, []float64{1, 2})
			return floats.Dot(g, g) / 2
		},
		constraint: func(c []float64, j blas64.General, x []float64) {
			c[0] = x[0] + x[1] - 1
			copy(j.Data[:2], []float64{1, 1})
		},
	}
}

// bounded has a bound on one variable.
type bounded struct {
	*smooth
	variable int
}

func (p bounded) NonNegative() []int { return []int{p.variable} }
