package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// judgeConstraints judges the constraints on all rows.
func (b *builder) judgeConstraints() error {
	for k, promised := range b.Model.Constraints {
		c, err := constraint(promised)
		if err != nil {
			return fmt.Errorf("the model's constraint %d: %w", k+1, err)
		}
		if c == nil {
			continue
		}
		f := words.Finding{Spec: promised.Spec, On: names.Line(promised.On), Satisfied: promised.Satisfied, WithinOneDecision: []string{}}
		f.NameGroup(b.Model.Features.Kind == classifier.LIBSVM)
		f.Spec, f.Group = names.Line(f.Spec), names.Line(f.Group)
		var counted *model.Requirement // on the rows that it was to be satisfied on
		for _, set := range b.sets {
			if set.Role == Training && b.set(Constraints) != nil {
				continue
			}
			r, err := b.judgeOn(&f, set, c, promised, counted)
			if err != nil {
				return err
			}
			if set.Role.Counted() {
				counted = r
			}
		}
		b.doc.Requirements = append(b.doc.Requirements, f)
	}
	return nil
}

// judgeOn judges a constraint on a set of rows, and returns it as it is on these rows, nil if they
// tell nothing about it. Held-out rows are judged by the bound of the rows that the classifier was
// trained to meet it on, if the report has these. It matters for the share of a group in the rows,
// which is another one in every set of rows.
func (b *builder) judgeOn(f *words.Finding, set judged, c model.Constraint, promised classifier.Constraint, counted *model.Requirement) (*model.Requirement, error) {
	state := model.OnRowsHeldOut
	if set.Role.Counted() {
		state = model.NewRequirement
	}
	v := words.Value{Role: set.Role, Rows: set.Data.All(), Estimate: fairness.NoEstimate()}
	r, err := state(c, set.Data, promised.On)
	if err != nil && !set.Role.Counted() { // no two groups have rows that the rate is about
		v.Bound = fairness.Value(f.Bound)
		f.Values = append(f.Values, v)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	j, err := set.Meets(r)
	if err != nil {
		return nil, err
	}
	f.Measure, f.AtLeast = r.Measure, r.AtLeast
	if counted == nil {
		f.Bound = r.Bound
		if g, ok := c.(model.GroupConstraint); ok && g.Kind == model.HeldShare && g.Level == 0 {
			f.BoundFrom = set.Role
		}
	}
	v.Bound = fairness.Value(f.Bound)
	by := train.Requirement{On: promised.On, Bound: f.Bound, AtLeast: r.AtLeast}
	tolerance := cmp.Or(b.Model.Training.Tolerance, train.DefaultOptions().Tolerance) // older files do not have it
	v.Value, v.Nobody = fairness.Value(j.Achieved), j.Undefined
	if j.Undefined {
		v.Value = fairness.Undefined()
	}
	v.Met = by.Keeps(j.Achieved, tolerance)
	if set.Role.Counted() {
		v.Met = promised.Satisfied
	}
	if v.Met && by.On == train.Scores && !by.Holds(j.Achieved) {
		v.Tolerance = tolerance
	}
	spec := groupsOf(c)
	v.Without = b.allNamed(spec, nil, r.Without(counted))
	v.Extremes = b.extremes(set, c, r, j.Achieved)
	if set.Role.Counted() {
		f.WithinOneDecision = b.allNamed(spec, f.WithinOneDecision, j.WithinOneDecision)
	} else if v.Low, v.High, err = Interval(set.Scored, set.Data, r, c); err != nil {
		return nil, err
	}
	f.Values = append(f.Values, v)
	return r, nil
}

// groupsOf is the specification of the groups that a constraint compares, "" if it compares none.
func groupsOf(c model.Constraint) string {
	if specs := model.GroupsOf(c); len(specs) > 0 {
		return specs[0]
	}
	return ""
}

// notShown stands for groups that the report does not name.
const notShown = "a group that is not shown"

// key tells apart the others of one group from those of another.
func key(spec, group string) string {
	if group == fairness.Others {
		return spec + "\x00" + group
	}
	return group
}

// named is the name of a group of a specification if the comparison of groups shows it on its own:
// a name that no table has appears nowhere else.
func (b *builder) named(spec, group string) string {
	if !b.shown[key(spec, group)] {
		return notShown
	}
	return names.Line(group)
}

// allNamed adds names of groups to a sorted list, each once.
func (b *builder) allNamed(spec string, list, groups []string) []string {
	for _, group := range groups {
		list = append(list, b.named(spec, group))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Interval returns the confidence interval of the value of a constraint on rows. It is undefined
// for scores, where it would take long.
func Interval(rows *scoring.Scored, d *dataset.Dataset, r *model.Requirement, c model.Constraint) (low, high fairness.Value, err error) {
	low, high = fairness.Undefined(), fairness.Undefined()
	metrics := map[string][]string{
		"selection_rate_difference":     {"selection_rate"},
		"selection_rate_ratio":          {"selection_rate"},
		"true_positive_rate_difference": {"tpr"},
		"equalized_odds_difference":     {"tpr", "fpr"},
	}[r.Measure]
	grouped, ok := c.(model.Grouped)
	if metrics == nil || !ok || r.On != train.Decisions {
		return low, high, nil
	}
	groups, err := scoring.NewGrouping(d, grouped.Groups()[0])
	if err != nil {
		return low, high, err
	}
	judged, err := rows.Judge(groups)
	if err != nil {
		return low, high, err
	}
	var gap fairness.Estimate
	if r.AtLeast {
		gap, err = fairness.SmallestRatio(judged, Level, metrics[0])
	} else {
		gap, err = fairness.LargestDifference(judged, Level, metrics...)
	}
	if err != nil {
		return low, high, fmt.Errorf("%s: %w", d.Name, err)
	}
	return gap.Low, gap.High, nil
}

// extremes finds the groups whose rates make the value of a constraint among the groups that the
// comparison of groups shows, with the figures that it shows. They are nil if only hidden ones do,
// if all rates are equal, and for mean scores, which are not compared there.
func (b *builder) extremes(set judged, c model.Constraint, r *model.Requirement, achieved float64) *words.Extremes {
	grouped, ok := c.(model.Grouped)
	if !ok {
		return nil
	}
	cells := b.cellsOf(set.Role, grouped.Groups()[0])
	for k := range r.Comparisons {
		compared := &r.Comparisons[k]
		var shown []words.GroupRate
		var rates []float64
		for i := range cells {
			if g, ok := cells[i].rate(compared.Rate, set.Data.Weighted()); ok {
				shown, rates = append(shown, g), append(rates, float64(g.Value))
			}
		}
		const roundoff = 1e-9
		if len(rates) < 2 || math.Abs(compared.Gap(rates)-achieved) > roundoff {
			continue
		}
		byRate := func(x, y words.GroupRate) int { return cmp.Compare(x.Value, y.Value) }
		e := &words.Extremes{
			Rate: compared.Rate, Groups: len(shown), Weighted: set.Data.Weighted(),
			Lowest: slices.MinFunc(shown, byRate), Highest: slices.MaxFunc(shown, byRate),
		}
		if e.Highest.Value-e.Lowest.Value > roundoff {
			return e
		}
	}
	return nil
}

// cellsOf returns the groups of a specification that are shown on their own.
func (b *builder) cellsOf(role Role, spec string) (cells []GroupCell) {
	for _, c := range b.doc.Comparison {
		for _, t := range c.Tables {
			if c.Group == names.Line(spec) && t.Role == role {
				cells = slices.DeleteFunc(slices.Clone(t.Groups), func(g GroupCell) bool { return g.Folded })
			}
		}
	}
	return cells
}

// rate is a rate of decisions by its name. It is not ok if it is not shown.
func (c *GroupCell) rate(name string, weighted bool) (g words.GroupRate, ok bool) {
	g = words.GroupRate{Group: c.spec, Value: fairness.Undefined(), Rows: fairness.Value(c.Rows)}
	switch name {
	case "selection_rate":
		g.Value = c.SelectionRate.Value
	case "true_positive_rate":
		g.Value, g.Rows = c.TPR.Value, c.Positives
	case "false_positive_rate":
		g.Value, g.Rows = c.FPR.Value, fairness.Value(c.Rows)-c.Positives
	}
	if weighted && name != "selection_rate" {
		g.Rows = fairness.Undefined()
	}
	return g, g.Value.Defined()
}
