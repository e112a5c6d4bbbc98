package words

import (
	"fmt"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
)

// Judged is a verdict at one look in a table.
type Judged struct {
	Name, Value, Interval, Bound, Verdict string
}

// JudgedHead are the titles of its columns at a level.
func JudgedHead(level float64) []string {
	return []string{"Constraint", "Value", Confidence(level) + " interval", "Bound", "Verdict"}
}

// marks show an answer at a glance.
var marks = map[guarantee.Answer]string{
	guarantee.Satisfied: "✓ ", guarantee.Violated: "✗ ", guarantee.Undecided: "? ",
}

// JudgmentOf is a judgment in the words of a table.
func JudgmentOf(j *guarantee.Judgment) Judged {
	form := formOf(j.Measure)
	low, high, at := form.Limits(Optional(j.Lower), Optional(j.Upper), fairness.Value(j.Bound), j.AtLeast)
	f := Finding{AtLeast: j.AtLeast}
	return Judged{
		Name:     named(j.Spec, j.On, j.Measure),
		Value:    Terse(form.Text(Optional(j.Value))),
		Interval: "[" + low + ", " + high + "]",
		Bound:    f.Limit() + at, Verdict: marks[j.Verdict] + string(j.Verdict),
	}
}

// Approximate says why limits are not exact.
const Approximate = "Rows have weights: intervals and verdicts are approximate."

// JudgmentNotes are what else a reader of judgments must know. seen says that the rows had a part in
// training.
func JudgmentNotes(list []guarantee.Judgment, seen bool) (notes []string) {
	approximate := false
	for k := range list {
		j := &list[k]
		approximate = approximate || j.Approximate
		if len(j.Without) > 0 {
			notes = append(notes, fmt.Sprintf("The rows have nobody of %s%s, so nothing is known of such people; %s,min-rows=1 leaves them out.",
				And(j.Without), guarantee.Verdict{Measure: j.Measure}.OfLabel(), j.Spec))
		}
		switch {
		case j.Verdict != guarantee.Undecided || len(j.Without) > 0:
		case j.RowsNeeded != nil:
			notes = append(notes, wouldDecide(*j.RowsNeeded, j.Spec))
		case j.Value == nil:
			notes = append(notes, j.Spec+" can't be judged: nobody is selected.")
		}
	}
	if approximate {
		notes = append(notes, Approximate)
	}
	if seen {
		notes = append(notes,
			"The model was trained on rows of this file: the verdicts say nothing about other people.")
	}
	return notes
}

// wouldDecide says how many rows would decide a constraint.
func wouldDecide(rows int, spec string) string {
	return fmt.Sprintf("About %s rows like these would probably decide %s.",
		Thousands(guarantee.RoundUp(rows)), spec)
}

// named is a specification, with what it is on where one would take it for one on decisions.
func named(spec, on string, m guarantee.Measure) string {
	return guarantee.Verdict{Spec: spec, On: on, Measure: m}.Name()
}

// formOf is how figures of a measure are written.
func formOf(measure guarantee.Measure) Form {
	name := string(measure)
	switch {
	case strings.HasSuffix(name, "_difference"), name == Shortfall:
		return Points
	case strings.HasSuffix(name, "_ratio"):
		return Ratio
	}
	return Percent
}
