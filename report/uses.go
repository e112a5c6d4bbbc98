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
			few := f.Level != "" && b.areFew(f.Share)
			if few {
				b.doc.Privacy.Levels++
			}
			return few
		})
	}
	return e
}

// areFew reports whether a share of the training rows, nil if it is unknown, is too few people to
// name what they have.
func (b *builder) areFew(share *float64) bool {
	r := b.Model.Reference
	return share != nil && r != nil && *share*float64(r.Rows) < float64(b.MinGroup)-0.5
}

// scorecard is the scorecard of the model, without what few people have.
func (b *builder) scorecard() *classifier.Scorecard {
	card := b.Model.Scorecard()
	for k := range card.Columns {
		c := &card.Columns[k]
		c.Lines = slices.DeleteFunc(c.Lines, func(l classifier.ScorecardLine) bool { return b.areFew(l.Share) })
	}
	return card
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
	columns := table{Caption: "Columns, the strongest first", Words: true, Head: []string{"Column", "Strength", "Information value", "Declared sensitive?", "Proxy for a sensitive attribute?"}}
	for i, c := range e.Columns {
		if i < mostColumns || isFlagged(&c) && len(columns.Rows) < mostFlagged {
			columns.Rows = append(columns.Rows, append(cells(c.Column, fmt.Sprintf("%.2f", c.Strength), information(c.InformationValue)), flags(&c)...))
		}
	}
	if len(columns.Rows) < len(e.Columns) {
		columns.note("The %d strongest of %d columns, and others with a remark.", mostColumns, len(e.Columns))
	}
	columns.note("! uses: the column is a sensitive attribute, which the model uses directly. ! proxy: the column alone predicts the group with an AUC of at least %.2f (0.5 is chance, 1 is perfect), so that the model may use it indirectly.", e.ProxyAUC)
	columns.note("%s", words.InformationValues)
	s.table(columns)
	if d.Model.Points != nil {
		s.heading("Scorecard")
		s.text("%s", words.Scorecard(d.Model.Points))
		s.table(d.scorecardTable())
	}
	s.table(d.effectTable())
	if len(e.Dropped) > 0 {
		dropped := table{Caption: "Columns that it does not use", Words: true, Head: []string{"Column", "Why"}}
		for _, c := range e.Dropped {
			dropped.Rows = append(dropped.Rows, cells(c.Column, c.Reason))
		}
		s.table(dropped)
	}
}

// information writes an information value.
func information(v *float64) string { return words.Optional(v).Text(2) }

// scorecardTable has all lines of the scorecard, so that a reader can add up points.
func (d *Document) scorecardTable() table {
	card := d.Model.Points
	t := table{Caption: "Points to add up", Head: []string{"Column", "Value", "Points", "Share of people"}}
	t.Rows = append(t.Rows, cells("(everybody)", "", fmt.Sprint(card.Constant), ""))
	for _, c := range card.Columns {
		for _, l := range c.Lines {
			t.Rows = append(t.Rows, cells(c.Column, l.Value, fmt.Sprint(l.Points), words.Percent.Text(words.Optional(l.Share))))
		}
	}
	t.note("A person has the points of (everybody) and, of every column, those of the line of the person’s value. (rare) or (other) is any value without a line of its own.")
	if len(card.Without) > 0 {
		t.note("Columns of which all values have the same points: %s.", words.And(card.Without))
	}
	return t
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
