package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// BoxQP is the quadratic program
//
//	min ½λᵀGλ + Rᵀλ,  Low ≤ λ ≤ High
//
// with a positive semidefinite G of some dozens of rows at most. It is solved by an active
// set of the bounds (Stark, Parker 1995). A damping far below the diagonal of G, and in
// proportion to it, makes the solution unique where G is singular: nearly the solution of
// least norm, with each λ in the unit in which its diagonal entry is 1.
type BoxQP struct {
	G         blas64.Symmetric // both triangles
	R         []float64
	Low, High []float64
	Lambda    []float64 // λ, after Solve

	m        int
	damping  []float64 // added to the diagonal of G
	free     []int     // indices of the variables that are at no bound
	bound    []int8    // −1 and 1 for variables at Low and High, else 0
	factor   blas64.Symmetric
	rhs      []float64
	gradient []float64
}

// NewBoxQP returns the program of m variables with G = 0, R = 0 and bounds of 0.
func NewBoxQP(m int) *BoxQP {
	vector := func() []float64 { return make([]float64, m) }
	return &BoxQP{
		R: vector(), Low: vector(), High: vector(), Lambda: vector(),
		m: m, G: symmetric(m), factor: symmetric(m),
		damping: vector(), free: make([]int, 0, m), bound: make([]int8, m), rhs: vector(), gradient: vector(),
	}
}

// Solve stores the solution in Lambda. The solution of the last time is the start.
func (q *BoxQP) Solve() {
	const (
		regularisation = 1e-9   // of the diagonal entry
		positive       = 1e-100 // in place of entries of 0
	)
	for i := range q.damping {
		q.damping[i] = max(regularisation*q.G.Data[i*q.m+i], positive)
	}
	for i, l := range q.Lambda {
		switch {
		case !(l > q.Low[i]):
			q.Lambda[i], q.bound[i] = q.Low[i], -1
		case l >= q.High[i]:
			q.Lambda[i], q.bound[i] = q.High[i], 1
		default:
			q.bound[i] = 0
		}
	}
	for range 10 * (q.m + 1) {
		q.minimiseFree()
		worst := q.release()
		if worst < 0 {
			return
		}
		q.bound[worst] = 0
	}
}

// minimiseFree minimises over the variables that are not at a bound. It fixes the variables
// that meet a bound.
func (q *BoxQP) minimiseFree() {
	for range q.m + 1 {
		q.free = q.free[:0]
		for i, b := range q.bound {
			if b == 0 {
				q.free = append(q.free, i)
			}
		}
		if len(q.free) == 0 || !q.target() {
			return
		}
		// As far as the nearest bound, rhs being the target.
		step, blocking := 1.0, -1
		for k, i := range q.free {
			limit := q.High[i]
			if q.rhs[k] < q.Lambda[i] {
				limit = q.Low[i]
			}
			if beyond := q.rhs[k] > q.High[i] || q.rhs[k] < q.Low[i]; beyond {
				if t := (limit - q.Lambda[i]) / (q.rhs[k] - q.Lambda[i]); t < step || blocking < 0 {
					step, blocking = min(t, step), i
				}
			}
		}
		for k, i := range q.free {
			q.Lambda[i] += float64(step * (q.rhs[k] - q.Lambda[i]))
		}
		if blocking < 0 {
			return
		}
		if q.Lambda[blocking]-q.Low[blocking] < q.High[blocking]-q.Lambda[blocking] {
			q.Lambda[blocking], q.bound[blocking] = q.Low[blocking], -1
		} else {
			q.Lambda[blocking], q.bound[blocking] = q.High[blocking], 1
		}
	}
}

// target stores in rhs the minimiser over the free variables.
func (q *BoxQP) target() bool {
	size := len(q.free)
	f := blas64.Symmetric{N: size, Stride: size, Uplo: blas.Upper, Data: q.factor.Data[:size*size]}
	for k, i := range q.free {
		sum := q.R[i]
		for j, b := range q.bound {
			if b != 0 {
				sum += q.G.Data[i*q.m+j] * q.Lambda[j]
			}
		}
		q.rhs[k] = -sum
		for l, j := range q.free {
			f.Data[k*size+l] = q.G.Data[i*q.m+j]
		}
		f.Data[k*size+k] += q.damping[i]
	}
	t, ok := lapack64.Potrf(f)
	if !ok {
		return false
	}
	lapack64.Potrs(t, blas64.General{Rows: size, Cols: 1, Stride: 1, Data: q.rhs[:size]})
	return true
}

// release returns the variable that the gradient pulls away from its bound most, −1 if there
// is none.
func (q *BoxQP) release() int {
	const negligible = 1e-12
	copy(q.gradient, q.R)
	for i, l := range q.Lambda {
		if l != 0 {
			floats.AddScaled(q.gradient, l, q.G.Data[i*q.m:(i+1)*q.m])
			q.gradient[i] += float64(q.damping[i] * l)
		}
	}
	worst, most := -1, negligible*(1+floats.Norm(q.R, math.Inf(1)))
	for i, b := range q.bound {
		if pull := float64(b) * q.gradient[i]; pull > most && q.Low[i] < q.High[i] {
			worst, most = i, pull
		}
	}
	return worst
}
