package problem

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// Rescaled is a problem in the variables z with x_j = s_j z_j. First-order methods see other
// curvatures: if s_j is the inverse root of the curvature along x_j, all curvatures become
// alike. A gradient step of size η in z is a gradient step of size ηs_j² in x_j. Positive
// scales keep signs, and so bounds.
type Rescaled struct {
	Problem // in x

	scale []float64
	one   bool // all scales are 1
	x     []float64

	// Of ExactInParts: what to fill, whom to tell, and the function that is told.
	values *Values
	then   func(lo, hi int)
	filled func(lo, hi int)
}

// NewRescaled wraps p. The scale has an entry s_j > 0 for each variable.
func NewRescaled(p Problem, scale []float64) (*Rescaled, error) {
	n, _ := p.Dims()
	if len(scale) != n {
		return nil, fmt.Errorf("problem: %d scales for %d variables", len(scale), n)
	}
	for j, s := range scale {
		if !(s > 0) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("problem: scale of variable %d is %v, must be positive and finite", j, s)
		}
	}
	one := !slices.ContainsFunc(scale, func(s float64) bool { return s != 1 })
	q := &Rescaled{Problem: p, scale: slices.Clone(scale), one: one, x: make([]float64, n)}
	q.filled = q.scalePart
	return q, nil
}

// X stores in dst the inner problem's variables at z.
func (q *Rescaled) X(dst, z []float64) { floats.MulTo(dst, q.scale, z) }

// Original turns values at z into values of the inner problem, in place, of the variables lo to
// hi−1.
func (q *Rescaled) Original(v *Values, lo, hi int) {
	if q.one {
		return
	}
	floats.Div(v.Gradient[lo:hi], q.scale[lo:hi])
	for i := range v.Constraint {
		floats.Div(q.row(v.Jacobian, i)[lo:hi], q.scale[lo:hi])
	}
}

// Start is the inner problem's start.
func (q *Rescaled) Start(z []float64) {
	q.Problem.Start(z)
	floats.Div(z, q.scale)
}

// Objective is the inner problem's at x.
func (q *Rescaled) Objective(z []float64, b *Batch) float64 {
	return q.Problem.Objective(q.inner(z, b), b)
}

// Gradient is the inner problem's, times the scales.
func (q *Rescaled) Gradient(dst, z []float64, b *Batch) {
	q.Problem.Gradient(dst, q.inner(z, b), b)
	q.scaleBy(dst, b)
}

// Constraint is the inner problem's at x.
func (q *Rescaled) Constraint(dst, z []float64, b *Batch) {
	q.Problem.Constraint(dst, q.inner(z, b), b)
}

// Jacobian is the inner problem's, its columns times the scales.
func (q *Rescaled) Jacobian(dst blas64.General, z []float64, b *Batch) {
	q.Problem.Jacobian(dst, q.inner(z, b), b)
	q.scaleColumns(dst, b)
}

// Exact evaluates the inner problem jointly.
func (q *Rescaled) Exact(v *Values, z []float64) { q.ExactInParts(v, z, func(int, int) {}) }

// ExactInParts evaluates the inner problem jointly.
func (q *Rescaled) ExactInParts(v *Values, z []float64, then func(lo, hi int)) {
	if q.one {
		ExactInParts(q.Problem, v, z, then)
		return
	}
	q.values, q.then = v, then
	ExactInParts(q.Problem, v, q.inner(z, nil), q.filled)
}

func (q *Rescaled) scalePart(lo, hi int) {
	floats.Mul(q.values.Gradient[lo:hi], q.scale[lo:hi])
	for i := range q.values.Jacobian.Rows {
		floats.Mul(q.row(q.values.Jacobian, i)[lo:hi], q.scale[lo:hi])
	}
	q.then(lo, hi)
}

// Entries is the inner problem's.
func (q *Rescaled) Entries() float64 { return Entries(q.Problem) }

// inner returns the inner problem's variables at z, as far as the batch needs them.
func (q *Rescaled) inner(z []float64, b *Batch) []float64 {
	if q.one {
		return z
	}
	b.MulTo(q.x, q.scale, z)
	return q.x
}

func (q *Rescaled) scaleBy(dst []float64, b *Batch) {
	if !q.one {
		b.MulTo(dst, dst, q.scale)
	}
}

func (q *Rescaled) scaleColumns(dst blas64.General, b *Batch) {
	for i := range dst.Rows {
		q.scaleBy(q.row(dst, i), b)
	}
}

func (q *Rescaled) row(j blas64.General, i int) []float64 {
	return j.Data[i*j.Stride : i*j.Stride+len(q.scale)]
}

// Bounds bounds the constants from the bounds of the inner problem. With the largest scale s,
// derivatives of order k grow by s^k at most. The lower bound ν of the singular values shrinks
// with the smallest scale.
func (q *Rescaled) Bounds() Constants {
	s := floats.Max(q.scale)
	c := Bounds(q.Problem)
	c.G *= s
	c.SigmaF *= s
	c.Lf *= s * s
	c.Lhf *= s * s * s
	c.Lc *= s
	c.SigmaJ *= s
	c.LJ *= s * s
	c.Lhc *= s * s * s
	c.Nu *= floats.Min(q.scale)
	return c
}
