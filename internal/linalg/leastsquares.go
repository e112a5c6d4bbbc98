package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// LeastSquares solves min ‖Jᵀλ + g‖₂ for a Jacobian J (m×n) to full precision: by QR if Jᵀ has
// clearly full column rank, at a tenth of the cost of the singular value decomposition, which
// decides all other cases.
type LeastSquares struct {
	jt      blas64.General // n×m, Jᵀ and then its QR factors
	b       []float64      // max(n, m)
	work    []float64
	integer []int
}

// NewLeastSquares allocates the memory for m×n matrices.
func NewLeastSquares(m, n int) *LeastSquares {
	q := &LeastSquares{
		jt:      matrix(n, m),
		b:       make([]float64, max(n, m)),
		integer: make([]int, m),
	}
	size := make([]float64, 1)
	lapack64.Gels(blas.NoTrans, q.jt, oneColumn(q.b), size, -1)
	q.work = make([]float64, max(int(size[0]), n+m, 3*m))
	return q
}

// Multiplier stores λ = −(Jᵀ)†g in dst (length m). It allocates where J is rank deficient or
// nearly so.
func (q *LeastSquares) Multiplier(dst []float64, j blas64.General, g []float64) {
	n, m := q.jt.Rows, q.jt.Cols
	if n >= m {
		q.load(j, g)
		if lapack64.Gels(blas.NoTrans, q.jt, oneColumn(q.b), q.work, len(q.work)) &&
			q.reciprocalCondition() > wellConditioned {
			copy(dst, q.b)
			return
		}
	}
	q.load(j, g)
	var svd mat.SVD
	rank := 0
	if svd.Factorize(mat.NewDense(n, m, q.jt.Data), mat.SVDThin) {
		rank = svd.Rank(float64(max(n, m)) * epsilon)
	}
	if rank == 0 {
		clear(dst)
		return
	}
	svd.SolveVecTo(mat.NewVecDense(m, dst), mat.NewVecDense(n, q.b[:n]), rank)
}

// load copies Jᵀ and −g.
func (q *LeastSquares) load(j blas64.General, g []float64) {
	for i := range j.Rows {
		blas64.Copy(Row(j, i), Column(q.jt, i))
	}
	floats.ScaleTo(q.b[:len(g)], -1, g)
}

// reciprocalCondition estimates 1/cond of the factor R.
func (q *LeastSquares) reciprocalCondition() float64 {
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: q.jt.Cols, Stride: q.jt.Stride, Data: q.jt.Data}
	return lapack64.Trcon(lapack.MaxColumnSum, r, q.work, q.integer)
}
