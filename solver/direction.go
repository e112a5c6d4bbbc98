package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

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
// variable that the step would carry to its bound is fixed there, and its column leaves
// the Jacobian. The variable is released when the estimate of its multiplier,
// (∇f + Jᵀλ)_j, is negative.
type direction struct {
	freeJacobian
	estimates *problem.Values // ∇̃f, c̃ and ∇̃cᵀ
	lambda    []float64       // λ̃
	sum       []float64       // λ + w c, or λ + w (JJᵀ + δI)⁻¹c
	step      []float64       // s̃
}

// normalStep is −w ∇̃c c̃ (eq. s_k) or, if newton is set, −w ∇̃c (∇̃cᵀ∇̃c + δI)⁻¹ c̃. With no
// damping δ that is the step of Gauss and Newton for c = 0, with δ > 0 the step of Levenberg
// and Marquardt.
type normalStep struct {
	w       float64
	newton  bool
	damping float64
}

// newDirection returns the direction for the estimates, whose values may change from step to
// step.
func newDirection(p problem.Problem, estimates *problem.Values) *direction {
	n, m := p.Dims()
	return &direction{
		freeJacobian: newFreeJacobian(p), estimates: estimates,
		lambda: make([]float64, m), sum: make([]float64, m), step: make([]float64, n),
	}
}

// start computes the multiplier λ̃ at x. It releases a variable that is no longer at its bound, or
// whose own multiplier, (∇f + Jᵀλ)_j, is negative.
func (d *direction) start(x []float64) {
	for k, j := range d.bounds {
		d.fixed[k] = d.fixed[k] && x[j] == 0
	}
	d.project()
	released := false
	for k, j := range d.bounds {
		if d.fixed[k] && d.estimates.Gradient[j]+blas64.Dot(linalg.Column(d.estimates.Jacobian, j),
			linalg.Vector(d.lambda)) < 0 {
			d.fixed[k], released = false, true
		}
	}
	if released {
		d.project()
	}
}

// finish computes the direction for a step of length eta from x. It fixes the variables that the
// step would carry to or past their bounds, until there are none. Every round fixes at least one,
// so it ends.
func (d *direction) finish(x []float64, normal normalStep, eta float64) {
	for {
		d.combine(normal)
		blocked := false
		for k, j := range d.bounds {
			if s := d.step[j]; !d.fixed[k] && s < 0 && x[j]+float64(eta*s) <= 0 {
				d.fixed[k], blocked = true, true
			}
		}
		if !blocked {
			return
		}
		d.project()
	}
}

// move adds eta times the direction to x. Fixed variables go to their bounds.
func (d *direction) move(x []float64, eta float64) {
	blas64.Axpy(eta, linalg.Vector(d.step), linalg.Vector(x))
	for k, i := range d.bounds {
		if d.fixed[k] {
			x[i] = 0
		}
	}
}

// project computes the multiplier for the working set.
func (d *direction) project() {
	d.reduce(d.estimates.Jacobian)
	d.space.Multiplier(d.lambda, d.free, d.estimates.Gradient)
}

// combine adds the normal step to the tangential one.
func (d *direction) combine(normal normalStep) {
	copy(d.sum, d.estimates.Constraint)
	switch {
	case normal.newton && normal.damping > 0:
		d.space.SolveDamped(d.sum, d.free, normal.damping)
	case normal.newton:
		d.space.SolveNormal(d.sum)
	}
	for i, l := range d.lambda {
		d.sum[i] = l + float64(normal.w*d.sum[i])
	}
	floats.ScaleTo(d.step, -1, d.estimates.Gradient)
	blas64.Gemv(blas.Trans, -1, d.free, linalg.Vector(d.sum), 1, linalg.Vector(d.step))
	for k, i := range d.bounds {
		if d.fixed[k] {
			d.step[i] = 0
		}
	}
}

// freeJacobian tells which of the bounded variables are fixed at their bounds x_j = 0, and has the
// Jacobian of the others.
type freeJacobian struct {
	bounds []int
	fixed  []bool // per entry of bounds
	space  *linalg.RangeSpace
	free   blas64.General // the Jacobian with the columns of fixed variables at zero
}

func newFreeJacobian(p problem.Problem) freeJacobian {
	n, m := p.Dims()
	bounds := p.NonNegative()
	return freeJacobian{bounds, make([]bool, len(bounds)), linalg.NewRangeSpace(m, n), problem.NewJacobian(m, n)}
}

// reduce takes what is left of the Jacobian j into free, and decomposes it.
func (w *freeJacobian) reduce(j blas64.General) {
	for i := range j.Rows {
		copy(linalg.Row(w.free, i).Data, linalg.Row(j, i).Data)
	}
	for k, i := range w.bounds {
		if w.fixed[k] {
			blas64.Scal(0, linalg.Column(w.free, i))
		}
	}
	w.space.Decompose(w.free)
}
