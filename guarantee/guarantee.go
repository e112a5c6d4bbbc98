// Package guarantee says whether requirements on groups of people hold for the people from
// whom rows were drawn, and with which confidence. It takes scores, decisions, labels and
// groups of rows that had no part in training, and no models.
//
//	Test         requirements and evidence → report, this file
//	Judge        the same for one look without a ledger: satisfied, violated or undecided, judge.go
//	Evidence     rows; they are Added up, evidence.go; those that have weights, weighted.go
//	Requirement  a statement about groups, requirement.go; as one-sided statements, side.go
//	sharePair    the exact test of two shares, shares.go; counts, binomial.go
//	meanPair     the test of mean scores, means.go
//	Plan         how many rows a test needs, plan.go; how many would decide it, needed.go
//	Margin       what to train for so that it is passed, and how probable that is: Chance, chance.go
//
// docs/guarantee.md has the statements, their proofs and their assumptions.
package guarantee

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Report is the outcome of a test.
type Report struct {
	// Confidence is 1 − δ: if a requirement is broken for the people that the rows were
	// drawn from, Holds is true with a probability of at most δ. If a requirement is satisfied for
	// them, its verdict is Violated with a probability of at most δ.
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

// Verdict is the outcome for one requirement. Lower and Upper are confidence limits of the figure
// that is bounded. Holds means that the one on the side of the bound is within it, Violated that the
// other one is beyond it. Tests by earlier versions have no Answer, and one limit.
type Verdict struct {
	Spec     string   `json:"spec"`
	On       string   `json:"on"`
	Measure  Measure  `json:"measure"`
	Estimate *float64 `json:"estimate"` // nil if a ratio has nobody selected at all
	Lower    *float64 `json:"lower"`
	Upper    *float64 `json:"upper"`
	Bound    float64  `json:"bound"`
	AtLeast  bool     `json:"at_least,omitempty"` // the bound is the least that is allowed
	Holds    bool     `json:"holds"`
	Answer   Answer   `json:"verdict,omitempty"`
	// RowsNeeded is about the number of rows that would probably decide an undecided requirement, with
	// the answer that the estimate suggests. It is nil if no number is enough.
	RowsNeeded *int `json:"rows_needed,omitempty"`
	// Worst names the comparison that the limit next to the bound comes from: for a violation the
	// one that shows it.
	Worst string `json:"worst,omitempty"`
	// WorstGroups are the one or two groups that Worst is about, by their names. Certificates of
	// earlier versions lack them.
	WorstGroups []string `json:"worst_groups,omitempty"`
	// Without are groups that have no row of those that a rate is about. Estimate is about the others.
	Without []string `json:"without,omitempty"`
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
// decisions: rates, but no losses and shares.
func (v Verdict) Name() string {
	switch measure := string(v.Measure); {
	case v.On != onScores, measure == groupLoss, measure == shortfall, measure == scoreShare:
		return v.Spec
	}
	return v.Spec + " (on mean scores, not decisions)"
}

// FromBelow reports whether the bound is the least that is allowed. Earlier versions show it by the
// limit that they lack.
func (v Verdict) FromBelow() bool { return v.AtLeast || v.Upper == nil && v.Lower != nil }

// Beyond reports whether the estimate is beyond the bound.
func (v Verdict) Beyond() bool {
	switch {
	case v.Estimate == nil:
		return false
	case v.FromBelow():
		return *v.Estimate < v.Bound
	}
	return *v.Estimate > v.Bound
}

// Violated reports whether the rows show that a requirement is violated.
func (r *Report) Violated() bool {
	return slices.ContainsFunc(r.Requirements, func(v Verdict) bool { return v.Answer == Violated })
}

// OfLabel says, behind a number of rows of a group, of which label they are; empty if of any.
func (v Verdict) OfLabel() string {
	switch measure := string(v.Measure); {
	case strings.HasPrefix(measure, "tpr_or_fpr"), strings.Contains(measure, "_of_positives_or_negatives"):
		return " of one label"
	case strings.Contains(measure, "tpr"), strings.Contains(measure, "_of_positives"):
		return " with the positive label"
	case strings.Contains(measure, "fpr"), strings.Contains(measure, "tnr"), strings.Contains(measure, "_of_negatives"):
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
	e, err := alike(rows)
	if err != nil {
		return nil, err
	}
	delta := 1 - confidence
	return tested(requirements, e, confidence, delta, func(r *Requirement, sides int) tails {
		if r.twoWay() {
			pairs := float64(max(1, sides/2))
			return tails{beyond: (1 - ofFloor) * delta / pairs, floor: ofFloor * delta / pairs}
		}
		return tails{beyond: delta / float64(sides)}
	})
}

// ofFloor is the part of the error of a lower limit that is used to show which group of a pair is above.
const ofFloor = 0.1

// tails are the errors of the lower limit of each side.
type tails struct {
	beyond float64
	// floor is that of a test that the side is above its floor, without which the limit is the floor; 0
	// for no such test.
	floor float64
}

// alike adds up rows that have no weights.
func alike(rows Rows) (*Added, error) {
	e, err := rows.added()
	if err == nil && e.Weighted {
		err = ErrWeighted
	}
	if err != nil {
		return nil, fmt.Errorf("guarantee: %w", err)
	}
	return e, nil
}

// tested tests requirements: upper limits of sides with the error delta, lower limits with those of below
// for so many sides of a requirement.
func tested(requirements []Requirement, e *Added, confidence, delta float64, below func(r *Requirement, sides int) tails) (*Report, error) {
	if !(confidence >= 0.5 && confidence < 1) {
		return nil, fmt.Errorf("guarantee: confidence is %v, must be in [0.5, 1)", confidence)
	}
	if len(requirements) == 0 {
		return nil, errors.New("guarantee: no requirement")
	}
	report := &Report{Confidence: confidence, Rows: e.Rows, Holds: true}
	var methods []string
	for _, r := range requirements {
		sides, err := r.sides(e, delta)
		if err != nil {
			return nil, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		v := r.judge(sides, e, delta, below(&r, len(sides)))
		if v.Compared, v.LeftOut, err = r.compared(e); err != nil {
			return nil, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		report.Requirements = append(report.Requirements, v)
		report.Holds = report.Holds && v.Holds
		if method := r.method(); !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	report.Method = strings.Join(methods, " and ")
	report.RowsNeeded = report.mostNeeded()
	return report, nil
}

// mostNeeded returns the number of rows with which all requirements would probably hold, nil if there is
// none.
func (r *Report) mostNeeded() (most *int) {
	for _, v := range r.Requirements {
		switch {
		case v.Holds:
		case v.RowsNeeded == nil || v.Beyond():
			return nil
		case most == nil || *v.RowsNeeded > *most:
			most = new(*v.RowsNeeded)
		}
	}
	return most
}

// AboutNeeded is a number of rows needed, which is an estimate, rounded up to two digits, and in words
// how many times as many rows as these that is, if it is many times.
func (r *Report) AboutNeeded(needed int) (rows int, times string) {
	const many = 20
	rows = RoundUp(needed)
	if r.Rows > 0 && rows/r.Rows >= many {
		times = fmt.Sprintf(", %d times as many as these", RoundUp(rows/r.Rows))
	}
	return rows, times
}

// AboutNeeded is Needed, which is an estimate, rounded up to two digits.
func (g SmallGroup) AboutNeeded() int { return RoundUp(g.Needed) }

// RoundUp rounds an estimate of a number of rows up to two digits.
func RoundUp(n int) int {
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
