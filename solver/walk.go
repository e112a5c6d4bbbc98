package solver

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// walk takes the steps of an epoch of FiniteSum at a point x: along the direction s̃ (eq. s_k)
// with SPIDER estimates.
type walk interface {
	// refresh begins an epoch at x with the exact values there.
	refresh(x []float64, exact *problem.Values)
	// update brings the estimates to the present point (eq. spider-k).
	update(b batchSizes)
	// start computes the multiplier and the working set from the estimates.
	start()
	// move takes a step of length eta and returns how far it goes.
	move(normal normalStep, eta float64) float64
	// complete makes x hold the present point. Before, x may be incomplete.
	complete()

	// values are the estimates.
	values() *problem.Values
	lambda() []float64
	// sigma returns the Frobenius norm and the smallest singular value of the Jacobian of
	// the variables that are not fixed.
	sigma() (norm, muMin float64)
}

// newWalk returns the kind of walk that suits the problem.
func newWalk(p problem.Problem, s Streams, b batchSizes) walk {
	// Steps that touch more than this share of the variables are faster in all variables.
	const share = 0.25
	n, _ := p.Dims()
	objective, constraint := p.Populations()
	entries := problem.Entries(p)
	batches := b.f < objective && b.c < constraint && b.j < constraint
	if batches && entries > 0 && entries*float64(b.f+b.c+b.j) < share*float64(n) {
		return newLazyWalk(p, s)
	}
	return newDenseWalk(p, s)
}

// denseWalk takes steps in all variables.
type denseWalk struct {
	estimate    *spider
	direction   *direction
	x, previous []float64
}

func newDenseWalk(p problem.Problem, s Streams) *denseWalk {
	n, _ := p.Dims()
	estimate := newSpider(p, s, unbounded)
	return &denseWalk{estimate: estimate, direction: newDirection(p, estimate.values), previous: make([]float64, n)}
}

func (w *denseWalk) values() *problem.Values { return w.estimate.values }
func (w *denseWalk) lambda() []float64       { return w.direction.lambda }
func (w *denseWalk) complete()               {}

func (w *denseWalk) sigma() (norm, muMin float64) {
	return blas64.Nrm2(linalg.Vector(w.direction.free.Data)), w.direction.space.MuMin
}

func (w *denseWalk) refresh(x []float64, exact *problem.Values) {
	w.x = x
	w.estimate.refreshExact(exact)
}

func (w *denseWalk) update(b batchSizes) { w.estimate.update(w.x, w.previous, b) }

func (w *denseWalk) start() { w.direction.start(w.x) }

func (w *denseWalk) move(normal normalStep, eta float64) float64 {
	w.direction.finish(w.x, normal, eta)
	copy(w.previous, w.x)
	w.direction.move(w.x, eta)
	return distance(w.x, w.previous)
}
