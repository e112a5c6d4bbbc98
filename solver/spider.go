package solver

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// batchSizes are the sizes of the three independent batches of an iteration.
type batchSizes struct{ f, c, j int }

// or returns b with the given sizes in place of its own, as far as they are positive.
func (b batchSizes) or(f, c, j int) batchSizes {
	return batchSizes{cmp.Or(f, b.f), cmp.Or(c, b.c), cmp.Or(j, b.j)}
}

// batches are the three independent batches of an iteration.
type batches struct{ f, c, j problem.Batch }

// draw draws the batches. If a batch would be as large as a finite population, draw returns nil for
// it: the population, whose mean has no error.
func (b *batches) draw(p problem.Problem, s Streams, size batchSizes) (f, c, j *problem.Batch) {
	objective, constraint := p.Populations()
	if objective == 0 || size.f < objective {
		f = &b.f
		p.DrawObjective(f, size.f, s.Objective)
	}
	if constraint == 0 || size.c < constraint {
		c = &b.c
		p.DrawConstraint(c, size.c, s.Constraint)
	}
	if constraint == 0 || size.j < constraint {
		j = &b.j
		p.DrawConstraint(j, size.j, s.Jacobian)
	}
	return f, c, j
}

// spider holds the truncated SPIDER estimators at one point.
type spider struct {
	p       *oracle
	streams Streams
	radius  radii

	values  *problem.Values // ∇̃f, c̃ and ∇̃cᵀ; no objective
	scratch *problem.Values
	batches
}

// radii are the radii of the balls B(G), B(M) and B(L_c) that hold the estimates.
type radii struct{ f, c, j float64 }

// unbounded radii switch truncation off.
var unbounded = radii{math.Inf(1), math.Inf(1), math.Inf(1)}

func newSpider(p problem.Problem, s Streams, r radii) *spider {
	n, m := p.Dims()
	return &spider{p: newOracle(p), streams: s, radius: r, values: problem.NewValues(n, m), scratch: problem.NewValues(n, m)}
}

// refresh replaces the estimates by batch means at x (eq. spider0).
func (e *spider) refresh(x []float64, b batchSizes) {
	f, c, j := e.draw(e.p, e.streams, b)
	e.p.gradient(e.values.Gradient, x, f)
	e.p.constraint(e.values.Constraint, x, c)
	e.p.jacobian(e.values.Jacobian, x, j)
	e.truncate()
}

// refreshExact replaces the estimates by the exact values v.
func (e *spider) refreshExact(v *problem.Values) {
	copy(e.values.Gradient, v.Gradient)
	copy(e.values.Constraint, v.Constraint)
	copy(e.values.Jacobian.Data, v.Jacobian.Data)
}

// update moves the estimates from previous to x by the mean difference over a batch evaluated at
// both points (eq. spider-k). A mean over all rows takes the estimate's place: it has no error, and
// costs one evaluation.
func (e *spider) update(x, previous []float64, b batchSizes) {
	f, c, j := e.draw(e.p, e.streams, b)
	v, s := e.values, e.scratch
	move := func(v, s []float64, batch *problem.Batch, evaluate func(at []float64)) {
		evaluate(x)
		if batch == nil {
			copy(v, s)
			return
		}
		floats.Add(v, s)
		evaluate(previous)
		floats.Sub(v, s)
	}
	move(v.Gradient, s.Gradient, f, func(at []float64) { e.p.gradient(s.Gradient, at, f) })
	move(v.Constraint, s.Constraint, c, func(at []float64) { e.p.constraint(s.Constraint, at, c) })
	move(v.Jacobian.Data, s.Jacobian.Data, j, func(at []float64) { e.p.jacobian(s.Jacobian, at, j) })
	e.truncate()
}

// truncate projects the estimates onto their balls, in the Euclidean norm (Frobenius
// for the Jacobian).
func (e *spider) truncate() {
	project := func(v []float64, radius float64) {
		if norm := floats.Norm(v, 2); norm > radius {
			floats.Scale(radius/norm, v)
		}
	}
	project(e.values.Gradient, e.radius.f)
	project(e.values.Constraint, e.radius.c)
	project(e.values.Jacobian.Data, e.radius.j)
}

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
