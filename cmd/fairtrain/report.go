package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// reportWidth is the width of a report for people, in columns.
const reportWidth = 90

// writeReport writes the report of train for a person; what states the settings, which
// the report itself does not know.
func writeReport(b *bytes.Buffer, r *train.Report, what settings) {
	fmt.Fprintf(b, "Problem     %d rows of %s, %d variables\n", r.Problem.Rows, what.data, r.Problem.Variables)
	writeWrapped(b, "minimise", what.objective)
	for i, spec := range what.constraints {
		label := ""
		if i == 0 {
			label = "subject to"
		}
		fmt.Fprintf(b, "%-10s  %s on %d rows of %s\n", label, spec, r.Problem.ConstraintRows, what.constraintData)
	}
	writeWrapped(b, "Method", append([]string{fmt.Sprintf("%s, seed %d", r.Solver, r.Seed)}, what.method...))
	constants := make([]string, len(r.Constants))
	for i, k := range r.Constants {
		constants[i] = fmt.Sprintf("%s = %.3g", k.Name, k.Value)
	}
	writeWrapped(b, "Constants", constants)

	fmt.Fprintf(b, "\nObjective   %.6f\n\n", r.Objective)
	writeConstraints(b, r)
	fmt.Fprintf(b, "\nKKT residual        %.2e   (tolerance %.0e)\n", r.KKTResidual, r.Tolerance)
	fmt.Fprintf(b, "  stationarity      %.2e\n", r.KKT.Stationarity)
	fmt.Fprintf(b, "  feasibility       %.2e\n", r.KKT.Feasibility)
	fmt.Fprintf(b, "  complementarity   %.2e\n", r.KKT.Complementarity)
	fmt.Fprintf(b, "\nEffort      %.1f passes over the data (%d samples, %d iterations) in %.2f s", r.Passes, r.Samples, r.Iterations, r.Seconds)
	if r.On == train.Decisions {
		fmt.Fprintf(b, ", %d rounds", r.Rounds)
	}
	b.WriteString("\n")
	for _, a := range r.Anchors {
		fmt.Fprintf(b, "Held        %s of all near %.3f, a rate that the smallest groups can have\n", a.Family, a.Rate)
	}
	b.WriteString("\n")

	judged := []figures{{"train: " + r.Train.Name, r.Train.Report}}
	if r.Validation != nil {
		judged = append(judged, figures{"validation: " + r.Validation.Name, r.Validation.Report})
	}
	if r.Test != nil {
		judged = append(judged, figures{"test: " + r.Test.Name, r.Test.Report})
	}
	writeFigures(b, judged, what.features)
	fmt.Fprintf(b, "\n%s\n", verdict(r))
	if r.Model != "" {
		fmt.Fprintf(b, "Model written to %s\n", r.Model)
	}
}

// writeWrapped writes items after a label, on as many lines as they need.
func writeWrapped(b *bytes.Buffer, label string, items []string) {
	const gap = "   "
	line := fmt.Sprintf("%-10s", label)
	separator := "  "
	for _, item := range items {
		if utf8.RuneCountInString(line+separator+item) > reportWidth {
			fmt.Fprintln(b, line)
			line, separator = strings.Repeat(" ", 10), "  "
		}
		line += separator + item
		separator = gap
	}
	fmt.Fprintln(b, line)
}

// writeConstraints writes a table of the constraints: their values on scores and on
// decisions, on the rows that they bind and on the test rows.
func writeConstraints(b *bytes.Buffer, r *train.Report) {
	rows := make([][]string, len(r.Constraints))
	value := func(v float64) string { return fmt.Sprintf("%+.2e", v) }
	for i, c := range r.Constraints {
		holds := "no"
		if c.Satisfied {
			holds = "yes"
		}
		test := []string{"–", "–"}
		if c.Test != nil {
			test = []string{value(c.Test.Scores), value(c.Test.Decisions)}
		}
		rows[i] = slices.Concat([]string{c.Name, value(c.Value), value(c.Decisions)}, test, []string{fmt.Sprintf("%.3g", c.Multiplier), holds})
	}
	writeTable(b, []string{"Constraint (≤ 0)", "on scores", "decisions", "test scores", "decisions", "multiplier", "holds"}, rows)
}

// figures are the metrics of one data set under a name.
type figures struct {
	name string
	*fairness.Report
}

// writeFigures writes a table of metrics: a line for each data set and its groups.
// features are the names of the features, nil if they have none.
func writeFigures(b *bytes.Buffer, judged []figures, features []string) {
	var rows [][]string
	line := func(name string, m *fairness.Metrics) {
		rows = append(rows, []string{
			name, fmt.Sprint(m.Rows), m.Accuracy.String(), m.SelectionRate.String(), m.MeanScore.String(),
			m.TPR.String(), m.FPR.String(), m.AUC.String(),
		})
	}
	for _, f := range judged {
		line(f.name, &f.Metrics)
		for i := range f.Groups {
			line("  "+groupName(f.Groups[i].Name, features), &f.Groups[i].Metrics)
		}
	}
	writeTable(b, []string{"", "rows", "accuracy", "selected", "score", "TPR", "FPR", "AUC"}, rows)
}

// groupName returns the name under which people know a group.
func groupName(group string, features []string) string {
	feature, err := strconv.Atoi(group)
	if err != nil {
		return group
	}
	if feature > len(features) {
		return "group " + group
	}
	return group + " " + features[feature-1]
}

// writeDisparities writes how far apart the groups are, if there are any.
func writeDisparities(b *bytes.Buffer, r *fairness.Report) {
	if len(r.Groups) == 0 {
		return
	}
	fmt.Fprintf(b, "\nDemographic parity  difference %v, ratio %v\n", r.DemographicParityDifference, r.DemographicParityRatio)
	fmt.Fprintf(b, "Equal opportunity   difference %v\n", r.EqualOpportunityDifference)
	fmt.Fprintf(b, "Equalized odds      difference %v\n", r.EqualizedOddsDifference)
}

// verdict says in words what the figures mean.
func verdict(r *train.Report) string {
	switch {
	case r.Status == solver.Diverged:
		return "Diverged: the figures are those of the best point on the way. No model is written."
	case r.Status == solver.Interrupted:
		return "Interrupted: the figures are those of the best point so far."
	case r.Status == train.Infeasible:
		return fmt.Sprintf("Infeasible: no weights were found that satisfy all constraints. Where the sum of squared\n"+
			"violations is least, these are violated: %s.", strings.Join(r.Conflict.Constraints, ", "))
	case r.On == train.Decisions && r.Satisfied() && reached(r):
		return fmt.Sprintf("Fair: every constraint holds for the decisions on the rows of the constraints. To within\n"+
			"%.0e, no small change of the weights lowers the objective at the adjusted bounds on scores.", r.Tolerance)
	case r.On == train.Decisions && !r.Satisfied():
		return "Not fair: a constraint is violated by the decisions."
	case reached(r):
		return fmt.Sprintf("Certified: to within %.0e every constraint holds, and no small change of the weights\n"+
			"lowers the objective without breaking one.", r.Tolerance)
	case !r.Satisfied():
		return "Not fair: a constraint is violated by more than the tolerance."
	}
	holds := "to within the tolerance"
	if r.On == train.Decisions {
		holds = "for the decisions"
	}
	return fmt.Sprintf("Not optimal: every constraint holds %s, but the KKT residual is above %.0e, so\n"+
		"a classifier nearby may have a lower objective.", holds, r.Tolerance)
}

// reached reports whether the point returned, which need not be the last one, satisfies
// the tolerance.
func reached(r *train.Report) bool { return r.KKTResidual <= r.Tolerance }
