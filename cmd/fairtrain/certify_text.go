package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train"
)

// printCertification prints the outcome of a test.
func (p *program) printCertification(c *cli.Context, r *certification) error {
	if isOn(c, "json") {
		return p.printJSON(r)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nThis supposes that %s.\n\n", r.Statement, assumption)
	if r.EarlierTests > 0 {
		fmt.Fprintf(&b, "Earlier tests of these rows: %d. So this one is at %s %% confidence: all tests after the first\ntogether err with a probability of at most %.6g %%, if what was tested depended on no more than\nwhether earlier tests were passed.\n\n",
			r.EarlierTests, percent(r.TestedAt), 100*(1-r.Confidence))
	}
	var table [][]string
	for _, v := range r.Requirements {
		limit, sign := v.Upper, "≤"
		if v.Lower != nil {
			limit, sign = v.Lower, "≥"
		}
		verdict := "not shown"
		if v.Holds {
			verdict = "holds"
		}
		estimate := "–"
		if v.Estimate != nil {
			estimate = fmt.Sprintf("%.4f", *v.Estimate)
		}
		table = append(table, []string{v.Spec, string(v.Measure), estimate, fmt.Sprintf("%s %.4f", sign, *limit), fmt.Sprintf("%s %.6g", sign, v.Bound), verdict})
	}
	writeTable(&b, []string{"requirement", "figure", "in the rows", "shown", "asked", ""}, table)
	for _, v := range r.Requirements {
		writeReasons(&b, v)
	}
	switch {
	case r.Holds:
	case r.RowsNeeded != nil:
		fmt.Fprintf(&b, "\nAbout %d rows in all would likely do, if the people are as these rows are.\n", *r.RowsNeeded)
	default:
		fmt.Fprint(&b, "\nIf the people are as these rows are, no number of rows will do.\n")
	}
	fmt.Fprintf(&b, "\nmethod: %s, %d rows", r.Method, r.Rows)
	if slices.ContainsFunc(r.Requirements, func(v guarantee.Verdict) bool { return v.On == train.Decisions }) {
		fmt.Fprintf(&b, ", decisions are positive from a score of %.6g on", r.Threshold)
	}
	b.WriteString("\n")
	return p.print(b.Bytes())
}

// writeReasons says why a requirement is not shown to hold.
func writeReasons(b *bytes.Buffer, v guarantee.Verdict) {
	if v.Holds {
		return
	}
	fmt.Fprintf(b, "\n%s: decided by %s\n", v.Spec, v.Worst)
	for _, s := range v.TooSmall {
		fmt.Fprintf(b, "  %s is too small: %d rows, needs about %d even if the groups are treated alike\n", s.Group, s.Rows, s.Needed)
	}
}

// percent writes a confidence with as many digits as it takes not to look like certainty.
func percent(confidence float64) string {
	for digits := 6; ; digits++ {
		if text := fmt.Sprintf("%.*g", digits, 100*confidence); text != "100" {
			return text
		}
	}
}
