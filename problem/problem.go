// Package problem is the contract between optimisation problems and methods:
//
//	minimise  f(x) = E[F(x;ξ)]
//	subject to  c_i(x) = E[C_i(x;ξ)] = 0 or ≤ 0   (m ≥ 1 constraints)
//	            x_j ≥ 0                           (j in a given index set)
//
// A problem says which of its constraints are inequalities. Methods take problems without
// inequalities. Standard turns inequalities into equalities with slacks, which are bounded
// variables.
//
// A problem draws batches of samples ξ and evaluates F, ∇F, C and ∇C on a batch. The nil
// batch stands for the whole population and gives the exact values f, ∇f, c, ∇c. Drawing is
// apart from evaluating, because recursive estimators (SPIDER, STORM) evaluate one batch at
// two points.
//
// Glossary, used everywhere in this module:
//
//	n, m    number of variables, number of constraints
//	x       variables, length n
//	z       variables in standard form, z = (x, s) with slacks s
//	J       the m×n Jacobian of c, row i = ∇c_i(x)ᵀ (the paper's ∇c is its transpose)
//	λ       multipliers, length m: ∇f + Jᵀλ = 0 at a solution
//
// Read next: counted.go (who pays for samples), standard.go (inequalities), noise.go
// (any problem with noise), then package solver.
package problem

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// Problem is a stochastic optimisation problem with constraints. It may hold scratch memory,
// and so belongs to one goroutine. The data beneath it are immutable and shared. The methods
// below must not keep the slices that they are given, and must not modify x.
type Problem interface {
	// Dims returns the number of variables and of constraints, m ≥ 1.
	Dims() (n, m int)

	// Populations returns the number of samples behind the objective and behind the
	// constraints. 0 stands for an infinite population.
	Populations() (objective, constraint int)

	// Inequalities returns the indices i, in increasing order, of the constraints that mean
	// c_i(x) ≤ 0. All others mean c_i(x) = 0. Callers must not modify the slice.
	Inequalities() []int

	// NonNegative returns the indices, in increasing order, of the variables with the bound x_j ≥ 0.
	NonNegative() []int

	// Start fills x (length n) with the standard starting point.
	Start(x []float64)

	// DrawObjective and DrawConstraint fill b with size ≥ 1 independent samples. Samples are
	// drawn with replacement, and weighted so that batch means are unbiased. The memory of b
	// is used again.
	DrawObjective(b *Batch, size int, r *rand.Rand)
	DrawConstraint(b *Batch, size int, r *rand.Rand)

	// Objective returns the mean of F(x;ξ) over the batch, f(x) if b is nil.
	Objective(x []float64, b *Batch) float64
	// Gradient stores the mean of ∇F(x;ξ) in dst (length n).
	Gradient(dst, x []float64, b *Batch)
	// Constraint stores the mean of C(x;ξ) in dst (length m).
	Constraint(dst, x []float64, b *Batch)
	// Jacobian stores the mean of the Jacobian of C(·;ξ) at x in dst (m×n, any stride).
	Jacobian(dst blas64.General, x []float64, b *Batch)
}

// Batch is a set of samples. A problem over finite data fills Index, one that adds
// noise to a deterministic function fills Seed; Size is the number of samples either
// way. A batch that was drawn may be evaluated any number of times, at any points.
type Batch struct {
	Size  int
	Index []int  // rows of the data, with repetitions
	Seed  uint64 // the noise realisation
	// Weight has the weight of each row in the mean over the batch; nil stands for 1 each. Rows
	// that are drawn more often than others count less.
	Weight []float64

	// Sparse asks for the support when the batch is drawn, if the problem is Sparse. The
	// support lists the variables on which the samples depend, each once. If Support is not
	// nil, oracles read only these entries of x and write only these entries of dst. All other
	// entries of ∇F and ∇C are 0. Standard's slacks are not in the support: they are always
	// read and written.
	Sparse  bool
	Support []int

	charged [kinds]bool // what Counted has already counted for these samples
}

// DrawUniform makes b a batch of size rows of finite data, drawn with replacement.
func (b *Batch) DrawUniform(size, population int, r *rand.Rand) {
	b.Size, b.Index = size, slices.Grow(b.Index[:0], size)[:size]
	for k := range b.Index {
		b.Index[k] = r.IntN(population)
	}
}

// IsInequality says of every constraint of p whether it is an inequality.
func IsInequality(p Problem) []bool {
	_, m := p.Dims()
	is := make([]bool, m)
	for _, i := range p.Inequalities() {
		is[i] = true
	}
	return is
}

// Values holds everything a first-order method can know at a point.
type Values struct {
	Objective  float64
	Gradient   []float64      // n
	Constraint []float64      // m
	Jacobian   blas64.General // m×n
}

// NewValues allocates Values for n variables and m constraints.
func NewValues(n, m int) *Values {
	return &Values{
		Gradient:   make([]float64, n),
		Constraint: make([]float64, m),
		Jacobian:   NewJacobian(m, n),
	}
}

// NewJacobian allocates an m×n matrix with stride n.
func NewJacobian(m, n int) blas64.General {
	return blas64.General{Rows: m, Cols: n, Stride: n, Data: make([]float64, m*n)}
}

// Exacter is implemented by problems that compute all exact values together for less
// than the sum of the four separate evaluations.
type Exacter interface {
	Exact(v *Values, x []float64)
}

// PartsExacter is implemented by problems that may have very many variables. It is Exact, and
// tells then of parts of the variables, [lo, hi), whose entries of ∇f and J have just been stored.
// So these are changed while they are in the cache.
type PartsExacter interface {
	ExactInParts(v *Values, x []float64, then func(lo, hi int))
}

// ExactInParts is p's own, or tells of all variables in one part.
func ExactInParts(p Problem, v *Values, x []float64, then func(lo, hi int)) {
	if e, ok := p.(PartsExacter); ok {
		e.ExactInParts(v, x, then)
		return
	}
	Exact(p, v, x)
	then(0, len(v.Gradient))
}

// Exact stores f, ∇f, c and J at x in v, through p's own joint evaluation if p has one.
func Exact(p Problem, v *Values, x []float64) {
	if e, ok := p.(Exacter); ok {
		e.Exact(v, x)
		return
	}
	v.Objective = p.Objective(x, nil)
	p.Gradient(v.Gradient, x, nil)
	p.Constraint(v.Constraint, x, nil)
	p.Jacobian(v.Jacobian, x, nil)
}
