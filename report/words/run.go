package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// Ending is the first line about a run that did not end well; "" for others. Of thresholds, it may be proved
// that none satisfy the constraints.
func Ending(status solver.Status, impossible bool) string {
	switch status {
	case solver.Diverged:
		return "Diverged: the values are those of the best intermediate point. No model is written."
	case solver.Interrupted:
		return "Interrupted: the values are those of the best point so far."
	case solver.Exhausted:
		return "Not optimal: training ended before its tolerance was reached; a more accurate classifier may be near."
	case train.NotReached:
		if impossible {
			return "Not reached: no thresholds of these groups satisfy every constraint. Those that come closest:"
		}
		return "Not reached: no classifier was found that satisfies every constraint; there may be one. The closest one found:"
	}
	return ""
}

// AlreadySatisfied says that the model is the unconstrained one, or a given score, which satisfies so
// many constraints.
func AlreadySatisfied(constraints int, given string) string {
	what := "The constraint is"
	if constraints > 1 {
		what = "All constraints are"
	}
	if given != "" {
		return what + " already satisfied by " + given + " as given: nothing is changed."
	}
	return what + " already satisfied by the unconstrained model: it is kept."
}

// GivenBaseline says what the baseline is where a score was given; "" where a model was trained.
func GivenBaseline(given string) string {
	if given == "" {
		return ""
	}
	return fmt.Sprintf("The unconstrained baseline is the score %s as given, which this model adjusts.", given)
}

// Adjusted says what became of a given score: the thresholds, and whether they are the best ones. It is ""
// for a model that was trained.
func Adjusted(r *train.Report) string {
	switch {
	case r.Given == "" || r.AlreadySatisfied:
		return ""
	case r.Thresholds == nil:
		return fmt.Sprintf("The log-odds of %s is corrected by the other columns; no decision depends on the groups themselves.", r.Given)
	}
	if len(r.Thresholds) == 1 {
		return fmt.Sprintf("Threshold of %s: %.4g.", r.Given, r.Thresholds[0].Score)
	}
	const most = 8
	var list []string
	for _, t := range r.Thresholds[:min(most, len(r.Thresholds))] {
		group := t.Group
		if t.Rows == 0 {
			group = "rows of other groups"
		}
		list = append(list, fmt.Sprintf("%s %.4g", group, t.Score))
	}
	if more := len(r.Thresholds) - most; more > 0 {
		list = append(list, fmt.Sprintf("%d more in the model", more))
	}
	text := fmt.Sprintf("Thresholds of %s: %s.", r.Given, strings.Join(list, ", "))
	better := "more accurate"
	if r.Costs != nil {
		better = "cheaper by the costs of mistakes"
	}
	switch {
	case !r.Satisfied():
		return text
	case *r.Gap > 0:
		return text + fmt.Sprintf(" Others that satisfy the bounds trained for are at most %.2g percentage points %s on the training rows.", 100*float64(*r.Gap), better)
	}
	return text + fmt.Sprintf(" No others that satisfy the bounds trained for are %s on the training rows.", better)
}

// Optimality is how well the optimisation converged.
type Optimality struct {
	Residual, Tolerance float64 // the latter 0 if unknown
	Temperature         float64
	Decisions           bool   // they were made from the solution of a smooth problem
	FoundBy             string // how; "" if unknown
	Costs               bool   // they were chosen by what wrong ones cost
}

// OptimalityOf is that of a run.
func OptimalityOf(r *train.Report) Optimality {
	return Optimality{r.ScaledResidual, r.Tolerance, r.Temperature, r.OnDecisions(), r.MadeBy, r.Costs != nil}
}

// Sentence is the optimality certificate in words.
func (o Optimality) Sentence() string {
	of := "training problem"
	if o.Temperature != 0 && o.Temperature != 1 {
		of += fmt.Sprintf(" (temperature %v)", o.Temperature)
	}
	text := fmt.Sprintf("Optimality certificate: the KKT residual of the %s is %.1e", of, o.Residual)
	switch {
	case o.Tolerance == 0:
		text += " (0 is a stationary point)."
	case o.Residual <= o.Tolerance:
		text += fmt.Sprintf(", within the tolerance %.0e.", o.Tolerance)
	default:
		text += fmt.Sprintf(", above the tolerance %.0e.", o.Tolerance)
	}
	switch {
	case o.FoundBy == train.ByThresholds:
		return "Nothing was trained: thresholds of the given score were found by an exact search."
	case !o.Decisions:
		return text
	}
	if o.FoundBy != "" && o.FoundBy != "solution" { // which is it as it is
		text += " The classifier was found from its solution by " + o.FoundBy + "."
	}
	better := "more accurate"
	if o.Costs {
		better = "cheaper"
	}
	return text + " Global optimality is not guaranteed; a " + better + " classifier may exist."
}

// Monotone says in which numbers a score is monotone by constraint, and where that binds; "" for none.
func Monotone(list []classifier.Monotone) string {
	var texts []string
	for _, m := range list {
		text := "never falls with "
		if m.Direction == tabular.Falling {
			text = "never rises with "
		}
		binds := "not binding"
		switch {
		case m.Binding > 0 && m.Steps == 0:
			binds = "binding: it has no effect"
		case m.Binding > 0:
			binds = fmt.Sprintf("binding at %d of %d steps", m.Binding, m.Steps)
		}
		texts = append(texts, fmt.Sprintf("%s%s (%s)", text, m.Column, binds))
	}
	if texts == nil {
		return ""
	}
	return "Monotone: the score " + And(texts) + "."
}

// Cost is what constraints cost in accuracy on a set of rows.
type Cost struct {
	Role          Role           `json:"role"`
	Accuracy      fairness.Value `json:"accuracy"`
	Unconstrained fairness.Value `json:"unconstrained_accuracy"`
	// by the constraints: the difference of the two, mostly below 0
	Gain       fairness.Value `json:"gain"`
	Majority   fairness.Value `json:"majority_accuracy"` // of the majority-class baseline
	Unfinished bool           `json:"unconstrained_unfinished,omitempty"`
}

// Costs are those of a run, on its sets of rows.
func Costs(r *train.Report) []Cost {
	if r.Baselines == nil {
		return nil
	}
	var list []Cost
	free, majority := &r.Baselines.Unconstrained, &r.Baselines.Majority
	for _, set := range []struct {
		role           Role
		f              *train.Figures
		free, majority *train.BaselineFigures
	}{
		{Training, r.Train, free.Train, majority.Train},
		{Validation, r.Validation, free.Validation, majority.Validation},
		{Held, r.Test, free.Test, majority.Test},
	} {
		if set.f != nil && set.free != nil && set.majority != nil {
			c := Cost{set.role, set.f.Accuracy, fairness.Value(set.free.Accuracy), 0, fairness.Value(set.majority.Accuracy), r.Baselines.Unfinished}
			c.Gain = c.Accuracy - c.Unconstrained
			list = append(list, c)
		}
		if set.role == Training && r.Unseen != nil {
			list = append(list, UnseenCost(r.Unseen, fairness.Value(majority.Train.Accuracy)))
		}
	}
	return list
}

// UnseenCost is the cost on unseen rows.
func UnseenCost(u *classifier.Unseen, majority fairness.Value) Cost {
	return Cost{Role: Unseen, Accuracy: u.Accuracy, Unconstrained: u.Unconstrained, Gain: u.Accuracy - u.Unconstrained, Majority: majority}
}

// OutOfReach says how near the bounds one comes on unseen rows, and at what cost, if no setting of the
// search met them there; "" if one did. The accuracy of the majority-class baseline is given.
func OutOfReach(u *classifier.Unseen, list []Finding, majority fairness.Value) string {
	if u.Settings == 0 || u.Met {
		return ""
	}
	bounds, equal := "the bound", ""
	if len(list) > 1 {
		bounds = "all bounds"
	}
	if !slices.ContainsFunc(list, func(f Finding) bool { return !f.keptByConstants() }) {
		equal = ", whose rates do not differ,"
	}
	few := ""
	if n, ok := fewest(list); ok {
		few = fmt.Sprintf(" A group of %s people is among those furthest apart: min-rows=N in a constraint leaves out groups of fewer than N.", Thousands(n))
	}
	which := fmt.Sprintf("None of %d settings met %s in cross-validation. This one is the most accurate of those within a standard error of the nearest", u.Settings, bounds)
	if u.Settings == 1 {
		which = fmt.Sprintf("The only setting did not meet %s in cross-validation. It is kept", bounds)
	}
	return fmt.Sprintf("%s, with %s on unseen rows: the unconstrained baseline has %s, the majority-class baseline%s %s.%s",
		which, Percent.Text(u.Accuracy), Percent.Text(u.Unconstrained), equal, Percent.Text(majority), few)
}

// fewest returns the size of the smallest group that makes a difference or ratio of several groups, if it
// is so small that its rate is known to 5 percentage points at best.
func fewest(list []Finding) (rows int, ok bool) {
	const few, several = 100, 3
	rows = few
	for _, f := range list {
		for _, v := range f.Values {
			if e := v.Extremes; e != nil && e.Groups >= several {
				rows = min(rows, e.Lowest.Rows, e.Highest.Rows)
			}
		}
	}
	return rows, rows < few
}

// Sentence is the cost on these rows.
func (c *Cost) Sentence(constraints int) string {
	if constraints == 0 || !c.Unconstrained.Defined() {
		return fmt.Sprintf("Accuracy on the %s rows: %s; the majority-class baseline has %s.",
			c.Role, Percent.Text(c.Accuracy), Percent.Text(c.Majority))
	}
	of := "constraint"
	if constraints > 1 {
		of += "s"
	}
	return fmt.Sprintf("Cost of the %s on the %s rows: %s of accuracy, which is %s; the unconstrained baseline has %s, the majority-class baseline %s.",
		of, c.Role, Signed(c.Gain), Percent.Text(c.Accuracy), Percent.Text(c.Unconstrained), Percent.Text(c.Majority))
}

// CostNotes are what a reader of costs must know.
func CostNotes(list []Cost) []string {
	var notes []string
	if slices.ContainsFunc(list, func(c Cost) bool { return c.Unfinished }) {
		notes = append(notes, "The unconstrained baseline ended before its tolerance was reached: the cost may be larger.")
	}
	var gained []string
	for _, c := range list {
		if c.Gain > 0 && c.Role != Unseen {
			gained = append(gained, string(c.Role))
		}
	}
	if gained != nil {
		notes = append(notes, fmt.Sprintf("On the %s rows the classifier is more accurate than the unconstrained baseline. The constraint is not the reason: it was chosen among many candidates, the baseline is a single fit.", And(gained)))
	}
	return notes
}

// ForTraining says that constraints that are not met on unseen rows were to be met on those of
// training; "" otherwise.
func ForTraining(r *train.Report, list []Finding) string {
	if r.Aim != train.AimTraining || !slices.ContainsFunc(list, func(f Finding) bool {
		v := f.Value(Unseen)
		return v != nil && !v.Met
	}) {
		return ""
	}
	return "The search was for the training rows (--aim training); --aim unseen looks for what meets the bounds on others."
}

// Constant says that decisions on rows are constant or nearly so; "" if they are not. It adds
// that no two groups differ where constant decisions satisfy all constraints.
func Constant(people string, selected float64, rows int, list []Finding) string {
	who := "Nobody"
	switch {
	case selected == 1:
		who = "Everybody"
	case selected == 0:
	case fairness.NearlyConstant(selected, rows):
		return fmt.Sprintf("%s of the decisions on the %s are positive: they are nearly constant.",
			Percent.Text(fairness.Value(selected)), people)
	default:
		return ""
	}
	alike := ""
	if len(list) > 0 && !slices.ContainsFunc(list, func(f Finding) bool { return !f.keptByConstants() }) {
		alike = ": so no two groups differ"
	}
	return fmt.Sprintf("%s is selected on the %s%s.", who, people, alike)
}

// keptByConstants reports whether groups are compared by rates that decisions that are the same for
// everybody make equal: others than those of errors.
func (f *Finding) keptByConstants() bool {
	return f.compares() && f.On != train.Scores && !strings.HasPrefix(f.Measure, "error_rate")
}

// NoBetter says that accuracy on so many rows is not above that of the majority-class baseline; ""
// if it is. selected and positives are the shares of positive decisions and labels.
func NoBetter(people string, rows int, accuracy, majority, selected, positives fairness.Value) string {
	if !fairness.NoBetterThanConstant(float64(accuracy-majority), float64(selected), float64(positives), rows) {
		return ""
	}
	text, of, is := Percent.Text(accuracy), Percent.Text(majority), "not significantly above"
	if accuracy < majority && text != of {
		is = "below"
	}
	return fmt.Sprintf("The accuracy on the %s, %s, is %s the %s of the majority-class baseline.", people, text, is, of)
}
