package problemtest

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/problem"
)

// Quadratic is the convex problem with a known solution
//
//	minimise ½ xᵀHx − bᵀx   subject to  Ax = r  (or ≤ r, see AtMost)
//
// with H diagonal. Its population has N samples, whose gradients, constraint values and
// Jacobians deviate from the means by given amounts of zero mean, so that batches are
// noisy and the nil batch is exact.
type Quadratic struct {
	h, b []float64
	a    blas64.General // m×n
	r    []float64
	x0   []float64

	atMost []int

	size int
	// The noise of b, of the diagonal of H, of r and of A. Column means are 0.
	noiseF []float64 // N×n
	noiseH []float64 // N×n
	noiseC []float64 // N×m
	noiseJ []float64 // N×(m·n)
}

// NewQuadratic draws a problem with n variables, m constraints and a population of size
// samples with standard deviation noise. The diagonal of H lies in [1, condition].
func NewQuadratic(n, m, size int, condition, noise float64, r *rand.Rand) *Quadratic {
	normal := func(k int) []float64 {
		x := make([]float64, k)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	q := &Quadratic{
		h: make([]float64, n), b: normal(n),
		a: blas64.General{Rows: m, Cols: n, Stride: n, Data: normal(m * n)},
		r: normal(m), x0: normal(n), size: size,
		noiseF: centred(normal(size*n), size, noise),
		noiseH: centred(normal(size*n), size, noise),
		noiseC: centred(normal(size*m), size, noise),
		noiseJ: centred(normal(size*m*n), size, noise),
	}
	for i := range q.h {
		q.h[i] = 1 + (condition-1)*float64(i)/float64(max(1, n-1))
	}
	return q
}

// centred scales the rows of x by noise and subtracts their mean.
func centred(x []float64, rows int, noise float64) []float64 {
	width := len(x) / rows
	for j := range width {
		mean := 0.0
		for i := range rows {
			mean += x[i*width+j] / float64(rows)
		}
		for i := range rows {
			x[i*width+j] = noise * (x[i*width+j] - mean)
		}
	}
	return x
}

// RepeatConstraint makes the last constraint a copy of the first, so that the Jacobian
// is rank deficient everywhere.
func (q *Quadratic) RepeatConstraint() {
	n, m := q.Dims()
	copy(q.a.Data[(m-1)*n:], q.a.Data[:n])
	q.r[m-1] = q.r[0]
}

// Solution returns x* and λ* with the constraints of the given indices as equalities
// and the others left out: Hx − b + Aᵀλ = 0, Ax = r.
func (q *Quadratic) Solution(active []int) (x, lambda []float64) {
	n, m := q.Dims()
	k := len(active)
	system := mat.NewDense(n+k, n+k, nil)
	rhs := mat.NewVecDense(n+k, nil)
	for i := range n {
		system.Set(i, i, q.h[i])
		rhs.SetVec(i, q.b[i])
	}
	for row, i := range active {
		for j := range n {
			system.Set(n+row, j, q.a.Data[i*n+j])
			system.Set(j, n+row, q.a.Data[i*n+j])
		}
		rhs.SetVec(n+row, q.r[i])
	}
	var solution mat.VecDense
	if err := solution.SolveVec(system, rhs); err != nil {
		panic(fmt.Sprintf("problemtest: the active constraints are dependent: %v", err))
	}
	lambda = make([]float64, m)
	for row, i := range active {
		lambda[i] = solution.AtVec(n + row)
	}
	return solution.RawVector().Data[:n:n], lambda
}

// SolutionInequality returns the solution with all constraints read as Ax ≤ r, found by
// trying every active set (m ≤ 10).
func (q *Quadratic) SolutionInequality() (x, lambda []float64) {
	const slack = 1e-12
	_, m := q.Dims()
	c := make([]float64, m)
	for set := range 1 << m {
		var active []int
		for i := range m {
			if set>>i&1 == 1 {
				active = append(active, i)
			}
		}
		x, lambda = q.Solution(active)
		q.constraint(c, x, nil)
		optimal := true
		for i := range m {
			optimal = optimal && c[i] <= slack && lambda[i] >= 0
		}
		if optimal {
			return x, lambda
		}
	}
	panic("problemtest: no active set is optimal")
}

// Dims returns n and m.
func (q *Quadratic) Dims() (n, m int) { return len(q.h), len(q.r) }

// Populations returns the same size for objective and constraints.
func (q *Quadratic) Populations() (objective, constraint int) { return q.size, q.size }

// AtMost returns q with the given constraints, in increasing order, as inequalities.
func (q *Quadratic) AtMost(rows ...int) *Quadratic {
	p := *q
	p.atMost = rows
	return &p
}

// Inequalities returns what AtMost was given.
func (q *Quadratic) Inequalities() []int { return q.atMost }

// NonNegative returns nil: all variables are free.
func (q *Quadratic) NonNegative() []int { return nil }

// Start fills x with the random start.
func (q *Quadratic) Start(x []float64) { copy(x, q.x0) }

// DrawObjective draws uniformly.
func (q *Quadratic) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.DrawUniform(size, q.size, r)
}

// DrawConstraint draws uniformly.
func (q *Quadratic) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	q.DrawObjective(b, size, r)
}

// Evaluate stores values of the batch.
func (q *Quadratic) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	if out.WantObjective {
		out.Objective = q.objective(x, b)
	}
	if out.Gradient != nil {
		q.gradient(out.Gradient, x, b)
	}
	if out.Constraint != nil {
		q.constraint(out.Constraint, x, b)
	}
	if out.WantJacobian() {
		q.jacobian(out.Jacobian, b)
	}
}

// objective is f plus the linear term of the batch's gradient noise.
func (q *Quadratic) objective(x []float64, b *problem.Batch) float64 {
	f := 0.0
	for i, xi := range x {
		f += (q.h[i]*xi/2 - q.b[i]) * xi
	}
	addMean(b, q.noiseF, len(x), func(i int, noise float64) { f += noise * x[i] })
	addMean(b, q.noiseH, len(x), func(i int, noise float64) { f += noise * x[i] * x[i] / 2 })
	return f
}

// gradient is Hx − b plus noise.
func (q *Quadratic) gradient(dst, x []float64, b *problem.Batch) {
	for i, xi := range x {
		dst[i] = q.h[i]*xi - q.b[i]
	}
	addMean(b, q.noiseF, len(x), func(i int, noise float64) { dst[i] += noise })
	addMean(b, q.noiseH, len(x), func(i int, noise float64) { dst[i] += noise * x[i] })
}

// constraint is Ax − r plus noise. A part of the noise is linear in x.
func (q *Quadratic) constraint(dst, x []float64, b *problem.Batch) {
	n, m := q.Dims()
	copy(dst, q.r)
	blas64.Gemv(blas.NoTrans, 1, q.a, blas64.Vector{N: n, Inc: 1, Data: x}, -1, blas64.Vector{N: m, Inc: 1, Data: dst})
	addMean(b, q.noiseC, m, func(i int, noise float64) { dst[i] += noise })
	addMean(b, q.noiseJ, m*n, func(k int, noise float64) { dst[k/n] += noise * x[k%n] })
}

// jacobian is A plus noise.
func (q *Quadratic) jacobian(dst blas64.General, b *problem.Batch) {
	n, m := q.Dims()
	for i := range m {
		copy(dst.Data[i*dst.Stride:i*dst.Stride+n], q.a.Data[i*n:(i+1)*n])
	}
	addMean(b, q.noiseJ, m*n, func(k int, noise float64) { dst.Data[k/n*dst.Stride+k%n] += noise })
}

// addMean hands the batch mean of the rows of noise to add, entry by entry. A nil batch has
// mean 0.
func addMean(b *problem.Batch, noise []float64, width int, add func(i int, mean float64)) {
	if b == nil {
		return
	}
	for _, row := range b.Index {
		for i := range width {
			add(i, noise[row*width+i]/float64(len(b.Index)))
		}
	}
}
