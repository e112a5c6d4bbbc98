package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/plots"
)

// MostPictures is the largest number of columns whose effects are drawn.
const MostPictures = 12

// Pictures returns the strongest columns to be drawn, and how many columns are left out.
func Pictures(e *classifier.Explanation) (list []Picture, left int) {
	for k := range e.Columns {
		if p, drawn := newPicture(&e.Columns[k]); drawn && len(list) < MostPictures {
			list = append(list, p)
		} else {
			left++
		}
	}
	return list, left
}

// effectsText says how to read pictures of effects.
func effectsText(list []Picture, left int) string {
	text := "What each value adds to the log-odds, compared with the mean over the training rows: " +
		"solid lines and bars"
	if slices.ContainsFunc(list, func(p Picture) bool { return p.HasUnconstrained() }) {
		text += "; dashed lines, and ticks across bars, are the unconstrained baseline"
	}
	text += ". Grey, beneath a number: the distribution of the training rows; beside a level: its share of them. " +
		"Scales differ from picture to picture, and columns with ! are flagged below: " +
		"a sensitive attribute, or a proxy for one."
	if left > 0 {
		text += fmt.Sprintf(" Columns that are weaker, or are no pictures: %d.", left)
	}
	return text
}

func (s *section) pictures(list []Picture) {
	var all []drawn
	for k, p := range list {
		p.id = fmt.Sprintf("%s%d-%d", s.ID, len(s.Blocks), k)
		all = append(all, drawn{p.Title, p.Note, p.SVG()})
	}
	s.Blocks = append(s.Blocks, block{Figures: all, Small: true})
}

// Picture is the effects of a column, for eyes and in words.
type Picture struct {
	plots.Effects
	Text string // for people who can't see it
	id   string
}

// newPicture returns that of a column; false for a number without ranges.
func newPicture(c *classifier.ColumnEffect) (p Picture, drawn bool) {
	var notes, texts []string
	p.Title = fmt.Sprintf("%s (strength %.2f)", c.Column, c.Strength)
	if isFlagged(c) {
		p.Title = "! " + p.Title
	}
	if p.Low, p.High = math.NaN(), math.NaN(); c.Range != nil {
		p.Low, p.High = c.Range[0], c.Range[1]
	}
	if c.Axes != nil {
		p.addPair(c)
	}
	binned := false
	for k := range c.Effects {
		x := &c.Effects[k]
		if x.Bounds == (encoding.Bounds{}) {
			continue
		}
		binned = true
		r := plots.EffectRange{
			From: math.Inf(-1), To: math.Inf(1),
			Share: value(x.Share, 0), Effect: x.LogOdds, Unconstrained: value(x.Unconstrained, math.NaN()),
		}
		if x.AtLeast != nil {
			r.From = *x.AtLeast
		}
		if x.Below != nil {
			r.To = *x.Below
		}
		p.Ranges = append(p.Ranges, r)
	}
	most := plots.MostLevels
	if binned {
		const ranges = 6 // in words
		most = ranges
	}
	effects, left := c.Summary(most)
	for k := range effects {
		x := &effects[k]
		if x.Other && !binned { // no row has it
			continue
		}
		name := cmp.Or(strings.TrimPrefix(x.Feature, c.Column+"="), x.Feature)
		texts = append(texts, fmt.Sprintf("%s: %s", name, plots.Signed(x.LogOdds)))
		switch {
		case x.From != nil:
			return p, false
		case x.Bounds != (encoding.Bounds{}):
		case binned: // a missing number
			notes = append(notes, fmt.Sprintf("%s: %s.", name, plots.Signed(x.LogOdds)))
		default:
			p.Levels = append(p.Levels, plots.EffectLevel{
				Name: name, Share: value(x.Share, math.NaN()),
				Effect: x.LogOdds, Unconstrained: value(x.Unconstrained, math.NaN()),
			})
		}
	}
	if p.Pair != nil {
		notes, left = []string{p.Note}, 0
	}
	if left > 0 {
		notes = append(notes, fmt.Sprintf("Levels left out: %d.", left))
	}
	p.Note, p.Text = strings.Join(notes, " "), strings.Join(texts, "; ")
	return p, len(effects) > 0
}

// addPair adds the cells of a pair of columns.
func (p *Picture) addPair(c *classifier.ColumnEffect) {
	pair := new(plots.EffectPair)
	pair.Rows, pair.Columns = valuesOf(c.Axes[0]), valuesOf(c.Axes[1])
	for range pair.Rows {
		unknown := slices.Repeat([]float64{math.NaN()}, len(pair.Columns))
		pair.Effects = append(pair.Effects, unknown)
		pair.Shares = append(pair.Shares, make([]float64, len(pair.Columns)))
	}
	for k := range c.Effects {
		if x := &c.Effects[k]; x.Cell != nil {
			pair.Effects[x.Cell[0]][x.Cell[1]] = x.LogOdds
			pair.Shares[x.Cell[0]][x.Cell[1]] = value(x.Share, 1)
		}
	}
	var left int
	p.Pair, left = pair.Fitted()
	most := p.Pair.Largest()
	p.Note = fmt.Sprintf("From %s (orange) to %s (blue).", plots.Signed(-most), plots.Signed(most))
	if left > 0 {
		p.Note += fmt.Sprintf(" Rarer values left out: %d.", left)
	}
}

// valuesOf returns the levels and bins of features, without the name of their column.
func valuesOf(features []string) (values []string) {
	for _, name := range features {
		begin := strings.Index(name, "=") + 1
		for _, sign := range []string{" in [", " < ", " >= "} {
			if k := strings.LastIndex(name, sign); k >= 0 {
				begin = k + 1
			}
		}
		values = append(values, strings.TrimPrefix(name[begin:], "in "))
	}
	return values
}

func value(v *float64, unknown float64) float64 {
	if v == nil {
		return unknown
	}
	return *v
}

// SVG draws the picture. Colours are classes, as in those of figures.
func (p Picture) SVG() template.HTML {
	var b strings.Builder
	escaped := template.HTMLEscapeString
	fmt.Fprintf(&b, `<svg role="img" aria-labelledby="%[1]s-t %[1]s-d" viewBox="0 0 %[2]g %[3]g">`+
		`<title id="%[1]s-t">%[4]s</title><desc id="%[1]s-d">%[5]s</desc>`,
		p.id, plots.EffectsWidth, plots.EffectsHeight, escaped("Effects of "+p.Title), escaped(p.Text))
	for _, m := range p.Marks() {
		if m.Text != "" {
			turn := ""
			if m.Upward {
				turn = fmt.Sprintf(` transform="rotate(-90 %.1f %.1f)"`, m.Points[0].X, m.Points[0].Y)
			}
			fmt.Fprintf(&b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f"%s>%s</text>`,
				m.Class, m.Anchor, m.Points[0].X, m.Points[0].Y, turn, escaped(m.Text))
			continue
		}
		var path strings.Builder
		for k, at := range m.Points {
			fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(k, 1)], at.X, at.Y)
		}
		fmt.Fprintf(&b, `<path class="%s" fill-opacity="%.2f" d="%s"/>`, m.Class, cmp.Or(m.Shade, 1), path.String())
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
