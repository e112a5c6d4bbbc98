package guarantee

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Target is the bound to train for so that a later test passes.
type Target struct {
	Bound float64 // in place of the requirement's bound
	// Power is approximately the probability that the hardest comparison of two groups passes, if training just
	// reaches the bound.
	Power float64
}

// Margin returns the bound to train for so that a test of a requirement on the given number
// of other rows passes with about the given probability. The bound is tighter by the width
// of the test's confidence limit and by the difference between training rows and other
// rows, but no tighter than the tightest one that training may reach: then the power is less. The evidence is from the
// training rows, with the scores of a similar model; nothing of the other rows is used.
func Margin(r Requirement, training Rows, rows int, confidence, power, tightest float64) (Target, error) {
	if !(confidence >= 0.5 && confidence < 1) || !(power > 0 && power < 1) || rows < 1 {
		return Target{}, fmt.Errorf("guarantee: confidence %v, power %v, %d rows, must be in [0.5, 1), (0, 1) and at least 1", confidence, power, rows)
	}
	if err := training.validate(); err != nil {
		return Target{}, fmt.Errorf("guarantee: %w", err)
	}
	delta := 1 - confidence
	sides, err := r.sides(training, delta)
	if err != nil {
		return Target{}, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
	}
	z := distuv.UnitNormal.Quantile((1 + power) / 2) // either of two sides may fail
	distances := make([]distance, len(sides))
	slack := 0.0
	for k, s := range sides {
		_, margin, fresh := s.contrast.spread(float64(rows), delta)
		if fresh == 0 {
			return Target{}, fmt.Errorf("guarantee: %s: %s: a group has no rows", r.Spec, s.name)
		}
		_, _, seen := s.contrast.spread(float64(training.size()), delta)
		unit := r.unit(s.contrast, training)
		distances[k] = distance{margin / unit, math.Hypot(fresh, seen) / unit}
		slack = max(slack, distances[k].margin+float64(z*distances[k].spread))
	}
	slack = min(slack, math.Abs(r.Bound-tightest))
	target := Target{Bound: r.Bound - slack, Power: 1}
	if r.fromBelow() {
		target.Bound = r.Bound + slack
	}
	for _, d := range distances {
		target.Power = min(target.Power, d.power(slack, slack+2*r.unequal(target.Bound)))
	}
	return target, nil
}

// distance is that of a test's confidence limit from the estimate, and the standard error of the estimate as training
// rows foretell it, both in units of the requirement's bound.
type distance struct{ margin, spread float64 }

// power returns the probability that a comparison passes whose estimate is expected so far within the bound, and so
// far within the bound of the opposite comparison.
func (d distance) power(slack, opposite float64) float64 {
	fail := func(slack float64) float64 { return distuv.UnitNormal.Survival((slack - d.margin) / d.spread) }
	return max(0, 1-fail(slack)-fail(opposite))
}

// unit returns by how much weight·a − b changes when the bound changes by 1.
func (r *Requirement) unit(c contrast, e Rows) float64 {
	switch {
	case r.Kind == MinRatio:
		return max(c.a.mean, 1/c.a.fraction/float64(e.size()))
	case r.fromBelow():
		return max(e.mean(), 1/float64(e.size()))
	}
	return 1
}

// unequal returns how far a bound is from that which only equal groups keep, +∞ if groups are not compared with each
// other in both directions.
func (r *Requirement) unequal(bound float64) float64 {
	switch r.Kind {
	case MaxDifference:
		return bound
	case MinRatio:
		return 1 - bound
	}
	return math.Inf(1)
}
