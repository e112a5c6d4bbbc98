package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// NNLS solves the nonnegative least-squares problem
//
//	min ‖Az − b‖₂  over z ≥ 0
//
// by the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974,
// ch. 23). One QR factorisation reduces A, rows×cols with rows ≥ cols and columns scaled
// to unit length, to the cols×cols triangle R; the method then works on R alone. Scaling
// makes its one tolerance independent of the units of the constraints.
type NNLS struct {
	A blas64.General // rows×cols, set by the caller, destroyed by Solve
	B []float64      // rows, set by the caller, destroyed by Solve

	scale     []float64 // lengths of the columns of A
	tau, work []float64
	passive   []int          // columns with z > 0, the set P
	member    []bool         // membership of P
	rejected  []bool         // columns that the current round may not choose
	trial     []float64      // least-squares solution on P
	gradient  []float64      // w = Rᵀ(d − Rz)
	remainder []float64      // d − Rz
	sub       blas64.General // the columns P of R
}

// maxRounds bounds the rounds per column. Each round lowers the objective and so ends on
// a new passive set; few sets are ever visited, and rounding errors must not make it a
// cycle.
const maxRounds = 10

// tolerance is the smallest cosine between a column and the remainder, relative to ‖b‖,
// that counts as a descent direction.
const tolerance = 1e-13

// NewNNLS allocates the memory for a problem with rows ≥ cols.
func NewNNLS(rows, cols int) *NNLS {
	q := &NNLS{
		A:         matrix(rows, cols),
		B:         make([]float64, rows),
		scale:     make([]float64, cols),
		tau:       make([]float64, cols),
		passive:   make([]int, 0, cols),
		member:    make([]bool, cols),
		rejected:  make([]bool, cols),
		trial:     make([]float64, cols),
		gradient:  make([]float64, cols),
		remainder: make([]float64, cols),
		sub:       blas64.General{Rows: cols, Data: make([]float64, cols*cols)},
	}
	size := make([]float64, 1)
	lapack64.Geqrf(q.A, q.tau, size, -1)
	lwork := max(int(size[0]), 2*cols) // 2·cols for Gels on sub
	lapack64.Ormqr(blas.Left, blas.Trans, q.A, q.tau, oneColumn(q.B), size, -1)
	q.work = make([]float64, max(lwork, int(size[0])))
	return q
}

// SolveNormal stores the minimiser in z, given AᵀA (cols×cols, row-major), Aᵀb and ‖b‖. It
// costs A's products only, and sees dependences between columns to 1e-6.
func (q *NNLS) SolveNormal(z, ata, atb []float64, norm float64) {
	q.factorise(ata, atb)
	q.solve(z, tolerance*norm)
}

// factorise is reduce for a given AᵀA: its Cholesky factor. The factor's row is 0 for a column
// that depends on the columns before it.
func (q *NNLS) factorise(ata, atb []float64) {
	const dependent = 1e-12 // the squared sine of a column's angle with the columns before
	cols, stride := q.A.Cols, q.A.Stride
	for j := range q.scale {
		q.scale[j] = math.Sqrt(ata[j*cols+j])
	}
	r := func(i, j int) *float64 { return &q.A.Data[i*stride+j] }
	for j, s := range q.scale {
		for i := j; i < cols; i++ {
			*r(j, i) = 0
		}
		q.B[j] = 0
		if s == 0 {
			continue
		}
		pivot := 1.0
		for k := range j {
			pivot -= float64(*r(k, j) * *r(k, j))
		}
		if pivot <= dependent {
			continue
		}
		root := math.Sqrt(pivot)
		*r(j, j) = root
		for i := j + 1; i < cols; i++ {
			if q.scale[i] == 0 {
				continue
			}
			entry := ata[j*cols+i] / s / q.scale[i]
			for k := range j {
				entry -= float64(*r(k, j) * *r(k, i))
			}
			*r(j, i) = entry / root
		}
		q.B[j] = atb[j] / s
		for k := range j {
			q.B[j] -= float64(*r(k, j) * q.B[k])
		}
		q.B[j] /= root
	}
}

// Solve stores the minimiser in z. If the bound on the rounds is reached, z is the best
// point so far, which is still feasible.
func (q *NNLS) Solve(z []float64) {
	bound := tolerance * blas64.Nrm2(Vector(q.B))
	q.reduce()
	q.solve(z, bound)
}

// solve is the active-set method on R and d.
func (q *NNLS) solve(z []float64, bound float64) {
	cols := q.A.Cols
	q.passive = q.passive[:0]
	clear(q.member)
	clear(z)
	for range maxRounds * cols {
		q.updateGradient(z)
		clear(q.rejected)
		if !q.enlarge(bound) {
			break
		}
		q.descend(z)
	}
	for j, s := range q.scale {
		if s > 0 {
			z[j] /= s
		}
	}
}

// reduce scales the columns of A and replaces (A, b) by (R, d), d = the first cols
// entries of Qᵀb, held in the same memory.
func (q *NNLS) reduce() {
	for j := range q.scale {
		c := Column(q.A, j)
		q.scale[j] = blas64.Nrm2(c)
		if q.scale[j] > 0 {
			for i := range q.A.Rows {
				q.A.Data[i*q.A.Stride+j] /= q.scale[j] // 1/scale may overflow
			}
		}
	}
	lapack64.Geqrf(q.A, q.tau, q.work, len(q.work))
	lapack64.Ormqr(blas.Left, blas.Trans, q.A, q.tau, oneColumn(q.B), q.work, len(q.work))
}

// updateGradient computes w = Rᵀ(d − Rz), the negative gradient of the objective.
func (q *NNLS) updateGradient(z []float64) {
	copy(q.remainder, z)
	blas64.Trmv(blas.NoTrans, q.triangle(), Vector(q.remainder))
	for i, rz := range q.remainder {
		q.remainder[i] = q.B[i] - rz
	}
	copy(q.gradient, q.remainder)
	blas64.Trmv(blas.Trans, q.triangle(), Vector(q.gradient))
}

// enlarge adds to P the column with the largest w above the bound and solves on P. A
// column that depends on columns in P would enter with a value that is not positive; it
// is rejected and the next one tried. enlarge returns false if there is none: z is
// optimal.
func (q *NNLS) enlarge(bound float64) bool {
	for {
		entering := -1
		for j, w := range q.gradient {
			if !q.member[j] && !q.rejected[j] && w > bound && (entering < 0 || w > q.gradient[entering]) {
				entering = j
			}
		}
		if entering < 0 {
			return false
		}
		q.passive = append(q.passive, entering)
		if q.leastSquares() && q.trial[len(q.passive)-1] > 0 {
			q.member[entering] = true
			return true
		}
		q.passive = q.passive[:len(q.passive)-1]
		q.rejected[entering] = true
	}
}

// descend moves z to the trial solution on P, dropping from P on the way every column
// whose value would leave z ≥ 0. Each turn drops at least one.
func (q *NNLS) descend(z []float64) {
	for {
		step, blocking := 1.0, -1
		for k, j := range q.passive {
			if t := q.trial[k]; t <= 0 {
				if s := z[j] / (z[j] - t); blocking < 0 || s < step {
					step, blocking = s, j
				}
			}
		}
		if blocking < 0 {
			for k, j := range q.passive {
				z[j] = q.trial[k]
			}
			return
		}
		kept := q.passive[:0]
		for k, j := range q.passive {
			z[j] += float64(step * (q.trial[k] - z[j]))
			if j == blocking || z[j] <= 0 {
				z[j] = 0
				q.member[j] = false
				continue
			}
			kept = append(kept, j)
		}
		q.passive = kept
		if !q.leastSquares() {
			return
		}
	}
}

// leastSquares solves min ‖R_P t − d‖ into trial; it returns false if R_P is singular.
func (q *NNLS) leastSquares() bool {
	p := len(q.passive)
	if p == 0 {
		return true
	}
	q.sub.Cols, q.sub.Stride = p, p
	for k, j := range q.passive {
		for i := range q.sub.Rows {
			entry := 0.0
			if i <= j {
				entry = q.A.Data[i*q.A.Stride+j]
			}
			q.sub.Data[i*p+k] = entry
		}
	}
	copy(q.trial, q.B)
	sub := q.sub
	sub.Data = sub.Data[:sub.Rows*p]
	if !lapack64.Gels(blas.NoTrans, sub, oneColumn(q.trial), q.work, len(q.work)) {
		return false
	}
	return !math.IsNaN(blas64.Asum(Vector(q.trial[:p])))
}

func (q *NNLS) triangle() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: q.A.Cols, Stride: q.A.Stride, Data: q.A.Data}
}
