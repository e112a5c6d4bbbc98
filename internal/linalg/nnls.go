package linalg

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// NNLS solves the nonnegative least-squares problem
//
//	min ‖Az − b‖₂  over z ≥ 0
//
// by the active-set method of Lawson and Hanson (Solving Least Squares Problems, 1974,
// ch. 23). One QR factorisation reduces A, rows×cols with rows ≥ cols and columns scaled
// to unit length, to the cols×cols triangle R; the method then works on R alone, or on AᵀA
// where that is given. Scaling makes its one tolerance independent of the units of the
// constraints. The triangle of the columns with z > 0 is updated as columns come and go.
type NNLS struct {
	A blas64.General // rows×cols, set by the caller, destroyed by Solve
	B []float64      // rows, set by the caller, destroyed by Solve

	products  []float64 // AᵀA, in place of A
	last      []int     // P of the last time
	scale     []float64 // lengths of the columns of A
	tau, work []float64
	passive   []int       // columns with z > 0, the set P, in the order of its triangle
	member    []bool      // membership of P
	rejected  []bool      // columns that the current round may not choose
	upper     [][]float64 // columns of the triangle U of P, QU = R_P
	basis     [][]float64 // rows of Qᵀ, where A is given
	target    []float64   // Qᵀd
	trial     []float64   // least-squares solution on P
	gradient  []float64   // w = Rᵀ(d − Rz)
	remainder []float64   // d − Rz
}

// maxRounds bounds the rounds per column. Each round lowers the objective and so ends on
// a new passive set; few sets are ever visited, and rounding errors must not make it a
// cycle.
const maxRounds = 10

// tolerance is the smallest cosine between a column and the remainder, relative to ‖b‖,
// that counts as a descent direction.
const tolerance = 1e-13

// NewNNLS allocates the memory for Solve, of a problem with rows ≥ cols.
func NewNNLS(rows, cols int) *NNLS {
	q := NewNormalNNLS(cols)
	q.A, q.B, q.tau = matrix(rows, cols), make([]float64, rows), make([]float64, cols)
	for range cols {
		q.basis = append(q.basis, make([]float64, cols))
	}
	size := make([]float64, 1)
	lapack64.Geqrf(q.A, q.tau, size, -1)
	lwork := int(size[0])
	lapack64.Ormqr(blas.Left, blas.Trans, q.A, q.tau, oneColumn(q.B), size, -1)
	q.work = make([]float64, max(lwork, int(size[0])))
	return q
}

// NewNormalNNLS allocates the memory for SolveNormal alone.
func NewNormalNNLS(cols int) *NNLS {
	vector := func() []float64 { return make([]float64, cols) }
	q := &NNLS{
		B: vector(), scale: vector(), target: vector(), trial: vector(), gradient: vector(),
		passive: make([]int, 0, cols), member: make([]bool, cols), rejected: make([]bool, cols),
		remainder: vector(),
	}
	for range cols {
		q.upper = append(q.upper, vector())
	}
	return q
}

// SolveNormal stores the minimiser in z, given AᵀA (cols×cols, row-major, destroyed), Aᵀb and ‖b‖. It
// costs A's products only, and sees dependences between columns to 1e-6. It begins with the columns
// whose z was positive the last time.
func (q *NNLS) SolveNormal(z, ata, atb []float64, norm float64) {
	cols := len(q.scale)
	for j := range q.scale {
		q.scale[j] = math.Sqrt(ata[j*cols+j])
	}
	for j, s := range q.scale {
		if q.B[j] = 0; s == 0 {
			continue
		}
		q.B[j] = atb[j] / s
		for i, t := range q.scale {
			if t > 0 {
				ata[j*cols+i] = ata[j*cols+i] / s / t // the product of both may overflow
			}
		}
	}
	q.products = ata
	q.last = append(q.last[:0], q.passive...)
	q.clear()
	clear(z)
	for _, j := range q.last {
		q.add(j)
	}
	for k := 0; k >= 0; {
		q.leastSquares()
		if k = slices.IndexFunc(q.trial[:len(q.passive)], func(t float64) bool { return !(t > 0) }); k >= 0 {
			q.drop(k)
		}
	}
	q.accept(z)
	q.solve(z, tolerance*norm)
}

// Solve stores the minimiser in z. If the bound on the rounds is reached, z is the best
// point so far, which is still feasible.
func (q *NNLS) Solve(z []float64) {
	bound := tolerance * blas64.Nrm2(Vector(q.B))
	q.reduce()
	q.clear()
	clear(z)
	q.solve(z, bound)
}

// solve is the active-set method, from a z that minimises on P.
func (q *NNLS) solve(z []float64, bound float64) {
	for range maxRounds * len(q.scale) {
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
	if q.products != nil {
		copy(q.gradient, q.B)
		for _, j := range q.passive {
			floats.AddScaled(q.gradient, -z[j], q.products[j*len(z):(j+1)*len(z)])
		}
		return
	}
	r := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: q.A.Cols, Stride: q.A.Stride, Data: q.A.Data}
	copy(q.remainder, z)
	blas64.Trmv(blas.NoTrans, r, Vector(q.remainder))
	for i, rz := range q.remainder {
		q.remainder[i] = q.B[i] - rz
	}
	copy(q.gradient, q.remainder)
	blas64.Trmv(blas.Trans, r, Vector(q.gradient))
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
		if q.add(entering) {
			last := len(q.passive) - 1
			if q.leastSquares(); q.trial[last] > 0 {
				return true
			}
			q.drop(last)
		}
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
			q.accept(z)
			return
		}
		for k, j := range q.passive {
			z[j] += float64(step * (q.trial[k] - z[j]))
		}
		for k := len(q.passive) - 1; k >= 0; k-- {
			if j := q.passive[k]; j == blocking || z[j] <= 0 {
				z[j] = 0
				q.drop(k)
			}
		}
		q.leastSquares()
	}
}

// accept makes z the trial solution.
func (q *NNLS) accept(z []float64) {
	for k, j := range q.passive {
		z[j] = q.trial[k]
	}
}

// clear empties P.
func (q *NNLS) clear() {
	q.passive = q.passive[:0]
	clear(q.member)
}

// leastSquares solves min ‖R_P t − d‖ into trial.
func (q *NNLS) leastSquares() {
	p := len(q.passive)
	copy(q.trial, q.target[:p])
	for k := p - 1; k >= 0; k-- {
		q.trial[k] /= q.upper[k][k]
		floats.AddScaled(q.trial[:k], -q.trial[k], q.upper[k][:k])
	}
}

// add adds column j to P. It returns false if the column depends on those of P.
func (q *NNLS) add(j int) bool {
	k := len(q.passive)
	u := q.upper[k]
	if q.products != nil {
		const dependent = 1e-12 // the squared sine of a column's angle with P
		row := q.products[j*len(q.scale):]
		pivot, d := row[j], q.B[j]
		for i, member := range q.passive {
			u[i] = (row[member] - floats.Dot(q.upper[i][:i], u[:i])) / q.upper[i][i]
			pivot -= float64(u[i] * u[i])
			d -= float64(u[i] * q.target[i])
		}
		if !(pivot > dependent) {
			return false
		}
		u[k] = math.Sqrt(pivot)
		q.target[k] = d / u[k]
	} else {
		column := q.basis[k]
		clear(column)
		blas64.Copy(blas64.Vector{N: j + 1, Inc: q.A.Stride, Data: q.A.Data[j:]}, Vector(column[:j+1]))
		length := floats.Norm(column, 2)
		clear(u)
		for range 2 { // of Gram–Schmidt, as one may lose all digits
			for i, o := range q.basis[:k] {
				along := floats.Dot(o, column)
				u[i] += along
				floats.AddScaled(column, -along, o)
			}
		}
		if u[k] = floats.Norm(column, 2); !(u[k] > epsilon*length) {
			return false
		}
		floats.Scale(1/u[k], column)
		q.target[k] = floats.Dot(column, q.B[:q.A.Cols])
	}
	q.passive, q.member[j] = append(q.passive, j), true
	return true
}

// drop removes the k-th column from P: rotations make a triangle of what is left of U.
func (q *NNLS) drop(k int) {
	last := len(q.passive) - 1
	q.member[q.passive[k]] = false
	q.passive = slices.Delete(q.passive, k, k+1)
	removed := q.upper[k]
	copy(q.upper[k:last], q.upper[k+1:])
	q.upper[last] = removed
	for i := k; i < last; i++ {
		c, s, length, _ := blas64.Rotg(q.upper[i][i], q.upper[i][i+1])
		q.upper[i][i] = length
		for _, u := range q.upper[i+1 : last] {
			u[i], u[i+1] = float64(c*u[i])+float64(s*u[i+1]), float64(c*u[i+1])-float64(s*u[i])
		}
		q.target[i], q.target[i+1] = float64(c*q.target[i])+float64(s*q.target[i+1]), float64(c*q.target[i+1])-float64(s*q.target[i])
		if q.products == nil {
			blas64.Rot(Vector(q.basis[i]), Vector(q.basis[i+1]), c, s)
		}
	}
}
