package train

import (
	"context"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

const (
	// maxRounds bounds the number of times that the constraints on scores are adjusted:
	// decisions on finitely many rows jump, so that a bound near 0 may be out of reach.
	maxRounds = 40
	// After wholeRounds rounds an adjustment goes only half of its way: the decisions of
	// small groups jump back and forth otherwise.
	wholeRounds = 2
	// After freeRounds rounds the rates of all groups together are held where small groups
	// can have them, too.
	freeRounds = 8
)

// largestMargin returns that of row, whose bound is shifted by δ. Two groups can use most
// of the bound, of which only one side matters at a time; among several, narrow bounds on
// all are hard to meet.
func largestMargin(row model.Row, delta float64) float64 {
	bound := delta - row.Constant
	switch {
	case bound <= 0:
		return 0.005 // a ratio or a share, whose bound is not a difference
	case row.Family != "":
		return bound / 4
	}
	return 0.5 * bound
}

// tighten runs the method until every constraint holds for the decisions on the
// constraint data. With c_j(x) the value of a constraint on scores and D_j(x) that on
// decisions, each round solves the problem with the constraints
//
//	c_j(x) + δ_j ≤ 0,   δ_j = D_j(x₋) − c_j(x₋) + μ_j,
//
// from the solution x₋ of the round before. If D_j − c_j stayed what it was, D_j would
// come out as −μ_j at most; because it does not, δ_j soon changes by halves, and the
// margin μ_j, at first 0, grows by the violation of each round after the first, up to a
// part of the bound, so that margins on either side of a difference leave something
// between them. Rounds end at a coarse tolerance until one satisfies all constraints;
// where none does to the tolerance asked for, the one of least violation is the outcome.
func tighten(ctx context.Context, o *Options) (*attempt, error) {
	round := *o
	var best *attempt
	var total effort
	var margin []float64
	least := math.Inf(1)
	coarse := 10 * o.Tolerance
	for range maxRounds {
		round.Tolerance = max(o.Tolerance, coarse)
		a, err := try(ctx, &round)
		if err != nil {
			return nil, err
		}
		total.add(a.effort)
		onDecisions, err := a.onDecisions(o)
		if err != nil {
			return nil, err
		}
		excess := model.Excess(a.fair.Rows(), onDecisions)
		violation := slices.Max(excess[:a.asked])
		fine := a.residual.Norm() <= o.Tolerance
		done := fine && violation <= 0
		if done || violation < least {
			best, least = a, violation
		}
		if a.status == solver.Interrupted {
			best.status = solver.Interrupted
		}
		round.MaxPasses = o.MaxPasses - problem.Passes(a.fair, total.samples)
		if done || a.status == solver.Interrupted || a.status == solver.Diverged || !(round.MaxPasses > 0) {
			break
		}
		round.Model.Start = a.x
		if violation <= 0 && !fine {
			coarse = 0 // the same problem to the tolerance asked for
			continue
		}
		if margin == nil {
			margin = make([]float64, len(onDecisions))
		}
		delta := make([]float64, len(onDecisions))
		for j, row := range a.fair.Rows() {
			if bound := a.shift[j] - row.Constant; bound > 0 {
				coarse = min(coarse, bound/4) // or else violations are as large as bounds
			}
			onScores := a.values.Constraint[j] - a.shift[j]
			if total.rounds > 1 {
				margin[j] = min(margin[j]+max(0, onDecisions[j]), largestMargin(row, a.shift[j]))
			}
			delta[j] = onDecisions[j] - onScores + margin[j]
			if total.rounds > wholeRounds {
				delta[j] = (delta[j] + a.shift[j]) / 2
			}
		}
		if total.rounds >= freeRounds && round.anchors == nil {
			decisions, err := decide(o, a, o.ConstraintData)
			if err != nil {
				return nil, err
			}
			round.anchors = findAnchors(a, decisions, excess)
			none := make([]float64, len(round.anchors.rows))
			delta, margin = append(delta, none...), append(margin, none...)
		}
		round.Model.Shift = delta
	}
	best.effort = total
	if best.status == solver.Converged && best.residual.Norm() > o.Tolerance {
		best.status = solver.Exhausted // a coarse one
	}
	return best, nil
}

// onDecisions returns the values of the constraints on decisions, without the shift, on
// the constraint data.
func (a *attempt) onDecisions(o *Options) ([]float64, error) {
	decisions, err := decide(o, a, o.ConstraintData)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(a.shift))
	for j, row := range a.fair.Rows() {
		values[j] = row.Value(decisions) - a.shift[j]
	}
	return values, nil
}
