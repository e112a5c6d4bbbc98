package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// ask judges the requirements on all rows.
func (b *builder) ask() error {
	for k, promised := range b.Model.Constraints {
		c, err := constraint(promised)
		if err != nil {
			return fmt.Errorf("the model's constraint %d: %w", k+1, err)
		}
		if c == nil {
			continue
		}
		q := Requirement{Spec: inert.Line(promised.Spec), On: inert.Line(promised.On), Met: promised.Satisfied, WithinOneDecision: []string{}}
		q.Group = inert.Line(strings.Join(model.GroupsOf(c), ", "))
		_, err = strconv.Atoi(q.Group)
		q.feature = err == nil && b.Model.Features.Kind == classifier.LIBSVM
		var counted *model.Requirement // on the rows that it was to hold on
		for _, set := range b.sets {
			if set.Role == Training && b.set(Constraints) != nil {
				continue
			}
			r, err := b.askOf(&q, set, c, promised, counted)
			if err != nil {
				return err
			}
			if set.Role.Counted() {
				counted = r
			}
		}
		const rounding = 1e-9
		q.within = counted == nil && promised.Satisfied && promised.On == model.Decisions && promised.Value > rounding
		b.doc.Requirements = append(b.doc.Requirements, q)
	}
	return nil
}

// askOf judges a requirement on a set of rows, and returns it as it is on these rows, nil if they say nothing about it.
func (b *builder) askOf(q *Requirement, set judged, c model.Constraint, promised classifier.Constraint, counted *model.Requirement) (*model.Requirement, error) {
	state := model.OnRowsHeldOut
	if set.Role.Counted() {
		state = model.NewRequirement
	}
	a := Achieved{Role: set.Role, Estimate: fairness.NoEstimate()}
	r, err := state(c, set.Data, promised.On)
	if err != nil && !set.Role.Counted() { // no two groups have rows that the rate is about
		a.Bound = fairness.Value(q.Bound)
		q.Results = append(q.Results, a)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	j, err := set.Meets(r)
	if err != nil {
		return nil, err
	}
	q.Measure, q.AtLeast = r.Measure, r.AtLeast
	a.Bound = q.boundOn(set.Role, r.Bound, isShareOfRows(c))
	b.judge(&a, promised, r.AtLeast, j)
	spec := groupsOf(c)
	a.Without = b.namesOrSmall(spec, nil, r.Without(counted))
	a.Extremes = b.extremes(set, c, r, j.Achieved)
	if set.Role.Counted() {
		q.WithinOneDecision = b.namesOrSmall(spec, q.WithinOneDecision, j.WithinOneDecision)
	} else if a.Low, a.High, err = b.interval(set, r, c); err != nil {
		return nil, err
	}
	q.Results = append(q.Results, a)
	return r, nil
}

// groupsOf is the specification of the groups that a constraint compares, "" if it compares none.
func groupsOf(c model.Constraint) string {
	if specs := model.GroupsOf(c); len(specs) > 0 {
		return specs[0]
	}
	return ""
}

// boundOn is the bound that rows of a role are judged by, as training judges them: held-out rows
// by the bound of the rows that the classifier was made to keep it on, if the report has these. It
// matters for the share of a group in the rows, which is another one in every set of rows.
func (q *Requirement) boundOn(role Role, own float64, ofRows bool) fairness.Value {
	if !q.judgedBy.Counted() {
		q.judgedBy, q.Bound = role, own
	}
	if ofRows {
		q.BoundFrom = q.judgedBy
	}
	return fairness.Value(q.Bound)
}

// isShareOfRows reports whether the bound is a share of the rows.
func isShareOfRows(c model.Constraint) bool {
	g, ok := c.(model.GroupConstraint)
	return ok && g.Kind == model.HeldShare && g.Level == 0
}

// judge says whether the figure keeps its bound, by the rules of training.
func (b *builder) judge(a *Achieved, promised classifier.Constraint, atLeast bool, j model.Judgement) {
	by := train.Requirement{On: promised.On, Bound: float64(a.Bound), AtLeast: atLeast}
	tolerance := b.tolerance()
	a.Value = fairness.Value(j.Achieved)
	if j.Undefined {
		a.Value, a.none = fairness.Undefined(), true
	}
	a.Holds = by.Keeps(j.Achieved, tolerance)
	if a.Role.Counted() {
		a.Holds = promised.Satisfied
	}
	if a.Holds && by.On == train.Scores && !by.Holds(j.Achieved) {
		a.Tolerance = tolerance
	}
}

// tolerance is that of training; older model files do not have it.
func (b *builder) tolerance() float64 {
	return cmp.Or(b.Model.Training.Tolerance, train.DefaultOptions().Tolerance)
}

const aSmallGroup = "a small group"

// hides reports whether a group of a specification must not be named: if it is folded, or is the part of a folded
// group that is in other groups too, as sex=f*race=Black is of race=Black. Names are compared as wholes, since one may
// begin with another.
func (b *builder) hides(spec, name string) bool {
	if name == fairness.Others { // those of one group are not those of another
		return slices.ContainsFunc(b.doc.Comparison, func(c Comparison) bool { return c.Group == inert.Line(spec) && c.Hidden != "" })
	}
	parts := b.partsOf(name, spec)
	return slices.ContainsFunc(b.folded, func(folded string) bool {
		return folded == name || slices.ContainsFunc(b.partsOf(folded, b.specs()...), func(of []string) bool {
			return slices.ContainsFunc(parts, func(all []string) bool {
				return !slices.ContainsFunc(of, func(part string) bool { return !slices.Contains(all, part) })
			})
		})
	})
}

// partsOf returns the groups that a group is the product of, in every way in which it is a group of one of the
// specifications; by the stars in its name if it is none.
func (b *builder) partsOf(name string, specs ...string) (list [][]string) {
	for _, spec := range specs {
		for _, set := range b.sets {
			for _, of := range []string{spec, dataset.Whole(spec)} {
				if parts := set.Data.PartsOf(of, name); parts != nil {
					list = append(list, parts)
				}
			}
		}
	}
	if list == nil {
		list = append(list, dataset.SplitTerms(name))
	}
	return list
}

// nameOrSmall is the name of a group, unless the name must be hidden.
func (b *builder) nameOrSmall(spec, name string) string {
	if b.hides(spec, name) {
		return aSmallGroup
	}
	return inert.Line(name)
}

// namesOrSmall adds names of groups to a sorted list, each once.
func (b *builder) namesOrSmall(spec string, list, names []string) []string {
	for _, name := range names {
		list = append(list, b.nameOrSmall(spec, name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// interval returns the interval of the measure of a requirement. It is undefined for
// scores, where it would take long.
func (b *builder) interval(set judged, r *model.Requirement, c model.Constraint) (low, high fairness.Value, err error) {
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
	groups, err := scoring.NewGrouping(set.Data, grouped.Groups()[0])
	if err != nil {
		return low, high, err
	}
	rows, err := set.Judge(groups)
	if err != nil {
		return low, high, err
	}
	var gap fairness.Estimate
	if r.AtLeast {
		gap, err = fairness.SmallestRatio(rows, Level, metrics[0])
	} else {
		gap, err = fairness.LargestDifference(rows, Level, metrics...)
	}
	if err != nil {
		return low, high, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	return gap.Low, gap.High, nil
}
