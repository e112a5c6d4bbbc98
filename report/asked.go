package report

import (
	"fmt"
	"slices"
	"strings"

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
		for _, set := range b.sets {
			if set.Role == Training && b.set(Constraints) != nil {
				continue
			}
			state := model.OnRowsHeldOut
			if set.Role.Counted() {
				state = model.NewRequirement
			}
			r, err := state(c, set.Data, promised.On)
			if err != nil && !set.Role.Counted() { // no two groups have rows that the rate is about
				q.Results = append(q.Results, Achieved{Role: set.Role, Estimate: fairness.NoEstimate()})
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", set.Data.Name, err)
			}
			j, err := set.Meets(r)
			if err != nil {
				return err
			}
			q.Measure, q.Bound, q.AtLeast = r.Measure, r.Bound, r.AtLeast
			a := Achieved{Role: set.Role, Estimate: fairness.NoEstimate()}
			a.Value = fairness.Value(j.Achieved)
			a.Holds = q.keeps(j.Achieved)
			a.Without = b.namesOrSmall(nil, r.Unjudged)
			if set.Role.Counted() {
				a.Holds = promised.Satisfied
				q.WithinOneDecision = b.namesOrSmall(q.WithinOneDecision, j.WithinOneDecision)
			} else if a.Low, a.High, err = b.interval(set, r, c); err != nil {
				return err
			}
			q.Results = append(q.Results, a)
		}
		b.doc.Requirements = append(b.doc.Requirements, q)
	}
	return nil
}

func (q *Requirement) keeps(value float64) bool {
	if q.AtLeast {
		return value >= q.Bound
	}
	return value <= q.Bound
}

// nameOrSmall is the name of a group, unless the name must be hidden.
func (b *builder) nameOrSmall(name string) string {
	for _, folded := range b.folded {
		if strings.Contains(name, folded) {
			return "a small group"
		}
	}
	return inert.Line(name)
}

// namesOrSmall adds names of groups to a sorted list, each once.
func (b *builder) namesOrSmall(list, names []string) []string {
	for _, name := range names {
		list = append(list, b.nameOrSmall(name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// interval returns the interval of the measure of a requirement. It is undefined for
// scores, where it would take long.
//
// If the requirement compares two rates, as equalized odds does, each rate has an interval of
// half the error. If both intervals hold, the larger difference is at least the larger of
// their lower ends and at most the larger of their upper ends.
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
	o := fairness.DefaultFrameOptions()
	o.Level = 1 - (1-Level)/float64(len(metrics))
	o.Metrics = fairness.Named(metrics...)
	rows, err := set.Judge(groups)
	if err != nil {
		return low, high, err
	}
	frame, err := rows.Frame(o)
	if err != nil {
		return low, high, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	for i, m := range frame.Metrics {
		gap := m.Difference
		if r.AtLeast {
			gap = m.Ratio
		}
		if i == 0 || gap.Low > low {
			low = gap.Low
		}
		if i == 0 || gap.High > high {
			high = gap.High
		}
	}
	return low, high, nil
}
