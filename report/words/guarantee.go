package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train"
)

// Certificate is the outcome of a test on rows that had no part in training.
type Certificate = guarantee.Certificate

// Statement is the outcome in a sentence.
func Statement(g *Certificate) string {
	var all, failed, violated []string
	for _, v := range g.Requirements {
		all = append(all, v.Name())
		switch {
		case v.Answer == guarantee.Violated:
			violated = append(violated, v.Name())
		case !v.Holds:
			failed = append(failed, v.Name())
		}
	}
	rows := fmt.Sprintf("the %s rows of %s", Thousands(g.Rows), g.Data)
	text := fmt.Sprintf("Guaranteed with %s confidence: %s %s satisfied for the people that %s were drawn from",
		Confidence(g.Confidence), And(all), are(all), rows)
	switch {
	case violated != nil:
		each := ""
		if len(violated) > 1 {
			each = " each"
		}
		text = fmt.Sprintf("Violated%s with %s confidence: %s %s not satisfied for the people that %s were drawn from",
			each, Confidence(g.TestedAt), And(violated), are(violated), rows)
	case failed != nil:
		return fmt.Sprintf("Not guaranteed: %s do not show with %s confidence that %s %s satisfied.",
			rows, Confidence(g.TestedAt), And(failed), are(failed))
	}
	const many = 12
	switch names := g.Groups(); {
	case len(names) > many:
		text += fmt.Sprintf(", in the %d groups of these rows", len(names))
	case len(names) > 0:
		text += ", in " + And(names)
	}
	for k, condition := range Conditions(g) {
		text += []string{", ", ", and "}[min(k, 1)] + condition
	}
	return text + "."
}

// InTest says for each constraint of a test its value on the rows of the test, beside its bound.
func InTest(g *Certificate) string {
	var values []string
	for k := range g.Requirements {
		t := TestOf(&g.Requirements[k])
		values = append(values, fmt.Sprintf("%s is %s (%s)", t.Name, t.Estimate, t.Bound))
	}
	return fmt.Sprintf("On the %s rows of the test %s.", Thousands(g.Rows), strings.Join(values, ", "))
}

func are(list []string) string {
	if len(list) == 1 {
		return "is"
	}
	return "are"
}

// Conditions are what a guarantee rests on that nobody could check.
func Conditions(g *Certificate) []string {
	list := []string{}
	if !g.TrainingRowsChecked {
		list = append(list, "if none of these rows was used in training, which could not be checked")
	}
	if g.EarlierTests > 0 {
		list = append(list, "if the choice of a test of these rows depended only on whether earlier tests were passed")
	}
	return list
}

// AssumptionInShort is what a test assumes, in a line of a terminal.
const AssumptionInShort = "Assumes new people come from the same population; docs/guarantee.md"

// Assumption is what a test assumes.
func Assumption(g *Certificate) string { return "The test assumes that " + g.Assumption + "." }

// GuaranteeNotes are what else a reader of the statement must know.
func GuaranteeNotes(g *Certificate) []string {
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, v := range g.Requirements {
		for _, s := range v.TooSmall {
			say("%s is too small: it has %s rows%s, and needs about %s even if the groups are treated alike.",
				s.Group, Thousands(s.Rows), v.OfLabel(), Thousands(s.AboutNeeded()))
		}
	}
	if g.WhyUnchecked != "" {
		say("The rows could not be compared with the training rows: %s.", g.WhyUnchecked)
	}
	for _, remark := range g.Remarks {
		say("%s.", Capital(remark))
	}
	if g.EarlierTests > 0 {
		say("Earlier tests of these rows: %d. So this one is at %s confidence: all tests after the first for which %s or more was wanted together err with a probability of at most %.6g %%.",
			g.EarlierTests, Confidence(g.TestedAt), Confidence(g.Confidence), 100*(1-g.Confidence))
	}
	if len(g.Requirements) > 1 {
		say("Each confidence limit has %s confidence by itself: of several, one may be wrong more often.", Confidence(g.TestedAt))
	}
	if !g.Holds && slices.ContainsFunc(g.Requirements, func(v guarantee.Verdict) bool { return v.Holds }) {
		say("The test as a whole was not passed: a constraint that is guaranteed all the same is guaranteed for itself alone.")
	}
	return notes
}

// RowsNeeded says how many rows would pass a test that was not passed, or show a violation; "" if it
// was passed or has shown one.
func RowsNeeded(g *Certificate) string {
	const like = ", if the people are like these rows."
	if g.Holds || g.Violated() {
		return ""
	}
	if g.RowsNeeded != nil {
		rows, times := g.AboutNeeded(*g.RowsNeeded)
		return fmt.Sprintf("About %s rows would probably be enough%s%s", Thousands(rows), times, like)
	}
	for _, v := range g.Requirements {
		if v.Answer == guarantee.Undecided && v.RowsNeeded != nil && v.Beyond() {
			rows, times := g.AboutNeeded(*v.RowsNeeded)
			return fmt.Sprintf("About %s rows would probably show that %s is violated%s%s", Thousands(rows), v.Name(), times, like)
		}
	}
	return "If the people are like these rows, no number of rows gives this classifier a guarantee."
}

// TrainedFor says with which bounds a classifier was trained to pass the test; "" for none.
func TrainedFor(g *train.Guarantee) string {
	if g.TrainedFor == nil {
		return ""
	}
	var tested []string
	for _, v := range g.Requirements {
		tested = append(tested, v.Spec)
	}
	aim := "the bounds as given"
	if !slices.Equal(g.TrainedFor, tested) {
		aim = "tighter bounds, so that the test may be passed: " + strings.Join(g.TrainedFor, ", ")
	}
	return fmt.Sprintf("Trained for %s. Judged by the training rows, the probability to pass the test was about %.2g.", aim, g.Power)
}

// Tested is a constraint of a test in a table.
type Tested struct {
	Name, Estimate, Limit, Bound, Verdict, DecidedBy string
}

// TestedHead are the titles of its columns but the last.
var TestedHead = []string{"Constraint", "In these rows", "Confidence limit", "Bound", "Guaranteed?"}

// TestOf is a verdict of a test in the words of a table.
func TestOf(v *guarantee.Verdict) Tested {
	form := formOf(v.Measure)
	f := Finding{AtLeast: v.FromBelow() != (v.Answer == guarantee.Violated)}
	limit := Optional(v.Upper)
	if f.AtLeast {
		limit = Optional(v.Lower)
	}
	t := Tested{Name: v.Name(), Verdict: "✓ yes"}
	if v.Measure == Shortfall {
		t.Name += ": mean score of all others minus that of the group"
	}
	t.Estimate = form.Text(Optional(v.Estimate))
	t.Limit, t.Bound = form.WithBound(limit, fairness.Value(v.Bound), f.AtLeast, f.Outward())
	t.Limit = f.Limit() + t.Limit
	f.AtLeast = v.FromBelow()
	t.Bound = f.Limit() + t.Bound
	if !v.Holds {
		t.Verdict, t.DecidedBy = "✗ no", v.Worst
	}
	if v.Answer == guarantee.Violated {
		t.Verdict = "✗ violated"
	}
	return t
}

// Optional is a figure that is undefined for nil.
func Optional(v *float64) fairness.Value {
	if v == nil {
		return fairness.Undefined()
	}
	return fairness.Value(*v)
}
