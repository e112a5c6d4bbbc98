package benchmark

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Point measures an iterate by exact values.
type Point struct {
	Stationarity Number `json:"stationarity"` // ‖∇f + ∇c λ‖_∞ with the least-squares λ
	Feasibility  Number `json:"feasibility"`  // ‖c‖_∞
	Iteration    int    `json:"iteration"`    // 0: there is no iterate
}

// nowhere is the point of a run without a finite iterate.
var nowhere = Point{Number(math.Inf(1)), Number(math.Inf(1)), 0}

// Score is the larger of the two errors.
func (p Point) Score() float64 { return float64(max(p.Stationarity, p.Feasibility)) }

// better is the paper's criterion: smaller stationarity among points that are feasible
// to within the threshold, otherwise smaller feasibility.
func (p Point) better(q Point, threshold float64) bool {
	if float64(p.Feasibility) <= threshold && float64(q.Feasibility) <= threshold {
		return p.Stationarity < q.Stationarity
	}
	return p.Feasibility < q.Feasibility
}

// judge finds the best of all iterates that a run generates, the start not being one, nor
// points outside the domain of a function, where ignored bounds may lead. It spares most
// of the work: c is evaluated at every iterate, ∇f and ∇c only at the best so far, and of
// the multiplier at iterates that are not feasible enough only that of the last best.
type judge struct {
	p         problem.Problem // its exact values
	threshold float64
	values    *problem.Values
	score     *kkt.Evaluator
	best      Point
	x         []float64 // the best iterate, if its stationarity is still to be found
	pending   bool
}

func newJudge(p problem.Problem, threshold float64) *judge {
	n, m := p.Dims()
	return &judge{
		p: p, threshold: threshold,
		values: problem.NewValues(n, m), score: kkt.NewEvaluator(p), best: nowhere,
		x: make([]float64, n),
	}
}

// Record judges an iterate.
func (j *judge) Record(s *solver.Snapshot) (bool, error) {
	if s.Iterate.K == 0 || s.Iterate.K == j.best.Iteration {
		return false, nil
	}
	j.p.Constraint(j.values.Constraint, s.Iterate.X, nil)
	feasibility := floats.Norm(j.values.Constraint, math.Inf(1))
	point := Point{Feasibility: Number(feasibility), Iteration: s.Iterate.K}
	switch {
	case feasibility <= j.threshold:
		point.Stationarity = j.stationarity(s.Iterate.X)
		if !math.IsInf(float64(point.Stationarity), 1) && point.better(j.best, j.threshold) {
			j.best, j.pending = point, false
		}
	case point.better(j.best, j.threshold) && j.defined(s.Iterate.X): // false if feasibility is NaN
		j.best, j.pending = point, true
		copy(j.x, s.Iterate.X)
	}
	return false, nil
}

// result returns the best iterate.
func (j *judge) result() Point {
	if j.pending {
		j.best.Stationarity, j.pending = j.stationarity(j.x), false
	}
	return j.best
}

// defined reports whether ∇f and ∇c are finite at x.
func (j *judge) defined(x []float64) bool {
	j.p.Gradient(j.values.Gradient, x, nil)
	j.p.Jacobian(j.values.Jacobian, x, nil)
	return linalg.Finite(j.values.Gradient) && linalg.Finite(j.values.Jacobian.Data)
}

// stationarity is +Inf where it is undefined.
func (j *judge) stationarity(x []float64) Number {
	problem.Exact(j.p, j.values, x)
	return Number(j.score.Score(j.values).Stationarity)
}
