package solver

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// workingSet tells which of the bounded variables are fixed at their bounds x_j = 0.
type workingSet struct {
	bounds []int
	fixed  []bool // per entry of bounds
}

func newWorkingSet(p problem.Problem) workingSet {
	bounds := p.NonNegative()
	return workingSet{bounds: bounds, fixed: make([]bool, len(bounds))}
}

// release computes the multiplier λ at x by project. It releases a variable that is no longer
// at its bound, or whose own multiplier, (∇f + Jᵀλ)_j, is negative.
func (w *workingSet) release(x []float64, project func(), multiplier func(j int) float64) {
	for k, j := range w.bounds {
		w.fixed[k] = w.fixed[k] && x[j] == 0
	}
	project()
	released := false
	for k, j := range w.bounds {
		if w.fixed[k] && multiplier(j) < 0 {
			w.fixed[k], released = false, true
		}
	}
	if released {
		project()
	}
}

// block computes a direction by combine. It fixes the variables that a step of length eta
// would carry to or past their bounds, until there are none. Every round fixes at least one,
// so it ends. direction returns the entry of the k-th bounded variable.
func (w *workingSet) block(x []float64, eta float64, project, combine func(), direction func(k int) float64) {
	for {
		combine()
		blocked := false
		for k, j := range w.bounds {
			if s := direction(k); !w.fixed[k] && s < 0 && x[j]+float64(eta*s) <= 0 {
				w.fixed[k], blocked = true, true
			}
		}
		if !blocked {
			return
		}
		project()
	}
}

// freeJacobian is a working set with the Jacobian of the variables that are not fixed.
type freeJacobian struct {
	workingSet
	space *linalg.RangeSpace
	free  blas64.General // the Jacobian with the columns of fixed variables at zero
}

func newFreeJacobian(p problem.Problem) freeJacobian {
	n, m := p.Dims()
	return freeJacobian{newWorkingSet(p), linalg.NewRangeSpace(m, n), problem.NewJacobian(m, n)}
}

// reduce takes what is left of the Jacobian j into free, and decomposes it.
func (w *freeJacobian) reduce(j blas64.General) {
	for i := range j.Rows {
		copy(linalg.Row(w.free, i).Data, linalg.Row(j, i).Data)
	}
	for k, i := range w.bounds {
		if w.fixed[k] {
			blas64.Scal(0, linalg.Column(w.free, i))
		}
	}
	w.space.Decompose(w.free)
}
