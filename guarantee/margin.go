package guarantee

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Target is the bound to train for so that a later test passes.
type Target struct {
	Bound float64 // in place of the requirement's bound
	// Power is approximately the probability that the hardest side passes.
	Power float64
}

// Margin returns the bound to train for so that a test of a requirement on the given number
// of other rows passes with about the given probability. The bound is tighter by the width
// of the test's confidence limit and by the difference between training rows and other
// rows. The evidence is from the training rows, with the scores of a similar model; nothing
// of the other rows is used. If not even the tightest bound (a difference or a loss of 0, a
// ratio or a share of 1) has the wanted power, Margin returns this bound with its power.
func Margin(r Requirement, training Rows, rows int, confidence, power float64) (Target, error) {
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
	target := Target{Bound: r.Bound, Power: 1}
	for _, s := range sides {
		_, margin, fresh := s.contrast.spread(float64(rows), delta)
		if fresh == 0 {
			return Target{}, fmt.Errorf("guarantee: %s: %s: a group has no rows", r.Spec, s.name)
		}
		_, _, seen := s.contrast.spread(float64(training.size()), delta)
		spread := math.Hypot(fresh, seen)
		unit, room := r.scale(s.contrast, training)
		slack := min(room*unit, margin+float64(z*spread))
		if r.fromBelow() {
			target.Bound = max(target.Bound, r.Bound+slack/unit)
		} else {
			target.Bound = min(target.Bound, r.Bound-slack/unit)
		}
		target.Power = min(target.Power, distuv.UnitNormal.CDF((slack-margin)/spread))
	}
	return target, nil
}

// scale returns by how much weight·a − b changes when the bound changes by 1, and how much
// tighter the bound can be.
func (r *Requirement) scale(c contrast, e Rows) (unit, room float64) {
	switch {
	case r.Kind == MinRatio:
		return max(c.a.mean, 1/c.a.fraction/float64(e.size())), 1 - r.Bound
	case r.fromBelow():
		return max(e.mean(), 1/float64(e.size())), 1 - r.Bound
	}
	return 1, r.Bound
}
