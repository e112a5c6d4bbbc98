package report

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/fairness"
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
	Figures []figure // side by side where there is room
}

// table is numbers. The first cell of a row is its header.
type table struct {
	Caption string
	Head    []string
	Rows    [][]cell
	Notes   []string
	// Words says that cells are words, and begin at the left.
	Words bool
	// Restated says that a text before the table repeats the second column: narrow screens
	// leave the column out.
	Restated bool
	// Aside says that HTML shows the table only on demand, as a figure says the same.
	Aside bool
}

// cell is a text, a smaller text below it, and whether it is good or bad news.
type cell struct {
	Text, Below string
	Mark        mark
}

type mark string

const (
	good mark = "good"
	bad  mark = "bad"
)

func (s *section) text(format string, args ...any) {
	s.Blocks = append(s.Blocks, block{Text: fmt.Sprintf(format, args...)})
}

func (s *section) heading(text string)    { s.Blocks = append(s.Blocks, block{Heading: text}) }
func (s *section) list(items []string)    { s.Blocks = append(s.Blocks, block{List: items}) }
func (s *section) table(t table)          { s.Blocks = append(s.Blocks, block{Table: &t}) }
func (s *section) figures(list ...figure) { s.Blocks = append(s.Blocks, block{Figures: list}) }

// cells makes a row of plain texts.
func cells(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, t := range texts {
		row[i].Text = t
	}
	return row
}

// estimated is a figure over its interval.
func estimated(e fairness.Estimate, text func(fairness.Value) string) cell {
	return cell{Text: text(e.Value), Below: words.Interval(e, text)}
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
		{"groups", "How groups are treated", d.groupSection},
		{"cost", "The price of fairness", d.costSection},
		{"model", "What the classifier uses, and how strongly", d.modelSection},
		{"data", "The data", d.dataSection},
		{"use", "Intended use and limits", d.cardSection},
		{"again", "How to reproduce", d.againSection},
		{"reading", "How to read this report", d.readingSection},
	} {
		s := section{ID: part.id, Title: part.title}
		if part.write(&s); s.Blocks != nil {
			list = append(list, s)
		}
	}
	return list
}

func (d *Document) constraintSection(s *section) {
	if len(d.Requirements) == 0 {
		s.text("The model was trained without a fairness constraint.")
		return
	}
	var pictures []figure
	t := table{
		Caption: "Values of the constraints",
		Head:    []string{"Rows", "Bound", "Value", "Met?", "Unconstrained baseline"},

		Restated: !d.testsOther(),
	}
	for k := range d.Requirements {
		f := &d.Requirements[k]
		s.text("%s (%s, on %s).", f.Must(), f.Spec, f.On)
		pictures = append(pictures, d.valueFigure(k))
		for _, v := range f.Values {
			t.Rows = append(t.Rows, d.valueRow(k, v))
		}
	}
	s.figures(pictures...)
	if d.estimates() {
		note := "Below a value stands its 95 % confidence interval: of 100 samples of people like these, 95 have an interval that covers the value of all such people."
		if slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Weighted }) {
			note += " With weights that is approximate."
		}
		t.Notes = append(t.Notes, note)
	}
	t.Notes = append(t.Notes, "On the rows that the classifier was fitted to, the value is counted: it is a fact about them, and no estimate for others.")
	t.Notes = append(t.Notes, d.ruleNotes()...)
	s.table(t)
}

// estimates reports whether constraints have values with intervals.
func (d *Document) estimates() bool {
	return d.some(func(_ *words.Finding, v *words.Value) bool { return v.Role != Certified && v.Low.Defined() })
}

// testsOther reports whether a test is about another figure than its constraint.
func (d *Document) testsOther() bool {
	return d.some(func(_ *words.Finding, v *words.Value) bool { return v.Measure != "" })
}

// some reports whether some value of a constraint is so.
func (d *Document) some(is func(*words.Finding, *words.Value) bool) bool {
	return slices.ContainsFunc(d.Requirements, func(f words.Finding) bool {
		return slices.ContainsFunc(f.Values, func(v words.Value) bool { return is(&f, &v) })
	})
}

// valueRow is a row of the table of the values of constraint k.
func (d *Document) valueRow(k int, v words.Value) []cell {
	f := &d.Requirements[k]
	q := f.JudgedBy(v)
	m := q.Words()
	text, bound := m.Beside(v.Value, v.Bound, q.AtLeast, words.Nearest)
	met := cell{Text: f.Met(v)}
	switch {
	case v.Role == Certified && v.Met:
		met.Below, met.Mark = d.Guarantee.onCondition(), good
	case v.Met && v.Value.Defined():
		met.Mark = good
	case v.Role == Certified || v.Value.Defined():
		met.Mark = bad
	}
	row := []cell{{Text: d.rowsName(v.Role)}, {Text: q.Limit() + bound}, {Text: text}, met, {Text: f.Words().Text(d.without(v.Role, k))}}
	switch {
	case v.Measure != "":
		row[0].Below = m.Name
	case len(d.Requirements) > 1:
		row[0].Below = q.Spec
	}
	switch {
	case v.Role == Certified:
		limit, bound := m.Beside(q.ConfidenceLimit(v), v.Bound, q.AtLeast, q.Outward())
		row[1].Text, row[2].Text, row[2].Below = q.Limit()+bound, m.Text(v.Value), "confidence limit: "+q.Limit()+limit
	case !v.Value.Defined():
		row[2].Below = "not defined"
	case v.Low.Defined():
		row[2].Below = words.Interval(v.Estimate, m.Text)
	case v.Role.Counted():
		row[2].Below = "counted"
	default:
		row[2].Below = "no interval"
	}
	return row
}

// ruleNotes say by which rules values that are beyond a bound count as met, and where bounds
// come from that nobody has named.
func (d *Document) ruleNotes() []string {
	var notes []string
	tolerance := 0.0
	for k := range d.Requirements {
		f := &d.Requirements[k]
		if f.BoundFrom != "" {
			notes = append(notes, fmt.Sprintf("%s names no share: the bound is the share of group %s among the %s.", f.Spec, f.Group, d.peopleIn(f.BoundFrom)))
		}
		for _, v := range f.Values {
			tolerance = max(tolerance, v.Tolerance)
		}
	}
	if tolerance > 0 {
		notes = append(notes, fmt.Sprintf("“Within the tolerance” is beyond the bound by no more than %.3g, to which training solves constraints on scores (a share or a ratio by no more than %v).", tolerance, min(tolerance, model.Short)))
	}
	return notes
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

// rowsName is "Test rows (16,281)".
func (d *Document) rowsName(role Role) string {
	if role == Certified && d.Guarantee != nil {
		return fmt.Sprintf("Certified rows (%s)", words.Thousands(d.Guarantee.Rows))
	}
	if r := d.rows(role); r != nil {
		return fmt.Sprintf("%s rows (%s)", words.Capital(string(role)), words.Thousands(r.Rows))
	}
	return words.Capital(string(role)) + " rows"
}

func (d *Document) cardSection(s *section) {
	c := d.Card
	if c == nil {
		c = &Card{}
		s.text("Nobody has written down what this classifier is for, whom it may decide about and where it must not be used: “--card” takes such a text.")
	}
	for _, p := range []struct{ title, text string }{
		{"", c.Summary}, {"Owner", c.Owner}, {"Contact", c.Contact}, {"Oversight", c.Oversight},
	} {
		if p.text == "" {
			continue
		}
		if p.title != "" {
			p.text = p.title + ": " + p.text
		}
		s.text("%s", p.text)
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
	s.list([]string{
		"The figures are about the rows named here. People of another time or place may be treated otherwise.",
		"The labels are taken as the truth. If they are unfair, a classifier that fits them is so too.",
		"Groups that the data don't name are not compared.",
		"Equal rates are not the only meaning of fairness, and most of its meanings can't hold together.",
	})
}

func (d *Document) readingSection(s *section) {
	s.list([]string{
		"Decision: positive where the score is at least " + fmt.Sprintf("%.4g", d.Model.Threshold) +
			d.balance() + ". Whether a positive decision is good or bad for a person, this report does not know. A positive label is the outcome that the score predicts.",
		"Selection rate: the share of people who get a positive decision.",
		"Impact ratio: the selection rate of a group divided by the highest of a group that is shown on its own.",
		"True positive rate: of the people with a positive label, the share with a positive decision. The rest, up to 100 %, have a negative decision and a positive label.",
		"False positive rate: of the people with a negative label, the share with a positive decision.",
		"Calibration error: by how much scores and shares of positive labels are apart on average; 0 where scores are correct as probabilities.",
	})
	s.text("The report holds no rows. Groups of fewer than %d people are not shown on their own. For groups with fewer people of one label, no figure that uses labels is shown. The values of the constraints are exact and include all groups: together with the tables they can reveal a small group, even one person.", d.Privacy.MinGroup)
	if d.Privacy.Folded > 0 {
		s.text("Number of groups that are merged with others: %d. Larger groups may be among them: shown alone they would reveal a smaller group, by the difference from a total.", d.Privacy.Folded)
	}
	if d.Privacy.Levels > 0 {
		s.text("Number of values of columns that are not listed, as fewer people have them: %d.", d.Privacy.Levels)
	}
}

// Class is how HTML shows the cell.
func (c cell) Class() string {
	if len(c.Text) > 40 {
		return "long"
	}
	return string(c.Mark)
}

// BelowClass is how HTML shows the text below.
func (c cell) BelowClass() string {
	if len(c.Below) > 30 {
		return "long"
	}
	return ""
}
