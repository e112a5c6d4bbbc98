package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// direction computes the search direction (eq. s_k)
//
//	s̃ = −P_Ṽ ∇̃f − w ∇̃c c̃ = −∇̃f − ∇̃c (λ̃ + w c̃),   λ̃ = −(∇̃c)†∇̃f,
//
// on the variables that are free of their bounds x_j ≥ 0. Clamping a plain step would
// be wrong: the Jacobian would still count on slacks that cannot move, and the iterates
// would stop at points that satisfy neither the constraint nor the KKT conditions. So a
// variable that the step would carry to its bound is fixed there and its column leaves
// the Jacobian; it is released when the estimate of its multiplier, (∇f + Jᵀλ)_j, is
// negative.
type direction struct {
	*workingSet
	lambda []float64
	sum    []float64 // λ + w c, or λ + w (JJᵀ + δI)⁻¹c
	step   []float64 // s̃
}

// normalStep is −w ∇̃c c̃ (eq. s_k) or, if newton is set, −w ∇̃c (∇̃cᵀ∇̃c + δI)⁻¹ c̃: the step
// of Gauss and Newton for c = 0 or, with a damping δ > 0, that of Levenberg and Marquardt.
type normalStep struct {
	w       float64
	newton  bool
	damping float64
}

func newDirection(p problem.Problem) *direction {
	n, m := p.Dims()
	return &direction{
		workingSet: newWorkingSet(p),
		lambda:     make([]float64, m), sum: make([]float64, m), step: make([]float64, n),
	}
}

// start computes the multiplier at x from the current working set, releasing the variables
// whose multipliers have the wrong sign.
func (d *direction) start(x []float64, v *problem.Values) {
	for k, i := range d.bounds {
		d.fixed[k] = d.fixed[k] && x[i] == 0
	}
	d.project(v)
	released := false
	for k, i := range d.bounds {
		if d.fixed[k] && v.Gradient[i]+blas64.Dot(linalg.Column(v.Jacobian, i), linalg.Vector(d.lambda)) < 0 {
			d.fixed[k], released = false, true
		}
	}
	if released {
		d.project(v)
	}
}

// finish computes the direction. It fixes the variables that a step of length eta would
// carry to or past their bounds, until there are none. Every round fixes at least one, so it
// ends.
func (d *direction) finish(x []float64, v *problem.Values, normal normalStep, eta float64) {
	for {
		d.combine(v, normal)
		blocked := false
		for k, i := range d.bounds {
			if !d.fixed[k] && d.step[i] < 0 && x[i]+eta*d.step[i] <= 0 {
				d.fixed[k], blocked = true, true
			}
		}
		if !blocked {
			return
		}
		d.project(v)
	}
}

// move adds eta times the direction to x; fixed variables go to their bounds.
func (d *direction) move(x []float64, eta float64) {
	blas64.Axpy(eta, linalg.Vector(d.step), linalg.Vector(x))
	for k, i := range d.bounds {
		if d.fixed[k] {
			x[i] = 0
		}
	}
}

// project computes the multiplier for the working set.
func (d *direction) project(v *problem.Values) {
	d.reduce(v.Jacobian)
	d.space.Multiplier(d.lambda, d.free, v.Gradient)
}

// combine adds the normal step to the tangential one.
func (d *direction) combine(v *problem.Values, normal normalStep) {
	copy(d.sum, v.Constraint)
	switch {
	case normal.newton && normal.damping > 0:
		d.space.SolveDamped(d.sum, d.free, normal.damping)
	case normal.newton:
		d.space.SolveNormal(d.sum)
	}
	for i, l := range d.lambda {
		d.sum[i] = l + float64(normal.w*d.sum[i])
	}
	for i, gi := range v.Gradient {
		d.step[i] = -gi
	}
	blas64.Gemv(blas.Trans, -1, d.free, linalg.Vector(d.sum), 1, linalg.Vector(d.step))
	for k, i := range d.bounds {
		if d.fixed[k] {
			d.step[i] = 0
		}
	}
}
