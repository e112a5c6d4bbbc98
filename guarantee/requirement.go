package guarantee

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kind is a kind of requirement.
type Kind int

const (
	// MaxDifference: the shares of positive decisions, or the mean scores, of any two
	// groups differ by at most Bound.
	MaxDifference Kind = iota
	// MinRatio: of any two such shares or mean scores, the smaller is at least Bound times
	// the larger.
	MinRatio
	// MaxLoss: in every group the mean of |y − score| is at most Bound, y = 1 for the
	// label +1 and 0 for −1.
	MaxLoss
	// MinShare: the group holds at least the share Bound of all scores; for the Bound 0, its
	// mean score is at least the mean score of the others, so that it holds its share of the
	// people.
	MinShare
)

// Requirement is a statement about people that rows are drawn from.
type Requirement struct {
	Spec  string // as given, for the report
	Kind  Kind
	Group string // a key of Evidence.Groups
	// Labels divides the people: groups are compared among the people of each label. Nil
	// means all together. It is for MaxDifference and MinRatio.
	Labels []int8
	Scores bool // about scores rather than decisions; MaxLoss and MinShare always are
	Bound  float64
}

// Measure names the figure that a requirement bounds.
type Measure string

// onScores reports whether scores rather than decisions matter.
func (r *Requirement) onScores() bool { return r.Scores || r.Kind == MaxLoss || r.Kind == MinShare }

const onScores = "scores"

// On returns "scores" or "decisions".
func (r *Requirement) On() string {
	if r.onScores() {
		return onScores
	}
	return "decisions"
}

// Measure returns the name of the figure that is bounded, such as
// "selection_rate_difference".
func (r *Requirement) Measure() Measure {
	switch {
	case r.Kind == MaxLoss:
		return "group_loss"
	case r.Kind == MinShare && r.Bound == 0:
		return "mean_score_shortfall"
	case r.Kind == MinShare:
		return "score_share"
	}
	figure, of := "selection_rate", ""
	switch {
	case len(r.Labels) > 1:
		figure, of = "tpr_or_fpr", "_of_positives_or_negatives"
	case len(r.Labels) == 1 && r.Labels[0] > 0:
		figure, of = "tpr", "_of_positives"
	case len(r.Labels) == 1:
		figure, of = "fpr", "_of_negatives"
	}
	if r.Scores {
		figure = "mean_score" + of
	}
	if r.Kind == MinRatio {
		return Measure(figure + "_ratio")
	}
	return Measure(figure + "_difference")
}

// method names the tests.
func (r *Requirement) method() string {
	if r.onScores() {
		return "betting"
	}
	return "berger-boos"
}

// limit is the kind of limit that the sides of the requirement set.
func (r *Requirement) limit() limit {
	if r.Kind == MinRatio {
		return ratio
	}
	return difference
}

// scale is the form in which tests take bounds: the larger, the easier to be within.
type scale struct {
	shown func(float64) float64 // turns bounds of tests into those of the requirement, and back
	// opposite turns a bound of a side into that of the opposite statement: with "a − b is at most
	// x" it is "b − a is at most −x". It is its own inverse.
	opposite    func(float64) float64
	least, high float64 // the bounds that mean something
	floor       float64 // the least that the largest of all sides can be
}

func same(x float64) float64       { return x }
func negative(x float64) float64   { return -x }
func inverse(x float64) float64    { return 1 / x }
func complement(x float64) float64 { return 1 - x }

// scale returns that of the requirement.
func (r *Requirement) scale() scale {
	switch {
	case r.Kind == MaxDifference:
		return scale{same, negative, -1, 1, 0}
	case r.Kind == MinRatio:
		return scale{inverse, inverse, 0, math.Inf(1), 1}
	case r.Kind == MaxLoss:
		return scale{same, complement, 0, 1, 0}
	case r.Bound > 0:
		return scale{complement, complement, 0, 1, 0}
	}
	return scale{same, negative, -1, 1, -1}
}

// fromBelow reports whether the bound is the least that is allowed.
func (r *Requirement) fromBelow() bool { return r.scale().shown(0) > r.scale().shown(1) }

// edge is the bound in the form of the tests.
func (r *Requirement) edge() float64 { return r.scale().shown(r.Bound) }

// twoWay reports whether every side has one that says the same of the two groups in turn.
func (r *Requirement) twoWay() bool { return r.Kind == MaxDifference || r.Kind == MinRatio }

func (r *Requirement) validate() error {
	if r.Kind < MaxDifference || r.Kind > MinShare {
		return fmt.Errorf("the kind %d is unknown", r.Kind)
	}
	if !r.twoWay() && len(r.Labels) > 0 {
		return errors.New("labels divide the rows in comparisons of groups only")
	}
	low, high := 0.0, 1.0
	inside := r.Bound >= low && r.Bound < high
	if r.Kind == MinRatio {
		inside = r.Bound > low && r.Bound <= high
	}
	if !inside {
		return fmt.Errorf("the bound is %v, must be between 0 and 1", r.Bound)
	}
	for _, y := range r.Labels {
		if y != 1 && y != -1 {
			return fmt.Errorf("the label %d, must be -1 or +1", y)
		}
	}
	return nil
}

// GroupsOf returns the specifications of groups that requirements name, each once.
func GroupsOf(requirements []Requirement) []string {
	var groups []string
	for _, r := range requirements {
		groups = append(groups, r.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}
