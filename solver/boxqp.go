package solver

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/fairtrain/fairtrain/internal/linalg"
)

// boxQP is the quadratic program
//
//	min ½λᵀGλ + rᵀλ,  low ≤ λ ≤ high
//
// with a positive semidefinite G of some dozens of rows at most. It is solved by an active
// set of the bounds (Stark, Parker 1995). A damping far below the diagonal of G, and in
// proportion to it, makes the solution unique where G is singular: nearly the one of least
// norm, each λ in the unit in which its diagonal entry is 1.
type boxQP struct {
	m         int
	g         blas64.Symmetric
	r         []float64
	low, high []float64
	lambda    []float64

	damping  []float64 // added to the diagonal of G
	free     []int     // indices of the variables that are at no bound
	bound    []int8    // −1 and 1 for variables at low and high, else 0
	factor   blas64.Symmetric
	rhs      []float64
	gradient []float64
}

func newBoxQP(m int) *boxQP {
	symmetric := func() blas64.Symmetric {
		return blas64.Symmetric{N: m, Stride: m, Uplo: blas.Upper, Data: make([]float64, m*m)}
	}
	vector := func() []float64 { return make([]float64, m) }
	return &boxQP{
		m: m, g: symmetric(), factor: symmetric(), r: vector(), low: vector(), high: vector(), lambda: vector(),
		damping: vector(), free: make([]int, 0, m), bound: make([]int8, m), rhs: vector(), gradient: vector(),
	}
}

// set sets an entry of G and its mirror image.
func (q *boxQP) set(i, k int, v float64) {
	q.g.Data[i*q.m+k], q.g.Data[k*q.m+i] = v, v
}

// solve minimises, starting from the λ of the last time.
func (q *boxQP) solve() {
	const (
		regularisation = 1e-9   // of the diagonal entry
		positive       = 1e-100 // in place of entries of 0
	)
	for i := range q.damping {
		q.damping[i] = max(regularisation*q.g.Data[i*q.m+i], positive)
	}
	for i, l := range q.lambda {
		switch {
		case !(l > q.low[i]):
			q.lambda[i], q.bound[i] = q.low[i], -1
		case l >= q.high[i]:
			q.lambda[i], q.bound[i] = q.high[i], 1
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

// minimiseFree minimises over the variables that are not at a bound, fixing those that
// meet one.
func (q *boxQP) minimiseFree() {
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
			limit := q.high[i]
			if q.rhs[k] < q.lambda[i] {
				limit = q.low[i]
			}
			if beyond := q.rhs[k] > q.high[i] || q.rhs[k] < q.low[i]; beyond {
				if t := (limit - q.lambda[i]) / (q.rhs[k] - q.lambda[i]); t < step || blocking < 0 {
					step, blocking = min(t, step), i
				}
			}
		}
		for k, i := range q.free {
			q.lambda[i] += float64(step * (q.rhs[k] - q.lambda[i]))
		}
		if blocking < 0 {
			return
		}
		if q.lambda[blocking]-q.low[blocking] < q.high[blocking]-q.lambda[blocking] {
			q.lambda[blocking], q.bound[blocking] = q.low[blocking], -1
		} else {
			q.lambda[blocking], q.bound[blocking] = q.high[blocking], 1
		}
	}
}

// target stores in rhs the minimiser over the free variables.
func (q *boxQP) target() bool {
	size := len(q.free)
	f := blas64.Symmetric{N: size, Stride: size, Uplo: blas.Upper, Data: q.factor.Data[:size*size]}
	for k, i := range q.free {
		sum := q.r[i]
		for j, b := range q.bound {
			if b != 0 {
				sum += q.g.Data[i*q.m+j] * q.lambda[j]
			}
		}
		q.rhs[k] = -sum
		for l, j := range q.free {
			f.Data[k*size+l] = q.g.Data[i*q.m+j]
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

// release returns the variable at a bound that the gradient pulls away from it most, −1 if
// none is.
func (q *boxQP) release() int {
	const negligible = 1e-12
	blas64.Symv(1, q.g, linalg.Vector(q.lambda), 0, linalg.Vector(q.gradient))
	for i, l := range q.lambda {
		q.gradient[i] += q.damping[i]*l + q.r[i]
	}
	worst, most := -1, negligible*(1+floats.Norm(q.r, math.Inf(1)))
	for i, b := range q.bound {
		if pull := float64(b) * q.gradient[i]; pull > most && q.low[i] < q.high[i] {
			worst, most = i, pull
		}
	}
	return worst
}
