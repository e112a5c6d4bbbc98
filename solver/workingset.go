package solver

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// workingSet tells which of the bounded variables are fixed at their bounds. The columns of
// these leave the Jacobian.
type workingSet struct {
	bounds []int
	fixed  []bool // per entry of bounds
	space  *linalg.RangeSpace
	free   blas64.General // the Jacobian with the columns of fixed variables at zero
}

func newWorkingSet(p problem.Problem) *workingSet {
	n, m := p.Dims()
	bounds := p.NonNegative()
	return &workingSet{
		bounds: bounds, fixed: make([]bool, len(bounds)),
		space: linalg.NewRangeSpace(m, n), free: problem.NewJacobian(m, n),
	}
}

// reduce takes what is left of the Jacobian j into free, and decomposes it.
func (w *workingSet) reduce(j blas64.General) {
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
