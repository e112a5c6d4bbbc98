package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one of the plots of a figure, as data.
type panel struct {
	title, xLabel string
	log           bool // the y axis
	x, y          limits
	curves        []curve
	zero          bool     // draw a line at 0
	reference     *float64 // draw a line there
}

// frame is an empty plot in the style of this package.
func frame() *plot.Plot {
	p := plot.New()
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans(textSize)
		axis.Tick.Length = vg.Points(3)
		axis.Padding = 0
	}
	return p
}

// plot draws the panel. Bands and lines beyond the limits end at the frame, where a mark
// says so; on a log axis this holds too for values that are not positive.
func (p panel) plot(styles map[string]style) (*plot.Plot, error) {
	f := frame()
	if p.zero {
		f.Add(level{0, zeroLine})
	}
	for _, c := range slices.Backward(p.curves) { // the first of the legend on top
		band, err := plotter.NewPolygon(p.outline(c))
		if err != nil {
			return nil, err
		}
		band.Color, band.LineStyle.Width = styles[c.label].band(), 0
		f.Add(band)
	}
	if p.reference != nil {
		f.Add(level{*p.reference, referenceLine})
	}
	for _, c := range slices.Backward(p.curves) {
		line, err := plotter.NewLine(p.points(c.x, c.middle))
		if err != nil {
			return nil, err
		}
		line.LineStyle = styles[c.label].line()
		f.Add(line)
		for _, m := range p.cut(c) {
			m.color = styles[c.label].color
			f.Add(m)
		}
	}
	if p.log {
		f.Y.Scale, f.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = p.x.lo, p.x.hi, p.y.lo, p.y.hi
	return f, nil
}

// cut marks where a curve, or its band, is farthest above the limits and farthest below.
func (p panel) cut(c curve) []beyond {
	highest, lowest := -1, -1
	for i := range c.x {
		if c.upper[i] > p.y.hi && (highest < 0 || c.upper[i] > c.upper[highest]) {
			highest = i
		}
		if c.lower[i] < p.y.lo && (lowest < 0 || c.lower[i] < c.lower[lowest]) {
			lowest = i
		}
	}
	var marks []beyond
	if highest >= 0 {
		marks = append(marks, beyond{at: plotter.XY{X: c.x[highest], Y: p.y.hi}, tip: upward})
	}
	if lowest >= 0 {
		marks = append(marks, beyond{at: plotter.XY{X: c.x[lowest], Y: p.y.lo}, tip: down})
	}
	return marks
}

// outline is the border of a band: its upper edge and, backwards, its lower edge.
func (p panel) outline(c curve) plotter.XYs {
	lower := p.points(c.x, c.lower)
	slices.Reverse(lower)
	return append(p.points(c.x, c.upper), lower...)
}

// points are the points (x, y), on a log axis moved into its range.
func (p panel) points(x, y []float64) plotter.XYs {
	xys := make(plotter.XYs, len(x))
	for i := range x {
		xys[i] = plotter.XY{X: x[i], Y: y[i]}
		if p.log {
			xys[i].Y = max(y[i], p.y.lo)
		}
	}
	return xys
}

// level is a horizontal line across a plot.
type level struct {
	at   float64
	line draw.LineStyle
}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if c.ContainsY(y(l.at)) {
		c.StrokeLine2(l.line, c.Min.X, y(l.at), c.Max.X, y(l.at))
	}
}

// part frames the part of a plot that another panel enlarges.
type part struct{ x, y limits }

// Plot implements plot.Plotter.
func (f part) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	c.StrokeLines(thin(color.Gray{110}), rectangle(vg.Rectangle{
		Min: vg.Point{X: x(f.x.lo), Y: max(y(f.y.lo), c.Min.Y)}, Max: vg.Point{X: x(f.x.hi), Y: min(y(f.y.hi), c.Max.Y)},
	}))
}

// rectangle is the closed outline of r.
func rectangle(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}

// tip is a triangle that points towards values beyond an axis.
type tip struct{ dx, dy vg.Length } // direction: one is 0, the other 1 or −1

var (
	toLeft  = tip{-1, 0}
	toRight = tip{1, 0}
	upward  = tip{0, 1}
	down    = tip{0, -1}
)

// DrawGlyph implements draw.GlyphDrawer.
func (t tip) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius
	c.FillPolygon(s.Color, []vg.Point{
		{X: at.X + r*t.dx, Y: at.Y + r*t.dy},
		{X: at.X - r*t.dx + r*t.dy, Y: at.Y - r*t.dy + r*t.dx},
		{X: at.X - r*t.dx - r*t.dy, Y: at.Y - r*t.dy - r*t.dx},
	})
}

const tipRadius = 2.6 // points

// beyond marks values that an axis cuts off.
type beyond struct {
	at    plotter.XY // on the edge of the plot
	tip   tip
	color color.Color
	count string // number of values, above the mark; may be empty
}

// Plot implements plot.Plotter.
func (b beyond) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := vg.Point{X: x(b.at.X) - vg.Points(tipRadius)*b.tip.dx, Y: y(b.at.Y) - vg.Points(tipRadius)*b.tip.dy}
	c.DrawGlyph(glyph(b.color, tipRadius, b.tip), at)
	number := words(noteSize)
	number.XAlign = draw.XCenter
	c.FillText(number, vg.Point{X: at.X, Y: at.Y + vg.Points(tipRadius+1)}, b.count)
}

// beyondEntry explains the marks in a legend.
func beyondEntry(label string, t tip) entry {
	return entry{label: label, glyph: glyph(color.Gray{90}, tipRadius, t)}
}
