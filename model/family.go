package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
)

// Family is a notion of fairness: the constraints that differ in their groups and in how
// fair is fair enough. All of them are linear in the scores. Weighted rows count by their
// weights.
type Family struct {
	Name string // in specifications
	Kind Kind
	// Labels are, of a Difference or a Ratio, the rows among which the groups are compared,
	// each by itself: those of a label or, for 0, all.
	Labels []int8
	On     string // what the constraints bound by default
	// Disparity names how far decisions are from what the family asks for.
	Disparity string
	Example   string // a specification
}

// Kind is what a family does with its groups. A single group is compared with all other
// rows, and any two of several groups with each other.
type Kind int

const (
	// Difference bounds the differences between the mean scores of groups, which are to
	// scores what rates are to decisions:
	//
	//	|mean over G of σ − mean over H of σ| ≤ level.
	Difference Kind = iota
	// Ratio bounds their ratios, level·(mean over H) ≤ mean over G; on selection rates, a
	// level of 0.8 is the four-fifths rule.
	Ratio
	// Loss bounds the mean of |y − σ|, y = 1 for the label +1 and 0 for −1, over each group:
	// the expected share of errors if σ were the probability of a positive decision.
	Loss
	// HeldShare demands that one group holds at least the share ω of all scores:
	//
	//	ω Σ_{a∈S} σ(aᵀx) − Σ_{a∈G} σ(aᵀx) ≤ 0,
	//
	// the paper's eq. fairness, divided by |S|. With ω equal to the group's share of the
	// rows, for which the level 0 stands, it says that the group's mean score is at least
	// that of all.
	HeldShare
)

// The families of ParseConstraint. One more notion of fairness that compares rates is one
// more entry here and in Families.
var (
	DemographicParity = &Family{
		Name: "demographic-parity", Kind: Difference, Labels: []int8{anyLabel}, On: Decisions,
		Disparity: "demographic parity difference", Example: "demographic-parity:group=71,bound=0.02",
	}
	// EqualOpportunity bounds the differences of true positive rates.
	EqualOpportunity = &Family{
		Name: "equal-opportunity", Kind: Difference, Labels: []int8{+1}, On: Decisions,
		Disparity: "equal opportunity difference", Example: "equal-opportunity:group=sex,bound=0.02",
	}
	// EqualizedOdds bounds those of true and those of false positive rates.
	EqualizedOdds = &Family{
		Name: "equalized-odds", Kind: Difference, Labels: []int8{+1, -1}, On: Decisions,
		Disparity: "equalized odds difference", Example: "equalized-odds:group=sex,bound=0.05",
	}
	RateRatio = &Family{
		Name: "rate-ratio", Kind: Ratio, Labels: []int8{anyLabel}, On: Decisions,
		Disparity: "demographic parity ratio", Example: "rate-ratio:group=sex,min=0.8",
	}
	BoundedGroupLoss = &Family{
		Name: "bounded-group-loss", Kind: Loss, On: Scores,
		Disparity: "largest error of a group", Example: "bounded-group-loss:group=sex,bound=0.3",
	}
	Share = &Family{
		Name: "share", Kind: HeldShare, On: Scores,
		Disparity: "demographic parity difference", Example: "share:group=71,omega=0.3",
	}
)

// Families are those of ParseConstraint, to be read only.
var Families = []*Family{BoundedGroupLoss, DemographicParity, EqualOpportunity, EqualizedOdds, RateRatio, Share}

const anyLabel int8 = 0

// Rates returns the rates of decisions that the family compares, by the names that package fairness
// has for them: selection rates for a share, none for a loss.
func (f *Family) Rates() (names []string) {
	if f.Kind == HeldShare {
		return []string{"selection_rate"}
	}
	for _, label := range f.Labels {
		names = append(names, map[int8]string{anyLabel: "selection_rate", +1: "tpr", -1: "fpr"}[label])
	}
	return names
}

// level describes the level of a kind.
type level struct {
	key      string // in specifications
	interval string
	allowed  func(level float64) bool
	// usual are levels that show what a constraint costs; relative ones are to be multiplied
	// by its own.
	usual    []float64
	relative bool
}

var levels = map[Kind]level{
	Difference: {
		key: "bound", interval: "[0, 1)", allowed: func(x float64) bool { return x >= 0 && x < 1 },
		usual: []float64{0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2},
	},
	Ratio: {
		key: "min", interval: "(0, 1]", allowed: func(x float64) bool { return x > 0 && x <= 1 },
		usual: []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1},
	},
	Loss: {
		key: "bound", interval: "(0, 1)", allowed: inside,
		usual: []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, relative: true,
	},
	HeldShare: {
		key: "omega", interval: "(0, 1)", allowed: inside,
		usual: []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, relative: true,
	},
}

func inside(x float64) bool { return x > 0 && x < 1 }

// For returns the constraint of the family on groups, as dataset.FindGroups takes them. The
// level is the bound on a difference or a loss, the least ratio or the least share;
// Inequalities checks it.
func (f *Family) For(group string, level float64) GroupConstraint {
	return GroupConstraint{Family: f, Group: group, Level: level}
}

// GroupConstraint is a constraint of a family.
type GroupConstraint struct {
	*Family
	Group string
	Level float64
}

// String returns the specification, such as "share:group=71,omega=0.3".
func (c GroupConstraint) String() string {
	level := fmt.Sprint(c.Level)
	if c.ofRows() {
		level = wordShare
	}
	return fmt.Sprintf("%s:group=%s,%s=%s", c.Name, c.Group, levels[c.Kind].key, level)
}

// ofRows reports whether the level is the group's share of the rows.
func (c GroupConstraint) ofRows() bool { return c.Kind == HeldShare && c.Level == 0 }

// Groups returns the specification of the groups.
func (c GroupConstraint) Groups() []string { return []string{c.Group} }

// WithLevel returns the constraint with another level, which Inequalities and not WithLevel
// checks.
func (c GroupConstraint) WithLevel(level float64) GroupConstraint { c.Level = level; return c }

// UsualLevels returns levels that show what the constraint costs, on decisions or scores.
// Decisions of finitely many rows hardly reach a difference of 0, which is left out there.
func (c GroupConstraint) UsualLevels(on string) []float64 {
	l := levels[c.Kind]
	usual := slices.Clone(l.usual)
	if l.relative {
		for i := range usual {
			usual[i] *= c.Level
		}
	}
	if on == Decisions && usual[0] == 0 {
		usual = usual[1:]
	}
	return usual
}

// check reports a level that is out of range.
func (c GroupConstraint) check() error {
	if l := levels[c.Kind]; !c.ofRows() && !l.allowed(c.Level) {
		return fmt.Errorf("constraint %s: %s is %v, must be in %s", c, l.key, c.Level, l.interval)
	}
	return nil
}

// Inequalities returns, for each label of a Difference or Ratio, two inequalities for two
// groups and two for each of more; of a Loss one for each group; of a HeldShare one.
func (c GroupConstraint) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	var rows []Inequality
	err := s.CheckKnown(c.Group)
	switch {
	case err != nil:
	case c.Kind == Difference, c.Kind == Ratio:
		rows, err = c.rates(s)
	case c.Kind == Loss:
		rows, err = c.losses(s)
	case c.Kind == HeldShare:
		rows, err = c.share(s)
	}
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	return rows, nil
}

// among names a family's comparison of the rows of a label.
func (f *Family) among(label int8) string {
	if len(f.Labels) == 1 {
		return f.Name
	}
	return f.Name + " " + map[int8]string{anyLabel: "rate", +1: "TPR", -1: "FPR"}[label]
}

// measure names, for programs, what a family of several labels bounds.
func (f *Family) measure() string { return strings.ReplaceAll(f.Name, "-", "_") + "_difference" }
