package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
)

// uses says what the model uses, without what few people have.
func (b *builder) uses() *classifier.Explanation {
	e := b.Model.Explain(b.specs())
	e.Label = names.Line(e.Label)
	e.Groups = lines(e.Groups)
	for k := range e.Dropped {
		e.Dropped[k] = classifier.DroppedColumn{Column: names.Line(e.Dropped[k].Column), Reason: names.Line(e.Dropped[k].Reason)}
	}
	for k := range e.Leaks {
		e.Leaks[k].Column = names.Line(e.Leaks[k].Column)
	}
	for k := range e.Columns {
		c := &e.Columns[k]
		c.Column, c.As, c.Groups = names.Line(c.Column), names.Line(c.As), lines(c.Groups)
		c.Proxies = slices.DeleteFunc(c.Proxies, func(p classifier.Proxy) bool { return !b.shown[p.Group] })
		for i := range c.Proxies {
			c.Proxies[i].Column, c.Proxies[i].Group = c.Column, names.Line(c.Proxies[i].Group)
		}
		c.Effects = slices.DeleteFunc(c.Effects, func(f classifier.Effect) bool {
			few := f.Level != "" && f.Share != nil && e.Reference != nil &&
				*f.Share*float64(e.Reference.Rows) < float64(b.MinGroup)-0.5
			if few {
				b.doc.Privacy.Levels++
			}
			return few
		})
		for i := range c.Effects {
			f := &c.Effects[i]
			f.Feature, f.Level = names.Line(f.Feature), names.Line(f.Level)
		}
	}
	return e
}

func lines(texts []string) []string {
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = names.Line(t)
	}
	return list
}

const (
	mostColumns = 15  // in the table, besides those with a remark
	mostEffects = 150 // rows of the table of all effects
)

func (d *Document) modelSection(s *section) {
	e := d.Model.Uses
	s.text("The classifier adds up one number for every column and turns the sum into a score. A column’s strength is by how much its part of the sum varies among the people it was trained on.")
	if e.Label != "" {
		s.text("Target: %s.", e.Label)
	}
	s.figures(strengthFigure(e))
	columns := table{Caption: "Columns, the strongest first", Words: true, Head: []string{"Column", "Strength", "Sensitive attribute?", "Proxy for a sensitive attribute?"}}
	for i, c := range e.Columns {
		if i < mostColumns || isFlagged(&c) && len(columns.Rows) < mostEffects {
			columns.Rows = append(columns.Rows, append(cells(c.Column, fmt.Sprintf("%.2f", c.Strength)), flags(&c)...))
		}
	}
	if len(columns.Rows) < len(e.Columns) {
		columns.Notes = append(columns.Notes, fmt.Sprintf("The %d strongest of %d columns, and others with a remark.", mostColumns, len(e.Columns)))
	}
	columns.Notes = append(columns.Notes, fmt.Sprintf("! uses: the column is a sensitive attribute, which the model uses directly. ! proxy: the column alone predicts the group with an AUC of at least %.2f (0.5 is chance, 1 is perfect), so that the model may use it indirectly.", e.ProxyAUC))
	if note := sampleNote(e); note != "" {
		columns.Notes = append(columns.Notes, "Proxies"+note)
	}
	s.table(columns)
	s.table(d.effectTable())
	if len(e.Dropped) > 0 {
		dropped := table{Caption: "Columns that it does not use", Words: true, Head: []string{"Column", "Why"}}
		for _, c := range e.Dropped {
			dropped.Rows = append(dropped.Rows, cells(c.Column, c.Reason))
		}
		s.table(dropped)
	}
}

// sampleNote says by which rows columns were looked through, empty if by all.
func sampleNote(e *classifier.Explanation) string {
	if e.Reference == nil || e.Reference.Sample == 0 {
		return ""
	}
	return fmt.Sprintf(" were looked for among %s rows drawn at random from the %s training rows.",
		words.Thousands(e.Reference.Sample), words.Thousands(e.Reference.Rows))
}

// isFlagged reports whether a reader must know something about a column.
func isFlagged(c *classifier.ColumnEffect) bool { return len(c.Groups)+len(c.Proxies) > 0 }

// flags says what a reader must know about a column.
func flags(c *classifier.ColumnEffect) []cell {
	direct, proxy := cell{Text: "no"}, cell{Text: "no"}
	if len(c.Groups) > 0 {
		direct = cell{Text: "! uses " + strings.Join(c.Groups, ", "), Mark: bad}
	}
	var tells []string
	for _, p := range c.Proxies {
		tells = append(tells, fmt.Sprintf("%s (%.2f)", p.Group, p.AUC))
	}
	if tells != nil {
		proxy = cell{Text: "! proxy of " + strings.Join(tells, ", "), Mark: bad}
	}
	return []cell{direct, proxy}
}

// effectTable has every effect in the units of the data, so that a reader can add up a score.
func (d *Document) effectTable() table {
	e := d.Model.Uses
	t := table{Caption: "Every number of the model", Head: []string{"Feature", "Compared with", "Log-odds", "Odds times"}, Aside: true}
	total := 0
	for _, c := range e.Columns {
		for _, f := range c.Effects {
			if total++; total > mostEffects {
				continue
			}
			odds := words.Undefined
			if f.OddsRatio != nil {
				odds = classifier.OddsText(*f.OddsRatio, 4)
			}
			t.Rows = append(t.Rows, cells(f.Feature, comparedWith(&c, &f), fmt.Sprintf("%+.4g", f.LogOdds), odds))
		}
	}
	t.Rows = append(t.Rows, cells("(everybody)", "", fmt.Sprintf("%+.4g", e.Constant), ""))
	t.Notes = append(t.Notes, "The log-odds of a score are the number of (everybody) and, of every column, the number of the row’s value; of a column of numbers, its number for each unit above the value that it is counted from, below it the other way. (rare) is any value that has no line of its own, (other) is one where there is no (rare). The score is 1/(1 + e^−x) of the log-odds x.")
	if total > mostEffects {
		t.Caption = "Numbers of the model"
		t.Notes = append(t.Notes, fmt.Sprintf("The first %d of %d; the JSON form has all.", mostEffects, total))
	}
	if d.Privacy.Levels > 0 {
		t.Caption = "Numbers of the model"
		t.Notes = append(t.Notes, fmt.Sprintf("Values that fewer than %d people have are left out, so that their scores can’t be added up.", d.Privacy.MinGroup))
	}
	if !e.Probability {
		t.Notes = append(t.Notes, "Scores are not meant to be probabilities here, so there are no odds.")
	}
	return t
}

// comparedWith says what the effect of a column is in comparison with.
func comparedWith(c *classifier.ColumnEffect, f *classifier.Effect) string {
	switch {
	case f.Reference:
		return "(the others are compared with it)"
	case f.From != nil:
		return fmt.Sprintf("one unit less, counted from %.7g", *f.From)
	}
	for _, other := range c.Effects {
		switch {
		case other.Reference:
			return other.Level
		case other.From != nil:
			return fmt.Sprintf("the value %.7g", *other.From)
		}
	}
	if c.IsCategory() {
		return "the most frequent value"
	}
	return "not having it"
}

// strengthFigure shows the strongest columns.
func strengthFigure(e *classifier.Explanation) figure {
	note := "Bars with ! are flagged below: the column is a sensitive attribute or a proxy for one."
	if len(e.Columns) > mostBars {
		note = fmt.Sprintf("The %d strongest of %d columns. %s", mostBars, len(e.Columns), note)
	}
	var names []string
	var values []float64
	for _, c := range e.Columns {
		names, values = append(names, c.Column), append(values, c.Strength)
	}
	s := newScale(namedFrom, namedTo-30, values...)
	return named("Strength of columns", note, names, s, "strength", plainTick, func(g *drawing, i int, y float64) {
		class, sign := "bar", ""
		if isFlagged(&e.Columns[i]) {
			class, sign = "bar flagged", " !"
		}
		end := s.at(values[i])
		g.rect(class, s.from, y-8, end-s.from, 16)
		g.text("small", "start", end+5, y+4, fmt.Sprintf("%.2f", values[i])+sign)
	})
}
