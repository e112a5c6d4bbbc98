package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
