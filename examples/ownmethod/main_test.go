// Package ownmethod compares a method of one's own with others: a gradient step on the quadratic
// penalty f + (ρ/2)‖c‖², x ← x − η (∇F + ρ ∇C c), from the exact values.
package ownmethod

import (
	"context"
	"fmt"
	"log"
	"os"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// penalty has its options as fields, and the problem with memory for its values.
type penalty struct {
	Eta, Rho float64

	p      problem.Problem
	values *problem.Values
}

func (*penalty) Name() string { return "penalty" }

func (s *penalty) Params() []solver.Param {
	return []solver.Param{
		{Name: "eta", Doc: "step size η", Value: &s.Eta, Min: 0, Max: 10},
		{Name: "rho", Doc: "penalty parameter ρ", Value: &s.Rho, Min: 0, Max: 1e6},
	}
}

func (s *penalty) Init(p problem.Problem, _ solver.Streams, _ *solver.Iterate) error {
	s.p, s.values = p, problem.NewValues(p.Dims())
	return nil
}

func (s *penalty) Step(it *solver.Iterate) error {
	v, n := s.values, len(it.X)
	s.p.Evaluate(v, it.X, nil)
	floats.AddScaled(it.X, -s.Eta, v.Gradient)
	for i, c := range v.Constraint {
		it.Y[i] = s.Rho * c // the multiplier of a penalty
		floats.AddScaled(it.X, -s.Eta*it.Y[i], v.Jacobian.Data[i*n:(i+1)*n])
	}
	for _, j := range s.p.NonNegative() {
		it.X[j] = max(0, it.X[j])
	}
	return nil
}

const preset = `
[problem]
data = "synthetic"
constraints = ["share:group=71,omega=0.3"]
reference = 0.0
[run]
budget = 6_000_000
seeds = 1
[[method]]
method = "penalty"
options = { rho = 100.0 }
[[method]]
method = "finite-sum"
[[method]]
method = "sqp"
`

func Example() {
	solver.Register("penalty", func() solver.Method { return &penalty{Eta: 0.5, Rho: 10} })
	p, err := experiment.Parse("own", preset)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ownmethod")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := experiment.Compare(context.Background(), p, nil, experiment.Settings{Dir: dir + "/results", Jobs: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, run := range store.Runs() {
		fmt.Printf("%s: KKT residual below 0.1 %t, below 0.001 %t\n", run.Label,
			run.Final().KKT() < 0.1, run.Final().KKT() < 1e-3)
	}
	// Output:
	// finite-sum: KKT residual below 0.1 true, below 0.001 true
	// penalty: KKT residual below 0.1 true, below 0.001 false
	// sqp: KKT residual below 0.1 true, below 0.001 true
}
