package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
)

// section is a part of a report as a reader sees it, in any format.
type section struct {
	ID, Title string
	Blocks    []block
}

// block is one of its fields.
type block struct {
	Heading string
	Text    string
	List    []string
	Code    string
	Table   *table
	Figures []drawn // side by side where there is room
	Small   bool    // figures: three side by side
}

// table is numbers. The first cell of a row is its header.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	Notes   []string
	Words   bool // cells are words, and begin at the left
	Closed  bool // HTML shows the table only on demand
}

// cell is a text, a smaller text below it, and whether it is good or bad news.
type cell struct {
	Text, Below string
	Mark        string // "good", "bad" or ""
}

// Class is how HTML shows the cell.
func (c cell) Class() string {
	if len(c.Text) > 40 || len(c.Below) > 30 {
		return "long"
	}
	return c.Mark
}

func (s *section) text(format string, args ...any) {
	s.Blocks = append(s.Blocks, block{Text: fmt.Sprintf(format, args...)})
}

func (s *section) heading(text string) { s.Blocks = append(s.Blocks, block{Heading: text}) }
func (s *section) list(items []string) { s.Blocks = append(s.Blocks, block{List: items}) }
func (s *section) table(t table)       { s.Blocks = append(s.Blocks, block{Table: &t}) }

func (s *section) figures(list ...figure) {
	var all []drawn
	for k, f := range list {
		f.ID = fmt.Sprintf("%s%d-%d", s.ID, len(s.Blocks), k)
		all = append(all, drawn{f.Title, f.Note, f.SVG()})
	}
	s.Blocks = append(s.Blocks, block{Figures: all})
}

// drawn is a picture with its title above and a note below.
type drawn struct {
	Title, Note string
	SVG         template.HTML
}

func (t *table) note(format string, args ...any) {
	t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
}

// cells makes a row of plain texts.
func cells(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

// percent is a rate over its interval.
func percent(e fairness.Estimate) cell {
	return cell{Text: words.Percent.Text(e.Value), Below: words.Interval(e, words.Percent.Text)}
}

// sections returns what a reader gets, in this order.
func (d *Document) sections() []section {
	var list []section
	for _, part := range []struct {
		id, title string
		write     func(*section)
	}{
		{"constraints", "Fairness requirements and their values", d.constraintSection},
		{"guarantee", "The guarantee", d.guaranteeSection},
		{"changes", "What the constraint changed", d.changeSection},
		{"groups", "How groups are treated", d.groupSection},
		{"cost", "The price of fairness", d.costSection},
		{"model", "What the classifier uses, and how strongly", d.modelSection},
		{"data", "The data", d.dataSection},
		{"use", "Intended use and limits", d.cardSection},
		{"again", "How to reproduce", d.againSection},
		{"reading", "How to read this report", d.readingSection},
	} {
		if d.Model == nil && slices.Contains([]string{"guarantee", "changes", "cost", "model"}, part.id) {
			continue
		}
		s := section{ID: part.id, Title: part.title}
		part.write(&s)
		list = append(list, s)
	}
	return list
}

func (d *Document) constraintSection(s *section) {
	switch {
	case len(d.Requirements) > 0:
	case d.Model == nil:
		s.text("No constraint was given to judge by: “--constraint” does.")
		return
	default:
		s.text("The model was trained without a fairness constraint.")
		return
	}
	var pictures []figure
	t := table{Caption: "Values of the constraints", Head: []string{"Rows", "Bound", "Value", "Met?"}}
	baseline := slices.ContainsFunc(d.Cost, func(c Cost) bool { return slices.ContainsFunc(c.Measures, fairness.Value.Defined) })
	if baseline {
		t.Head = append(t.Head, "Unconstrained baseline")
	}
	intervals, tolerance := false, 0.0
	for k := range d.Requirements {
		f := &d.Requirements[k]
		s.text("%s (%s, on %s).", f.Must(), f.Spec, f.On)
		pictures = append(pictures, d.valueFigure(k))
		for _, v := range f.Values {
			row := d.valueRow(k, v)
			if baseline {
				row = append(row, cell{Text: f.Words().Text(d.without(v.Role, k))})
			}
			t.Rows = append(t.Rows, row)
			intervals = intervals || v.Role != Certified && v.Low.Defined()
			tolerance = max(tolerance, v.Tolerance)
		}
	}
	s.figures(pictures...)
	if slices.ContainsFunc(d.Verdicts, func(j guarantee.Judgment) bool { return j.Approximate }) {
		t.note("%s", words.Approximate)
	}
	if intervals {
		t.note("With a value stands its 95 %% confidence interval: of 100 samples of people like these, 95 have an interval that covers the value of all such people. The constraint is satisfied for these people if the whole interval is within the bound, violated if it is beyond it, and undecided otherwise.")
	}
	if slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Role.Counted() }) {
		t.note("On the rows that the classifier was fitted to, the value is counted: it is a fact about them, and no estimate for others.")
	}
	if slices.ContainsFunc(d.Requirements, func(f words.Finding) bool { return f.Value(Unseen) != nil }) {
		t.note("On unseen rows the value is an estimate by cross-validation: classifiers are trained in the same way without a part of the training rows, and judged on that part.")
	}
	for _, f := range d.Requirements {
		if f.BoundFrom != "" {
			t.note("%s names no share: the bound is the share of group %s among the %s.", f.Spec, f.Group, d.peopleIn(f.BoundFrom))
		}
	}
	if tolerance > 0 {
		t.note("“Within the tolerance” is beyond the bound by no more than %.3g, to which training solves constraints on scores (a share or a ratio by no more than %v).", tolerance, min(tolerance, model.Short))
	}
	s.table(t)
}

// valueRow is a row of the table of the values of constraint k.
func (d *Document) valueRow(k int, v words.Value) []cell {
	f := &d.Requirements[k]
	m := f.Words()
	text, bound := m.WithBound(v.Value, v.Bound, f.AtLeast, words.Nearest)
	met := cell{Text: f.Met(v)}
	if met.Mark = markOf(f, &v); v.Role == Certified && v.Met {
		met.Below = d.Guarantee.onCondition()
	}
	row := []cell{{Text: d.rowsName(v.Role)}, {Text: f.Limit() + bound}, {Text: text}, met}
	if len(d.Requirements) > 1 {
		row[0].Below = f.Spec
	}
	switch {
	case v.Role == Certified:
		limit, bound := m.WithBound(f.ConfidenceLimit(v), v.Bound, f.AtLeast, f.Outward())
		row[1].Text, row[2].Text, row[2].Below = f.Limit()+bound, m.Text(v.Value), "confidence limit: "+f.Limit()+limit
	case !v.Value.Defined():
		row[2].Below = "not defined"
	case v.Role.Counted():
		row[2].Below = "counted"
	default:
		row[2].Below = f.Interval(v)
		if !f.OnNewRows() {
			row[3].Below = string(v.Answer)
		}
	}
	return row
}

// markOf is whether the value of a constraint is good or bad news, "" if it is neither.
func markOf(f *words.Finding, v *words.Value) string {
	switch {
	case v.Role != Certified && !v.Value.Defined(), f.OnNewRows() && v.Answer == guarantee.Undecided:
		return ""
	case v.Met:
		return "good"
	}
	return "bad"
}

// unseen are the figures by cross-validation, nil if there are none.
func (d *Document) unseen() *classifier.Unseen {
	if d.Model == nil {
		return nil
	}
	return d.Model.Unseen
}

// without is the measure of constraint k, on rows, for the unconstrained baseline.
func (d *Document) without(role Role, k int) fairness.Value {
	for _, c := range d.Cost {
		if c.Role == role && k < len(c.Measures) {
			return c.Measures[k]
		}
	}
	return fairness.Undefined()
}

func (d *Document) guaranteeSection(s *section) {
	g := d.Guarantee
	if g == nil {
		s.text("None: no test on rows that had no part in training is part of this report. “fairtrain certify” makes such a test.")
		d.pastTests(s)
		return
	}
	s.text("%s", g.Statement)
	s.text("%s", words.Assumption(&g.Certificate))
	s.text("A test like this one says “guaranteed” of a classifier that violates a constraint at most %.6g times in 100.", 100*(1-g.Confidence))
	t := table{Caption: "The test, on " + words.Thousands(g.Rows) + " rows of " + g.Data, Head: words.TestedHead, Notes: words.GuaranteeNotes(&g.Certificate)}
	if needed := words.RowsNeeded(&g.Certificate); needed != "" {
		s.text("%s", needed)
	}
	for k := range g.Requirements {
		v := words.TestOf(&g.Requirements[k])
		row := cells(v.Name, v.Estimate, v.Limit, v.Bound, v.Verdict)
		verdict := &row[len(row)-1]
		verdict.Mark, verdict.Below = "good", g.onCondition()
		if v.DecidedBy != "" {
			verdict.Mark, verdict.Below = "bad", "decided by "+v.DecidedBy
		}
		t.Rows = append(t.Rows, row)
	}
	s.table(t)
	s.text("Neither the model file nor the certificate is signed: who can write to them can change them. Whoever must rely on a guarantee should have the test made again by somebody they trust.")
	d.pastTests(s)
}

// onCondition says that there are conditions, empty if there are none.
func (g *Guarantee) onCondition() string {
	if len(g.Conditions) == 0 {
		return ""
	}
	return "on a condition"
}

// pastTests lists the tests that the model file has.
func (d *Document) pastTests(s *section) {
	if len(d.Tests) == 0 {
		return
	}
	var list []string
	for _, t := range d.Tests {
		outcome := "not passed"
		if t.Holds {
			outcome = "passed"
		}
		list = append(list, fmt.Sprintf("%s, on %s rows at %s confidence: %s",
			strings.Join(t.Requirements, " and "), words.Thousands(t.Rows), words.Confidence(t.Confidence), outcome))
	}
	s.text("The model file has these tests, but not their conditions:")
	s.list(list)
}

func (d *Document) groupSection(s *section) {
	if len(d.Comparison) == 0 {
		s.text("No groups were named, so none are compared.")
		return
	}
	for k := range d.Comparison {
		c := &d.Comparison[k]
		s.heading("By " + strings.Join(dataset.SplitTerms(c.Group), " and "))
		if c.Hidden != "" {
			s.text("%s", c.Hidden)
			continue
		}
		main := c.Tables[d.main()]
		pictures := []figure{rateFigure("Selection rate", "Positive decisions among all people", main, func(c *Cell) fairness.Estimate { return c.SelectionRate })}
		if d.Rows[d.main()].Labelled {
			pictures = append(pictures,
				rateFigure("Accuracy", "Correct decisions among all people", main, func(c *Cell) fairness.Estimate { return c.Accuracy }),
				rateFigure("True positive rate", "Positive decisions among people with a positive label", main, func(c *Cell) fairness.Estimate { return c.TPR }),
				rateFigure("False positive rate", "Positive decisions among people with a negative label", main, func(c *Cell) fairness.Estimate { return c.FPR }))
		}
		s.figures(pictures...)
		s.table(d.groupTable(main))
		for _, t := range c.Tables {
			if t.Role != main.Role {
				other := d.groupTable(t)
				other.Closed = true
				s.table(other)
			}
		}
	}
}

func (d *Document) groupTable(t GroupTable) table {
	out := table{
		Caption: "Groups on the " + d.peopleIn(t.Role),
		Head:    []string{"Group", "People", "Selection rate", "Impact ratio"},
	}
	labelled := d.rows(t.Role).Labelled
	if labelled {
		out.Head = []string{"Group", "People", "Positive labels", "Selection rate", "Impact ratio", "True positive rate", "False positive rate", "Accuracy", "Calibration error"}
	}
	row := func(name string, people int, ratio fairness.Value, c *Cell) {
		cells := []cell{{Text: name}, {Text: words.Thousands(people)}, percent(c.SelectionRate), {Text: ratio.Text(3)}}
		if labelled {
			cells = slices.Insert(cells, 2, cell{Text: words.Percent.Text(c.BaseRate.Value)})
			cells = append(cells, percent(c.TPR), percent(c.FPR), percent(c.Accuracy), cell{Text: words.Percent.Text(c.ECE)})
		}
		out.Rows = append(out.Rows, cells)
	}
	hidden, left := false, 0
	for i := range t.Groups {
		g := &t.Groups[i]
		row(g.Name, g.Rows, g.ImpactRatio, &g.Cell)
		hidden = hidden || labelled && !g.BaseRate.Value.Defined()
		left -= g.Rows
	}
	if r := d.rows(t.Role); len(out.Rows) > 0 {
		row("Everybody", r.Rows, fairness.Undefined(), &r.Cell)
		if left += r.Rows; left > 0 {
			out.note("%s people are in none of these groups.", words.Thousands(left))
		}
	}
	if hidden {
		out.note("Groups without a share of positive labels have fewer than %d people of one label, or would reveal such a group: for them no figure that uses labels is shown.", d.Privacy.MinGroup)
	}
	if !t.Role.Counted() {
		out.note("Below a rate stands its 95 %% interval, for each group on its own.")
	}
	return out
}

func (d *Document) costSection(s *section) {
	t := table{Caption: "Accuracy: share of correct decisions", Head: []string{"Rows", "This classifier", "Unconstrained baseline", "Difference", "Majority-class baseline", "AUC", "Log loss"}}
	var costs []words.Cost
	for _, c := range d.Cost {
		row := cells(d.rowsName(c.Role), words.Percent.Text(c.Accuracy), words.Percent.Text(c.Unconstrained), words.Undefined, words.Percent.Text(c.Majority), "", "")
		if c.Role == Unseen {
			row[5].Text, row[6].Text = d.Model.Unseen.AUC.Text(3), d.Model.Unseen.LogLoss.Text(3)
		} else {
			r := d.rows(c.Role)
			row[1], row[5].Text, row[6].Text = percent(r.Accuracy), r.AUC.Text(3), r.LogLoss.Text(3)
			row[5].Below = fmt.Sprintf("Gini %s, KS %s", r.Gini.Text(3), r.KS.Text(3))
		}
		if c.Unconstrained.Defined() {
			row[3].Text = words.Signed(c.Gain)
			costs = append(costs, c.Cost)
		}
		t.Rows = append(t.Rows, row)
	}
	switch {
	case len(d.Requirements) == 0:
		s.text("There is no constraint, so it costs nothing.")
	case costs == nil:
		s.text("The model file does not have the accuracy of the unconstrained baseline on these rows.")
	default:
		s.text("%s", costs[len(costs)-1].Sentence(len(d.Requirements)))
		t.note("The unconstrained baseline is fitted by its loss alone, without a search for the best decisions: the cost may be larger or smaller than shown.")
		t.Notes = append(t.Notes, words.CostNotes(costs)...)
	}
	if c := d.Model.Costs; c != nil {
		s.text("This classifier was not chosen by its accuracy: by its threshold and class weights, a wrong positive decision costs %.4g and a wrong negative one %.4g. The second table compares it by these costs.", c.WrongPositive, c.Missed)
		s.table(t)
		paid := table{Caption: "Cost of wrong decisions, on average over the rows", Head: []string{"Rows", "This classifier", "All decisions positive", "All decisions negative"}}
		for _, p := range d.Cost {
			if p.Costs == nil {
				continue
			}
			paid.Rows = append(paid.Rows, cells(d.rowsName(p.Role), p.Costs.Classifier.Text(4), p.Costs.AllPositive.Text(4), p.Costs.AllNegative.Text(4)))
		}
		paid.note("To be of use, a classifier must cost less than constant decisions.")
		s.table(paid)
		return
	}
	t.note("AUC: how well scores rank people, 0.5 is chance and 1 perfect; Gini is 2·AUC − 1, and KS the largest difference of the true and the false positive rate at any threshold. Log loss: how far probabilities are from the labels, less is better.")
	t.note("A classifier must beat the majority-class baseline to be of use.")
	s.table(t)
}

func (d *Document) dataSection(s *section) {
	c := d.Card
	if c == nil {
		c = &Card{}
	}
	if c.DataSource != "" {
		s.text("Source: %s", c.DataSource)
	}
	if c.DataPeriod != "" {
		s.text("Period: %s", c.DataPeriod)
	} else {
		s.text("The period of the data is not stated.")
	}
	t := table{Caption: "Rows of this report", Words: true, Head: []string{"Rows", "File", "SHA-256 of the content"}}
	if d.labelled() {
		t.Head = append(t.Head, "Positive labels")
	}
	for _, r := range d.Rows {
		row := cells(d.rowsName(r.Role), r.Name, r.SHA256)
		if d.labelled() {
			row = append(row, cell{Text: words.Percent.Text(r.BaseRate.Value)})
		}
		t.Rows = append(t.Rows, row)
		if r.Weighted {
			t.note("The %s have weights: rates count each row by its weight, numbers of people do not.", r.Role.Rows())
		}
	}
	if !slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Weighted }) {
		t.note("Each row counts as one person.")
	}
	s.table(t)
	for _, r := range d.Rows {
		var missing []string
		for _, m := range r.Missing {
			n := fmt.Sprintf("fewer than %d", d.Privacy.MinGroup)
			if m.Rows.Defined() {
				n = words.Thousands(int(m.Rows))
			}
			missing = append(missing, m.Column+" ("+n+")")
		}
		switch {
		case missing != nil:
			s.text("Rows without a value among the %s: %s.", peopleOf(&r), words.And(missing))
		case r.Missing != nil:
			s.text("The %s have all values that the model uses.", peopleOf(&r))
		}
	}
}

func (d *Document) cardSection(s *section) {
	c := d.Card
	if c == nil {
		c = &Card{}
		s.text("Nobody has written down what these decisions are for, about whom they may be and where they must not be used: “--card” takes such a text.")
	}
	for _, p := range []struct{ title, text string }{
		{"", c.Summary}, {"Owner: ", c.Owner}, {"Contact: ", c.Contact}, {"Oversight: ", c.Oversight},
	} {
		if p.text != "" {
			s.text("%s", p.title+strings.Join(strings.Fields(p.text), " "))
		}
	}
	for _, p := range []struct {
		title string
		items []string
	}{{"Intended use", c.IntendedUse}, {"Not for", c.NotFor}, {"Limits named by its makers", c.Limits}} {
		if len(p.items) > 0 {
			s.heading(p.title)
			s.list(p.items)
		}
	}
	s.heading("Limits of every such report")
	limits := []string{
		"The figures are about the rows named here. People of another time or place may be treated otherwise.",
		"The labels are taken as the truth. If they are unfair, a classifier that fits them is so too.",
		"Groups that the data do not name are not compared.",
		"Equal rates are not the only meaning of fairness, and most of its meanings cannot hold together.",
	}
	if !d.labelled() {
		limits = slices.Delete(limits, 1, 2)
	}
	s.list(limits)
}

func (d *Document) againSection(s *section) {
	switch {
	case d.Model == nil && d.Command != "":
		s.text("With the same file and the same version of the program, this makes the report again:")
		s.Blocks = append(s.Blocks, block{Code: d.Command})
	case d.Command == "":
		s.text("The model file does not say by which command it was trained.")
	default:
		s.text("With the same files, the same version of the program and the same kind of processor, this trains a model of the same weights:")
		s.Blocks = append(s.Blocks, block{Code: d.Command})
	}
	if d.Command != "" && len(d.Tests) > 0 {
		s.text("To test rows again, the command needs a ledger that does not have them, such as an empty folder (“--ledger DIR”); it is then the same test, and no further evidence. A model file also notes its tests and their times, so that its SHA-256 changes with every test.")
	}
	m := d.Model
	if m == nil {
		return
	}
	s.table(table{Caption: "Where the model comes from", Words: true, Head: []string{"What", "Value"}, Rows: [][]cell{
		cells("SHA-256 of the model file", m.SHA256),
		cells("Trained on", fmt.Sprintf("%s, %s rows", m.Training.Name, words.Thousands(m.Training.Rows))),
		cells("SHA-256 of these data", m.Training.SHA256),
		cells("Program", "fairtrain "+m.Version),
		cells("Method, loss, seed", fmt.Sprintf("%s, %s, %d", m.Method, m.Loss, m.Seed)),
		cells("How training ended", m.Status),
	}})
	decisions := slices.ContainsFunc(d.Requirements, func(f words.Finding) bool { return f.On == model.Decisions })
	s.text("%s", words.Optimality{Residual: m.Residual, Decisions: decisions, Costs: m.Costs != nil}.Sentence())
}

func (d *Document) readingSection(s *section) {
	decision := fmt.Sprintf("Decision: positive where the score is at least %.4g. ", d.Threshold)
	if d.Decided {
		decision = "Decision: as the file has it. "
	}
	list := []string{decision + "Whether a positive decision is good or bad for a person, this report does not know."}
	if d.Model != nil {
		list = append(list, "Unconstrained baseline: a classifier trained on the same data without the constraint. Majority-class baseline: everybody gets the decision of the more frequent label.")
	}
	list = append(list,
		"Selection rate: the share of people who get a positive decision.",
		"Impact ratio: the selection rate of a group divided by the highest of a group that is shown on its own.",
	)
	if d.labelled() {
		list = append(list, "A positive label is the outcome that the score predicts.",
			"True positive rate (TPR): of the people with a positive label, the share with a positive decision.",
			"False positive rate (FPR): of the people with a negative label, the share with a positive decision.",
			"Precision: of the people with a positive decision, the share with a positive label.",
			"Calibration error: by how much scores and shares of positive labels are apart on average; 0 where scores are correct as probabilities.")
	}
	s.list(list)
	hides := fmt.Sprintf("The report holds no rows. Groups of fewer than %d people are not shown on their own.", d.Privacy.MinGroup)
	if d.labelled() {
		hides += " For groups with fewer people of one label, no figure that uses labels is shown."
	}
	if len(d.Requirements) > 0 {
		hides += " The values of the constraints are exact and include all groups: together with the tables they can reveal a small group, even one person."
	}
	s.text("%s", hides)
	if d.Privacy.Folded > 0 {
		s.text("Number of groups that are merged with others: %d. Larger groups may be among them: shown alone they would reveal a smaller group, by the difference from a total.", d.Privacy.Folded)
	}
	if d.Privacy.Levels > 0 {
		s.text("Number of values of columns that are not listed, as fewer people have them: %d.", d.Privacy.Levels)
	}
}

// labelled reports whether some rows have labels.
func (d *Document) labelled() bool {
	return slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Labelled })
}

// main is the set of rows that says most about other people: held-out rows if there are any.
func (d *Document) main() int {
	best := 0
	for k, r := range d.Rows {
		if r.Role == Held || r.Role == Validation && d.Rows[best].Role != Held {
			best = k
		}
	}
	return best
}

// rows returns the rows of a role, nil if there are none.
func (d *Document) rows(role Role) *Rows {
	k := slices.IndexFunc(d.Rows, func(r Rows) bool { return r.Role == role })
	if k < 0 {
		return nil
	}
	return &d.Rows[k]
}

// peopleIn is "16,281 test rows".
func (d *Document) peopleIn(role Role) string {
	if r := d.rows(role); r != nil {
		return peopleOf(r)
	}
	return role.Rows()
}

func peopleOf(r *Rows) string { return words.People(r.Role, r.Rows) }

// rowsName is "Test rows (16,281)".
func (d *Document) rowsName(role Role) string {
	switch {
	case role == Unseen:
		return "Unseen rows (cross-validation)"
	case role == Predicted:
		return words.Capital(d.peopleIn(role))
	case role == Certified && d.Guarantee != nil:
		return fmt.Sprintf("Certified rows (%s)", words.Thousands(d.Guarantee.Rows))
	}
	if r := d.rows(role); r != nil {
		return fmt.Sprintf("%s rows (%s)", words.Capital(string(role)), words.Thousands(r.Rows))
	}
	return words.Capital(string(role)) + " rows"
}
