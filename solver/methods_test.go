package solver_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// TestMake reads names and options of methods: each is what it is called.
func TestMake(t *testing.T) {
	type options = map[string]any
	for _, test := range []struct {
		name    string
		options options
		want    string // the method's name, or part of the error
	}{
		{"fsfo", nil, "fsfo"},
		{"fsfo", options{"tau": 20}, "fsfo"},
		{"fsfo", options{"rule": "fixed", "batch_f": 32}, "fsfo"},
		{"fsfo", options{"rule": "fixed", "truncate": "on"}, "fsfo"},
		{"fsfo", options{"rule": "fixed", "truncate": false}, "fsfo"},
		{"fsfo", options{"rule": "fixed", "truncate": "yes"}, `truncate is "yes", must be on|off`},
		{"finite-sum", nil, "finite-sum"},
		{"finite-sum", options{"tau": 20}, "finite-sum"},
		{"finite-sum", options{"rule": "theory"}, `finite-sum has no option "rule"`},
		{"fsfo", options{"rule": "best"}, `rule is "best", must be fixed|theory`},
		{"ssqp", options{"rule": "fixed"}, `ssqp has no option "rule"`},
		{"newton", nil, `no method "newton"; there are fsfo, finite-sum, `},
	} {
		m, err := solver.Make(test.name, test.options)
		if err == nil {
			err = solver.Validate(m)
		}
		switch {
		case err != nil && !strings.Contains(err.Error(), test.want):
			t.Errorf("%s with %v: %v, want %s", test.name, test.options, err, test.want)
		case err == nil && m.Name() != test.want:
			t.Errorf("%s with %v is %s, want %s", test.name, test.options, m.Name(), test.want)
		}
	}
}

// without is a problem of n variables without constraints.
type without struct{ problem.Problem }

func (p without) Dims() (n, m int) {
	n, _ = p.Problem.Dims()
	return n, 0
}

// TestRunRefuses what no method is for.
func TestRunRefuses(t *testing.T) {
	_, p := conformanceProblem(t, 1, 0.1, true)
	settings := solver.Settings{MaxIterations: 1}
	for name, run := range map[string]func() (*solver.Result, error){
		"no constraint": func() (*solver.Result, error) {
			return solver.Run(t.Context(), without{p}, solver.DefaultFiniteSum(), settings, solver.NewStreams(1, 0))
		},
		"no method": func() (*solver.Result, error) {
			return solver.Run(t.Context(), p, nil, settings, solver.NewStreams(1, 0))
		},
	} {
		if _, err := run(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// infinite is a problem whose population no pass can cover.
type infinite struct{ problem.Problem }

func (infinite) Populations() (objective, constraint int) { return 0, 0 }

// TestFiniteSumRefuses has an infinite population, for which there is no full pass.
func TestFiniteSumRefuses(t *testing.T) {
	_, p := conformanceProblem(t, 1, 0.1, true)
	_, err := solver.Run(t.Context(), infinite{p}, solver.DefaultFiniteSum(),
		solver.Settings{MaxIterations: 1}, solver.NewStreams(1, 0))
	if err == nil || !strings.Contains(err.Error(), "finite data") {
		t.Errorf("an infinite population: %v", err)
	}
}

// TestRegister refuses names that are taken, or not the method's own.
func TestRegister(t *testing.T) {
	for _, name := range []string{"sgd", "mine"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("sgd is registered as %q", name)
				}
			}()
			solver.Register(name, func() solver.Method { return solver.DefaultSGD() })
		}()
	}
}

// TestPilotDiverges estimates constants of constraints that blow up close to the start: the error
// says what to set.
func TestPilotDiverges(t *testing.T) {
	p := &smooth{
		start:     []float64{1},
		m:         1,
		objective: func(g, x []float64) float64 { g[0] = x[0]; return x[0] * x[0] / 2 },
		constraint: func(c []float64, j blas64.General, x []float64) {
			c[0], j.Data[0] = math.NaN(), 1
			if x[0] == 1 {
				c[0] = 1
			}
		},
	}
	_, err := solver.Run(t.Context(), p, solver.DefaultFSFO(), solver.Settings{MaxIterations: 10},
		solver.NewStreams(1, 0))
	if err == nil || !strings.Contains(err.Error(), "give the constants l_f, l_c and nu, or eta") {
		t.Errorf("error %v", err)
	}
}
