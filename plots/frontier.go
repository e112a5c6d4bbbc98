package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TradeOff says how good and how fair the classifiers of a frontier are.
type TradeOff struct {
	Caption   string   // what the bars are; may be empty
	Disparity string   // name of the x axis
	Qualities []string // names of the y axes, one a panel
	Sets      []TradeOffSet
}

// TradeOffSet has the classifiers on one data set. A classifier with a NaN in a panel is
// left out there.
type TradeOffSet struct {
	Name          string
	Points        []TradeOffPoint // by the bound
	Unconstrained TradeOffPoint
	Chosen        int  // index of one of the points
	Picked        *int // index of the point that validation would choose, nil for none
}

// TradeOffPoint is a classifier.
type TradeOffPoint struct {
	Disparity Interval
	Quality   []Interval // as TradeOff.Qualities
}

// Interval is a value and, as a bar through its point, its interval; NaN for none.
type Interval struct{ Value, Low, High float64 }

// Exactly is a value without an interval.
func Exactly(value float64) Interval { return Interval{value, math.NaN(), math.NaN()} }

// all returns the points, including the unconstrained one.
func (s TradeOffSet) all() []TradeOffPoint { return append(slices.Clone(s.Points), s.Unconstrained) }

// frontierStyles tell data sets apart by colour, dash and marker.
var frontierStyles = []struct {
	style  style
	marker draw.GlyphDrawer
}{
	{style{rgb(0x0072B2), nil}, draw.CircleGlyph{}},
	{style{rgb(0xD55E00), points(4, 2)}, draw.BoxGlyph{}},
	{style{rgb(0x009E73), points(1.5, 1.5)}, draw.PlusGlyph{}},
}

// Markers of special points.
var (
	freeMarker   = draw.PyramidGlyph{} // of the unconstrained point
	chosenMarker = draw.RingGlyph{}    // around the chosen point
	pickedMarker = draw.SquareGlyph{}  // around the point that validation would choose
)

// Radii of markers in points.
const (
	pointRadius  = 1.9
	freeRadius   = 3.2
	chosenRadius = 4.4
	pickedRadius = 6
)

func glyph(c color.Color, radius float64, shape draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
}

// Frontier draws, a panel for each quality, the points of each data set, with a triangle
// for the unconstrained one, a ring around the chosen one and a square around the one that
// validation would choose. A line connects the points by their disparity, as on held-out rows a
// looser bound may have the smaller one. Bars show the intervals of a point.
func Frontier(t TradeOff, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(t.Sets) > len(frontierStyles) {
		return nil, fmt.Errorf("frontier: %d data sets, at most %d can be told apart", len(t.Sets), len(frontierStyles))
	}
	var l legend
	for k, s := range t.Sets {
		look := frontierStyles[k]
		l = append(l, entry{label: s.Name, line: look.style.line(), glyph: glyph(look.style.color, pointRadius, look.marker)})
	}
	l = append(l,
		entry{label: "unconstrained", glyph: glyph(color.Gray{90}, freeRadius, freeMarker)},
		entry{label: "chosen bound", glyph: glyph(color.Black, chosenRadius, chosenMarker)})
	if slices.ContainsFunc(t.Sets, func(s TradeOffSet) bool { return s.Picked != nil }) {
		l = append(l, entry{label: "validation's choice", glyph: glyph(color.Black, pickedRadius, pickedMarker)})
	}
	panels := make([]titled, len(t.Qualities))
	for q, quality := range t.Qualities {
		p, err := t.panel(q)
		if err != nil {
			return nil, err
		}
		panels[q] = titled{p, quality, t.Disparity}
	}
	return newFigure(o, t.Caption, l, panels), nil
}

// panel draws one quality.
func (t TradeOff) panel(quality int) (*plot.Plot, error) {
	f := frame()
	var shown plotter.XYs
	for k, s := range t.Sets {
		look := frontierStyles[k]
		seen := visible(s.Points, quality)
		free := visible([]TradeOffPoint{s.Unconstrained}, quality)
		chosen := visible(s.Points[s.Chosen:s.Chosen+1], quality)
		for _, p := range s.all() {
			for _, end := range p.barEnds(quality) {
				f.Add(&plotter.Line{XYs: end, LineStyle: draw.LineStyle{Color: look.style.band(), Width: vg.Points(2.4)}})
				shown = append(shown, end...)
			}
		}
		f.Add(&plotter.Line{XYs: byDisparity(seen), LineStyle: look.style.line()},
			markers{seen, glyph(look.style.color, pointRadius, look.marker)},
			markers{free, glyph(look.style.color, freeRadius, freeMarker)},
			markers{chosen, glyph(color.Black, chosenRadius, chosenMarker)})
		if k := s.Picked; k != nil {
			f.Add(markers{visible(s.Points[*k:*k+1], quality), glyph(color.Black, pickedRadius, pickedMarker)})
		}
		shown = append(append(shown, seen...), free...)
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("frontier: no point has a value of both %s and %s", t.Disparity, t.Qualities[quality])
	}
	xs, ys := make([]float64, len(shown)), make([]float64, len(shown))
	for i, p := range shown {
		xs[i], ys[i] = p.X, p.Y
	}
	x, y := linearLimits(xs, nil), linearLimits(ys, nil)
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = x.lo, x.hi, y.lo, y.hi
	return f, nil
}

// visible returns the points that can be drawn in a panel.
func visible(points []TradeOffPoint, quality int) plotter.XYs {
	var xys plotter.XYs
	for _, p := range points {
		if x, y := p.Disparity.Value, p.Quality[quality].Value; isFinite(x) && isFinite(y) {
			xys = append(xys, plotter.XY{X: x, Y: y})
		}
	}
	return xys
}

// barEnds returns the ends of each bar that a point has in a panel.
func (p TradeOffPoint) barEnds(quality int) (ends []plotter.XYs) {
	x, y := p.Disparity, p.Quality[quality]
	if !isFinite(x.Value) || !isFinite(y.Value) {
		return nil
	}
	if isFinite(x.Low) && isFinite(x.High) {
		ends = append(ends, plotter.XYs{{X: x.Low, Y: y.Value}, {X: x.High, Y: y.Value}})
	}
	if isFinite(y.Low) && isFinite(y.High) {
		ends = append(ends, plotter.XYs{{X: x.Value, Y: y.Low}, {X: x.Value, Y: y.High}})
	}
	return ends
}

func byDisparity(points plotter.XYs) plotter.XYs {
	return slices.SortedStableFunc(slices.Values(points), func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// markers are marks at points. Unlike plotter.Scatter there may be none.
type markers struct {
	at    plotter.XYs
	glyph draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (m markers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range m.at {
		c.DrawGlyph(m.glyph, vg.Point{X: x(at.X), Y: y(at.Y)})
	}
}
