package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/report/words"
)

// valueFigure shows for constraint k the bound, and the value and its interval on each set of rows.
func (d *Document) valueFigure(k int) figure {
	q := &d.Requirements[k]
	m := q.Words()
	type line struct {
		at    words.Value
		label string
	}
	var lines []line
	values := []float64{q.Bound}
	certified, nearly := false, false
	for _, a := range q.Values {
		if a.Measure != "" { // on another scale
			continue
		}
		certified, nearly = certified || a.Role == Certified, nearly || a.Tolerance > 0
		lines = append(lines, line{a, d.rowsName(a.Role)})
		values = append(values, float64(a.Bound), float64(a.Value), float64(a.Low), float64(a.High))
	}
	if role := d.freeRole(k); role != "" {
		free := words.Value{Estimate: fairness.NoEstimate(), Bound: fairness.Value(q.Bound)}
		free.Value = d.without(role, k)
		lines = append(lines, line{free, "Unconstrained baseline, " + strings.ToLower(d.rowsName(role))})
		values = append(values, float64(free.Value))
	}
	if q.AtLeast && m.Axis != "value" {
		values = append(values, 1)
	}
	const rowHeight, top, left, right = 42.0, 26.0, 16.0, figureWidth - 18.0
	bottom := top + rowHeight*float64(len(lines)) + 4
	note := "● meets the bound, ✕ does not, □ is the unconstrained baseline; the shaded part is beyond the bound. The line through a mark is its 95 % interval."
	if certified {
		note += " On the certified rows ● is guaranteed and ✕ is not, and the line leads to the confidence limit."
	}
	if nearly {
		note = "▲ meets the bound within the tolerance of training. " + note
	}
	if len(q.WithinOneDecision) > 0 {
		note = "▲ meets the bound within one decision of each group. " + note
	}
	return figure{
		Title: words.Capital(m.Name), Note: note, height: bottom + 38,
		draw: func(g *drawing) {
			s := newScale(left, right, values...)
			g.horizontal(s, top-6, bottom, m.Axis, tick(m))
			for i, l := range lines {
				y := top + rowHeight*float64(i)
				g.text("label", "start", s.from, y+12, short(l.label, 50))
				x, y, bound := s.at(float64(l.at.Value)), y+27, s.at(float64(l.at.Bound))
				if !l.at.Value.Defined() {
					g.text("small", "start", s.from, y+4, "not defined")
					continue
				}
				if q.AtLeast {
					g.rect("beyond", s.from, y-10, bound-s.from, 20)
				} else {
					g.rect("beyond", bound, y-10, s.to-bound, 20)
				}
				g.line("bound", bound, y-10, bound, y+10)
				low, high := l.at.Low, l.at.High
				if l.at.Role == Certified { // from the estimate to what was shown
					low, high = min(l.at.Value, q.ConfidenceLimit(l.at)), max(l.at.Value, q.ConfidenceLimit(l.at))
				}
				if low.Defined() && high.Defined() {
					g.line("whisker", s.at(float64(low)), y, s.at(float64(high)), y)
					for _, end := range []fairness.Value{low, high} {
						if end != l.at.Value {
							g.line("whisker", s.at(float64(end)), y-5, s.at(float64(end)), y+5)
						}
					}
				}
				switch {
				case l.at.Role == "":
					g.marker(1, "hollow", x, y)
				case l.at.Met && (l.at.Tolerance > 0 || l.at.Role.Counted() && len(q.WithinOneDecision) > 0):
					g.marker(2, "good", x, y)
				case l.at.Met:
					g.marker(0, "good", x, y)
				default:
					g.cross("bad", x, y)
				}
			}
			anchor, bound := "middle", s.at(q.Bound)
			switch {
			case bound > s.to-100:
				anchor = "end"
			case bound < s.from+100:
				anchor = "start"
			}
			g.text("strong", anchor, bound, 13, "bound: "+q.Bounds())
		},
	}
}

// freeRole is the role of rows on which the measure of constraint k is known for the
// unconstrained baseline: held-out rows if there are some.
func (d *Document) freeRole(k int) Role {
	role := Role("")
	for _, p := range d.Cost {
		if k < len(p.Measures) && p.Measures[k].Defined() {
			role = p.Role
		}
	}
	return role
}

// tick writes a mark of the scale of a measure.
func tick(m words.Measure) func(float64) string {
	if m.Axis == "value" || strings.HasPrefix(m.Axis, "lowest") {
		return plainTick
	}
	return percentTick
}

func plainTick(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func percentTick(v float64) string { return plainTick(100 * v) }

// mostBars is the largest number of lines of a picture, mostCurves the largest number of
// curves.
const (
	mostBars   = 12
	mostCurves = 5
)

// named is a picture with a line for each of the first of some names; row draws one at the height
// y.
func named(title, note string, names []string, s scale, axis string, tick func(float64) string, row func(g *drawing, i int, y float64)) figure {
	const rowHeight, top = 24.0, 8.0
	names = names[:min(mostBars, len(names))]
	f := figure{Title: title, Note: note, height: top + rowHeight*float64(len(names)) + 38}
	f.draw = func(g *drawing) {
		g.horizontal(s, top, f.height-38, axis, tick)
		for i, name := range names {
			y := top + rowHeight*(float64(i)+0.5)
			g.text("label", "end", s.from-10, y+4, short(name, 16))
			row(g, i, y)
		}
	}
	return f
}

// The ends of the scale of a picture with names.
const namedFrom, namedTo = 134.0, figureWidth - 18.0

// rateFigure shows a rate of each group with its interval.
func rateFigure(title, what string, t GroupTable, rate func(*Cell) fairness.Estimate) figure {
	note := words.Capital(what) + "."
	if len(t.Groups) > mostBars {
		note += fmt.Sprintf(" Drawn are the first %d of the %d groups of the table.", mostBars, len(t.Groups))
		t.Groups = t.Groups[:mostBars]
	}
	var names []string
	var values []float64
	for i := range t.Groups {
		e := rate(&t.Groups[i].Cell)
		names, values = append(names, t.Groups[i].Name), append(values, float64(e.Value), float64(e.High))
	}
	s := newScale(namedFrom, namedTo, values...)
	return named(title, note, names, s, "%", percentTick, func(g *drawing, i int, y float64) {
		e := rate(&t.Groups[i].Cell)
		if !e.Value.Defined() {
			g.text("small", "start", s.from+6, y+4, "not shown")
			return
		}
		if e.Low.Defined() {
			g.line("whisker", s.at(float64(e.Low)), y, s.at(float64(e.High)), y)
		}
		g.marker(0, "mark", s.at(float64(e.Value)), y)
	})
}
