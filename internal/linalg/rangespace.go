package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// RangeSpace solves least-squares problems with the constraint Jacobian J (m×n): the
// multiplier λ = −(Jᵀ)†g and the smallest singular value of J, with pseudo-inverse
// semantics when J is rank deficient.
//
// A well-conditioned J goes through a Cholesky factorisation of its Gram matrix, which
// is the cheap way for m ≪ n; any other through a singular value decomposition. m = 1
// needs neither.
type RangeSpace struct {
	n, m  int
	MuMin float64 // smallest singular value of J, after Decompose
	rhs   []float64

	// Normal equations.
	cholesky bool // the factor below is valid, otherwise the decomposition is
	gram     blas64.Symmetric
	factor   blas64.Triangular
	vector   []float64 // last eigenvector of the smallest eigenvalue: a warm start
	work     []float64
	iwork    []int

	// Singular value decomposition.
	copied blas64.General
	u, vt  blas64.General
	sigma  []float64
	rank   int
	svd    []float64
}

// NewRangeSpace allocates the memory for m×n matrices.
func NewRangeSpace(m, n int) *RangeSpace {
	k := min(m, n)
	r := &RangeSpace{
		n: n, m: m,
		rhs:    make([]float64, m),
		gram:   symmetric(m),
		vector: make([]float64, m),
		work:   make([]float64, 3*m),
		iwork:  make([]int, m),
		copied: matrix(m, n),
		u:      matrix(m, k),
		vt:     matrix(k, n),
		sigma:  make([]float64, k),
	}
	size := make([]float64, 1)
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, r.copied, r.u, r.vt, r.sigma, size, -1)
	r.svd = make([]float64, int(size[0]))
	return r
}

// Decompose prepares for the Jacobian j, which must not change until the solves with it
// are done, and computes MuMin. A j with non-finite entries makes MuMin NaN.
func (r *RangeSpace) Decompose(j blas64.General) {
	if r.m == 1 {
		r.MuMin = blas64.Nrm2(Row(j, 0))
		return
	}
	blas64.Syrk(blas.NoTrans, 1, j, 0, r.gram)
	norm := lapack64.Lansy(lapack.MaxColumnSum, r.gram, r.work)
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		r.cholesky, r.rank, r.MuMin = false, 0, math.NaN()
		return
	}
	r.factor, r.cholesky = lapack64.Potrf(r.gram)
	if r.cholesky && lapack64.Pocon(r.gram, norm, r.work, r.iwork) > wellConditioned {
		r.MuMin = r.smallest()
		return
	}
	r.cholesky = false
	r.decomposeSVD(j)
}

// smallest returns the smallest singular value of J by inverse iteration with the
// Cholesky factor of the Gram matrix.
func (r *RangeSpace) smallest() float64 {
	const (
		iterations = 50
		tolerance  = 1e-6 // relative, of the eigenvalue
	)
	v := r.vector
	for i := range v { // keep clear of a start orthogonal to the wanted vector
		v[i] += 1e-3 / float64(i+1)
	}
	floats.Scale(1/floats.Norm(v, 2), v)
	eigenvalue := math.Inf(1)
	for range iterations {
		r.solveGram(v)
		grown := floats.Norm(v, 2) // → 1/(smallest eigenvalue of JJᵀ)
		floats.Scale(1/grown, v)
		previous := eigenvalue
		eigenvalue = 1 / grown
		if math.Abs(previous-eigenvalue) <= tolerance*eigenvalue {
			break
		}
	}
	return math.Sqrt(eigenvalue)
}

// solveGram replaces x by (JJᵀ)⁻¹x, with the factor U of JJᵀ = UᵀU. It works along the
// rows of U by vector kernels: for one right-hand side that is ten times as fast as
// lapack64.Potrs, which is made for many.
func (r *RangeSpace) solveGram(x []float64) {
	row := func(i int) (diagonal float64, right []float64) {
		u := r.factor.Data[i*r.factor.Stride : i*r.factor.Stride+r.m]
		return u[i], u[i+1:]
	}
	for i := range x {
		diagonal, right := row(i)
		x[i] /= diagonal
		floats.AddScaled(x[i+1:], -x[i], right)
	}
	for i := len(x) - 1; i >= 0; i-- {
		diagonal, right := row(i)
		x[i] = (x[i] - floats.Dot(right, x[i+1:])) / diagonal
	}
}

func (r *RangeSpace) decomposeSVD(j blas64.General) {
	for i := range r.m {
		copy(r.copied.Data[i*r.n:(i+1)*r.n], j.Data[i*j.Stride:i*j.Stride+r.n])
	}
	if !lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, r.copied, r.u, r.vt, r.sigma, r.svd, len(r.svd)) {
		r.rank, r.MuMin = 0, math.NaN()
		return
	}
	negligible := float64(max(r.m, r.n)) * epsilon * r.sigma[0]
	r.rank = 0
	for r.rank < len(r.sigma) && r.sigma[r.rank] > negligible {
		r.rank++
	}
	r.MuMin = 0
	if r.rank == r.m {
		r.MuMin = r.sigma[r.m-1]
	}
}

// Multiplier stores λ = −(Jᵀ)†g in dst (length m), so that g + Jᵀλ is the projection of
// g (length n) onto the null space of J.
func (r *RangeSpace) Multiplier(dst []float64, j blas64.General, g []float64) {
	if r.m == 1 {
		dst[0] = 0
		if square := r.MuMin * r.MuMin; square > 0 {
			dst[0] = -floats.Dot(j.Data[:r.n], g) / square
		}
		return
	}
	vector, out := Vector(g), Vector(dst)
	if r.cholesky {
		blas64.Gemv(blas.NoTrans, -1, j, vector, 0, out)
		r.solveGram(dst)
		return
	}
	// λ = −U Σ† Vᵀg with the first rank singular triplets.
	clear(dst)
	for k := range r.rank {
		coefficient := -blas64.Dot(Row(r.vt, k), vector) / r.sigma[k]
		blas64.Axpy(coefficient, Column(r.u, k), out)
	}
}

// SolveNormal replaces b (length m) by (JJᵀ)†b.
func (r *RangeSpace) SolveNormal(b []float64) {
	switch {
	case r.m == 1:
		if square := r.MuMin * r.MuMin; square > 0 {
			b[0] /= square
		} else {
			b[0] = 0
		}
	case r.cholesky:
		r.solveGram(b)
	default: // U Σ†² Uᵀ b
		clear(r.rhs)
		out := Vector(r.rhs)
		for k := range r.rank {
			u := Column(r.u, k)
			coefficient := blas64.Dot(u, Vector(b)) / (r.sigma[k] * r.sigma[k])
			blas64.Axpy(coefficient, u, out)
		}
		copy(b, r.rhs)
	}
}

// SolveDamped replaces b (length m) by (JJᵀ + δI)⁻¹b, δ > 0, or by 0 if that can't be
// computed. What Decompose has prepared is lost.
func (r *RangeSpace) SolveDamped(b []float64, j blas64.General, delta float64) {
	blas64.Syrk(blas.NoTrans, 1, j, 0, r.gram)
	for i := range r.m {
		r.gram.Data[i*r.gram.Stride+i] += delta
	}
	var ok bool
	if r.factor, ok = lapack64.Potrf(r.gram); !ok {
		clear(b)
		return
	}
	r.solveGram(b)
}
