package plots

import (
	"image/color"

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

// frame is an empty plot in the style of this package, with text of the given size.
func frame(size float64) *plot.Plot {
	p := plot.New()
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans(size)
		axis.Tick.Length = vg.Points(3)
		axis.Padding = 0
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{4}, linearTicks{4}
	return p
}

// plot draws the panel with text of the given size. Bands and lines beyond the limits end
// at the frame; on a log axis this holds too for lower edges that are not positive.
func (p panel) plot(styles map[string]style, size float64) (*plot.Plot, error) {
	f := frame(size)
	if p.zero {
		f.Add(level{0, zeroLine})
	}
	for i := range p.curves { // the first of the legend on top
		c := p.curves[len(p.curves)-1-i]
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
	for i := range p.curves {
		c := p.curves[len(p.curves)-1-i]
		line, err := plotter.NewLine(p.points(c.x, c.mean))
		if err != nil {
			return nil, err
		}
		line.LineStyle = styles[c.label].line()
		f.Add(line)
	}
	if p.log {
		f.Y.Scale, f.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = p.x.lo, p.x.hi, p.y.lo, p.y.hi
	return f, nil
}

// outline is the border of a band: its upper edge and, backwards, its lower edge.
func (p panel) outline(c curve) plotter.XYs {
	border := p.points(c.x, c.upper)
	lower := p.points(c.x, c.lower)
	for i := range lower {
		border = append(border, lower[len(lower)-1-i])
	}
	return border
}

// points are the points (x, y), those of a log axis within its range.
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
	y    float64
	line draw.LineStyle
}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	if at := y(l.y); c.ContainsY(at) {
		c.StrokeLine2(l.line, c.Min.X, at, c.Max.X, at)
	}
}

// An inset takes this share of its panel's width and height, at the upper right.
const (
	insetWidth  = 0.56
	insetHeight = 0.5
)

// inset draws a plot in the upper right corner of another, and a frame round the part of
// that other which it enlarges.
type inset struct {
	plot *plot.Plot
	x, y limits // the part enlarged
}

// Plot implements plot.Plotter.
func (in inset) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	part := vg.Rectangle{Min: vg.Point{X: x(in.x.lo), Y: y(in.y.lo)}, Max: vg.Point{X: x(in.x.hi), Y: y(in.y.hi)}}
	c.StrokeLines(thin(color.Gray{110}), rectangle(part))

	size := c.Size()
	corner := draw.Crop(c, size.X*(1-insetWidth), -size.X*0.01, size.Y*(1-insetHeight), -size.Y*0.01)
	in.plot.Draw(corner)
	data := in.plot.DataCanvas(corner)
	c.StrokeLines(thin(color.Gray{110}), rectangle(data.Rectangle))
}

// rectangle is the closed outline of r.
func rectangle(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
}
