package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certifying"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/digits"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// verdict says in words what the figures of a run mean: how it ended, what was achieved, and
// what a reader of that must know.
func verdict(r *train.Report) string {
	var lines []string
	switch r.Status {
	case solver.Diverged:
		lines = append(lines, "Diverged: the figures are for the best point on the way. No model is written.")
	case solver.Interrupted:
		lines = append(lines, "Interrupted: the figures are for the best point so far.")
	case train.Infeasible:
		lines = append(lines, fmt.Sprintf("Infeasible: no scores at all satisfy %s, as multipliers of the constraints prove (docs/decisions.md). The closest classifier found:", together(r.Conflict)))
	case train.NotReached:
		lines = append(lines, "Not reached: no classifier was found that satisfies every requirement; there may be one. The closest one found:")
	}
	for i := range r.Requirements {
		lines = append(lines, achievement(&r.Requirements[i], r))
	}
	if r.Guarantee != nil {
		lines = append(lines, certifying.Lines(r.Guarantee)...)
	}
	if r.Status == solver.Converged || r.Status == solver.Exhausted {
		lines = append(lines, certificate(r))
	}
	if len(r.UsesGroups) > 0 {
		lines = append(lines, "Note: the model itself uses "+strings.Join(r.UsesGroups, ", ")+": membership in the group moves the score.")
	}
	for _, w := range r.Warnings {
		lines = append(lines, "Note: "+w)
	}
	if price := priceOf(r); price != "" {
		lines = append(lines, price)
	}
	for i, line := range lines {
		lines[i] = results.Wrap(line, command.ReportWidth)
	}
	return strings.Join(lines, "\n")
}

// together names specifications that contradict each other.
func together(specs []string) string {
	if len(specs) == 1 {
		return specs[0]
	}
	return strings.Join(specs[:len(specs)-1], ", ") + " and " + specs[len(specs)-1] + " together"
}

// heldOut is what a requirement achieved on rows held out, without some of the groups.
type heldOut struct {
	rows    string
	value   *float64
	without []string
}

// achievement says how far a requirement holds, on every set of rows.
func achievement(q *train.Requirement, r *train.Report) string {
	mark := "Holds"
	switch {
	case !q.Satisfied:
		mark = "Does not hold"
	case len(q.WithinOneDecision) > 0:
		mark = "Holds within one decision of each group"
	case q.On == train.Scores && q.Train != nil && !q.Holds(*q.Train):
		mark = fmt.Sprintf("Holds to within %.0e of the scores", r.Tolerance)
	}
	group := q.Spec
	if c, err := model.ParseConstraint(q.Spec); err == nil {
		if groups := model.GroupsOf(c); groups != nil {
			group = strings.Join(groups, ", ")
		}
	}
	say, in := phrase(q, group)
	bound := fmt.Sprintf("bound %v", q.Bound)
	if q.AtLeast {
		bound = fmt.Sprintf("at least %.4g", q.Bound)
	}
	if q.Satisfied && len(q.WithinOneDecision) > 0 {
		bound += fmt.Sprintf(", allowed %.4f", q.Allowed)
		if q.Allowed >= 1 {
			bound += ", so any"
		}
	}
	rows := "training"
	if r.ConstraintData != "" {
		rows = "constraint"
	}
	held := []heldOut{{"validation", q.Validation, q.ValidationWithout}, {"test", q.Test, q.TestWithout}}
	silent := ""
	for k, judged := range []bool{r.Validation != nil, r.Test != nil} {
		if judged && held[k].value == nil {
			silent += fmt.Sprintf(" The %s rows say nothing about it.", held[k].rows)
		}
	}
	held = slices.DeleteFunc(held, func(h heldOut) bool { return h.value == nil })
	var broken []string
	for _, h := range held {
		if !q.Keeps(*h.value, r.Tolerance) {
			broken = append(broken, h.rows)
		}
	}
	if q.Satisfied && len(broken) > 0 {
		mark += ", but not on the " + strings.Join(broken, " and ") + " rows"
	}
	text := ""
	if q.Train == nil {
		text = fmt.Sprintf("%s, as there is nothing to share or compare: no decision on the %s rows is positive, for group %s or anybody else (%s)", mark, rows, group, bound)
	} else {
		text = fmt.Sprintf("%s: %s %s%s on the %s rows (%s)", mark, say, in, figure(q, q.Train, r), rows, bound)
	}
	for _, h := range held {
		text += fmt.Sprintf(", %s%s on the %s rows", in, figure(q, h.value, r), h.rows)
		var remarks []string
		if slices.Contains(broken, h.rows) {
			remarks = append(remarks, "broken there")
		}
		if len(h.without) > 0 {
			where := ""
			if q.Measure == "equalized_odds_difference" {
				where = " in one of the two rates or both"
			}
			remarks = append(remarks, fmt.Sprintf("without %s%s, for lack of rows", strings.Join(h.without, ", "), where))
		}
		if len(remarks) > 0 {
			text += " (" + strings.Join(remarks, "; ") + ")"
		}
	}
	text += "." + silent + furthestApart(q, rows)
	if len(q.WithinOneDecision) > 0 {
		allowed := "it is allowed one decision beyond the bound"
		if len(q.WithinOneDecision) > 1 {
			allowed = "each of these is allowed one decision beyond the bound, so that two of them may differ by the bound and one decision of each"
		}
		text += fmt.Sprintf(" One decision moves the rate of %s by more than the bound: %s. Small groups can be joined: merge in a schema.", strings.Join(q.WithinOneDecision, ", "), allowed)
	}
	return text
}

// furthestApart names the two groups of several whose rates are furthest apart, on rows held out if
// there are some.
func furthestApart(q *train.Requirement, rows string) string {
	e := q.TrainExtremes
	switch {
	case q.TestExtremes != nil:
		e, rows = q.TestExtremes, "test"
	case q.ValidationExtremes != nil:
		e, rows = q.ValidationExtremes, "validation"
	}
	if e == nil || e.Groups == 2 {
		return ""
	}
	labelled := map[string]string{
		"true_positive_rate": " with the positive label", "mean_score_of_positives": " with the positive label",
		"false_positive_rate": " with the negative label", "mean_score_of_negatives": " with the negative label",
	}[e.Rate]
	group := func(g model.GroupRate) string {
		return fmt.Sprintf("%s (%d rows%s) %.4f", g.Group, g.Rows, labelled, g.Value)
	}
	return fmt.Sprintf(" Furthest apart on the %s rows, in %s: %s and %s.", rows, words(e.Rate), group(e.Lowest), group(e.Highest))
}

// phrase returns the words for a measure of a group: its name, and the words before a
// figure.
func phrase(q *train.Requirement, group string) (say, in string) {
	switch q.Measure {
	case "equalized_odds_difference":
		if q.On == train.Scores {
			return "mean scores of positives and of negatives of " + group + " differ", "by at most "
		}
		return "true and false positive rates of " + group + " differ", "by at most "
	case "share":
		return "group " + group + " has", "the share "
	case "largest_group_loss":
		return "the expected error of the worst group of " + group + " is", ""
	case "value":
		return group + " is", ""
	}
	if rate, ok := strings.CutSuffix(q.Measure, "_ratio"); ok {
		return "the least " + words(rate) + " of " + group + " is", "the largest times "
	}
	rate, label, _ := strings.Cut(words(strings.TrimSuffix(q.Measure, "_difference")), " of ") // of positives, perhaps
	if label != "" {
		label = " of " + label
	}
	return rate + "s" + label + " of " + group + " differ", "by "
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// What breaks the bound is not rounded to it.
func figure(q *train.Requirement, v *float64, r *train.Report) string {
	if q.Keeps(*v, r.Tolerance) {
		return fmt.Sprintf("%.4f", *v)
	}
	text, _ := digits.Value.Beside(fairness.Value(*v), fairness.Value(q.Bound), q.AtLeast, digits.Nearest)
	return text
}

// certificate says how well the optimisation converged.
func certificate(r *train.Report) string {
	switch {
	case r.OnDecisions() && r.Status == solver.Converged:
		better := "is more accurate"
		if r.Costs != nil {
			better = "costs less"
		}
		return fmt.Sprintf("The smooth problem that the classifier is made of (temperature %v) is solved to a KKT residual of %.1e; made by: %s. That no other linear classifier %s is not proved.", r.Temperature, r.ScaledResidual, r.MadeBy, better)
	case r.OnDecisions():
		return fmt.Sprintf("The smooth problem that the classifier is made of (temperature %v) is solved only to a KKT residual of %.1e, above the tolerance %.0e.", r.Temperature, r.ScaledResidual, r.Tolerance)
	case r.Status == solver.Converged:
		text := fmt.Sprintf("Certified: the first-order conditions of a minimum under the requirements (KKT) hold to within %.0e", r.Tolerance)
		if r.Temperature != 1 {
			text += fmt.Sprintf("; what is minimal is the loss at %v times the model's margins", r.Temperature)
		}
		return text + "."
	}
	return fmt.Sprintf("Not optimal: the KKT residual %.1e is above %.0e, so that a classifier nearby may have a lower objective.", r.ScaledResidual, r.Tolerance)
}

// priceOf says what the requirements cost in accuracy.
func priceOf(r *train.Report) string {
	if r.Baselines == nil || r.Train == nil {
		return ""
	}
	free, majority := r.Baselines.Unconstrained, r.Baselines.Majority
	if len(r.Requirements) == 0 {
		return fmt.Sprintf("Accuracy: %v on the training rows; the same answer for everybody has %.4f.", r.Train.Accuracy, majority.Train.Accuracy)
	}
	points := math.Round(1e4*(float64(r.Train.Accuracy)-free.Train.Accuracy))/100 + 0 // never −0
	text := fmt.Sprintf("Price: accuracy %v on the training rows, %.4f without the requirements: %+.2f points", r.Train.Accuracy, free.Train.Accuracy, points)
	var held []string
	if r.Validation != nil && free.Validation != nil {
		held = append(held, fmt.Sprintf("validation rows: %v, %.4f", r.Validation.Accuracy, free.Validation.Accuracy))
	}
	if r.Test != nil && free.Test != nil {
		held = append(held, fmt.Sprintf("test rows: %v, %.4f", r.Test.Accuracy, free.Test.Accuracy))
	}
	if len(held) > 0 {
		text += " (" + strings.Join(held, "; ") + ")"
	}
	switch {
	case r.Costs != nil:
		text += fmt.Sprintf("; it was not chosen by its accuracy: a wrong positive decision costs %.4g and a missed one %.4g", r.Costs.WrongPositive, r.Costs.Missed)
	case points > 0 && r.OnDecisions() && r.Satisfied() && !r.Baselines.Unfinished && (r.Rounds > 1 || r.MadeBy != train.AsSolved):
		text += "; it was chosen by its training accuracy among many candidates, the other one is a single fit"
	}
	text += fmt.Sprintf("; the same answer for everybody has %.4f.", majority.Train.Accuracy)
	if r.Baselines.Unfinished {
		text += " Training without the requirements ended before its tolerance, so the price may be larger: --max-passes allows more."
	}
	if len(r.Withheld) > 0 {
		text += fmt.Sprintf(" The model without the requirements lacks %s, too: what leaving that out costs is no part of the price.", strings.Join(r.Withheld, ", "))
	}
	return text
}
