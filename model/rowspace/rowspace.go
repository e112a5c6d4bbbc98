// Package rowspace states problems with far more features than rows in as many numbers as there are
// rows. All gradients are combinations of the rows, g = DAᵀa for the margins' slopes a and scales D
// of the features, and so are quasi-Newton steps. What a method must know of such vectors is how
// they are multiplied: gᵀh = aᵀ(AD²Aᵀb). So a vector is stored as its coefficients a and its products
// with the rows AD²Aᵀa (linalg.Space), and besides scales nothing is as long as there are features, until
// the solution is written out.
package rowspace

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// Problem is a model.Fair whose variables z are a vector of the row space. Its products are the margins
// of the rows, its coefficients those of the difference to the start. Intercept and bases follow in both
// halves. It implements problem.Problem, problem.Exacter, problem.Tentative and problem.Spacer.
type Problem struct {
	problem.Problem // in margins, intercept and bases

	features   *model.Fair
	rows, half int // half a vector has an entry for each row, the intercept and the bases
	products   products

	margins []float64       // of z
	inner   *problem.Values // of the problem in margins
	known   []float64       // margins where all that Exact computes is known
	inUnits []float64       // see InUnits
}

// New returns nil if the problem is not for its row space, see model.Fair.InMargins. Scale has the
// scales D of the variables, perUnit those that bring features to their units; both are 1 for the intercept
// and the bases.
func New(p *model.Fair, scale, perUnit []float64) (*Problem, error) {
	margins, rows, err := p.InMargins()
	if margins == nil || err != nil {
		return nil, err
	}
	half, m := margins.Dims()
	objective, _ := p.Populations()
	return &Problem{
		Problem: margins, features: p, rows: objective, half: half, products: newProducts(rows, objective, m+1, half, scale, perUnit),
		margins: make([]float64, half), inner: problem.NewValues(half, m),
	}, nil
}

// Space is that of the rows.
func (q *Problem) Space() linalg.Space { return linalg.Space{OfRows: true} }

// Dims returns the entries of a vector and the number of constraints.
func (q *Problem) Dims() (n, m int) { return 2 * q.half, len(q.inner.Constraint) }

// Start is that of the features: no difference, and its margins.
func (q *Problem) Start(z []float64) {
	q.Problem.Start(q.margins)
	difference := slices.Clone(q.margins)
	clear(difference[:q.rows])
	linalg.Join(z, difference, q.margins)
}

// X stores the variables at z in dst, whose first entries are the features.
func (q *Problem) X(dst, z []float64) {
	q.features.Start(dst)
	difference := make([]float64, q.half)
	linalg.Split(difference, nil, z)
	q.products.combine(dst, difference[:q.rows])
	copy(dst[len(dst)-q.half+q.rows:], difference[q.rows:])
}

// Objective evaluates the problem in margins.
func (q *Problem) Objective(z []float64, b *problem.Batch) float64 {
	return q.Problem.Objective(q.marginsOf(z), b)
}

// Gradient stores a vector of the row space.
func (q *Problem) Gradient(dst, z []float64, b *problem.Batch) {
	q.Problem.Gradient(q.inner.Gradient, q.marginsOf(z), b)
	q.known = q.known[:0]
	q.products.compute(q.inner.Gradient)
	q.products.join(dst, 0)
}

// Constraint evaluates the problem in margins.
func (q *Problem) Constraint(dst, z []float64, b *problem.Batch) {
	q.Problem.Constraint(dst, q.marginsOf(z), b)
}

// Jacobian stores vectors of the row space in its rows.
func (q *Problem) Jacobian(dst blas64.General, z []float64, b *problem.Batch) {
	q.Problem.Jacobian(q.inner.Jacobian, q.marginsOf(z), b)
	q.known = q.known[:0]
	q.products.compute(q.gradients()...)
	for i := range dst.Rows {
		q.products.join(linalg.Row(dst, i).Data, 1+i)
	}
}

// Exact stores f and c, and ∇f and the rows of J as vectors of the row space.
func (q *Problem) Exact(v *problem.Values, z []float64) {
	q.ExactIf(v, z, func() bool { return true })
}

// ExactIf is Exact, whose products with the rows cost more than all else.
func (q *Problem) ExactIf(v *problem.Values, z []float64, accept func() bool) bool {
	x := q.marginsOf(z)
	known := floats.Equal(x, q.known)
	if !known {
		problem.Exact(q.Problem, q.inner, x)
		q.known = q.known[:0]
	}
	v.Objective = q.inner.Objective
	copy(v.Constraint, q.inner.Constraint)
	if !accept() {
		return false
	}
	if !known {
		q.products.compute(q.gradients()...)
		q.known, q.inUnits = append(q.known, x...), append(q.inUnits[:0], q.products.inUnits...)
	}
	q.products.join(v.Gradient[:2*q.half], 0)
	for i := range v.Constraint {
		q.products.join(linalg.Row(v.Jacobian, i).Data[:2*q.half], 1+i)
	}
	return true
}

// InUnits returns the products of ∇f and the rows of J with each other, of the last call of Exact, as they
// are where features are in their units: entry i(m+1)+k is that of i and k, where ∇f counts as 0.
func (q *Problem) InUnits() []float64 { return q.inUnits }

// gradients are ∇f and the rows of J in margins.
func (q *Problem) gradients() [][]float64 {
	all := [][]float64{q.inner.Gradient}
	for i := range q.inner.Constraint {
		all = append(all, linalg.Row(q.inner.Jacobian, i).Data)
	}
	return all
}

func (q *Problem) marginsOf(z []float64) []float64 {
	linalg.Split(nil, q.margins, z[:2*q.half])
	return q.margins
}
