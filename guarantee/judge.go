package guarantee

import (
	"fmt"
	"math"
	"slices"
)

// Answer is what rows say about a requirement on the people that they were drawn from.
type Answer string

// The answers.
const (
	Satisfied Answer = "satisfied" // the confidence interval of what is bounded is within the bound
	Violated  Answer = "violated"  // it is beyond the bound
	Undecided Answer = "undecided"
)

// Judgment is the verdict on a requirement at one look: facts for reports. A wrong Satisfied has a
// probability of at most (1 − level)/2, a wrong Violated of at most 1 − level; docs/guarantee.md has
// the proof.
type Judgment struct {
	Spec    string   `json:"spec"`
	On      string   `json:"on"`
	Measure Measure  `json:"measure"`
	Bound   float64  `json:"bound"`
	AtLeast bool     `json:"at_least,omitempty"` // the bound is the least that is allowed
	Value   *float64 `json:"value"`              // nil if it is not defined, as the ratio where nobody is selected
	Lower   *float64 `json:"lower"`
	Upper   *float64 `json:"upper"`
	Verdict Answer   `json:"verdict"`
	// WorstGroups are the one or two groups whose comparison decides.
	WorstGroups []string `json:"worst_groups,omitempty"`
	// Without are groups that have no row of those that a rate is about. Value is about the others, and
	// nothing is satisfied.
	Without []string `json:"without,omitempty"`
	// RowsNeeded is about the number of rows that would probably decide an undecided requirement,
	// with the answer that the value suggests; nil if no number is enough, or if it is decided.
	RowsNeeded *int `json:"rows_needed"`
	// Approximate says that the limits are not exact, as for weighted rows.
	Approximate bool `json:"approximate,omitempty"`
}

// Judge says at one look at rows whether requirements are satisfied for the people that the rows were
// drawn from. The limits of every requirement are those of a two-sided interval of the given level,
// from 0.5 on. It says nothing about rows that had a part in training or choosing what is judged.
// Rows may have weights; then limits are approximate. Errors are those of Test.
func Judge(requirements []Requirement, rows Rows, level float64) ([]Judgment, error) {
	e, err := rows.added()
	if err != nil {
		return nil, fmt.Errorf("guarantee: %w", err)
	}
	delta := (1 - level) / 2
	report, err := tested(requirements, e, level, delta, func(r *Requirement, sides int) tails {
		if r.twoWay() { // the two sides of a pair share both ends of its interval
			sides = max(1, sides/2)
		}
		return tails{beyond: delta / float64(sides)}
	})
	if err != nil {
		return nil, err
	}
	var list []Judgment
	for _, v := range report.Requirements {
		list = append(list, Judgment{
			Spec: v.Spec, On: v.On, Measure: v.Measure, Bound: v.Bound, AtLeast: v.AtLeast,
			Value: v.Estimate, Lower: v.Lower, Upper: v.Upper, Verdict: v.Answer,
			WorstGroups: v.WorstGroups, Without: v.Without, RowsNeeded: v.RowsNeeded, Approximate: e.Weighted,
		})
	}
	return list, nil
}

// judge tests the sides of a requirement, all at level within, and their opposites.
func (r *Requirement) judge(sides []side, e *Added, within float64, below tails) Verdict {
	v := Verdict{Spec: r.Spec, On: r.On(), Measure: r.Measure(), Bound: r.Bound, AtLeast: r.fromBelow(), Answer: Undecided}
	scale, bound := r.scale(), r.edge()
	var failed []side
	for _, s := range sides {
		if s.test == nil || !s.test().excludes(bound) {
			failed = append(failed, s)
		}
	}
	v.Holds = len(failed) == 0
	v.TooSmall = tooSmall(failed, within)

	for _, s := range sides {
		for _, g := range s.groups {
			if g.rows == 0 && !slices.Contains(v.Without, g.name) {
				v.Without = append(v.Without, g.name)
			}
		}
	}
	judged := slices.DeleteFunc(slices.Clone(sides), func(s side) bool { return math.IsNaN(s.estimate) })
	if len(judged) == 0 {
		judged = sides
	}
	worst := slices.MaxFunc(judged, func(a, b side) int { return compareEstimates(a.estimate, b.estimate) })
	if !math.IsNaN(worst.estimate) && !math.IsInf(worst.estimate, -1) {
		v.Estimate = new(scale.shown(worst.estimate))
	}
	low, high, candidates := scale.least, scale.high, sides
	if v.Holds {
		high = bound
	} else {
		low, candidates = bound, failed
	}
	upper, at := largestLimit(candidates, low, high)
	lower, farthest := scale.largestLower(sides, below)
	switch lower = min(lower, upper); {
	case v.Holds:
		v.Answer = Satisfied
	case lower > bound && scale.shown(lower) != r.Bound:
		v.Answer, at, v.TooSmall = Violated, farthest, nil
	case compareEstimates(worst.estimate, bound) <= 0 && len(v.Without) > 0: // more rows like these have none of them
	case compareEstimates(worst.estimate, bound) <= 0:
		v.RowsNeeded = r.toSatisfy(failed, e)
	case v.Estimate != nil:
		v.RowsNeeded = r.toViolate(sides, below, e)
	}
	v.Worst = at.name
	for _, g := range at.groups {
		v.WorstGroups = append(v.WorstGroups, g.name)
	}
	v.Lower, v.Upper = new(scale.shown(lower)), new(scale.shown(upper))
	if v.AtLeast {
		v.Lower, v.Upper = v.Upper, v.Lower
	}
	return v
}

// compareEstimates puts unknown estimates above all others.
func compareEstimates(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b) || a == b:
		return 0
	case math.IsNaN(a) || a > b:
		return 1
	}
	return -1
}

// largestLower returns the largest of the lower confidence limits of sides, and the side that has it.
// Limits of sides that are not tried could only raise it.
func (s scale) largestLower(sides []side, below tails) (float64, side) {
	const tried = 16
	type candidate struct {
		side
		test
		guess float64
	}
	var list []candidate
	for _, side := range sides {
		if side.test != nil {
			t := side.against(below.beyond)
			guess, _ := t.guess()
			list = append(list, candidate{side, t, s.opposite(guess)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return compareEstimates(b.guess, a.guess) })
	limit, at := s.floor, side{}
	for _, c := range list[:min(len(list), tried)] {
		known := s.opposite(limit)
		if limit < s.high && c.test.excludes(known) &&
			(below.floor == 0 || c.against(below.floor).excludes(s.opposite(s.floor))) {
			limit, at = s.opposite(upperLimit(c.test, s.opposite(s.high), known)), c.side
		}
	}
	return limit, at
}

// largestLimit returns the largest of the upper confidence limits of the sides, which is
// in [low, high], and the side that has it. A limit only matters if it is above the
// limits of the sides before, so most sides take one test.
func largestLimit(sides []side, low, high float64) (float64, side) {
	for _, s := range sides {
		if s.test == nil {
			return high, s
		}
	}
	sides = slices.Clone(sides)
	slices.SortStableFunc(sides, func(a, b side) int {
		ga, _ := a.test().guess()
		gb, _ := b.test().guess()
		return compareEstimates(gb, ga)
	})
	at, limit := sides[0], upperLimit(sides[0].test(), low, high)
	for _, s := range sides[1:] {
		if limit < high && !s.test().excludes(limit) {
			at, limit = s, upperLimit(s.test(), limit, high)
		}
	}
	return limit, at
}

// upperLimit returns about the least bound above low that a test excludes: always one that
// it does exclude, or high. If a test excludes a bound, it excludes any larger bound.
func upperLimit(t test, low, high float64) float64 {
	const precision = 0.03 // standard errors
	const beyond = 1e9     // a ratio of so much means nothing
	bound, step := t.guess()
	tolerance := max(precision*step, 1e-12)
	for step = tolerance; high-low > tolerance; {
		if math.IsInf(high, 1) && bound > beyond {
			return high
		}
		if !(bound > low && bound < high) {
			bound = low + (min(high, beyond)-low)/2
		}
		if t.excludes(bound) {
			high = bound
			bound = high - step
		} else {
			low = bound
			bound = low + step
		}
		if high-low < 4*step {
			bound = low + (high-low)/2
		}
		step *= 3
	}
	return high
}
