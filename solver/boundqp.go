package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// boundQP solves the subproblem of SSQP
//
//	minimise gᵀd + (h/2)‖d‖²  subject to  c + Jd = 0,  x_j + d_j ≥ 0 (j a bounded variable)
//
// exactly. With the variables of a set F at their bounds, d_j = −x_j, the rest is an
// equality-constrained problem with a closed form. Principal pivoting with the least-index
// rule (Murty) finds the right F. On a strictly convex problem this rule can't cycle. The
// bounded variables are the few slacks.
type boundQP struct {
	freeJacobian // whose fixed variables are F; solve starts from the F of the last solve

	d   []float64
	y   []float64 // multipliers of c + Jd = 0
	rhs []float64
}

func newBoundQP(p problem.Problem) *boundQP {
	n, m := p.Dims()
	return &boundQP{
		freeJacobian: newFreeJacobian(p),
		d:            make([]float64, n), y: make([]float64, m), rhs: make([]float64, m),
	}
}

// solve stores the solution in d and y. If c + Jd = 0 has no solution, d minimises the
// violation in the sense of least squares.
func (q *boundQP) solve(x []float64, v *problem.Values, h float64) {
	pivots := 10 * (len(q.bounds) + 1) // a rank-deficient J may offer no consistent set
	for range pivots {
		q.solveEqualities(x, v, h)
		wrong := q.firstWrong(x, v, h)
		if wrong < 0 {
			return
		}
		q.fixed[wrong] = !q.fixed[wrong]
	}
}

// firstWrong returns the first bounded variable that violates its bound, or whose bound has
// a negative multiplier. It returns −1 if there is none.
func (q *boundQP) firstWrong(x []float64, v *problem.Values, h float64) int {
	const roundoff = 1e-12
	for k, i := range q.bounds {
		if q.fixed[k] {
			if multiplier := v.Gradient[i] + float64(h*q.d[i]) + blas64.Dot(linalg.Column(v.Jacobian, i), linalg.Vector(q.y)); multiplier < -roundoff {
				return k
			}
		} else if x[i]+q.d[i] < -roundoff {
			return k
		}
	}
	return -1
}

// solveEqualities solves with the variables of F at their bounds. With A the columns of J
// that are not in F, and r = c + J_F d_F,
//
//	y = −(Aᵀ)†g + h (AAᵀ)†r,   d = −(g + Aᵀy)/h.
func (q *boundQP) solveEqualities(x []float64, v *problem.Values, h float64) {
	q.reduce(v.Jacobian)
	copy(q.rhs, v.Constraint)
	for k, i := range q.bounds {
		if q.fixed[k] {
			blas64.Axpy(-x[i], linalg.Column(v.Jacobian, i), linalg.Vector(q.rhs))
		}
	}
	q.space.Multiplier(q.y, q.free, v.Gradient)
	q.space.SolveNormal(q.rhs)
	floats.AddScaled(q.y, h, q.rhs)
	for i, gi := range v.Gradient {
		q.d[i] = -gi / h
	}
	blas64.Gemv(blas.Trans, -1/h, q.free, linalg.Vector(q.y), 1, linalg.Vector(q.d))
	for k, i := range q.bounds {
		if q.fixed[k] {
			q.d[i] = -x[i]
		}
	}
}
