package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/digits"
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
	return cell{Text: text(e.Value), Below: interval(e, text)}
}

// sections returns what a reader gets, in this order.
func (d *Document) sections() []section {
	var list []section
	for _, part := range []struct {
		id, title string
		write     func(*section)
	}{
		{"asked", "What was asked, and what was achieved", d.askedSection},
		{"guarantee", "The guarantee", d.guaranteeSection},
		{"groups", "How groups are treated", d.groupSection},
		{"price", "What it costs", d.priceSection},
		{"frontier", "Other bounds", d.frontierSection},
		{"model", "What the classifier uses, and how strongly", d.modelSection},
		{"data", "The data", d.dataSection},
		{"categories", "Selection by category", d.categorySection},
		{"use", "Intended use and limits", d.cardSection},
		{"again", "How to make it again", d.againSection},
		{"reading", "How to read this report", d.readingSection},
	} {
		s := section{ID: part.id, Title: part.title}
		if part.write(&s); s.Blocks != nil {
			list = append(list, s)
		}
	}
	return list
}

func (d *Document) askedSection(s *section) {
	if len(d.Requirements) == 0 {
		s.text("No requirement of fairness was asked for in training.")
		return
	}
	var pictures []figure
	t := table{
		Caption: "What was achieved",
		Head:    []string{"Rows", "Asked", "Achieved", "Kept?", "Without the requirement"},

		Restated: !d.testsOther(),
	}
	for k := range d.Requirements {
		q := &d.Requirements[k]
		s.text("%s (%s, on %s).", q.asked(), q.Spec, q.On)
		pictures = append(pictures, d.achievedFigure(k))
		for _, a := range q.Results {
			t.Rows = append(t.Rows, d.achievedRow(k, a))
			if by := a.furthestApart(); a.Role == d.Rows[len(d.Rows)-1].Role && !strings.Contains(d.Verdict.Sentence, by) {
				t.Notes = append(t.Notes, fmt.Sprintf("%s, on the %s: %s.", sentence(q.measure().name), d.peopleIn(a.Role), by))
			}
		}
	}
	s.figures(pictures...)
	if d.estimates() {
		note := "Below a figure stands its 95 % interval: of 100 samples of people like these, 95 have an interval that covers the figure of all such people."
		if slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Weighted }) {
			note += " With weights that is approximate; fewer do if heavy rows are decided otherwise than light ones."
		}
		t.Notes = append(t.Notes, note)
	}
	t.Notes = append(t.Notes, "On the rows that the classifier was fitted to, the figure is counted: it is a fact about them, and no estimate for others.")
	t.Notes = append(t.Notes, d.ruleNotes()...)
	s.table(t)
}

// estimates reports whether requirements have figures with intervals.
func (d *Document) estimates() bool {
	return slices.ContainsFunc(d.Requirements, func(q Requirement) bool {
		return slices.ContainsFunc(q.Results, func(a Achieved) bool { return a.Role != Certified && a.Low.Defined() })
	})
}

// achievedRow is a row of the table of what was achieved of requirement k.
func (d *Document) achievedRow(k int, a Achieved) []cell {
	asked := &d.Requirements[k]
	q := asked.judgedFor(a)
	m := q.measure()
	text, bound := m.Beside(a.Value, a.Bound, q.AtLeast, digits.Nearest)
	row := []cell{{Text: d.rowsName(a.Role)}, {Text: q.limit() + bound}, {Text: text}, d.kept(asked, a), {Text: asked.measure().Text(d.without(a.Role, k))}}
	switch {
	case a.Measure != "":
		row[0].Below = m.name
	case len(d.Requirements) > 1:
		row[0].Below = q.Spec
	}
	switch {
	case a.Role == Certified:
		limit, bound := m.Beside(shown(q, a), a.Bound, q.AtLeast, q.outward())
		row[1].Text, row[2].Text, row[2].Below = q.limit()+bound, m.Text(a.Value), "shown: "+q.limit()+limit
	case !a.Value.Defined():
		row[2].Below = "not defined"
	case a.Low.Defined():
		row[2].Below = interval(a.Estimate, m.Text)
	case a.Role.Counted():
		row[2].Below = "counted"
	default:
		row[2].Below = "no interval"
	}
	return row
}

// testsOther reports whether a test is about another figure than its requirement.
func (d *Document) testsOther() bool {
	return slices.ContainsFunc(d.Requirements, func(q Requirement) bool {
		return slices.ContainsFunc(q.Results, func(a Achieved) bool { return a.Measure != "" })
	})
}

// kept says whether rows keep a requirement.
func (d *Document) kept(q *Requirement, a Achieved) cell {
	switch {
	case a.Role == Certified && a.Holds:
		return cell{Text: "✓ shown", Below: d.Guarantee.onCondition(), Mark: good}
	case a.Role == Certified:
		return cell{Text: "✗ not shown", Mark: bad}
	case !a.Value.Defined():
		return cell{Text: undefined}
	case !a.Holds:
		return cell{Text: "✗ no", Mark: bad}
	case a.Role.Counted() && len(q.WithinOneDecision) > 0:
		return cell{Text: "✓ within one decision each", Mark: good}
	case a.Tolerance > 0:
		return cell{Text: "✓ within the tolerance", Mark: good}
	}
	return cell{Text: "✓ yes", Mark: good}
}

// ruleNotes say by which rules figures that are beyond a bound count as kept, and where bounds
// come from that nobody has named.
func (d *Document) ruleNotes() []string {
	var notes []string
	for k := range d.Requirements {
		if q := &d.Requirements[k]; q.BoundFrom != "" {
			notes = append(notes, fmt.Sprintf("%s names no share: what is asked for is the share of the group %s among the %s.", q.Spec, q.Group, d.peopleIn(q.BoundFrom)))
		}
	}
	if tolerance := d.tolerance(); tolerance > 0 {
		short := ""
		if tolerance > model.Short {
			short = fmt.Sprintf(", that of a share or a ratio by no more than %v", model.Short)
		}
		notes = append(notes, fmt.Sprintf("“Within the tolerance” is beyond the bound, by little. Training solves requirements on scores to a tolerance of %.3g. On the rows that it was fitted to, such a requirement counts as kept if its inequality, a mean over all rows, is off by no more than that (and a share or a ratio by no more than %v). On other rows it counts as kept if the figure is off by no more than %.3g%s.", tolerance, model.Short, tolerance, short))
	}
	return notes
}

// tolerance is the tolerance within which a bound is kept that is not kept exactly, 0 for none.
func (d *Document) tolerance() float64 {
	for _, q := range d.Requirements {
		for _, a := range q.Results {
			if a.Tolerance > 0 {
				return a.Tolerance
			}
		}
	}
	return 0
}

// shown is what a test has shown about a requirement, in the form in which rows were judged by it.
func shown(q *Requirement, a Achieved) fairness.Value {
	if q.AtLeast {
		return a.Low
	}
	return a.High
}

// without is the measure of requirement k, on rows, for the classifier without
// requirements.
func (d *Document) without(role Role, k int) fairness.Value {
	for _, p := range d.Price {
		if p.Role == role && k < len(p.Measures) {
			return p.Measures[k]
		}
	}
	return fairness.Undefined()
}

// rowsName is "Test rows (16,281)".
func (d *Document) rowsName(role Role) string {
	if role == Certified && d.Guarantee != nil {
		return fmt.Sprintf("Certified rows (%s)", thousands(d.Guarantee.Rows))
	}
	if r := d.rows(role); r != nil {
		return fmt.Sprintf("%s rows (%s)", sentence(string(role)), thousands(r.Rows))
	}
	return sentence(string(role)) + " rows"
}

func (d *Document) cardSection(s *section) {
	c := d.Card
	if c == nil {
		c = &Card{}
		s.text("Nobody has written down what this classifier is for, whom it may decide about and where it must not be used: “--card” takes such a text.")
	}
	for _, p := range []struct{ title, text string }{
		{"", c.Summary}, {"Who answers for it", c.Owner}, {"Contact", c.Contact}, {"Who may overrule it", c.Oversight},
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
	}{{"Meant for", c.IntendedUse}, {"Not for", c.NotFor}, {"Limits that its makers name", c.Limits}} {
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
		"Decision: positive where the score is at least " + fmt.Sprintf("%.4g", d.Model.Threshold) + d.balance() + ". Whether a positive decision is good or bad for a person, this report does not know. A positive label is the outcome that the score is meant to foretell.",
		"Selection rate: the share of people who get a positive decision.",
		"True positive rate: of the people with a positive label, the share with a positive decision. The rest, up to 100 %, have a negative decision and a positive label.",
		"False positive rate: of the people with a negative label, the share with a positive decision.",
		"AUC: of all pairs of a person with a positive and a person with a negative label, the share in which the first has the higher score; 0.5 is chance.",
		"Calibration error: by how much scores and shares of positive labels are apart on average; 0 where scores are right as probabilities.",
		"Points are percentage points: from 10 % to 12 % are 2 points.",
	})
	s.text("The report holds no rows. Groups of fewer than %d people are not shown on their own. For groups with fewer people of one label, no figure that uses labels is shown. The figures of the requirements are exact and include all groups: together with the tables they can reveal a small group, even one person.", d.Privacy.MinGroup)
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
