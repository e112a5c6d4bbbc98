// Package guarantee says whether requirements on groups of people hold for the people from
// whom rows were drawn, and with which confidence. It takes scores, decisions, labels and
// groups of rows that had no part in training, and no models.
//
//	Test         requirements and evidence → report, this file
//	Evidence     rows; they are Added up, evidence.go
//	Requirement  a statement about groups, requirement.go; as one-sided statements, side.go
//	sharePair    the exact test of two shares, shares.go; counts, binomial.go
//	meanPair     the test of mean scores, means.go
//	Plan         how many rows a test needs, plan.go
//	Margin       what to train for so that it is passed, and how probable that is: Chance, chance.go
//
// docs/guarantee.md has the statements, their proofs and their assumptions.
package guarantee

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Report is the outcome of a test.
type Report struct {
	// Confidence is 1 − δ: if a requirement is broken for the people that the rows were
	// drawn from, Holds is true with a probability of at most δ.
	Confidence   float64   `json:"confidence"`
	Rows         int       `json:"rows"`
	Method       string    `json:"method"`
	Holds        bool      `json:"holds"` // all requirements hold
	Requirements []Verdict `json:"requirements"`
	// RowsNeeded is about the number of rows with which all requirements would hold with
	// probability Power if the truth is as estimated. It is nil if they hold already, or if
	// no number is enough.
	RowsNeeded *int `json:"rows_needed"`
}

// Verdict is the outcome for one requirement. If the requirement bounds a figure from
// above, Upper is the figure's upper confidence limit, and Holds means Upper ≤ Bound. If
// it bounds the figure from below (a ratio, a share), Lower is the lower confidence
// limit, and Upper is nil.
type Verdict struct {
	Spec     string   `json:"spec"`
	On       string   `json:"on"`
	Measure  Measure  `json:"measure"`
	Estimate *float64 `json:"estimate"` // nil if a group has no rows, or a ratio has nobody selected at all
	Upper    *float64 `json:"upper"`
	Lower    *float64 `json:"lower,omitempty"`
	Bound    float64  `json:"bound"`
	Holds    bool     `json:"holds"`
	// Worst names the comparison that Upper or Lower comes from.
	Worst string `json:"worst,omitempty"`
	// WorstGroups are the one or two groups that Worst is about, by their names. Certificates of
	// earlier versions lack them.
	WorstGroups []string `json:"worst_groups,omitempty"`
	// Compared are the groups that the rows have: nothing is said about people of other groups.
	// LeftOut is the number of rows that are in none of them.
	Compared []Compared `json:"compared,omitempty"`
	LeftOut  int        `json:"left_out"`
	// TooSmall are groups with so few rows that even equally treated groups would probably
	// not pass.
	TooSmall []SmallGroup `json:"too_small,omitempty"`
}

// Compared is a group with the number of its rows, which reports leave out where it is of few
// people.
type Compared struct {
	Group string `json:"group"`
	Rows  int    `json:"rows,omitempty"`
}

// Name is the specification, with what it is on where one would take it for a requirement on
// decisions.
func (v Verdict) Name() string {
	measure := string(v.Measure)
	if v.On == onScores && (strings.HasSuffix(measure, "_difference") || strings.HasSuffix(measure, "_ratio")) {
		return v.Spec + " (on mean scores, not decisions)"
	}
	return v.Spec
}

// OfLabel says, behind a number of rows of a group, of which label they are; empty if of any.
func (v Verdict) OfLabel() string {
	switch measure := string(v.Measure); {
	case strings.HasPrefix(measure, "tpr_or_fpr"), strings.Contains(measure, "_of_positives_or_negatives"):
		return " of one label"
	case strings.HasPrefix(measure, "tpr"), strings.Contains(measure, "_of_positives"):
		return " with the positive label"
	case strings.HasPrefix(measure, "fpr"), strings.Contains(measure, "_of_negatives"):
		return " with the negative label"
	}
	return ""
}

// SmallGroup is a group of too few rows.
type SmallGroup struct {
	Group  string `json:"group"`
	Rows   int    `json:"rows"`
	Needed int    `json:"rows_needed"` // rows of this group needed for Power if the groups are equal
}

// Power is the probability of success for which the needed numbers of rows are computed.
const Power = 0.9

// Test tests all requirements at the given confidence, between 0.5 and 1. The outcome does
// not depend on the order of the rows. Errors: no requirements, a confidence out of range,
// scores outside [0, 1], labels that are needed and unknown, groups that are unknown,
// overlap or leave no row for comparison. A group without the rows that a requirement is
// about is no error: nothing is guaranteed then.
func Test(requirements []Requirement, rows Rows, confidence float64) (*Report, error) {
	if !(confidence >= 0.5 && confidence < 1) {
		return nil, fmt.Errorf("guarantee: confidence is %v, must be in [0.5, 1)", confidence)
	}
	if len(requirements) == 0 {
		return nil, errors.New("guarantee: no requirement")
	}
	e, err := rows.added()
	if err != nil {
		return nil, fmt.Errorf("guarantee: %w", err)
	}
	report := &Report{Confidence: confidence, Rows: e.Rows, Holds: true}
	var needs []contrast
	var methods []string
	for _, r := range requirements {
		sides, err := r.sides(e, 1-confidence)
		if err != nil {
			return nil, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		v := r.judge(sides, 1-confidence)
		if v.Compared, v.LeftOut, err = r.compared(e); err != nil {
			return nil, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		report.Requirements = append(report.Requirements, v)
		report.Holds = report.Holds && v.Holds
		for _, s := range sides {
			needs = append(needs, s.contrast)
		}
		if method := r.method(); !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	report.Method = strings.Join(methods, " and ")
	if !report.Holds {
		report.RowsNeeded = rowsNeeded(needs, 1-confidence, Power)
		report.needGroups()
	}
	return report, nil
}

// needGroups raises the number of rows needed to one with which small groups have those that they
// need. Their own rates are too uncertain for that.
func (r *Report) needGroups() {
	for _, v := range r.Requirements {
		for _, g := range v.TooSmall {
			if r.RowsNeeded != nil && g.Rows > 0 {
				all := math.Ceil(float64(g.Needed) / float64(g.Rows) * float64(r.Rows))
				*r.RowsNeeded = max(*r.RowsNeeded, int(min(all, mostRows)))
			}
		}
	}
}

// judge tests the sides of a requirement, all at level delta.
func (r *Requirement) judge(sides []side, delta float64) Verdict {
	v := Verdict{Spec: r.Spec, On: r.On(), Measure: r.Measure(), Bound: r.Bound, Holds: true}
	bound := r.edge()
	var failed []side
	for _, s := range sides {
		if s.test == nil || !s.test().excludes(bound) {
			failed = append(failed, s)
		}
	}
	v.Holds = len(failed) == 0
	v.TooSmall = tooSmall(failed, delta)

	worst := slices.MaxFunc(sides, func(a, b side) int { return compareEstimates(a.estimate, b.estimate) })
	if !math.IsNaN(worst.estimate) && !math.IsInf(worst.estimate, -1) {
		v.Estimate = new(r.shown(worst.estimate))
	}
	low, high := r.extent()
	candidates := sides
	if v.Holds {
		high = bound
	} else {
		low, candidates = bound, failed
	}
	limit, at := largestLimit(candidates, low, high)
	v.Worst = at.name
	for _, g := range at.groups {
		v.WorstGroups = append(v.WorstGroups, g.name)
	}
	if shown := r.shown(limit); r.fromBelow() {
		v.Lower = &shown
	} else {
		v.Upper = &shown
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

// AboutNeeded is RowsNeeded, which is an estimate, rounded up to two digits, and in words how many
// times as many rows as these that is, if it is many times.
func (r *Report) AboutNeeded() (rows int, times string) {
	const many = 20
	rows = roundUp(*r.RowsNeeded)
	if r.Rows > 0 && rows/r.Rows >= many {
		times = fmt.Sprintf(", %d times as many as these", roundUp(rows/r.Rows))
	}
	return rows, times
}

// AboutNeeded is Needed, which is an estimate, rounded up to two digits.
func (g SmallGroup) AboutNeeded() int { return roundUp(g.Needed) }

func roundUp(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit - 1) / unit * unit
}

// Certificate is the outcome of a test, and what it rests on.
type Certificate struct {
	*Report
	Statement  string `json:"statement"`
	Assumption string `json:"assumption"`
	// Remarks say what the rows leave out, and what may be wrong with them.
	Remarks []string `json:"remarks"`
	Data    string   `json:"data"`
	// TrainingRowsChecked says whether the rows were compared with the training rows, WhyUnchecked
	// why they were not.
	TrainingRowsChecked bool   `json:"training_rows_checked"`
	WhyUnchecked        string `json:"why_unchecked,omitempty"`
	// For rows that were tested before: how often, and at which confidence they were tested
	// now so that the report has its own.
	EarlierTests int     `json:"earlier_tests"`
	TestedAt     float64 `json:"tested_at"`
}

// Groups returns the names of the groups that were compared, each once; none for tests by early
// versions.
func (r *Report) Groups() (names []string) {
	for _, v := range r.Requirements {
		for _, g := range v.Compared {
			if !slices.Contains(names, g.Group) {
				names = append(names, g.Group)
			}
		}
	}
	return names
}
