package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/report/words"
)

// uses says what the model uses, without what few people have.
func (b *builder) uses() *classifier.Explanation {
	e := b.Model.Explain(b.specs())
	for k := range e.Columns {
		c := &e.Columns[k]
		c.Proxies = slices.DeleteFunc(c.Proxies, func(p classifier.Proxy) bool { return b.named("", p.Group) == notShown })
		c.Effects = slices.DeleteFunc(c.Effects, func(f classifier.Effect) bool {
			few := f.Level != "" && f.Share != nil && e.Reference != nil &&
				*f.Share*float64(e.Reference.Rows) < float64(b.MinGroup)-0.5
			if few {
				b.doc.Privacy.Levels++
			}
			return few
		})
	}
	return e
}

const (
	mostColumns = 15 // in the table, besides those with a remark
	mostFlagged = 150
	mostEffects = 1000 // rows of the table of all effects
)

func (d *Document) modelSection(s *section) {
	e := d.Model.Uses
	s.text("The score adds up one number per column. A column’s strength is the standard deviation of its number among the people of training.")
	if e.Label != "" {
		s.text("Target: %s.", e.Label)
	}
	pictures, left := Pictures(e)
	if len(pictures) < min(len(e.Columns), MostPictures) { // numbers of a linear model have none
		s.figures(strengthFigure(e))
	}
	if len(pictures) > 0 {
		s.text("%s", effectsText(pictures, left))
		s.pictures(pictures)
	}
	columns := table{Caption: "Columns, the strongest first", Words: true, Head: []string{"Column", "Strength", "Declared sensitive?", "Proxy for a sensitive attribute?"}}
	for i, c := range e.Columns {
		if i < mostColumns || isFlagged(&c) && len(columns.Rows) < mostFlagged {
			columns.Rows = append(columns.Rows, append(cells(c.Column, fmt.Sprintf("%.2f", c.Strength)), flags(&c)...))
		}
	}
	if len(columns.Rows) < len(e.Columns) {
		columns.note("The %d strongest of %d columns, and others with a remark.", mostColumns, len(e.Columns))
	}
	columns.note("! uses: the column is a sensitive attribute, which the model uses directly. ! proxy: the column alone predicts the group with an AUC of at least %.2f (0.5 is chance, 1 is perfect), so that the model may use it indirectly.", e.ProxyAUC)
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

// isFlagged reports whether a reader must know something about a column.
func isFlagged(c *classifier.ColumnEffect) bool { return len(c.Groups)+len(c.Proxies) > 0 }

// flags say what a reader must know about a column.
func flags(c *classifier.ColumnEffect) []cell {
	direct, proxy := cell{Text: "no"}, cell{Text: "no"}
	if len(c.Groups) > 0 {
		direct = cell{Text: "! uses " + strings.Join(c.Groups, ", "), Mark: "bad"}
	}
	var groups []string
	for _, p := range c.Proxies {
		groups = append(groups, fmt.Sprintf("%s (%.2f)", p.Group, p.AUC))
	}
	if groups != nil {
		proxy = cell{Text: "! proxy of " + strings.Join(groups, ", "), Mark: "bad"}
	}
	return []cell{direct, proxy}
}

// effectTable has every effect in the units of the data, so that a reader can add up a score.
func (d *Document) effectTable() table {
	e := d.Model.Uses
	t := table{Caption: "Every number of the model", Head: []string{"Feature", "Log-odds", "Odds times"}, Closed: true}
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
			row := cells(f.Feature, fmt.Sprintf("%+.4g", f.LogOdds), odds)
			if f.From != nil {
				row[0].Below = fmt.Sprintf("per unit above %.7g", *f.From)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Rows = append(t.Rows, cells("(everybody)", fmt.Sprintf("%+.4g", e.Constant), ""))
	t.note("The log-odds of a score are the number of (everybody) and, of every column, the number of the row’s value; of a column of numbers, its number for each unit above the value that it is counted from. (rare) is any value without a line of its own, (other) where there is no (rare). The score is 1/(1 + e^−x) of the log-odds x.")
	if total > mostEffects {
		t.Caption = "Numbers of the model"
		t.note("The first %d of %d; the JSON form has all.", mostEffects, total)
	}
	if d.Privacy.Levels > 0 {
		t.Caption = "Numbers of the model"
		t.note("Values that fewer than %d people have are left out, so that their scores cannot be added up.", d.Privacy.MinGroup)
	}
	if !e.Probability {
		t.note("The scores are no probabilities, so there are no odds.")
	}
	return t
}
