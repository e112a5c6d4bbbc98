package guarantee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Chance returns approximately the probability that requirements are guaranteed by a test of so
// many other rows, if people are like the given rows and these are only a sample of them. For rows
// that the classifier was fitted to, it is too high by as much as a fit is fairer on its own rows;
// so decisions on rows held out, as in cross-validation, are better. Up to 20,000 rows to test are
// drawn, again and again, from a sample of the rows with replacement; the estimates of more, and
// those of sums of rows, are taken as normal.
func Chance(requirements []Requirement, of Rows, rows int, confidence float64) (float64, error) {
	if !(confidence >= 0.5 && confidence < 1) || rows < 1 {
		return 0, fmt.Errorf("guarantee: confidence %v, %d rows, must be in [0.5, 1) and at least 1", confidence, rows)
	}
	training, err := alike(of)
	if err != nil {
		return 0, err
	}
	delta := 1 - confidence
	if e, ok := of.(Evidence); ok && rows <= mostRowsTried {
		return e.chance(requirements, rows, delta)
	}
	return nearlyNormal(requirements, training, rows, delta)
}

// nearlyNormal is Chance where estimates are nearly normal, rather less than more if there are
// several comparisons.
func nearlyNormal(requirements []Requirement, training *Added, rows int, delta float64) (float64, error) {
	fail := 0.0
	for _, r := range requirements {
		sides, err := r.sides(training, delta)
		if err != nil {
			return 0, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		for _, s := range sides {
			gap, margin, fresh := s.contrast.spread(float64(rows), delta)
			_, _, seen := s.contrast.spread(float64(training.Rows), delta)
			if spread := math.Hypot(fresh, seen); spread > 0 {
				fail += distuv.UnitNormal.Survival((s.contrast.bound - gap - margin) / spread)
			} else {
				fail = 1
			}
		}
	}
	return max(0, 1-fail), nil
}

// chance tries out samples.
func (e Evidence) chance(requirements []Requirement, rows int, delta float64) (float64, error) {
	const (
		enough     = 200 // trials
		negligible = 20  // times more training rows than rows to test leave the latter all the chance
	)
	sampled := len(e.Scores)
	if sampled > negligible*rows {
		sampled = 0
	}
	trials := max(1, min(enough, mostDrawn/(rows+sampled)))
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	people, drawn := make([]int, sampled), make([]int, rows)
	passed := 0
	for range trials {
		for k := range people {
			people[k] = random.IntN(len(e.Scores))
		}
		for k := range drawn {
			if sampled > 0 {
				drawn[k] = people[random.IntN(sampled)]
			} else {
				drawn[k] = random.IntN(len(e.Scores))
			}
		}
		pass, err := pass(requirements, e.pick(drawn), delta)
		if err != nil {
			return 0, err
		}
		if pass {
			passed++
		}
	}
	return float64(passed) / float64(trials), nil
}

// pass reports whether rows guarantee all requirements.
func pass(requirements []Requirement, e Evidence, delta float64) (bool, error) {
	added, err := e.added()
	if err != nil {
		return false, err
	}
	for _, r := range requirements {
		sides, err := r.sides(added, delta)
		if err != nil {
			return false, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		// The largest estimates come first, as one failure is enough.
		slices.SortFunc(sides, func(a, b side) int { return compareEstimates(b.estimate, a.estimate) })
		for _, s := range sides {
			if s.test == nil || !s.test().excludes(r.edge()) {
				return false, nil
			}
		}
	}
	return true, nil
}

// pick returns the given rows.
func (e Evidence) pick(rows []int) Evidence {
	p := Evidence{Scores: pick(e.Scores, rows), Labels: pick(e.Labels, rows), Threshold: e.Threshold, Groups: map[string][]Group{}}
	for spec, groups := range e.Groups {
		p.Groups[spec] = nil // all rows have no groups
		for _, g := range groups {
			p.Groups[spec] = append(p.Groups[spec], Group{g.Name, pick(g.Member, rows), g.Place})
		}
	}
	return p
}

func pick[T any](values []T, rows []int) []T {
	if values == nil {
		return nil
	}
	picked := make([]T, len(rows))
	for k, i := range rows {
		picked[k] = values[i]
	}
	return picked
}

// Margin returns the bound to train for so that a test of a requirement on the given number of
// other rows passes with about the given probability. The bound is tighter by the width of the
// test's confidence limit and by the difference between training rows and other rows, but no
// tighter than the tightest one that training may reach: then the probability is less. The evidence
// is from the training rows, with the scores of a similar model; nothing of the other rows is used.
func Margin(r Requirement, of Rows, rows int, confidence, power, tightest float64) (float64, error) {
	if !(confidence >= 0.5 && confidence < 1) || !(power > 0 && power < 1) || rows < 1 {
		return 0, fmt.Errorf("guarantee: confidence %v, power %v, %d rows, must be in [0.5, 1), (0, 1) and at least 1", confidence, power, rows)
	}
	training, err := alike(of)
	if err != nil {
		return 0, err
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
	case r.Kind == MinShare && r.Bound > 0:
		return max(e.mean(), 1/float64(e.Rows))
	}
	return 1
}
