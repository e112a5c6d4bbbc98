package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
)

// Must says what the constraint demands.
func (f *Finding) Must() string { return Capital(f.Words().must + " " + f.Bounds()) }

// Sentence is the verdict on the constraint, and its value on all rows.
func (f *Finding) Sentence() string { return f.mark(f.Outcome()) + ": " + f.values() }

// Below is the sentence below a heading that is the verdict.
func (f *Finding) Below() string {
	if f.Outcome() == NotOnNewRows { // which has no words for the rows
		return f.Sentence()
	}
	return Capital(f.values())
}

// values are the values on all rows, in a sentence that begins in lower case.
func (f *Finding) values() string {
	if f.Outcome() == NotJudged {
		return fmt.Sprintf("the rows say nothing about %s, as %s.", f.Spec, f.lacking(&f.Values[0]))
	}
	if fitted := &f.Values[0]; fitted.Nobody && fitted.Role.Counted() && len(f.judgedValues()) == 0 {
		return fmt.Sprintf("no decision on the %s is positive, so there is nothing to share or compare (%s).", fitted.People(), f.Bounds())
	}
	m := f.Words()
	var values []string
	for _, v := range f.judgedValues() {
		text := f.Text(v)
		if values != nil {
			text = strings.TrimSuffix(text, Points.Unit)
		}
		if v.Role == Unseen {
			values = append(values, text+" on unseen rows by cross-validation")
		} else {
			values = append(values, text+" on the "+v.People())
		}
	}
	text := fmt.Sprintf("%s %s (%s).", m.say, And(values), f.Bounds())
	if interval := f.Interval(f.Values[0]); f.OnNewRows() && interval != "" {
		text += fmt.Sprintf(" The 95 %% confidence interval is %s.", interval)
	}
	if e := f.extremes(); e != nil {
		x := e.Extremes
		switch low, high := rateOf(x.Lowest, x.Rate), rateOf(x.Highest, x.Rate); {
		case !f.isRate():
			text += fmt.Sprintf(" Furthest apart on the %s: %s and %s.", e.People(), low, high)
		case f.AtLeast:
			text += fmt.Sprintf(" Lowest on the %s: %s.", e.People(), low)
		default:
			text += fmt.Sprintf(" Highest on the %s: %s.", e.People(), high)
		}
	}
	return text
}

// Text is the value as it compares with its bound, with its standard error if it has one.
func (f *Finding) Text(v Value) string {
	m := f.Words()
	text, _ := m.WithBound(v.Value, v.Bound, f.AtLeast, Nearest)
	if v.SE == nil {
		return text
	}
	return strings.TrimSuffix(text, m.Unit) + " ± " + m.Text(fairness.Value(*v.SE))
}

// mark is the verdict in a few words.
func (f *Finding) mark(outcome Outcome) string {
	if outcome != NotOnNewRows {
		return outcome.Heading()
	}
	fitted := Training
	if f.Values[0].Role == Constraints {
		fitted = Constraints
	}
	within := ""
	if len(f.WithinOneDecision) > 0 {
		within = " within one decision of each group"
	}
	return fmt.Sprintf("Met%s on %s data; NOT met on %s data", within, fitted, And(f.violatedOn()))
}

func (f *Finding) judgedValues() []Value {
	return slices.DeleteFunc(slices.Clone(f.Values), func(v Value) bool { return !v.judged() })
}

// extremes is the last value that names the groups that make it, if it compares more than two.
func (f *Finding) extremes() *Value {
	for k := len(f.Values) - 1; k >= 0; k-- {
		if v := &f.Values[k]; v.Extremes != nil {
			if v.Extremes.Groups > 2 || f.isRate() {
				return v
			}
			return nil
		}
	}
	return nil
}

// rateOf is the rate of a group: "sex=Female (10.9 % of 5,421 people)".
func rateOf(g model.GroupRate, rate string) string {
	people := ""
	if g.Rows > 0 {
		people = " of 1 person"
		if g.Rows > 1 {
			people = fmt.Sprintf(" of %s people", Thousands(g.Rows))
		}
		people += withLabel(rate)
	}
	return fmt.Sprintf("%s (%s%s)", g.Group, Percent.Text(fairness.Value(g.Value)), people)
}

// withLabel says of which label the people are that a rate, or a measure of rates, is about.
func withLabel(rate string) string {
	switch {
	case strings.Contains(rate, "true_positive"), strings.Contains(rate, "_of_positives"):
		return " with the positive label"
	case strings.Contains(rate, "false_positive"), strings.Contains(rate, "true_negative"), strings.Contains(rate, "_of_negatives"):
		return " with the negative label"
	case strings.HasPrefix(rate, "equalized_odds"):
		return " with one of the labels"
	}
	return ""
}

// People are the rows: "16,281 test rows".
func (v *Value) People() string { return People(v.Role, v.Rows) }

// People are rows of a role.
func People(role Role, rows int) string {
	if role == Unseen { // how many is for the details
		return "unseen rows"
	}
	return Thousands(rows) + " " + role.Rows()
}

// Notes are what a reader of the verdict must know, the most important first.
func (f *Finding) Notes() []string {
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	outcome, others := f.Outcome(), f.hasOthers()
	told := slices.Clone(f.TooSmall) // groups that are left out
	for _, v := range f.Values {
		if v.Role == Certified || v.Nobody && v.Role.Counted() {
			continue
		}
		undecided := v.Answer == guarantee.Undecided
		switch {
		case f.OnNewRows() && undecided && v.RowsNeeded != nil:
			say("%s", wouldDecide(*v.RowsNeeded, f.Spec))
		case f.OnNewRows() && v.Value.Defined():
		case v.Role == Unseen && others && outcome == Satisfied && !v.Met:
			say("%s is met on the rows held out, but not in cross-validation.", f.Spec)
		case v.Role == Unseen && others:
		case !v.Value.Defined() && outcome != NotJudged:
			say("The %s say nothing about %s: %s.", v.People(), f.Spec, f.lacking(&v))
		case undecided && !v.Met:
			say("%s is not met on the %s, which is not statistically significant: the confidence interval includes the bound.", f.Spec, v.People())
		case undecided && outcome == Satisfied:
			say("%s is met on the %s, but the confidence interval includes values beyond the bound.", f.Spec, v.People())
		}
		without := slices.DeleteFunc(slices.Clone(v.Without), func(name string) bool { return slices.Contains(told, name) })
		told = append(told, without...)
		switch {
		case len(without) == 0:
		case v.Role == Unseen:
			say("%s: too few rows for cross-validation, so %s is judged without them on unseen rows.", And(without), f.Spec)
		case v.Role.Counted():
			of := ""
			if f.Measure == "equalized_odds_difference" {
				of = " of the rate that needs it"
			}
			say("The %s have nobody of %s%s: %s leaves them out%s.", v.People(), And(without), withLabel(f.Measure), f.Spec, of)
		default:
			say("The %s have nobody of %s%s: %s is judged without them there.", v.People(), And(without), withLabel(f.Measure), f.Spec)
		}
	}
	if names := f.TooSmall; len(names) > 0 {
		which := And(names)
		if most := 10; len(names) > most {
			which = fmt.Sprintf("%s and %d more groups", strings.Join(names[:most], ", "), len(names)-most)
		}
		say("%s leaves out %s.", f.Spec, which)
	}
	if names := f.WithinOneDecision; len(names) > 0 {
		say("One decision moves the rate of %s by more than the bound: such a small group may be beyond the bound by one of its decisions.", And(names))
	}
	return notes
}

// Met says in a table whether a value meets the bound.
func (f *Finding) Met(v Value) string {
	switch {
	case v.Role == Certified && v.Met:
		return "✓ guaranteed"
	case v.Role == Certified:
		return "✗ not guaranteed"
	case !v.Value.Defined():
		return Undefined
	case f.OnNewRows() && v.Answer != "":
		return marks[v.Answer] + string(v.Answer)
	case !v.Met:
		return "✗ no"
	case v.Role.Counted() && len(f.WithinOneDecision) > 0:
		return "✓ within one decision"
	case v.Tolerance > 0:
		return "✓ within the tolerance"
	}
	return "✓ yes"
}

// Capital begins with a capital letter.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Confidence writes a confidence with enough digits not to look like certainty.
func Confidence(confidence float64) string {
	for digits := 6; ; digits++ {
		if text := fmt.Sprintf("%.*g", digits, 100*confidence); text != "100" {
			return text + " %"
		}
	}
}

// Terse is a text of a terminal's table, with pp for percentage points.
func Terse(text string) string { return strings.ReplaceAll(text, Points.Unit, " pp") }

// Signed writes a change in percentage points.
func Signed(v fairness.Value) string {
	text := Points.Text(v)
	if number, _ := strconv.ParseFloat(strings.TrimSuffix(text, Points.Unit), 64); number > 0 {
		text = "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// Interval writes a figure's interval, "" if it has none.
func Interval(e fairness.Estimate, text func(fairness.Value) string) string {
	if !e.Low.Defined() || !e.High.Defined() {
		return ""
	}
	low := strings.TrimSuffix(strings.TrimSuffix(text(e.Low), Percent.Unit), Points.Unit)
	return low + " to " + text(e.High)
}

// Interval is the confidence interval of a value, "" if it has none.
func (f *Finding) Interval(v Value) string {
	if !v.Low.Defined() || !v.High.Defined() {
		return ""
	}
	form := f.Words().Form
	low, high, _ := form.Limits(v.Low, v.High, v.Bound, f.AtLeast)
	return low + " to " + high + form.Unit
}

// Thousands writes a number with commas.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

// And lists names: "a, b and c".
func And(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
