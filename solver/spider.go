package solver

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// batchSizes are the sizes of the three independent batches of an iteration.
type batchSizes struct{ f, c, j int }

// spider holds the truncated SPIDER estimators of ∇f, c and J at one point.
type spider struct {
	p       problem.Problem
	streams Streams
	radius  [3]float64 // of the balls B(G), B(M), B(L_c); +Inf switches truncation off

	gradient   []float64      // ∇̃f, length n
	constraint []float64      // c̃, length m
	jacobian   blas64.General // ∇̃cᵀ, m×n with stride n

	f, c, j  problem.Batch
	scratchN []float64
	scratchM []float64
	scratchJ blas64.General
}

func newSpider(p problem.Problem, s Streams, radiusF, radiusC, radiusJ float64) *spider {
	n, m := p.Dims()
	return &spider{
		p: p, streams: s, radius: [3]float64{radiusF, radiusC, radiusJ},
		gradient: make([]float64, n), constraint: make([]float64, m), jacobian: problem.NewJacobian(m, n),
		scratchN: make([]float64, n), scratchM: make([]float64, m), scratchJ: problem.NewJacobian(m, n),
	}
}

// draw draws the three batches. One that would be as large as a finite population is
// replaced by the population, whose mean has no error.
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
	e.p.Gradient(e.gradient, x, f)
	e.p.Constraint(e.constraint, x, c)
	e.p.Jacobian(e.jacobian, x, j)
	e.truncate()
}

// refreshExact replaces the estimates by the exact values v.
func (e *spider) refreshExact(v *problem.Values) {
	copy(e.gradient, v.Gradient)
	copy(e.constraint, v.Constraint)
	copy(e.jacobian.Data, v.Jacobian.Data)
}

// update moves the estimates from previous to x by the mean difference over a batch
// evaluated at both points (eq. spider-k).
func (e *spider) update(x, previous []float64, b batchSizes) {
	f, c, j := e.draw(b)
	e.p.Gradient(e.scratchN, x, f)
	floats.Add(e.gradient, e.scratchN)
	e.p.Gradient(e.scratchN, previous, f)
	floats.Sub(e.gradient, e.scratchN)

	e.p.Constraint(e.scratchM, x, c)
	floats.Add(e.constraint, e.scratchM)
	e.p.Constraint(e.scratchM, previous, c)
	floats.Sub(e.constraint, e.scratchM)

	e.p.Jacobian(e.scratchJ, x, j)
	floats.Add(e.jacobian.Data, e.scratchJ.Data)
	e.p.Jacobian(e.scratchJ, previous, j)
	floats.Sub(e.jacobian.Data, e.scratchJ.Data)
	e.truncate()
}

// truncate projects the estimates onto their balls, in the Euclidean norm (Frobenius
// for the Jacobian).
func (e *spider) truncate() {
	for i, v := range [3][]float64{e.gradient, e.constraint, e.jacobian.Data} {
		if norm := floats.Norm(v, 2); norm > e.radius[i] {
			floats.Scale(e.radius[i]/norm, v)
		}
	}
}
