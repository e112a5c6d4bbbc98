package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
)

// Family is a notion of fairness: the constraints that differ in their groups and in how
// fair is fair enough. All of them are linear in the scores. Weighted rows count by their
// weights.
type Family struct {
	Name string // in specifications
	Kind Kind
	// Rates are what is compared, each by itself. Those of Of are alternatives, of which a
	// constraint names one.
	Rates, Of []*Rate
	// Everyone says that a constraint may name no group: then it is about all rows.
	Everyone bool
	On       string // what the constraints bound by default
	// Disparity names how far decisions are from what the family asks for.
	Disparity string
	Example   string // a specification
	measure   string // if it has a name of its own
}

// Kind is what a family does with the rates of groups. A single group is compared with all other
// rows, and any two of several groups with each other.
type Kind int

const (
	// Difference bounds the differences of rates:
	//
	//	|rate of G − rate of H| ≤ level.
	Difference Kind = iota
	// Ratio bounds their ratios, level·(rate of H) ≤ rate of G; on selection rates, a
	// level of 0.8 is the four-fifths rule.
	Ratio
	// AtMost bounds the rate of each group, and AtLeast demands one of each.
	AtMost
	AtLeast
	// HeldShare demands that one group holds at least the share ω of all scores:
	//
	//	ω Σ_{a∈S} σ(aᵀx) − Σ_{a∈G} σ(aᵀx) ≤ 0,
	//
	// the paper's eq. fairness, divided by |S|. With ω equal to the group's share of the
	// rows, for which the level 0 stands, it says that the group's mean score is at least
	// that of all. It is the ratio of what the group holds to what all hold.
	HeldShare
)

// FromBelow reports whether the level is the least that is allowed.
func (k Kind) FromBelow() bool { return k == Ratio || k == AtLeast || k == HeldShare }

// Compares reports whether groups are compared with each other, and not with the level.
func (k Kind) Compares() bool { return k == Difference || k == Ratio }

// The families of ParseConstraint. One more notion of fairness is one more entry here and in
// Families.
var (
	DemographicParity = &Family{
		Name: "demographic-parity", Kind: Difference, Rates: []*Rate{SelectionRate}, On: Decisions,
		Disparity: "demographic parity difference", Example: "demographic-parity:group=71,bound=0.02",
	}
	EqualOpportunity = &Family{
		Name: "equal-opportunity", Kind: Difference, Rates: []*Rate{TPR}, On: Decisions,
		Disparity: "equal opportunity difference", Example: "equal-opportunity:group=sex,bound=0.02",
	}
	PredictiveEquality = &Family{
		Name: "predictive-equality", Kind: Difference, Rates: []*Rate{FPR}, On: Decisions,
		Disparity: "predictive equality difference", Example: "predictive-equality:group=sex,bound=0.02",
	}
	EqualizedOdds = &Family{
		Name: "equalized-odds", Kind: Difference, Rates: []*Rate{TPR, FPR}, On: Decisions,
		Disparity: "equalized odds difference", Example: "equalized-odds:group=sex,bound=0.05",
		measure: "equalized_odds_difference",
	}
	ErrorParity = &Family{
		Name: "error-parity", Kind: Difference, Rates: []*Rate{ErrorRate}, On: Decisions,
		Disparity: "error rate difference", Example: "error-parity:group=sex,bound=0.02",
	}
	RateRatio = &Family{
		Name: "rate-ratio", Kind: Ratio, Rates: []*Rate{SelectionRate}, On: Decisions,
		Disparity: "demographic parity ratio", Example: "rate-ratio:group=sex,min=0.8",
	}
	MinRate = &Family{
		Name: "min-rate", Kind: AtLeast, Of: []*Rate{TPR, SelectionRate, TNR, Accuracy}, Everyone: true, On: Decisions,
		Disparity: "lowest rate of a group", Example: "min-rate:group=sex,of=tpr,min=0.7",
	}
	MaxSelection = &Family{
		Name: "max-selection", Kind: AtMost, Rates: []*Rate{SelectionRate}, Everyone: true, On: Decisions,
		Disparity: "selection rate", Example: "max-selection:bound=0.1",
	}
	// BoundedGroupLoss bounds the mean of |y − σ|, y = 1 for the label +1 and 0 for −1, over each
	// group: the expected share of errors if σ were the probability of a positive decision.
	BoundedGroupLoss = &Family{
		Name: "bounded-group-loss", Kind: AtMost, Rates: []*Rate{ErrorRate}, On: Scores,
		Disparity: "largest error of a group", Example: "bounded-group-loss:group=sex,bound=0.3",
		measure: "largest_group_loss",
	}
	Share = &Family{
		Name: "share", Kind: HeldShare, Rates: []*Rate{SelectionRate}, On: Scores,
		Disparity: "demographic parity difference", Example: "share:group=71,omega=0.3",
		measure: "share",
	}
)

// Families are those of ParseConstraint, to be read only.
var Families = []*Family{
	BoundedGroupLoss, DemographicParity, EqualOpportunity, EqualizedOdds, ErrorParity, MaxSelection, MinRate,
	PredictiveEquality, RateRatio, Share,
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
	AtMost: {
		key: "bound", interval: "(0, 1)", allowed: inside,
		usual: []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, relative: true,
	},
	AtLeast: {
		key: "min", interval: "(0, 1]", allowed: func(x float64) bool { return x > 0 && x <= 1 },
		usual: []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, relative: true,
	},
	HeldShare: {
		key: "omega", interval: "(0, 1)", allowed: inside,
		usual: []float64{0.7, 0.8, 0.9, 1.1, 1.2, 1.3}, relative: true,
	},
}

func inside(x float64) bool { return x > 0 && x < 1 }

// For returns the constraint of the family on groups, as dataset.FindGroups takes them. The
// level is the bound on a difference or a rate, the least ratio, rate or share; Inequalities
// checks it.
func (f *Family) For(group string, level float64) GroupConstraint {
	return GroupConstraint{Family: f, Group: group, Level: level}
}

// GroupConstraint is a constraint of a family.
type GroupConstraint struct {
	*Family
	Group string // empty for all rows
	Level float64
	Rate  *Rate // one of those of Family.Of
	// Within names groups of which each is looked at by itself: groups are compared among the rows
	// of each level of a column. Empty stands for all rows together.
	Within string
	// MinRows leaves out groups of fewer rows that the rate is about.
	MinRows int
}

// String returns the specification, such as "share:group=71,omega=0.3".
func (c GroupConstraint) String() string {
	level := fmt.Sprint(c.Level)
	if c.ofRows() {
		level = wordShare
	}
	var pairs []string
	add := func(key, value string) {
		if value != "" {
			pairs = append(pairs, key+"="+value)
		}
	}
	add("group", c.Group)
	if c.Rate != nil {
		add(keyOf, c.Rate.Name)
	}
	add(levels[c.Kind].key, level)
	add(keyWithin, c.Within)
	if c.MinRows > 0 {
		add(keyMinRows, strconv.Itoa(c.MinRows))
	}
	return c.Name + ":" + strings.Join(pairs, ",")
}

// ofRows reports whether the level is the group's share of the rows.
func (c GroupConstraint) ofRows() bool { return c.Kind == HeldShare && c.Level == 0 }

// Groups returns the specification of the groups.
func (c GroupConstraint) Groups() []string {
	if c.Group == "" {
		return nil
	}
	return []string{c.Group}
}

// Cells returns the specification of all groups that a rate is taken of, as dataset.Strata takes it.
func (c GroupConstraint) Cells() string {
	if c.Group == "" || c.Within == "" {
		return cmp.Or(c.Group, c.Within, dataset.Everyone)
	}
	return dataset.WithinSpec(c.Group, c.Within)
}

// Rates returns the rates that are compared.
func (c GroupConstraint) Rates() []*Rate {
	if c.Rate != nil {
		return []*Rate{c.Rate}
	}
	return c.Family.Rates
}

// Metrics names the rates as package fairness does, see Rate.Metric.
func (c GroupConstraint) Metrics() (names []string) {
	for _, r := range c.Rates() {
		names = append(names, r.Metric)
	}
	return names
}

// Labels returns the labels of the rows that each of the rates is about, 0 for both.
func (c GroupConstraint) Labels() (labels []int8) {
	for _, r := range c.Rates() {
		labels = append(labels, r.Label())
	}
	return labels
}

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
		usual = slices.DeleteFunc(usual, func(x float64) bool { return !l.allowed(x) })
	}
	if on == Decisions && usual[0] == 0 {
		usual = usual[1:]
	}
	return usual
}

// check reports a level that is out of range, and what the family lacks or does not take.
func (c GroupConstraint) check() error {
	l := levels[c.Kind]
	switch {
	case !c.ofRows() && !l.allowed(c.Level):
		return fmt.Errorf("%s is %v, must be in %s", l.key, c.Level, l.interval)
	case (c.Rate != nil) != (c.Of != nil) || c.Rate != nil && !slices.Contains(c.Of, c.Rate):
		return fmt.Errorf("of must be %s", strings.Join(c.ratesOf(), ", "))
	case c.Group == "" && !c.Everyone:
		return errors.New("group is missing")
	}
	return nil
}

// Inequalities returns, for each rate of a Difference or Ratio, two inequalities for two groups and
// two for each of more, at each level of Within; one for each group of an AtMost or AtLeast, and one of a
// HeldShare.
func (c GroupConstraint) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	return c.inequalitiesOn(s, Scores)
}

// inequalitiesOn are those of scores, or those that stand for decisions.
func (c GroupConstraint) inequalitiesOn(s *dataset.Dataset, on string) ([]Inequality, error) {
	compared, _, _, err := c.comparisons(s, on)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	var rows []Inequality
	for k := range compared {
		rows = append(rows, compared[k].inequalities()...)
	}
	return rows, nil
}

// among names a family's comparison by one of its rates.
func (c GroupConstraint) among(r *Rate) string {
	if len(c.Rates()) == 1 {
		return c.Name
	}
	return c.Name + " " + strings.ToUpper(r.Name)
}

// Measure names, for programs, what is bounded, on decisions or scores.
func (c GroupConstraint) Measure(on string) string {
	if c.measure != "" {
		return c.measure
	}
	switch name := c.Rates()[0].On(on); {
	case c.Kind == Difference:
		return name + "_difference"
	case c.Kind == Ratio:
		return name + "_ratio"
	case c.Group == "" && c.Within == "":
		return name
	case c.Kind == AtLeast:
		return "lowest_" + name
	default:
		return "highest_" + name
	}
}
