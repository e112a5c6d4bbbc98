package report

import (
	"fmt"
	"math"
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
			calibrationFigure(main), rocFigure(main),
		)
		if far := miscalibrated(main); len(far) > 0 {
			s.text("For these groups scores are no probabilities: %s.", words.And(far))
		}
		s.table(d.groupTable(main, false))
		for _, t := range c.Tables {
			if t.Role != main.Role {
				s.table(d.groupTable(t, true))
			}
		}
		if t, ok := reliabilityTable(on, main); ok {
			s.table(t)
		}
	}
}

// farOff is the calibration error from which on the report remarks on scores: if a score of 50
// % stands for 45 %, a reader who takes it as one chance in two is misled.
const farOff = 0.05

// miscalibrated names the groups whose scores are far from the shares of positive labels.
func miscalibrated(t GroupTable) []string {
	var far []string
	for _, g := range t.Groups {
		if g.Calibration != nil && float64(g.ECE) >= max(farOff, 2*byChance(g.Calibration)) {
			far = append(far, fmt.Sprintf("%s (calibration error %s)", g.Name, words.Percent.Text(g.ECE)))
		}
	}
	return far
}

// byChance is the approximate calibration error that chance gives to correct scores: for
// each bin the mean deviation of a share from its expectation, √(2/π) standard
// deviations.
func byChance(bins []fairness.CalibrationBin) float64 {
	sum, people := 0.0, 0.0
	for _, b := range bins {
		n, score := float64(b.Rows), float64(b.MeanScore)
		sum += n * math.Sqrt(2/math.Pi*score*(1-score)/n)
		people += n
	}
	return sum / people
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
		Head: []string{"Group", "People", "Positive labels", "Selection rate", "True positive rate", "False positive rate", "Accuracy", "AUC", "Calibration error"},
	}
	row := func(name string, people int, c *Cell) {
		out.Rows = append(out.Rows, []cell{
			{Text: name},
			{Text: words.Thousands(people)},
			{Text: words.Percent.Text(c.BaseRate.Value)},
			estimated(c.SelectionRate, words.Percent.Text), estimated(c.TPR, words.Percent.Text),
			estimated(c.FPR, words.Percent.Text), estimated(c.Accuracy, words.Percent.Text),
			{Text: c.AUC.Text(3)},
			{Text: words.Percent.Text(c.ECE)},
		})
	}
	for i := range t.Groups {
		row(t.Groups[i].Name, t.Groups[i].Rows, &t.Groups[i].Cell)
	}
	if r := d.rows(t.Role); r != nil {
		row("Everybody", r.Rows, &r.Cell)
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

// reliabilityTable has the numbers of a calibration figure.
func reliabilityTable(on string, t GroupTable) (table, bool) {
	out := table{Caption: "Scores and outcomes on the " + on, Head: []string{"Group", "People", "Scores", "Mean score", "Positive labels"}, Aside: true}
	for _, g := range t.Groups {
		for _, b := range g.Calibration {
			out.Rows = append(out.Rows, cells(g.Name, words.Thousands(b.Rows),
				b.Low.Text(3)+" to "+b.High.Text(3), words.Percent.Text(b.MeanScore), words.Percent.Text(b.BaseRate)))
		}
	}
	return out, len(out.Rows) > 0
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

func (d *Document) categorySection(s *section) {
	c := d.Categories
	if c == nil {
		return
	}
	s.text("These tables have the form that New York City's Local Law 144 wants published for tools that decide about employment (6 RCNY § 5-301), on the %s. Whether a tool is lawful is no question of these numbers alone, and this report does not answer it.", d.peopleIn(c.Role))
	s.list([]string{
		"Impact ratio: the rate of a category divided by the highest rate of any category that is shown on its own. Merged categories are left out of it. The law sets no limit for it.",
		"Scoring rate: the share with a score above the median of everybody, " + c.Median.Text(3) + ".",
		"* marks categories of fewer than 2 % of the people: the rules let an auditor leave them out of the impact ratios and say so.",
	})
	if r := d.rows(c.Role); r != nil && r.Weighted {
		s.text("These tables count people, each as one. The rows have weights, by which the other rates of this report count them: so they differ.")
	}
	for _, group := range c.Tables {
		t := table{
			Caption: "By " + group.Group,
			Head:    []string{"Category", "People", "Share", "Selection rate", "Impact ratio", "Scoring rate", "Impact ratio of scoring"},
		}
		for _, g := range group.Categories {
			name := g.Name
			if g.UnderTwoPercent {
				name += "\u00a0*"
			}
			t.Rows = append(t.Rows, cells(name, words.Thousands(g.Rows),
				words.Percent.Text(g.Share), words.Percent.Text(g.SelectionRate), g.ImpactRatio.Text(3), words.Percent.Text(g.ScoringRate), g.ScoringImpactRatio.Text(3)))
		}
		if group.MergedAbove {
			t.Notes = append(t.Notes, "The merged categories have a higher rate together than any category that is shown: at least one of them has, and with it impact ratios would be lower.")
		}
		more := "People"
		switch {
		case group.Unknown == 0 && group.UnknownMerged:
		case !group.Unknown.Defined():
			t.Notes = append(t.Notes, fmt.Sprintf("Left out are fewer than %d people whose category is unknown.", d.Privacy.MinGroup))
			more = "More people"
		case group.Unknown > 0:
			t.Notes = append(t.Notes, fmt.Sprintf("Left out are %s people whose category is unknown.", words.Thousands(int(group.Unknown))))
			more = "More people"
		default:
			t.Notes = append(t.Notes, "Number of people whose category is unknown: 0.")
		}
		if group.UnknownMerged {
			t.Notes = append(t.Notes, more+" whose category is unknown are among the merged categories.")
		}
		s.table(t)
	}
}
