package solver

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// batchSizes are the sizes of the three independent batches of an iteration.
type batchSizes struct{ f, c, j int }

// or returns b with the given sizes in place of its own, as far as they are positive.
func (b batchSizes) or(f, c, j int) batchSizes {
	return batchSizes{cmp.Or(f, b.f), cmp.Or(c, b.c), cmp.Or(j, b.j)}
}

// spider holds the truncated SPIDER estimators at one point.
type spider struct {
	p       problem.Problem
	streams Streams
	radius  radii

	values  *problem.Values // ∇̃f, c̃ and ∇̃cᵀ; no objective
	f, c, j problem.Batch
	scratch *problem.Values
}

// radii are the radii of the balls B(G), B(M) and B(L_c) that hold the estimates.
type radii struct{ f, c, j float64 }

// unbounded radii switch truncation off.
var unbounded = radii{math.Inf(1), math.Inf(1), math.Inf(1)}

func newSpider(p problem.Problem, s Streams, r radii) *spider {
	n, m := p.Dims()
	return &spider{p: p, streams: s, radius: r, values: problem.NewValues(n, m), scratch: problem.NewValues(n, m)}
}

// draw draws the three batches. If a batch would be as large as a finite population, draw
// returns nil for it: the population, whose mean has no error.
func (e *spider) draw(b batchSizes) (f, c, j *problem.Batch) {
	objective, constraint := e.p.Populations()
	if objective == 0 || b.f < objective {
		f = &e.f
		e.p.DrawObjective(f, b.f, e.streams.Objective)
	}
	if constraint == 0 || b.c < constraint {
		c = &e.c
		e.p.DrawConstraint(c, b.c, e.streams.Constraint)
	}
	if constraint == 0 || b.j < constraint {
		j = &e.j
		e.p.DrawConstraint(j, b.j, e.streams.Jacobian)
	}
	return f, c, j
}

// refresh replaces the estimates by batch means at x (eq. spider0).
func (e *spider) refresh(x []float64, b batchSizes) {
	f, c, j := e.draw(b)
	e.p.Gradient(e.values.Gradient, x, f)
	e.p.Constraint(e.values.Constraint, x, c)
	e.p.Jacobian(e.values.Jacobian, x, j)
	e.truncate()
}

// refreshExact replaces the estimates by the exact values v.
func (e *spider) refreshExact(v *problem.Values) {
	copy(e.values.Gradient, v.Gradient)
	copy(e.values.Constraint, v.Constraint)
	copy(e.values.Jacobian.Data, v.Jacobian.Data)
}

// update moves the estimates from previous to x by the mean difference over a batch
// evaluated at both points (eq. spider-k).
func (e *spider) update(x, previous []float64, b batchSizes) {
	f, c, j := e.draw(b)
	v, s := e.values, e.scratch
	add := func(at []float64, sign float64) {
		e.p.Gradient(s.Gradient, at, f)
		floats.AddScaled(v.Gradient, sign, s.Gradient)
		e.p.Constraint(s.Constraint, at, c)
		floats.AddScaled(v.Constraint, sign, s.Constraint)
		e.p.Jacobian(s.Jacobian, at, j)
		floats.AddScaled(v.Jacobian.Data, sign, s.Jacobian.Data)
	}
	add(x, 1)
	add(previous, -1)
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
