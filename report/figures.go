package report

import (
	"fmt"
	"math"
	"slices"
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

// curve is a line of a square picture.
type curve struct {
	name   string
	points [][2]float64
	marked bool // its points are few
}

// calibrationFigure shows scores against outcomes.
func calibrationFigure(t GroupTable) figure {
	var curves []curve
	for _, g := range t.Groups {
		c := curve{name: g.Name, marked: true}
		for _, b := range g.Calibration {
			c.points = append(c.points, [2]float64{float64(b.MeanScore), float64(b.BaseRate)})
		}
		curves = append(curves, c)
	}
	return square("Are the scores correct?", "On the dotted line scores are correct as probabilities.", "mean score, %", "positive labels, %", curves)
}

// rocFigure shows the rates over all thresholds.
func rocFigure(t GroupTable) figure {
	var curves []curve
	for _, g := range t.Groups {
		c := curve{name: g.Name}
		for _, p := range g.ROC {
			c.points = append(c.points, [2]float64{float64(p.FPR), float64(p.TPR)})
		}
		curves = append(curves, c)
	}
	return square("How well the scores tell labels apart (ROC)",
		"The further up and left, the better; on the dotted line scores are chance.", "false positive rate, %", "true positive rate, %", curves)
}

// square draws curves in the unit square, and names them below.
func square(title, note, x, y string, curves []curve) figure {
	const left, top, side = 46.0, 8.0, 250.0
	drawn := slices.DeleteFunc(slices.Clone(curves), func(c curve) bool { return len(c.points) == 0 })
	having := len(drawn)
	switch {
	case len(drawn) == 0:
		note = "There are too few people, or too few of one label, for a curve."
	case len(drawn) > mostCurves:
		note += fmt.Sprintf(" Drawn are %d of the %d groups that have a curve, in the order of the table.", mostCurves, len(drawn))
		drawn = drawn[:mostCurves]
	}
	if 0 < having && having < len(curves) {
		note += " Groups that have no curve have too few people, or too few of one label, to be shown."
	}
	bottom := top + side
	return figure{
		Title: title, Note: note, height: bottom + 44 + 19*float64(len(drawn)),
		draw: func(g *drawing) {
			across, up := scale{0, 1, left, left + side}, scale{0, 1, bottom, top}
			g.horizontal(across, top, bottom, x, percentTick)
			g.vertical(up, left, left+side, percentTick)
			fmt.Fprintf(g, `<text class="small" text-anchor="middle" transform="translate(11 %s) rotate(-90)">%s</text>`, at(top+side/2), y)
			g.line("chance", left, bottom, left+side, top)
			for i, c := range drawn {
				series := fmt.Sprintf("series s%d", i+1)
				places := make([][2]float64, len(c.points))
				for k, p := range c.points {
					places[k] = [2]float64{across.at(p[0]), up.at(p[1])}
				}
				g.path(series, places)
				for k, p := range places {
					if c.marked || k%6 == 3 {
						g.marker(i, fmt.Sprintf("dot s%d", i+1), p[0], p[1])
					}
				}
				line := bottom + 50 + 19*float64(i)
				g.line(series, left, line-4, left+34, line-4)
				g.marker(i, fmt.Sprintf("dot s%d", i+1), left+17, line-4)
				g.text("label", "start", left+42, line, short(c.name, 38))
			}
		},
	}
}

// frontierFigure shows accuracy against disparity.
func frontierFigure(f *Frontier) figure {
	const left, top, right, bottom = 52.0, 14.0, figureWidth - 18.0, 230.0
	low, high := math.Inf(1), math.Inf(-1)
	var disparities []float64
	for _, p := range f.Points {
		low, high = min(low, float64(p.Accuracy)), max(high, float64(p.Accuracy))
		disparities = append(disparities, float64(p.Disparity))
	}
	return figure{
		Title: "Accuracy at other bounds", Note: "● the bound of this model, ○ other bounds, □ the unconstrained baseline.",
		height: bottom + 38,
		draw: func(g *drawing) {
			across := newScale(left, right, disparities...)
			step := stepOf(max(high-low, 0.004))
			up := scale{math.Floor(low/step) * step, math.Ceil(high/step+1e-9) * step, bottom, top}
			if up.high <= up.low {
				up.high = up.low + step
			}
			g.horizontal(across, top, bottom, f.Measure, plainTick)
			g.vertical(up, left, right, func(v float64) string { return percentTick(v) + " %" })
			for _, p := range f.Points {
				if !p.Disparity.Defined() {
					continue
				}
				x, y := across.at(float64(p.Disparity)), up.at(float64(p.Accuracy))
				switch {
				case !p.Bound.Defined():
					g.marker(1, "hollow", x, y)
				case p.Chosen:
					g.marker(0, "good", x, y)
				default:
					g.marker(0, "hollow", x, y)
				}
			}
		},
	}
}
