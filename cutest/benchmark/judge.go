package benchmark

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// judge finds the best of all iterates that a run generates. The start does not count,
// nor do points outside the domain of a function, to which ignored bounds may lead. It
// avoids most of the work: c is evaluated at every iterate, ∇f and ∇c only at the best so
// far. Among iterates that are not feasible enough, only the last best one needs a
// multiplier.
type judge struct {
	p         problem.Problem // its exact values
	threshold float64
	values    *problem.Values
	score     *kkt.Evaluator
	best      results.Judged
	x         []float64 // the best iterate, if its stationarity is still to be found
	pending   bool
}

func newJudge(p problem.Problem, threshold float64) *judge {
	n, m := p.Dims()
	return &judge{
		p: p, threshold: threshold,
		values: problem.NewValues(n, m), score: kkt.NewEvaluator(p), best: results.Nowhere,
		x: make([]float64, n),
	}
}

// record judges an iterate.
func (j *judge) record(s *solver.Snapshot) (bool, error) {
	if s.Iterate.K == 0 || s.Iterate.K == j.best.Iteration {
		return false, nil
	}
	j.p.Evaluate(&problem.Values{Constraint: j.values.Constraint}, s.Iterate.X, nil)
	feasibility := floats.Norm(j.values.Constraint, math.Inf(1))
	point := results.Judged{Feasibility: results.Number(feasibility), Iteration: s.Iterate.K}
	switch {
	case feasibility <= j.threshold:
		point.Stationarity = j.stationarity(s.Iterate.X)
		if !math.IsInf(float64(point.Stationarity), 1) && point.Better(j.best, j.threshold) {
			j.best, j.pending = point, false
		}
	case point.Better(j.best, j.threshold) && j.defined(s.Iterate.X): // false if feasibility is NaN
		j.best, j.pending = point, true
		copy(j.x, s.Iterate.X)
	}
	return false, nil
}

// result returns the best iterate.
func (j *judge) result() results.Judged {
	if j.pending {
		j.best.Stationarity, j.pending = j.stationarity(j.x), false
	}
	return j.best
}

// defined reports whether ∇f and ∇c are finite at x.
func (j *judge) defined(x []float64) bool {
	j.p.Evaluate(&problem.Values{Gradient: j.values.Gradient}, x, nil)
	j.p.Evaluate(&problem.Values{Jacobian: j.values.Jacobian}, x, nil)
	return linalg.Finite(j.values.Gradient) && linalg.Finite(j.values.Jacobian.Data)
}

// stationarity is +Inf where it is undefined.
func (j *judge) stationarity(x []float64) results.Number {
	j.p.Evaluate(j.values, x, nil)
	return results.Number(j.score.Score(j.values).Stationarity)
}

// choose returns the result of a method on a problem, and the trial that found it, by the
// paper's rule and exact values, which no method sees: of all iterates of all candidates that are
// feasible enough, the one with the smallest stationarity; if there is none, the iterate with the
// smallest feasibility error. The first of equals wins; without any iterate it is the first trial.
func choose(trials []results.Trial, threshold float64) (best results.Judged, chosen int) {
	best = results.Nowhere
	for i, t := range trials {
		if t.Best.Better(best, threshold) {
			best, chosen = t.Best, i
		}
	}
	return best, chosen
}
