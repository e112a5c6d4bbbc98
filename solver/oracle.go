package solver

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/problem"
)

// oracle evaluates one quantity at a time, without allocating: stochastic methods have independent
// batches for ∇f, c and ∇c.
type oracle struct {
	problem.Problem
	out problem.Values
}

func newOracle(p problem.Problem) *oracle { return &oracle{Problem: p} }

func (o *oracle) gradient(dst, x []float64, b *problem.Batch) {
	o.out = problem.Values{Gradient: dst}
	o.Evaluate(&o.out, x, b)
}

func (o *oracle) constraint(dst, x []float64, b *problem.Batch) {
	o.out = problem.Values{Constraint: dst}
	o.Evaluate(&o.out, x, b)
}

func (o *oracle) jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	o.out = problem.Values{Jacobian: dst}
	o.Evaluate(&o.out, x, b)
}
