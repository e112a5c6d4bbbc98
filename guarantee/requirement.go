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

// fromBelow reports whether the bound is the least that is allowed.
func (r *Requirement) fromBelow() bool {
	return r.Kind == MinRatio || r.Kind == MinShare && r.Bound > 0
}

// edge is the bound in the form of the tests, where a larger bound is easier.
func (r *Requirement) edge() float64 {
	switch {
	case r.Kind == MinRatio:
		return 1 / r.Bound
	case r.Kind == MinShare && r.Bound > 0:
		return 1 - r.Bound
	}
	return r.Bound
}

// shown turns a bound of the tests into a bound of the requirement.
func (r *Requirement) shown(bound float64) float64 {
	switch {
	case r.Kind == MinRatio:
		return 1 / bound
	case r.fromBelow():
		return 1 - bound
	}
	return bound
}

// extent returns the least and the largest meaningful bound of the tests.
func (r *Requirement) extent() (low, high float64) {
	switch {
	case r.Kind == MinRatio:
		return 0, math.Inf(1)
	case r.Kind == MaxLoss || r.fromBelow():
		return 0, 1
	}
	return -1, 1
}

func (r *Requirement) validate() error {
	if r.Kind < MaxDifference || r.Kind > MinShare {
		return fmt.Errorf("the kind %d is unknown", r.Kind)
	}
	if compares := r.Kind == MaxDifference || r.Kind == MinRatio; !compares && len(r.Labels) > 0 {
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
