package train

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// restorer takes a classifier that nearly satisfies the requirements, and makes the
// smallest changes with which its decisions satisfy them. It is Newton's method for the
// rates of decisions, with two changes. The Jacobian of the rates vanishes, so the
// Jacobian of tempered scores takes its place. The exact best point on the line in
// Newton's direction takes the place of a step length.
type restorer struct {
	fair     *model.Fair
	jacobian blas64.General
	metric   []float64 // squared scales of the variables
}

// smooth are the temperatures of Jacobians, tried in turn: high enough for small groups to
// have someone near the threshold, low enough to tell them from all others.
var smooth = []float64{0.25, 0.06, 1}

func newRestorer(t *task, centre, temperature float64) (*restorer, error) {
	m := t.Model
	m.Temperature, m.Centre, m.Shift, m.Start = temperature, centre, nil, nil
	fair, err := t.state(m)
	if err != nil {
		return nil, err
	}
	n, rows := fair.Dims()
	metric, steps := variableScales(fair, t.isWide(fair))
	floats.Mul(metric, steps)
	floats.Mul(metric, metric)
	r := &restorer{fair: fair, jacobian: problem.NewJacobian(rows, n), metric: metric}
	return r, nil
}

// direction returns a change of the classifier, which is the first entries of x. It
// removes the violations of the decisions to first order, and does not change the
// constraints that are nearly active.
func (r *restorer) direction(c *candidate, centre float64) []float64 {
	const (
		near    = 0.02 // of a bound
		damping = 1e-4 // of the mean diagonal entry
	)
	rows := r.fair.Constraints()
	n, m := r.fair.Dims()
	violation := violations(rows, c, centre)
	x := make([]float64, n)
	copy(x, r.fair.Chosen(c.x))
	r.fair.Evaluate(&problem.Values{Jacobian: r.jacobian}, x, nil)
	var active []int
	for j := range m {
		if violation[j] > -near {
			active = append(active, j)
		}
	}
	k := len(active)
	gram, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	trace := 0.0
	scaled := make([]float64, n)
	for a, i := range active {
		floats.MulTo(scaled, r.metric, r.row(i))
		for b, j := range active[:a+1] {
			gram.SetSym(a, b, floats.Dot(scaled, r.row(j)))
		}
		trace += gram.At(a, a)
		rhs.SetVec(a, max(violation[i], 0))
	}
	for a := range k {
		gram.SetSym(a, a, gram.At(a, a)+damping*trace/float64(k))
	}
	var factor mat.Cholesky
	if k == 0 || !factor.Factorize(gram) {
		return nil
	}
	weight := mat.NewVecDense(k, nil)
	if factor.SolveVecTo(weight, rhs) != nil {
		return nil
	}
	d := make([]float64, n)
	for a, i := range active {
		blas64.Axpy(-weight.AtVec(a), blas64.Vector{N: n, Inc: 1, Data: r.row(i)}, blas64.Vector{N: n, Inc: 1, Data: d})
	}
	floats.Mul(d, r.metric)
	return r.fair.AllFeatures(d, 0)[:len(c.x)]
}

func (r *restorer) row(i int) []float64 {
	return r.jacobian.Data[i*r.jacobian.Stride : i*r.jacobian.Stride+r.jacobian.Cols]
}

// violations returns by how much decisions violate the tempered constraints, without the
// constraints' shifts.
func violations(rows []model.Inequality, c *candidate, centre float64) []float64 {
	violation := c.values(rows, centre)
	model.WithBases(rows, violation)
	return violation
}

// restore offers the results of Newton steps from a candidate that violates a
// requirement, and returns the last one.
func (s *search) restore(g *stage, c *candidate) *candidate {
	const steps = 20
	failures := 0
	for k := 0; k < steps && c.excess > 0 && failures < len(smooth); k++ {
		next := s.newton(g, c, s.restorers[g.centre][failures])
		if next == nil || next.excess >= c.excess {
			failures++
			continue
		}
		c, failures = next, 0
	}
	return c
}

// newton offers the best candidate on the line in the direction of a Newton step, nil if
// there is none.
func (s *search) newton(g *stage, c *candidate, r *restorer) *candidate {
	const furthest = 4 // steps
	d := r.direction(c, g.centre)
	if d == nil || floats.HasNaN(d) {
		return nil
	}
	return s.along(g, c, d, 0, furthest, byRestoring)
}
