package problem

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Rescaled is a problem in the variables z with x_j = s_j z_j. First-order methods see other
// curvatures: if s_j is the inverse root of the curvature along x_j, all curvatures become
// alike. A gradient step of size η in z is a gradient step of size ηs_j² in x_j. Positive
// scales keep signs, and so bounds.
type Rescaled struct {
	Problem // in x

	scale []float64
	x     []float64
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
	return &Rescaled{Problem: p, scale: slices.Clone(scale), x: make([]float64, n)}, nil
}

// X stores in dst the inner problem's variables at z.
func (q *Rescaled) X(dst, z []float64) { floats.MulTo(dst, q.scale, z) }

// Start is the inner problem's start.
func (q *Rescaled) Start(z []float64) {
	q.Problem.Start(z)
	floats.Div(z, q.scale)
}

// Evaluate evaluates the inner problem at x, with derivatives times the scales.
func (q *Rescaled) Evaluate(out *Values, z []float64, b *Batch) {
	floats.MulTo(q.x, q.scale, z)
	q.Problem.Evaluate(out, q.x, b)
	if out.Gradient != nil {
		floats.Mul(out.Gradient, q.scale)
	}
	if out.WantJacobian() {
		for i := range out.Jacobian.Rows {
			floats.Mul(linalg.Row(out.Jacobian, i).Data, q.scale)
		}
	}
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
