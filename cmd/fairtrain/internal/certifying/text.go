package certifying

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/digits"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
)

// printCertification prints the outcome of a test.
func (p program) printCertification(r *Certification) error {
	if p.JSON {
		return p.PrintJSON(r)
	}
	var b bytes.Buffer
	say := func(format string, args ...any) {
		b.WriteString(results.Wrap(fmt.Sprintf(format, args...), command.ReportWidth) + "\n")
	}
	say("%s", r.Statement)
	say("This supposes that %s.", Assumption)
	for _, remark := range r.Remarks {
		say("Note: %s.", remark)
	}
	b.WriteString("\n")
	if r.EarlierTests > 0 {
		say("Earlier tests of these rows: %d. So this one is at %s %% confidence: all tests after the first for which %s %% or more was asked together err with a probability of at most %.6g %%, if the choice of a test depended only on whether earlier tests were passed.",
			r.EarlierTests, percent(r.TestedAt), percent(r.Confidence), 100*(1-r.Confidence))
		b.WriteString("\n")
	}
	var table [][]string
	for _, v := range r.Requirements {
		sign := "≤"
		if v.Lower != nil {
			sign = "≥"
		}
		verdict := "not shown"
		if v.Holds {
			verdict = "holds"
		}
		estimate := "–"
		if v.Estimate != nil {
			estimate, _ = digits.Value.Beside(fairness.Value(*v.Estimate), fairness.Value(v.Bound), v.Lower != nil, digits.Nearest)
		}
		table = append(table, []string{v.Spec, string(v.Measure), estimate, sign + " " + limit(v), fmt.Sprintf("%s %.6g", sign, v.Bound), verdict})
	}
	command.WriteTable(&b, []string{"requirement", "figure", "in the rows", "shown", "asked", ""}, table)
	if len(r.Requirements) > 1 {
		b.WriteString("\n")
		say("%s", eachAlone(r.TestedAt))
	}
	for _, v := range r.Requirements {
		writeReasons(&b, v)
	}
	switch {
	case r.Holds:
	case r.RowsNeeded != nil:
		b.WriteString("\n")
		rows, times := r.AboutNeeded()
		say("About %d rows in all would probably be enough%s, if the people are like these rows.", rows, times)
	default:
		b.WriteString("\n")
		say("If the people are like these rows, no number of rows is enough.")
	}
	method := fmt.Sprintf("method: %s, %d rows", r.Method, r.Rows)
	if slices.ContainsFunc(r.Requirements, func(v guarantee.Verdict) bool { return v.On == train.Decisions }) {
		method += fmt.Sprintf(", threshold %.6g", r.Threshold)
	}
	b.WriteString("\n")
	say("%s", method)
	return p.Print(b.Bytes())
}

// limit writes the confidence limit of a verdict, rounded outward.
func limit(v guarantee.Verdict) string {
	const decimals = 4
	if v.Lower != nil {
		return digits.Value.Write(fairness.Value(*v.Lower), decimals, digits.Downward)
	}
	return digits.Value.Write(fairness.Value(*v.Upper), decimals, digits.Upward)
}

// writeReasons says why a requirement is not shown to hold.
func writeReasons(b *bytes.Buffer, v guarantee.Verdict) {
	if v.Holds {
		return
	}
	fmt.Fprintf(b, "\n%s\n", results.Wrap(fmt.Sprintf("%s: decided by %s", v.Name(), v.Worst), command.ReportWidth))
	for _, s := range v.TooSmall {
		line := tooSmall(v, s)
		b.WriteString("  " + strings.ReplaceAll(results.Wrap(line, command.ReportWidth-2), "\n", "\n  ") + "\n")
	}
}

// tooSmall says why a group can't show what was asked.
func tooSmall(v guarantee.Verdict, s guarantee.SmallGroup) string {
	return fmt.Sprintf("%s is too small: %s%s, needs about %d even if the groups are treated alike", s.Group, command.Count(s.Rows, "row"), v.OfLabel(), s.AboutNeeded())
}

// percent writes a confidence with enough digits not to look like certainty.
func percent(confidence float64) string {
	for digits := 6; ; digits++ {
		if text := fmt.Sprintf("%.*g", digits, 100*confidence); text != "100" {
			return text
		}
	}
}

// Lines say what a test found, one thought a line.
func Lines(g *train.Guarantee) []string {
	lines := []string{g.Statement + " This supposes that " + g.Assumption + "."}
	for _, remark := range g.Remarks {
		lines = append(lines, "Note: "+remark+".")
	}
	var tested []string
	for _, v := range g.Requirements {
		tested = append(tested, v.Spec)
	}
	switch {
	case g.TrainedFor == nil:
	case !slices.Equal(g.TrainedFor, tested):
		lines = append(lines, fmt.Sprintf("Trained for more than was asked, so that the test may be passed: %s.", strings.Join(g.TrainedFor, ", ")))
	default:
		lines = append(lines, "Trained for no more than was asked, as that was not reached.")
	}
	if g.TrainedFor != nil {
		lines = append(lines, fmt.Sprintf("As far as the training rows tell, this model would pass such a test with a probability of about %.2g.", g.Power))
	}
	if g.EarlierTests > 0 {
		lines = append(lines, fmt.Sprintf("Earlier tests of these rows: %d. So this one is at %s %% confidence.", g.EarlierTests, percent(g.TestedAt)))
	}
	for _, v := range g.Requirements {
		most := "at most"
		if v.Lower != nil {
			most = "at least"
		}
		line := fmt.Sprintf("%s: %s %s %s is shown", v.Name(), strings.ReplaceAll(string(v.Measure), "_", " "), most, limit(v))
		if v.Estimate != nil {
			line += fmt.Sprintf(" (%.4f in these rows)", *v.Estimate)
		}
		if !v.Holds {
			line += ", decided by " + v.Worst
		}
		line += "."
		for _, s := range v.TooSmall {
			line += " " + tooSmall(v, s) + "."
		}
		lines = append(lines, line)
	}
	if len(g.Requirements) > 1 {
		lines = append(lines, eachAlone(g.TestedAt))
	}
	switch {
	case g.Holds:
	case g.RowsNeeded != nil:
		rows, times := g.AboutNeeded()
		lines = append(lines, fmt.Sprintf("About %d rows to test on would probably be enough%s, if the people are like these rows.", rows, times))
	default:
		lines = append(lines, "If the people are like these rows, no number of rows gives this classifier a guarantee.")
	}
	return lines
}

// eachAlone says what the confidence of limits of several requirements is.
func eachAlone(confidence float64) string {
	return fmt.Sprintf("Each limit that is shown, and each requirement that holds where others do not, has %s %% confidence by itself: of several, one may be wrong more often.", percent(confidence))
}
