package guarantee

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Kind is a kind of requirement.
type Kind int

const (
	// MaxDifference: the rates of any two groups differ by at most Bound.
	MaxDifference Kind = iota
	// MinRatio: of any two rates, the smaller is at least Bound times the larger.
	MinRatio
	// MaxRate: the rate of every group is at most Bound; MinRate: it is at least Bound.
	MaxRate
	MinRate
	// MinShare: the group holds at least the share Bound of all scores; for the Bound 0, its
	// mean score is at least the mean score of the others, so that it holds its share of the
	// people.
	MinShare
)

// Rate is what groups have a share of, or what the scores are probabilities of.
type Rate int

// The rates: positive decisions and negative ones, wrong ones and right ones.
const (
	Positive Rate = iota
	Negative
	Wrong
	Right
)

// flips reports whether a rate is about negative decisions on the rows of a label.
func (r Rate) flips(positive bool) bool {
	return r == Negative || r == Wrong && positive || r == Right && !positive
}

// Requirement is a statement about people that rows are drawn from.
type Requirement struct {
	Spec  string // as given, for the report
	Kind  Kind
	Group string // a key of Evidence.Groups; empty for all rows
	// Within says that groups are compared among the people of each level of other groups. Then Cells
	// is the key of Evidence.Groups, and so it is for all rows.
	Within, Cells string
	Rate          Rate
	// Labels divides the people: rates are those of the people of each label. Nil means all
	// together.
	Labels []int8
	Scores bool // about scores rather than decisions; MinShare always is
	Bound  float64
	// MinRows leaves out groups of fewer rows that a rate is about; not of MinShare.
	MinRows int
}

// NeedsLabels reports whether the labels of the rows play a part.
func (r *Requirement) NeedsLabels() bool {
	return len(r.Labels) > 0 || r.Rate == Wrong || r.Rate == Right
}

// Key is that of Evidence.Groups.
func (r *Requirement) Key() string { return cmp.Or(r.Cells, r.Group) }

// Measure names the figure that a requirement bounds.
type Measure string

// onScores reports whether scores rather than decisions matter.
func (r *Requirement) onScores() bool { return r.Scores || r.Kind == MinShare }

const onScores = "scores"

// On returns "scores" or "decisions".
func (r *Requirement) On() string {
	if r.onScores() {
		return onScores
	}
	return "decisions"
}

// Measures of scores that are no rates of groups.
const groupLoss, shortfall, scoreShare = "group_loss", "mean_score_shortfall", "score_share"

// Measure returns the name of the figure that is bounded, such as
// "selection_rate_difference".
func (r *Requirement) Measure() Measure {
	switch {
	case r.Kind == MaxRate && r.Rate == Wrong && r.Scores:
		return groupLoss
	case r.Kind == MinShare && r.Bound == 0:
		return shortfall
	case r.Kind == MinShare:
		return scoreShare
	}
	figure := r.figure()
	switch {
	case r.Kind == MaxDifference:
		figure += "_difference"
	case r.Kind == MinRatio:
		figure += "_ratio"
	case r.Group == "" && r.Within == "":
	case r.Kind == MinRate:
		figure = "lowest_" + figure
	default:
		figure = "highest_" + figure
	}
	return Measure(figure)
}

// figure names the rate.
func (r *Requirement) figure() string {
	figure, of := "selection_rate", ""
	switch {
	case len(r.Labels) > 1:
		figure, of = "tpr_or_fpr", "_of_positives_or_negatives"
	case len(r.Labels) == 1 && r.Labels[0] > 0:
		figure, of = "tpr", "_of_positives"
	case len(r.Labels) == 1 && r.Rate == Negative:
		figure = "tnr"
	case len(r.Labels) == 1:
		figure, of = "fpr", "_of_negatives"
	case r.Rate == Wrong:
		figure = "error_rate"
	case r.Rate == Right:
		figure = "accuracy"
	}
	switch {
	case r.Scores && r.Rate == Positive:
		return "mean_score" + of
	case r.Scores:
		return "expected_" + figure
	}
	return figure
}

// method names the tests.
func (r *Requirement) method() string {
	switch {
	case r.onScores():
		return "betting"
	case r.twoWay():
		return "berger-boos"
	}
	return "clopper-pearson"
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
	case r.Kind == MaxRate:
		return scale{same, complement, 0, 1, 0}
	case r.Kind == MinRate, r.Bound > 0:
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
	if r.Kind == MinShare && (r.NeedsLabels() || r.Rate != Positive || r.Within != "") {
		return errors.New("a share is one of the scores of all rows")
	}
	low, high := 0.0, 1.0
	inside := r.Bound >= low && r.Bound < high
	if r.Kind == MinRatio || r.Kind == MinRate {
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
	return specs(requirements, func(r *Requirement) []string { return []string{r.Group} })
}

// SpecsOf returns the specifications of all groups that rows must have, those of Within too.
func SpecsOf(requirements []Requirement) []string {
	return specs(requirements, func(r *Requirement) []string { return []string{r.Group, r.Within} })
}

// CellsOf returns the keys of Evidence.Groups, each once.
func CellsOf(requirements []Requirement) []string {
	return specs(requirements, func(r *Requirement) []string { return []string{r.Key()} })
}

func specs(requirements []Requirement, of func(r *Requirement) []string) (list []string) {
	for _, r := range requirements {
		list = append(list, of(&r)...)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(spec string) bool { return spec == "" })
}
