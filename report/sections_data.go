package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/report/words"
)

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
		on := d.peopleIn(main.Role)
		s.text("On the %s:", on)
		s.figures(
			rateFigure("Selection rate", "positive decisions among all people", main,
				func(c *Cell) fairness.Estimate { return c.SelectionRate }),
			rateFigure("Accuracy", "correct decisions among all people", main,
				func(c *Cell) fairness.Estimate { return c.Accuracy }),
			rateFigure("True positive rate", "positive decisions among people with a positive label", main, func(c *Cell) fairness.Estimate { return c.TPR }),
			rateFigure("False positive rate", "positive decisions among people with a negative label", main, func(c *Cell) fairness.Estimate { return c.FPR }),
		)
		s.table(d.groupTable(main, false))
		for _, t := range c.Tables {
			if t.Role != main.Role {
				s.table(d.groupTable(t, true))
			}
		}
	}
}

// leaveOut returns how many people are in none of the groups.
func (t *GroupTable) leaveOut(r *Rows) int {
	left := r.Rows
	for i := range t.Groups {
		left -= t.Groups[i].Rows
	}
	return left
}

func (d *Document) groupTable(t GroupTable, aside bool) table {
	out := table{
		Caption: "Groups on the " + d.peopleIn(t.Role), Aside: aside,
		Head: []string{"Group", "People", "Positive labels", "Selection rate", "Impact ratio", "True positive rate", "False positive rate", "Accuracy", "Calibration error"},
	}
	row := func(name string, people int, ratio fairness.Value, c *Cell) {
		out.Rows = append(out.Rows, []cell{
			{Text: name},
			{Text: words.Thousands(people)},
			{Text: words.Percent.Text(c.BaseRate.Value)},
			estimated(c.SelectionRate, words.Percent.Text), {Text: ratio.Text(3)}, estimated(c.TPR, words.Percent.Text),
			estimated(c.FPR, words.Percent.Text), estimated(c.Accuracy, words.Percent.Text),
			{Text: words.Percent.Text(c.ECE)},
		})
	}
	for i := range t.Groups {
		row(t.Groups[i].Name, t.Groups[i].Rows, t.Groups[i].ImpactRatio, &t.Groups[i].Cell)
	}
	if r := d.rows(t.Role); r != nil {
		row("Everybody", r.Rows, fairness.Undefined(), &r.Cell)
		if left := t.leaveOut(r); left > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%s people are in none of these groups, and only everybody's figures are about them, too.", words.Thousands(left)))
		}
	}
	if slices.ContainsFunc(t.Groups, func(g GroupCell) bool { return !g.BaseRate.Value.Defined() }) {
		out.Notes = append(out.Notes, fmt.Sprintf("Groups without a share of positive labels have fewer than %d people of one label, or would reveal such a group: for them no figure that uses labels is shown.", d.Privacy.MinGroup))
	}
	if !t.Role.Counted() {
		out.Notes = append(out.Notes, "Below a rate stands its 95 % interval, for each group on its own.")
	}
	return out
}

func (d *Document) dataSection(s *section) {
	if c := d.Card; c != nil && c.DataSource != "" {
		s.text("Where they come from: %s", c.DataSource)
	}
	if c := d.Card; c != nil && c.DataPeriod != "" {
		s.text("Period: %s", c.DataPeriod)
	} else {
		s.text("The period of the data is not stated.")
	}
	t := table{Caption: "Rows of this report", Words: true, Head: []string{"Rows", "File", "Positive labels", "As the model file names them", "SHA-256 of the content"}}
	missing := table{Caption: "Rows without a value", Head: []string{"Column"}}
	count := map[string][]fairness.Value{}
	var columns []string
	for k, r := range d.Rows {
		named := "yes"
		if !r.Known {
			named = "not named"
		}
		t.Rows = append(t.Rows, cells(d.rowsName(r.Role), r.Name,
			words.Percent.Text(r.BaseRate.Value), named, r.SHA256))
		missing.Head = append(missing.Head, d.rowsName(r.Role))
		for _, m := range r.Missing {
			if count[m.Column] == nil {
				columns = append(columns, m.Column)
				count[m.Column] = make([]fairness.Value, len(d.Rows))
			}
			count[m.Column][k] = m.Rows
		}
	}
	t.Notes = append(t.Notes, "Each row counts as one person.")
	for _, column := range d.SeveralRows {
		t.Notes = append(t.Notes, fmt.Sprintf("Column %s: %s. If these are people, the numbers of people are numbers of rows.", column.Name, column.Said))
	}
	for _, r := range d.Rows {
		if r.Weighted {
			t.Notes = append(t.Notes, fmt.Sprintf("The %s rows have weights: rates count each row by its weight, numbers of people and shares of groups in all scores don't.", r.Role))
		}
	}
	s.table(t)
	for _, name := range columns {
		row := cells(name)
		for k, n := range count[name] {
			text := fmt.Sprintf("fewer than %d", d.Privacy.MinGroup)
			switch {
			case d.Rows[k].Missing == nil:
				text = "not counted"
			case n.Defined():
				text = words.Thousands(int(n))
			}
			row = append(row, cell{Text: text})
		}
		missing.Rows = append(missing.Rows, row)
	}
	switch {
	case len(columns) > 0:
		s.table(missing)
	case !slices.ContainsFunc(d.Rows, func(r Rows) bool { return r.Missing == nil }):
		s.text("No value of a column that the model uses is missing.")
	}
}
