package benchmark

import (
	"math"

	"gonum.org/v1/gonum/floats"

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

// judge finds the best of all iterates that a run generates, the start not being one. It
// spares most of the work: c is evaluated at every iterate, ∇f and ∇c only where the
// iterate is feasible enough, or at the end for the one of smallest feasibility.
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
		values: problem.NewValues(n, m), score: kkt.NewEvaluator(n, m), best: nowhere,
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
		if point.better(j.best, j.threshold) {
			j.best, j.pending = point, false
		}
	case point.better(j.best, j.threshold): // false if feasibility is NaN
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

func (j *judge) stationarity(x []float64) Number {
	problem.Exact(j.p, j.values, x)
	return Number(j.score.Equality(j.values).Stationarity)
}
