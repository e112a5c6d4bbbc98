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
// A problem draws batches of samples ξ, and Evaluate computes F, ∇F, C and ∇C on a batch, those
// that are wanted. The nil batch stands for the whole population and gives the exact values f,
// ∇f, c, ∇c. Drawing is apart from evaluating, because recursive estimators (SPIDER, STORM)
// evaluate one batch at two points. There are two kinds of batches, because the data behind the
// constraints need not be those behind the objective.
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

	// NonNegative returns the indices, in increasing order, of the variables with the bound x_j ≥
	// 0.
	NonNegative() []int

	// Start fills x (length n) with the standard starting point.
	Start(x []float64)

	// DrawObjective and DrawConstraint fill b with size ≥ 1 independent samples. Samples are
	// drawn with replacement, and weighted so that batch means are unbiased. The memory of b
	// is used again.
	DrawObjective(b *Batch, size int, r *rand.Rand)
	DrawConstraint(b *Batch, size int, r *rand.Rand)

	// Evaluate stores the means of F, ∇F, C and ∇C over the batch at x in out, those that out has
	// room for (see Values); the exact values f, ∇f, c and ∇c if b is nil. Of a batch of
	// DrawObjective there are F and ∇F, of one of DrawConstraint C and ∇C. It does not allocate.
	Evaluate(out *Values, x []float64, b *Batch)
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

// Values are what a first-order method can know at a point. Evaluate computes what is wanted: f if
// WantObjective is set, and ∇f, c and J if their memory is not nil.
type Values struct {
	Objective     float64
	WantObjective bool
	Gradient      []float64      // n
	Constraint    []float64      // m
	Jacobian      blas64.General // m×n, any stride
}

// NewValues allocates Values for n variables and m constraints, all of which are wanted.
func NewValues(n, m int) *Values {
	return &Values{
		WantObjective: true,
		Gradient:      make([]float64, n),
		Constraint:    make([]float64, m),
		Jacobian:      NewJacobian(m, n),
	}
}

// NewJacobian allocates an m×n matrix with stride n.
func NewJacobian(m, n int) blas64.General {
	return blas64.General{Rows: m, Cols: n, Stride: n, Data: make([]float64, m*n)}
}

// WantJacobian reports whether J is wanted.
func (v *Values) WantJacobian() bool { return v.Jacobian.Data != nil }

// Objective returns the mean of F over a batch at x, f(x) if b is nil.
func Objective(p Problem, x []float64, b *Batch) float64 {
	v := Values{WantObjective: true}
	p.Evaluate(&v, x, b)
	return v.Objective
}
