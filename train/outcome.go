package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
)

// How runs end, beyond the endings of a method: solver.Converged if all that was asked for
// was reached, solver.Exhausted if every requirement holds but the tolerance is not
// reached, solver.Diverged and solver.Interrupted.
const (
	// NotReached is the ending of a run whose classifier, the closest one found, violates a
	// requirement. A classifier that satisfies the requirement may exist.
	NotReached solver.Status = "not-reached"
	// Infeasible is the ending of a run whose requirements can't be satisfied by any scores
	// or decisions, with a proof (model.Contradiction).
	Infeasible solver.Status = "infeasible"
)

// conclude decides how a run ended; ended is the ending of the method.
func (r *Report) conclude(t *task, ended solver.Status) error {
	satisfied := r.Satisfied()
	switch {
	case ended == solver.Interrupted || ended == solver.Diverged:
		r.Status = ended
	case satisfied && r.ScaledResidual <= r.Tolerance:
		r.Status = solver.Converged
	default:
		r.Status = NotReached
		if satisfied {
			r.Status = solver.Exhausted
		}
		// Within the tolerance, scores near 0 satisfy shares that no scores satisfy exactly.
		var err error
		if r.Conflict, err = t.contradiction(); err != nil {
			return err
		}
		if r.Conflict != nil {
			r.Status = Infeasible
		}
	}
	r.warn(t)
	return nil
}

// contradiction returns the specifications of constraints that no scores or decisions
// satisfy; nil if it finds no such constraints.
func (t *task) contradiction() ([]string, error) {
	plain := t.Model
	plain.Shift, plain.Start, plain.Weights, plain.Remote = nil, nil, nil, nil
	fair, err := model.New(t.Data, t.ConstraintData, t.surrogates(), plain)
	if err != nil {
		return nil, err
	}
	return fair.Contradiction(), nil
}

// judgedRows are figures of rows.
type judgedRows struct {
	rows    string
	figures *Figures
}

// worseThanChance reports whether scores rank positives below negatives, by more than twice the standard error
// that the AUC of scores without information has (Mann and Whitney).
func (s judgedRows) worseThanChance() bool {
	n, m := float64(s.figures.Positives), float64(s.figures.Negatives)
	auc := s.figures.AUC
	return auc.Defined() && float64(auc) < 0.5-2*math.Sqrt((n+m+1)/(12*n*m))
}

// constant says whether decisions are the same answer for everybody, or nearly so, "" if they are not.
func (s judgedRows) constant() string {
	selected := float64(s.figures.SelectionRate)
	switch {
	case selected == 0 || selected == 1:
		return fmt.Sprintf("All decisions on the %s rows are the same, so their rates cannot differ between groups.", s.rows)
	case fairness.NearlyConstant(selected, s.figures.Rows) && selected < 0.5:
		return fmt.Sprintf("Only %.2f %% of the decisions on the %s rows are positive: nearly the same answer for everybody.", 100*selected, s.rows)
	case fairness.NearlyConstant(selected, s.figures.Rows):
		return fmt.Sprintf("%.2f %% of the decisions on the %s rows are positive: nearly the same answer for everybody.", 100*selected, s.rows)
	}
	return ""
}

// warn adds to the verdict: decisions may be nearly constant, or no better than the same
// answer for everybody, and scores may rank rows worse than chance.
func (r *Report) warn(t *task) {
	say := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	sets := slices.DeleteFunc([]judgedRows{{"training", r.Train}, {"validation", r.Validation}, {"test", r.Test}}, func(s judgedRows) bool {
		return s.figures == nil || !s.figures.Accuracy.Defined()
	})
	for _, set := range sets {
		if warning := set.constant(); warning != "" {
			say("%s", warning)
			break
		}
	}
	const roundoff = 1e-9
	if r.Train.TPR >= 1-roundoff && r.Train.FPR <= roundoff {
		text := "Every decision on the training rows is right, as it will hardly be for other people: rows held out (--validation, --test) show that."
		if t.Model.L2 == 0 {
			text += " Weights have no natural size then, nor have odds ratios and scores: a penalty (--l2) gives them one."
		}
		say("%s", text)
	}
	if t.ConstraintData.Weighted() {
		if slices.ContainsFunc(r.Requirements, func(q Requirement) bool { return q.Measure == "share" }) {
			say("The rows have weights: rates and accuracies count each row by its weight, but the share of a group in all scores counts all rows alike.")
		} else {
			say("The rows have weights: rates and accuracies count each row by its weight. What holds for them need not hold for the people counted alike.")
		}
	}
	r.Warnings = append(r.Warnings, t.leftOut()...)
	for _, set := range sets {
		if selected := r.Train.SelectionRate; set.worseThanChance() && selected > 0 && selected < 1 {
			say("The scores rank the %s rows worse than chance (AUC %.4f): nobody should be ordered by them.", set.rows, set.figures.AUC)
			break
		}
	}
	if r.Costs != nil {
		return // accuracy is not what was asked for
	}
	for _, set := range sets {
		positives := float64(set.figures.Positives / (set.figures.Positives + set.figures.Negatives))
		accuracy, majority := float64(set.figures.Accuracy), max(positives, 1-positives)
		if fairness.NoBetterThanConstant(accuracy-majority, float64(set.figures.SelectionRate), positives, set.figures.Rows) {
			say("Accuracy %.4f on the %s rows is not above %.4f, the accuracy of the same answer for everybody, beyond chance.", accuracy, set.rows, majority)
		}
	}
}

// withheld returns the attributes that requirements are about and that no feature tells directly.
func (t *task) withheld() []string {
	if t.Encoding == nil {
		return nil
	}
	specs := model.GroupsOf(t.requirements()...)
	used := t.Encoding.UsesGroups(specs)
	return slices.DeleteFunc(dataset.AttributesIn(specs...), func(name string) bool { return slices.Contains(used, name) })
}

// leftOut says how many rows are in no group, for every specification of several groups of a constraint: those
// of races among women leave out all men. A single group is compared with all others, who may have an unknown
// membership.
func (t *task) leftOut() (warnings []string) {
	if t.sampled() {
		return nil
	}
	var specs []string
	for _, c := range t.requirements() {
		specs = append(specs, model.GroupsOf(c)...)
	}
	slices.Sort(specs)
	for _, spec := range slices.Compact(specs) {
		for _, remark := range t.ConstraintData.LeftOut(spec) {
			warnings = append(warnings, remark+".")
		}
	}
	return warnings
}
