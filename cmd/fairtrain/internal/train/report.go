package train

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/evaluate"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// shownNotes is the number of notes without --verbose.
const shownNotes = 2

// writeReport writes the report of train for a person: the verdict, what the constraint changed,
// notes, and what to do next; with --verbose how the classifier was found, too.
func writeReport(b *bytes.Buffer, r *train.Report, what settings) {
	say := func(text string) { b.WriteString(results.Wrap(text, command.ReportWidth) + "\n") }
	if trivial := words.Trivial(r); trivial != "" {
		say(trivial)
	}
	if ending := words.Ending(r.Status, r.Impossible); ending != "" {
		say(ending)
	}
	if g := r.Guarantee; g != nil {
		say(g.Statement)
		say(words.InTest(&g.Certificate))
		if needed := words.RowsNeeded(&g.Certificate); needed != "" {
			say(needed)
		}
		say(words.AssumptionInShort)
	}
	findings := words.Findings(r)
	for k := range findings {
		say(findings[k].Sentence())
	}
	if r.Unseen != nil {
		if nearest := words.OutOfReach(r.Unseen, findings, words.Costs(r)[0].Majority); nearest != "" {
			say(nearest)
		}
	}
	if costs := words.SideEffects(&r.Changes); costs != "" {
		say(costs)
	}
	if r.AlreadySatisfied {
		say(words.AlreadySatisfied(len(findings), r.Given))
	}
	if adjusted := words.Adjusted(r); adjusted != "" {
		say(adjusted)
	}
	if len(findings) == 0 {
		say("Trained without a fairness constraint.")
	}
	if monotone := words.Monotone(r.Monotone); monotone != "" {
		say(monotone)
	}
	b.WriteString("\n")
	writeChange(b, r, findings)
	writeGroups(b, r, &what.features)
	if r.Points != nil {
		b.WriteString("\n")
		say(words.Scorecard(r.Points))
	}
	if notes := notesOf(r, findings); len(notes) > 0 {
		b.WriteString("\n")
		shown := len(notes)
		if !what.verbose {
			shown = min(shownNotes, shown)
		}
		for _, note := range notes[:shown] {
			say("Note: " + note)
		}
		if more := len(notes) - shown; more > 0 {
			say(command.Count(more, "more note") + ": --verbose")
		}
	}
	if what.verbose {
		b.WriteString("\n")
		writeDetails(b, r, what)
	}
	if r.Model == "" {
		return
	}
	fmt.Fprintf(b, "\nModel: %s\n", r.Model)
	if r.Status == solver.Converged || r.Status == solver.Exhausted {
		for k, next := range nextCommands(r, what) {
			const label = 7 // columns
			lines := results.Wrap(next, command.ReportWidth-label-len(` \`))
			fmt.Fprintf(b, "%-*s%s\n", label, []string{"Next:", ""}[min(k, 1)],
				strings.ReplaceAll(lines, "\n", " \\\n"+strings.Repeat(" ", label)))
		}
	}
}

// writeChange writes a table of what the constraints changed, on each set of rows: their values and
// accuracy.
func writeChange(b *bytes.Buffer, r *train.Report, findings []words.Finding) {
	var roles []words.Role
	rowsOf := map[words.Role]int{}
	column := func(role words.Role, rows int) {
		if rowsOf[role] = rows; !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	for _, f := range findings {
		for _, v := range f.Values {
			column(v.Role, v.Rows)
		}
	}
	scores := map[words.Role][2]fairness.Value{}
	for _, set := range []struct {
		role words.Role
		*train.Figures
	}{{words.Training, r.Train}, {words.Unseen, nil}, {words.Validation, r.Validation}, {words.Held, r.Test}} {
		switch {
		case set.Figures != nil:
			column(set.role, set.Rows)
			scores[set.role] = [2]fairness.Value{set.AUC, set.LogLoss}
		case set.role == words.Unseen && r.Unseen != nil:
			column(set.role, r.Unseen.Rows)
			scores[set.role] = [2]fairness.Value{r.Unseen.AUC, r.Unseen.LogLoss}
		}
	}
	costs := map[words.Role]words.Cost{}
	for _, c := range words.Costs(r) {
		costs[c.Role] = c
	}
	header := []string{words.BeforeAfter(r.Given)}
	if len(findings) == 0 {
		header[0] = ""
	}
	for _, role := range roles {
		header = append(header, words.People(role, rowsOf[role]))
	}
	var rows [][]string
	add := func(name string, cell func(role words.Role) string) {
		row := []string{name}
		for _, role := range roles {
			row = append(row, cell(role))
		}
		rows = append(rows, row)
	}
	for k := range findings {
		f := &findings[k]
		m := f.Words()
		add(f.Short(), func(role words.Role) string {
			v := f.Value(role)
			if v == nil {
				return ""
			}
			text := f.Text(*v)
			if before := before(r, role); before != nil && k < len(before.Requirements) && before.Requirements[k] != nil {
				text = strings.TrimSuffix(m.Text(fairness.Value(*before.Requirements[k])), m.Unit) + " → " + text
			}
			return words.Terse(text)
		})
	}
	add("accuracy", func(role words.Role) string {
		c, ok := costs[role]
		switch {
		case !ok:
			return ""
		case len(findings) == 0:
			return words.Percent.Text(c.Accuracy)
		}
		return words.Change(c.Unconstrained, c.Accuracy)
	})
	add("  of the majority-class baseline", func(role words.Role) string {
		if c, ok := costs[role]; ok {
			return words.Percent.Text(c.Majority)
		}
		return ""
	})
	add("AUC, log loss", func(role words.Role) string {
		if of, ok := scores[role]; ok {
			return of[0].Text(3) + ", " + of[1].Text(3)
		}
		return ""
	})
	command.WriteTable(b, header, rows)
}

// writeGroups writes a table of what the constraints changed for groups.
func writeGroups(b *bytes.Buffer, r *train.Report, features *classifier.Features) {
	const most = 12
	t := words.Changes(&r.Changes, r.Given, most, func(spec, group string) string {
		return evaluate.GroupName(words.NameOfGroup(spec, group), features)
	})
	if t == nil {
		return
	}
	b.WriteString("\n" + t.Caption + "\n")
	command.WriteTable(b, append([]string{""}, t.Head...), t.Rows)
	if t.Note != "" {
		b.WriteString(t.Note + "\n")
	}
}

// before are the figures of the unconstrained baseline, nil if there are none.
func before(r *train.Report, role words.Role) *train.BaselineFigures {
	if r.Baselines == nil {
		return nil
	}
	free := &r.Baselines.Unconstrained
	switch role {
	case words.Validation:
		return free.Validation
	case words.Held:
		return free.Test
	case words.Unseen:
		f := new(train.BaselineFigures)
		for _, e := range r.Unseen.UnconstrainedRequirements {
			f.Requirements = append(f.Requirements, e.Value)
		}
		return f
	}
	return free.Train
}

// notesOf are what a reader must know, the most important first.
func notesOf(r *train.Report, findings []words.Finding) []string {
	var notes []string
	for k := range findings {
		notes = append(notes, findings[k].Notes()...)
	}
	if text := words.ForTraining(r, findings); text != "" {
		notes = append(notes, text)
	}
	notes = append(notes, slices.DeleteFunc(slices.Clone(r.Warnings), func(text string) bool {
		return text == words.Trivial(r) // stands above
	})...)
	if len(r.UsesGroups) > 0 {
		notes = append(notes, fmt.Sprintf("The model uses the sensitive attribute %s as a feature.",
			words.And(r.UsesGroups)))
	}
	if c := r.Costs; c != nil {
		notes = append(notes, fmt.Sprintf("Decisions were not chosen by their accuracy: a wrong positive one costs %.4g and a wrong negative one %.4g.", c.WrongPositive, c.Missed))
	} else if len(findings) > 0 {
		notes = append(notes, words.CostNotes(words.Costs(r))...)
	}
	if len(r.Withheld) > 0 {
		notes = append(notes, fmt.Sprintf("Excluded from the features (sensitive attribute), in the baseline too: %s.", words.And(r.Withheld)))
	}
	if r.Guarantee != nil {
		notes = append(notes, words.GuaranteeNotes(&r.Guarantee.Certificate)...)
		if text := words.TrainedFor(r.Guarantee); text != "" {
			notes = append(notes, text)
		}
	}
	return notes
}

// nextCommands are what to type next.
func nextCommands(r *train.Report, what settings) []string {
	with := ""
	if r.Model != "model.json" {
		with = " --model " + names.Shell(r.Model)
	}
	list := []string{"fairtrain explain" + with}
	if what.again != "" {
		list[0] = "fairtrain report" + with + what.again + " --out report.html"
	}
	if r.Points != nil {
		list = append(list, "fairtrain explain --points"+with)
	}
	switch {
	case len(r.Requirements) == 0:
		list = append(list, "fairtrain evaluate"+with+" --data NEW_ROWS --group GROUP")
	case r.Guarantee == nil:
		list = append(list, "fairtrain certify"+with+" --data NEW_ROWS")
	}
	return list
}

// rowsAgain returns the flags by which report finds the rows of a run; "" if it does not.
func (q *request) rowsAgain(test *certify.Test) string {
	n := q.names
	if test.IsShare() || q.sharded != nil || q.validation > 0 || n.Constraint != n.Data || n.Data == "-" || n.Test == "-" {
		return ""
	}
	flags := " --data " + names.Shell(n.Data)
	if n.Test != "" && n.Test != n.Data {
		flags += " --test " + names.Shell(n.Test)
	}
	return flags
}

// writeDetails writes the figures on all groups and how the classifier was found: the problem, the
// method and the signed constraints of the smooth problem.
func writeDetails(b *bytes.Buffer, r *train.Report, what settings) {
	say := func(text string) { b.WriteString(results.Wrap(text, command.ReportWidth) + "\n") }
	for _, c := range words.Costs(r) {
		say(c.Sentence(len(r.Requirements)))
	}
	say(words.OptimalityOf(r).Sentence())
	b.WriteString("\n")
	if r.Guarantee != nil {
		certify.WriteTest(b, &r.Guarantee.Certificate)
		b.WriteString("\n")
	}
	var table [][]string
	line := func(name string, m *fairness.Metrics) {
		table = append(table, []string{
			name, fmt.Sprint(m.Rows), m.Accuracy.String(), m.SelectionRate.String(), m.MeanScore.String(),
			m.TPR.String(), m.FPR.String(), m.AUC.String(),
		})
	}
	for _, set := range []struct {
		name string
		*train.Figures
	}{{"train", r.Train}, {"validation", r.Validation}, {"test", r.Test}} {
		if set.Figures == nil {
			continue
		}
		fmt.Fprintf(b, "%-10s  %d rows of %s\n", set.name, set.Rows, set.Name)
		line(set.name, &set.Metrics)
		for i := range set.Groups {
			line("  "+evaluate.GroupName(set.Groups[i].Name, &what.features), &set.Groups[i].Metrics)
		}
	}
	if what.label != "" {
		fmt.Fprintf(b, "%-10s  %s\n", "label", what.label)
	}
	fmt.Fprintf(b, "%-10s  positive if the score is at least %.4g\n\n", "decisions", r.Train.Threshold)
	command.WriteTable(b, []string{"", "rows", "accuracy", "selected", "score", "TPR", "FPR", "AUC"}, table)
	fmt.Fprintf(b, "\nProblem     %d rows of %s, %d variables, objective %.6f (%s loss)\n",
		r.Problem.Rows, r.Train.Name, r.Problem.Variables, r.Objective, r.Loss)
	method := r.Method
	if r.SolvedBy != method {
		method += ", then " + r.SolvedBy
	}
	fmt.Fprintf(b, "Method      %s, seed %d: %.1f passes (%d samples, %d iterations, %s), %.2f s\n\n",
		method, r.Seed, r.Passes, r.Samples, r.Iterations, command.Count(r.Rounds, "run"), r.Seconds)
	var rows [][]string
	for _, c := range r.Constraints {
		rows = append(rows, []string{c.Name, fmt.Sprintf("%+.2e", c.Value), fmt.Sprintf("%+.2e", c.Shift), fmt.Sprintf("%.3g", c.Multiplier)})
	}
	command.WriteTable(b, []string{"Constraint (≤ 0)", "value", "of it shift", "multiplier"}, rows)
	fmt.Fprintf(b, `
KKT residual        %.2e
  stationarity      %.2e
  feasibility       %.2e
  complementarity   %.2e
Features scaled     %.2e   (tolerance %.0e)
`, r.KKTResidual, r.KKT.Stationarity, r.KKT.Feasibility, r.KKT.Complementarity, r.ScaledResidual, r.Tolerance)
}

// settings are what a report shows of a command line.
type settings struct {
	features classifier.Features // where they come from, and their names
	label    string              // what its values mean; "" if it is ±1 as it is
	verbose  bool                // the method too
	again    string              // the flags by which report finds the rows of the run; "" if it can't
}

func (t trainOptions) settings(o *train.Options, again string) settings {
	s := settings{
		features: classifier.Features{Kind: classifier.LIBSVM, Names: o.Data.Cols},
		verbose:  t.verbose, again: again,
	}
	if o.Encoding != nil {
		s.features.Kind = classifier.CSV
		s.label = names.Line(o.Encoding.Schema.Label.Rule())
	}
	return s
}
