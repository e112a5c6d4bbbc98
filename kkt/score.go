package kkt

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/fairtrain/fairtrain/problem"
)

// Score measures a point of a problem without inequalities. Where a value it depends on is
// not finite, both terms are +Inf and the multipliers NaN.
type Score struct {
	Stationarity float64   // ‖∇f + Jᵀλ‖_∞
	Feasibility  float64   // ‖c‖_∞
	Multiplier   []float64 // λ, length m
}

// Max is the larger of the two terms: the paper's score.
func (s Score) Max() float64 { return max(s.Stationarity, s.Feasibility) }

// Score returns the score at a point with values v, with the least-squares multiplier
// λ = −(Jᵀ)†∇f, of minimum norm if J is rank deficient. It panics if the problem has
// inequalities, for which the paper has no such score.
func (e *Evaluator) Score(v *problem.Values) Score {
	if e.equalities < e.m {
		panic("kkt: a score of a problem with inequalities")
	}
	e.checkDims(v)
	if !finite(v) {
		return e.undefinedScore()
	}
	e.leastSquaresMultipliers(v)
	lambda := e.multiplier
	gradient := e.gradientOfLagrangian(v, lambda)
	if !finiteSlice(gradient) { // finite values whose products overflow
		return e.undefinedScore()
	}
	return Score{
		Stationarity: floats.Norm(gradient, math.Inf(1)),
		Feasibility:  floats.Norm(v.Constraint, math.Inf(1)),
		Multiplier:   lambda,
	}
}

// leastSquaresMultipliers stores λ = −(Jᵀ)†∇f. It allocates where J is rank deficient or
// nearly so.
func (e *Evaluator) leastSquaresMultipliers(v *problem.Values) {
	if e.least == nil {
		e.least = newLeastSquares(e.n, e.m)
	}
	e.least.solve(e.multiplier, v)
}

func (e *Evaluator) undefinedScore() Score {
	return Score{math.Inf(1), math.Inf(1), e.undefinedMultiplier()}
}

// leastSquares solves min ‖Jᵀλ + ∇f‖₂: by QR if Jᵀ has clearly full column rank, at
// a tenth of the cost of the singular value decomposition, which decides all other
// cases.
type leastSquares struct {
	jt      blas64.General // n×m, Jᵀ and then its QR factors
	b       []float64      // max(n, m)
	work    []float64
	integer []int
}

// wellConditioned is the reciprocal condition number above which the QR solution is
// taken as it is; smaller ones may hide a rank deficiency.
const wellConditioned = 1e-10

func newLeastSquares(n, m int) *leastSquares {
	q := &leastSquares{
		jt:      blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)},
		b:       make([]float64, max(n, m)),
		integer: make([]int, m),
	}
	size := make([]float64, 1)
	lapack64.Gels(blas.NoTrans, q.jt, column(q.b), size, -1)
	q.work = make([]float64, max(int(size[0]), n+m, 3*m))
	return q
}

// solve stores the multiplier in lambda.
func (q *leastSquares) solve(lambda []float64, v *problem.Values) {
	n, m := q.jt.Rows, q.jt.Cols
	if n >= m {
		q.load(v)
		if lapack64.Gels(blas.NoTrans, q.jt, column(q.b), q.work, len(q.work)) && q.reciprocalCondition() > wellConditioned {
			copy(lambda, q.b)
			return
		}
	}
	q.load(v)
	var svd mat.SVD
	rank := 0
	if svd.Factorize(mat.NewDense(n, m, q.jt.Data), mat.SVDThin) {
		rank = svd.Rank(float64(max(n, m)) * epsilon)
	}
	if rank == 0 {
		clear(lambda)
		return
	}
	svd.SolveVecTo(mat.NewVecDense(m, lambda), mat.NewVecDense(n, q.b[:n]), rank)
}

// epsilon is the spacing of floating-point numbers at 1.
const epsilon = 0x1p-52

// load copies Jᵀ and −∇f.
func (q *leastSquares) load(v *problem.Values) {
	for i := range v.Jacobian.Rows {
		blas64.Copy(row(v.Jacobian, i), blas64.Vector{N: q.jt.Rows, Inc: q.jt.Stride, Data: q.jt.Data[i:]})
	}
	for j, g := range v.Gradient {
		q.b[j] = -g
	}
}

// reciprocalCondition estimates 1/cond of the factor R.
func (q *leastSquares) reciprocalCondition() float64 {
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: q.jt.Cols, Stride: q.jt.Stride, Data: q.jt.Data}
	return lapack64.Trcon(lapack.MaxColumnSum, r, q.work, q.integer)
}
