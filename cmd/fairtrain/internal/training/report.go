package training

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/judging"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// writeReport writes the report of train for a person, the verdict first; what has the
// settings, which the report itself does not know.
func writeReport(b *bytes.Buffer, r *train.Report, what settings) {
	fmt.Fprintf(b, "%s\n\n", verdict(r))
	writeRequirements(b, r)
	var judged []figures
	for _, set := range []struct {
		name string
		*train.Figures
	}{{"train", r.Train}, {"validation", r.Validation}, {"test", r.Test}} {
		if set.Figures != nil {
			fmt.Fprintf(b, "%-10s  %d rows of %s\n", set.name, set.Rows, set.Name)
			judged = append(judged, figures{set.name, set.Report})
		}
	}
	if what.label != "" {
		fmt.Fprintf(b, "%-10s  %s\n", "label", what.label)
	}
	fmt.Fprintf(b, "%-10s  positive if the score is at least %.4g\n\n", "decisions", r.Train.Threshold)
	writeFigures(b, judged, &what.features)
	if what.verbose {
		b.WriteString("\n")
		writeMethod(b, r, what)
	}
	if r.Model != "" {
		fmt.Fprintf(b, "\nModel written to %s\n", r.Model)
	}
}

// writeRequirements writes a line for each requirement: what was asked and what was
// achieved.
func writeRequirements(b *bytes.Buffer, r *train.Report) {
	if len(r.Requirements) == 0 {
		return
	}
	header := []string{"Requirement", "asked", "train", "kept"}
	if r.ConstraintData != "" {
		header[2] = "constraint rows"
	}
	if r.Validation != nil {
		header = append(header, "validation")
	}
	if r.Test != nil {
		header = append(header, "test")
	}
	var rows [][]string
	for i := range r.Requirements {
		q := &r.Requirements[i]
		asked := fmt.Sprintf("≤ %.4g", q.Bound)
		if q.AtLeast {
			asked = fmt.Sprintf("≥ %.4g", q.Bound)
		}
		kept := "no"
		switch {
		case q.Satisfied && len(q.WithinOneDecision) > 0:
			kept = "to one decision each"
		case q.Satisfied && q.On == train.Scores && q.Train != nil && !q.Holds(*q.Train):
			kept = fmt.Sprintf("to %.0e", r.Tolerance)
		case q.Satisfied:
			kept = "yes"
		}
		optional := func(v *float64) string {
			if v == nil {
				return "–"
			}
			return figure(q, v, r)
		}
		row := []string{requirementName(q), asked, optional(q.Train), kept}
		if r.Validation != nil {
			row = append(row, optional(q.Validation))
		}
		if r.Test != nil {
			row = append(row, optional(q.Test))
		}
		rows = append(rows, row)
	}
	command.WriteTable(b, header, rows)
	b.WriteString("\n")
}

// requirementName is the specification without the bound, which has a column of its own.
func requirementName(q *train.Requirement) string {
	name := q.Spec
	if c, ok := groupConstraint(q.Spec); ok {
		name = c.Name + ":group=" + c.Group
	}
	return name + " (" + q.On + ")"
}

// groupConstraint is the constraint of a specification, if it is one on groups.
func groupConstraint(spec string) (c model.GroupConstraint, ok bool) {
	parsed, err := model.ParseConstraint(spec)
	if err != nil {
		return c, false
	}
	c, ok = parsed.(model.GroupConstraint)
	return c, ok
}

// writeMethod writes how the classifier was found: the problem, the method and the signed
// constraints of the smooth problem.
func writeMethod(b *bytes.Buffer, r *train.Report, what settings) {
	fmt.Fprintf(b, "Problem     %d rows of %s, %d variables\n", r.Problem.Rows, what.data, r.Problem.Variables)
	loss := "mean of log(1 + exp(−margin))"
	if r.Loss == train.Robust {
		loss = fmt.Sprintf("mean of α log(1 + log(1 + exp(−margin))/α), α = %v", what.alpha)
	}
	writeWrapped(b, "minimise", append([]string{loss}, what.objective...))
	for i, spec := range what.constraints {
		label := ""
		if i == 0 {
			label = "subject to"
		}
		fmt.Fprintf(b, "%-10s  %s on %d rows of %s\n", label, spec, r.Problem.ConstraintRows, what.constraintData)
	}
	if r.Guarantee != nil {
		writeWrapped(b, "to pass", append([]string{"trained for"}, r.Guarantee.TrainedFor...))
	}
	writeWrapped(b, "Method", append([]string{fmt.Sprintf("%s, seed %d", r.Method, r.Seed), r.Loss + " loss"}, what.method...))
	if len(r.Constants) > 0 {
		constants := make([]string, len(r.Constants))
		for i, k := range r.Constants {
			constants[i] = fmt.Sprintf("%s = %.3g", k.Name, k.Value)
		}
		writeWrapped(b, "Constants", constants)
	}
	fmt.Fprintf(b, "\nObjective   %.6f\n", r.Objective)
	fmt.Fprintf(b, "Effort      %.1f passes over the data (%d samples, %d iterations), runs %d, %.2f s\n\n", r.Passes, r.Samples, r.Iterations, r.Rounds, r.Seconds)
	writeConstraints(b, r)
	fmt.Fprintf(b, "\nKKT residual        %.2e\n", r.KKTResidual)
	fmt.Fprintf(b, "  stationarity      %.2e\n", r.KKT.Stationarity)
	fmt.Fprintf(b, "  feasibility       %.2e\n", r.KKT.Feasibility)
	fmt.Fprintf(b, "  complementarity   %.2e\n", r.KKT.Complementarity)
	fmt.Fprintf(b, "Features scaled     %.2e   (tolerance %.0e)\n", r.ScaledResidual, r.Tolerance)
}

// writeWrapped writes items after a label, on as many lines as they need.
func writeWrapped(b *bytes.Buffer, label string, items []string) {
	const gap = "   "
	line := fmt.Sprintf("%-10s", label)
	separator := "  "
	for _, item := range items {
		if utf8.RuneCountInString(line+separator+item) > command.ReportWidth {
			fmt.Fprintln(b, line)
			line, separator = strings.Repeat(" ", 10), "  "
		}
		line += separator + item
		separator = gap
	}
	fmt.Fprintln(b, line)
}

// writeConstraints writes a table of the constraints of the smooth problem.
func writeConstraints(b *bytes.Buffer, r *train.Report) {
	rows := make([][]string, len(r.Constraints))
	for i, c := range r.Constraints {
		rows[i] = []string{c.Name, fmt.Sprintf("%+.2e", c.Value), fmt.Sprintf("%+.2e", c.Shift), fmt.Sprintf("%.3g", c.Multiplier)}
	}
	command.WriteTable(b, []string{"Constraint (≤ 0)", "value", "of it shift", "multiplier"}, rows)
}

// figures are the metrics of one data set under a name.
type figures struct {
	name string
	*fairness.Report
}

// writeFigures writes a table of metrics: a line for each data set and its groups.
func writeFigures(b *bytes.Buffer, judged []figures, features *classifier.Features) {
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
			line("  "+judging.GroupName(f.Groups[i].Name, features), &f.Groups[i].Metrics)
		}
	}
	command.WriteTable(b, []string{"", "rows", "accuracy", "selected", "score", "TPR", "FPR", "AUC"}, rows)
}

// settings describe a run in terms of its command line.
type settings struct {
	data, constraintData string
	objective            []string // what is added to the loss
	alpha                float64  // of the robust loss
	constraints          []string
	method               []string
	features             classifier.Features // where they come from, and their names
	label                string              // what its values mean; "" if it is ±1 as it is
	verbose              bool                // the method too
}

func describeRun(o *train.Options) settings {
	s := settings{
		data: o.Data.Name, constraintData: o.ConstraintData.Name,
		method: notableOptions(o.Method), alpha: o.Model.Alpha,
	}
	s.features = classifier.Features{Kind: classifier.LIBSVM, Names: o.Data.Cols}
	if o.Encoding != nil {
		s.features.Kind = classifier.CSV
		s.label = inert.Line(o.Encoding.Schema.Label.Rule())
	}
	if o.Model.L2 > 0 {
		s.objective = append(s.objective, fmt.Sprintf("plus (%v/2)‖w‖²", o.Model.L2))
	}
	if o.HasIntercept() {
		s.objective = append(s.objective, "with an intercept")
	}
	for _, c := range o.Constraints {
		s.constraints = append(s.constraints, c.String())
	}
	return s
}

// notableOptions returns the options that shape a method or differ from their defaults.
func notableOptions(method solver.Method) []string {
	defaults := map[string]string{}
	if usual, err := solver.New(method.Name()); err == nil {
		for _, o := range usual.Params() {
			defaults[o.Name] = o.Current()
		}
	}
	var notable []string
	for _, o := range method.Params() {
		if len(o.Choices) > 0 || o.Current() != defaults[o.Name] {
			notable = append(notable, o.Name+" "+o.Current())
		}
	}
	return notable
}
