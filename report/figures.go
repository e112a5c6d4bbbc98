package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/plots"
)

// figure is a picture of figures and their intervals, one below the other. For people who can't see
// it the tables have its numbers.
type figure struct {
	ID, Title, Note string
	axis            string
	percent         bool // the axis is in percent
	bound           *limit
	rows            []line
}

// limit is a bound, in words too.
type limit struct {
	value   float64
	atLeast bool
	text    string
}

// line is a figure with its mark: a class of the page's style.
type line struct {
	label string
	fairness.Estimate
	mark string
}

// mostLines is the largest number of lines of a picture.
const mostLines = 12

// valueFigure shows for constraint k the bound, and the value and its interval on each set of rows.
func (d *Document) valueFigure(k int) figure {
	q := &d.Requirements[k]
	m := q.Words()
	f := figure{Title: m.Name, axis: m.Axis, percent: m.Times == 100, bound: &limit{q.Bound, q.AtLeast, "bound: " + q.Bounds()}}
	f.Note = "● meets the bound, ✕ does not; the shaded part is beyond the bound. The line through a mark is its 95 % interval."
	certified, near := false, false
	for _, v := range q.Values {
		mark := "bad"
		switch {
		case v.Met && (v.Tolerance > 0 || v.Role.Counted() && len(q.WithinOneDecision) > 0):
			mark, near = "near", true
		case v.Met:
			mark = "good"
		}
		if v.Role == Certified { // from the estimate to the confidence limit
			certified = true
			shown := q.ConfidenceLimit(v)
			v.Low, v.High = min(v.Value, shown), max(v.Value, shown)
		}
		f.rows = append(f.rows, line{d.rowsName(v.Role), v.Estimate, mark})
	}
	for i := len(d.Cost) - 1; i >= 0; i-- {
		if free := d.without(d.Cost[i].Role, k); free.Defined() {
			e := fairness.NoEstimate()
			e.Value = free
			f.Note = "□ is the unconstrained baseline. " + f.Note
			f.rows = append(f.rows, line{"Unconstrained baseline, " + strings.ToLower(d.rowsName(d.Cost[i].Role)), e, "free"})
			break
		}
	}
	if certified {
		f.Note += " On the certified rows ● is guaranteed and ✕ is not, and the line leads to the confidence limit."
	}
	if near {
		f.Note = "▲ meets the bound within the tolerance, or within one decision of each group. " + f.Note
	}
	return f
}

// rateFigure shows a rate of each group with its interval.
func rateFigure(title, what string, t GroupTable, rate func(*Cell) fairness.Estimate) figure {
	f := figure{Title: title, Note: what + ".", axis: "%", percent: true}
	if len(t.Groups) > mostLines {
		f.Note += fmt.Sprintf(" The first %d of the %d groups of the table.", mostLines, len(t.Groups))
	}
	for i := range t.Groups[:min(mostLines, len(t.Groups))] {
		f.rows = append(f.rows, line{t.Groups[i].Name, rate(&t.Groups[i].Cell), "mark"})
	}
	return f
}

// strengthFigure shows the strongest columns.
func strengthFigure(e *classifier.Explanation) figure {
	f := figure{Title: "Strength of columns", Note: "Marks with ! are flagged below: the column is a sensitive attribute or a proxy for one.", axis: "strength"}
	for k := range e.Columns[:min(mostLines, len(e.Columns))] {
		c := &e.Columns[k]
		v := fairness.Estimate{Value: fairness.Value(c.Strength), High: fairness.Value(c.Strength)}
		if isFlagged(c) {
			f.rows = append(f.rows, line{c.Column + " !", v, "near"})
		} else {
			f.rows = append(f.rows, line{c.Column, v, "mark"})
		}
	}
	return f
}

// scale maps figures from 0 to high to coordinates.
type scale struct{ high, from, to float64 }

func (s scale) at(v fairness.Value) float64 {
	return s.from + min(max(float64(v), 0), s.high)/s.high*(s.to-s.from)
}

// newScale makes a scale that begins at 0 and has all values and some room.
func newScale(from, to float64, values ...float64) scale {
	high := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			high = max(high, v)
		}
	}
	high = cmp.Or(high, 0.01)
	step := plots.Step(high)
	end := math.Ceil(high*1.02/step) * step
	if high <= 1 && end > 1 { // of shares
		end = 1
	}
	return scale{end, from, to}
}

// ticks returns the values at the marks of a scale.
func (s scale) ticks() []float64 {
	var list []float64
	step := plots.Step(s.high)
	for k := 0.0; k*step <= s.high*(1+1e-9); k++ {
		list = append(list, k*step)
	}
	return list
}

// markers are the shapes of marks around the origin, which tell them apart without colour: a circle,
// a triangle, a square and a cross.
var markers = map[string]string{
	"mark": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "good": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
	"near": "M0 -5L5 4H-5Z", "free": "M-4 -4H4V4H-4Z", "bad": "M-4.5 -4.5L4.5 4.5M-4.5 4.5L4.5 -4.5",
}

// SVG draws the picture. Colours are classes, which the page has for light and dark screens and for
// paper. Texts of 12 units are legible on a telephone.
func (f figure) SVG() template.HTML {
	const width, left, right, rowHeight = 360.0, 16.0, 342.0, 36.0
	var b strings.Builder
	draw := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	text := func(class, anchor string, x, y float64, text string) {
		draw(`<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, template.HTMLEscapeString(text))
	}
	rule := func(class string, x1, y1, x2, y2 float64) {
		draw(`<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, class, x1, y1, x2, y2)
	}
	values, top := []float64{}, 6.0
	for _, l := range f.rows {
		values = append(values, float64(l.Value), float64(l.Low), float64(l.High))
	}
	if f.bound != nil {
		top = 22
		if values = append(values, f.bound.value); f.bound.atLeast && f.axis != "value" {
			values = append(values, 1)
		}
	}
	s := newScale(left, right, values...)
	bottom := top + rowHeight*float64(len(f.rows)) + 4
	draw(`<svg role="img" aria-labelledby="%[1]s-t %[1]s-d" viewBox="0 0 %.0[2]f %.0[3]f"><title id="%[1]s-t">%[4]s</title><desc id="%[1]s-d">%[5]s</desc>`,
		f.ID, width, bottom+36, template.HTMLEscapeString(f.Title), template.HTMLEscapeString(f.Note+" See the tables of this section."))
	if f.bound != nil {
		x, anchor := s.at(fairness.Value(f.bound.value)), "middle"
		switch {
		case x > right-100:
			anchor = "end"
		case x < left+100:
			anchor = "start"
		}
		text("strong", anchor, x, 13, f.bound.text)
	}
	for _, v := range s.ticks() {
		x, name := s.at(fairness.Value(v)), strconv.FormatFloat(v, 'g', 4, 64)
		if f.percent {
			name = strconv.FormatFloat(100*v, 'g', 4, 64)
		}
		rule("grid", x, top, x, bottom)
		text("small", "middle", x, bottom+14, name)
	}
	rule("axis", left, bottom, right, bottom)
	text("small", "middle", (left+right)/2, bottom+29, f.axis)
	for i, l := range f.rows {
		y := top + rowHeight*float64(i)
		text("label", "start", left, y+13, short(l.label, 50))
		y += 25
		if !l.Value.Defined() {
			text("small", "start", left, y+4, "not shown")
			continue
		}
		if f.bound != nil {
			x := s.at(fairness.Value(f.bound.value))
			from, to := x, right
			if f.bound.atLeast {
				from, to = left, x
			}
			draw(`<rect class="beyond" x="%.1f" y="%.1f" width="%.1f" height="18"/>`, from, y-9, to-from)
			rule("bound", x, y-9, x, y+9)
		}
		if l.Low.Defined() && l.High.Defined() {
			rule("whisker", s.at(l.Low), y, s.at(l.High), y)
		}
		draw(`<path class="%s" transform="translate(%.1f %.1f)" d="%s"/>`, l.mark, s.at(l.Value), y, markers[l.mark])
	}
	draw("</svg>")
	return template.HTML(b.String())
}

// short cuts a text to about so many characters.
func short(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
