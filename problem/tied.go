package problem

import (
	"errors"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Ties make one variable of several: x_j = z_Of(j), or x_j = 0 for those that are fixed.
type Ties struct {
	Of    []int // of each variable x_j its index in z, −1 for a fixed one
	Count int   // of the variables z
}

// Spread stores in x what z stands for.
func (t *Ties) Spread(x, z []float64) {
	for j, k := range t.Of {
		x[j] = 0
		if k >= 0 {
			x[j] = z[k]
		}
	}
}

// Sum returns, for each z_k, the sum of the entries of v that are tied: the derivatives along z, if
// v has those along x.
func (t *Ties) Sum(v []float64) []float64 { return t.sum(make([]float64, t.Count), v) }

func (t *Ties) sum(dst, v []float64) []float64 {
	clear(dst)
	for j, k := range t.Of {
		if k >= 0 {
			dst[k] += v[j]
		}
	}
	return dst
}

// Last returns, for each z_k, the last entry of v that is tied.
func (t *Ties) Last(v []float64) []float64 {
	z := make([]float64, t.Count)
	for j, k := range t.Of {
		if k >= 0 {
			z[k] = v[j]
		}
	}
	return z
}

// Tied is a problem in the variables z.
type Tied struct {
	Problem // in x

	ties   *Ties
	m      int
	x      []float64
	memory *Values // of the inner problem
	view   Values  // what of it Evaluate fills
}

// NewTied wraps p, whose variables have no bounds.
func NewTied(p Problem, ties *Ties) (*Tied, error) {
	n, m := p.Dims()
	if len(ties.Of) != n || len(p.NonNegative()) > 0 {
		return nil, errors.New("problem: ties are of all variables of a problem without bounds")
	}
	return &Tied{Problem: p, ties: ties, m: m, x: make([]float64, n), memory: NewValues(n, m)}, nil
}

// Dims returns the number of variables z, and m.
func (q *Tied) Dims() (n, m int) { return q.ties.Count, q.m }

// Start is the inner problem's start; of variables that are tied, the last one's.
func (q *Tied) Start(z []float64) {
	q.Problem.Start(q.x)
	copy(z, q.ties.Last(q.x))
}

// Evaluate evaluates the inner problem, and adds up the derivatives.
func (q *Tied) Evaluate(out *Values, z []float64, b *Batch) {
	q.ties.Spread(q.x, z)
	inner := &q.view
	*inner = Values{WantObjective: out.WantObjective, Constraint: out.Constraint}
	if out.Gradient != nil {
		inner.Gradient = q.memory.Gradient
	}
	if out.WantJacobian() {
		inner.Jacobian = q.memory.Jacobian
	}
	q.Problem.Evaluate(inner, q.x, b)
	out.Objective = inner.Objective
	q.ties.Derivatives(out, inner)
}

// Derivatives stores the derivatives along z that out has memory for, given those along x.
func (t *Ties) Derivatives(out, inner *Values) {
	if out.Gradient != nil {
		t.sum(out.Gradient, inner.Gradient)
	}
	if out.WantJacobian() {
		for i := range out.Jacobian.Rows {
			t.sum(linalg.Row(out.Jacobian, i).Data, linalg.Row(inner.Jacobian, i).Data)
		}
	}
}
