package guarantee

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Margin returns the bound to train for so that a test of a requirement on the given number
// of other rows passes with about the given probability. The bound is tighter by the width
// of the test's confidence limit and by the difference between training rows and other
// rows, but no tighter than the tightest one that training may reach: then the probability is less. The evidence is from
// the training rows, with the scores of a similar model; nothing of the other rows is used.
func Margin(r Requirement, of Rows, rows int, confidence, power, tightest float64) (float64, error) {
	if !(confidence >= 0.5 && confidence < 1) || !(power > 0 && power < 1) || rows < 1 {
		return 0, fmt.Errorf("guarantee: confidence %v, power %v, %d rows, must be in [0.5, 1), (0, 1) and at least 1", confidence, power, rows)
	}
	training, err := of.added()
	if err != nil {
		return 0, fmt.Errorf("guarantee: %w", err)
	}
	delta := 1 - confidence
	sides, err := r.sides(training, delta)
	if err != nil {
		return 0, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
	}
	z := distuv.UnitNormal.Quantile((1 + power) / 2) // either of two sides may fail
	slack := 0.0
	for _, s := range sides {
		_, margin, fresh := s.contrast.spread(float64(rows), delta)
		if fresh == 0 {
			return 0, fmt.Errorf("guarantee: %s: %s: a group has no rows", r.Spec, s.name)
		}
		_, _, seen := s.contrast.spread(float64(training.Rows), delta)
		unit := r.unit(s.contrast, training)
		slack = max(slack, (margin+float64(z*math.Hypot(fresh, seen)))/unit)
	}
	slack = min(slack, math.Abs(r.Bound-tightest))
	if r.fromBelow() {
		return r.Bound + slack, nil
	}
	return r.Bound - slack, nil
}

// unit returns by how much weight·a − b changes when the bound changes by 1.
func (r *Requirement) unit(c contrast, e *Added) float64 {
	switch {
	case r.Kind == MinRatio:
		return max(c.a.mean, 1/c.a.fraction/float64(e.Rows))
	case r.fromBelow():
		return max(e.mean(), 1/float64(e.Rows))
	}
	return 1
}
