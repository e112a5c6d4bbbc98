package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/results"
)

// Box draws the objective, the largest constraint value and the KKT residual (on a log
// axis) at the last points of runs: per label a box from the first to the third quartile
// with the median, as in tables, whiskers to the farthest values within 1.5 times the box's
// length on the axis, and a point for every run; with many runs only for runs beyond the
// whiskers. Marks count the values beyond an axis. Lines mark c = 0 and, if ref is not nil,
// the reference optimum.
func Box(runs []results.Run, ref *results.Reference, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	groups, notes, styles := showable(runs, Samples)
	panels, err := boxPanels(groups, ref)
	if err != nil {
		return nil, err
	}
	var l legend
	if ref != nil {
		l = legend{referenceEntry}
	}
	figure, err := boxFigure(panels, styles, l, runCount(groups), o)
	if err != nil {
		return nil, err
	}
	figure.Notes, figure.caption = notes, figure.caption+aboveStart(groups)
	return figure, nil
}

// boxFigure is a figure of boxes over runs or problems.
func boxFigure(panels []boxPanel, styles map[string]style, l legend, counted string, o Options) (*Figure, error) {
	points := "values beyond."
	cut := false
	plots := make([]titled, len(panels))
	for i, p := range panels {
		if len(p.values[0]) <= fewValues {
			points = "all values."
		}
		drawn, err := p.plot(styles, i == 0)
		if err != nil {
			return nil, fmt.Errorf("plots: %s: %w", p.title, err)
		}
		plots[i] = titled{plot: drawn, title: p.title}
		cut = cut || slices.ContainsFunc(p.values, func(v []float64) bool { low, high := p.beyond(v); return low+high > 0 })
	}
	if cut {
		l = append(l, beyondEntry("this many values are beyond the axis", toRight))
	}
	caption := "Boxes: quartiles and median over " + counted +
		". Whiskers: to the farthest values within 1.5 box lengths. Points: " + points
	return newFigure(o, caption, l, plots), nil
}

// boxPanel is one of the plots of a figure of boxes, as data.
type boxPanel struct {
	title  string
	log    bool
	limits limits
	labels []string
	values [][]float64 // per label
	reach  limits      // values beyond them are moved to them, also 0 on a log axis
	level  *float64    // draw a line there
	line   draw.LineStyle
}

func boxPanels(groups []group, ref *results.Reference) ([]boxPanel, error) {
	zero := 0.0
	everything := limits{math.Inf(-1), math.Inf(1)}
	panels := []boxPanel{
		{title: "final objective", reach: everything, line: referenceLine},
		{title: "final constraint", reach: everything, level: &zero, line: zeroLine},
		{title: "final KKT residual", reach: everything, log: true},
	}
	if ref != nil {
		panels[0].level = &ref.Objective
	}
	for i, value := range []quantity{objective, constraint, residual} {
		p := &panels[i]
		var all []float64
		for _, g := range groups {
			var values []float64
			for _, r := range g.runs {
				if v := value(r.Final()); !math.IsNaN(v) && !math.IsInf(v, 0) && (v > 0 || !p.log) {
					values = append(values, v)
				}
			}
			p.labels, p.values = append(p.labels, g.label), append(p.values, values)
			all = append(all, values...)
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("%w in the panel of the %s", ErrNothing, p.title)
		}
		switch {
		case p.log:
			p.limits = logLimits(all, nil)
		case p.level != nil:
			p.limits = linearLimits(all, nil, *p.level)
		default:
			p.limits = linearLimits(all, nil)
		}
	}
	return panels, nil
}

// plot draws the panel, with the labels at the left if named, the first at the top.
func (p boxPanel) plot(styles map[string]style, named bool) (*plot.Plot, error) {
	f := frame()
	if p.level != nil {
		f.Add(level{*p.level, p.line, true})
	}
	ticks := make(plot.ConstantTicks, len(p.labels))
	for i, label := range p.labels {
		height := float64(len(p.labels) - 1 - i)
		if ticks[i].Value = height; named {
			ticks[i].Label = names.Method(label)
		}
		if len(p.values[i]) == 0 {
			continue
		}
		box, err := p.box(p.values[i], height, styles[label])
		if err != nil {
			return nil, err
		}
		f.Add(box)
		if len(p.values[i]) <= fewValues {
			var runs markers
			runs.glyph = dot
			for _, v := range p.values[i] {
				if p.limits.contain(v) {
					runs.at = append(runs.at, plotter.XY{X: v, Y: height})
				}
			}
			f.Add(runs)
		}
		color := styles[label].color
		low, high := p.beyond(p.values[i])
		if low > 0 {
			f.Add(beyond{at: plotter.XY{X: p.limits.lo, Y: height}, tip: toLeft, color: color, count: strconv.Itoa(low)})
		}
		if high > 0 {
			f.Add(beyond{at: plotter.XY{X: p.limits.hi, Y: height}, tip: toRight, color: color, count: strconv.Itoa(high)})
		}
	}
	if p.log {
		f.X.Scale, f.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	f.X.Min, f.X.Max = p.limits.lo, p.limits.hi
	f.Y.Min, f.Y.Max = -0.6, float64(len(p.labels))-0.4
	f.Y.Tick.Marker, f.Y.Tick.Length = ticks, 0
	return f, nil
}

// fewValues is the largest number of values of a box that are drawn one by one. With more
// values, only values beyond the whiskers are drawn.
const fewValues = 20

var dot = draw.GlyphStyle{Color: color.Gray{40}, Radius: vg.Points(1.3), Shape: draw.CircleGlyph{}}

// beyond counts the values below the axis and above it.
func (p boxPanel) beyond(values []float64) (low, high int) {
	for _, v := range values {
		if v < p.limits.lo {
			low++
		}
		if v > p.limits.hi {
			high++
		}
	}
	return low, high
}

// box is the box of values at a height. Its quartiles are those of tables, whatever the
// axis. Parts beyond the limits end at the limits; points beyond them are left out.
func (p boxPanel) box(values []float64, height float64, s style) (*plotter.BoxPlot, error) {
	scaled := p.scaled(values)
	box, err := plotter.NewBoxPlot(vg.Points(11), height, plotter.Values(scaled))
	if err != nil {
		return nil, err
	}
	// The quartiles of NewBoxPlot are medians of halves, the larger of which has the median too.
	spread := results.NewSpread(values)
	quartiles := p.scaled([]float64{spread.Q1, spread.Median, spread.Q3})
	box.Quartile1, box.Median, box.Quartile3 = quartiles[0], quartiles[1], quartiles[2]
	box.AdjLow, box.AdjHigh, box.Outside = whiskers(scaled, box.Quartile1, box.Quartile3)
	for _, x := range []*float64{&box.Median, &box.Quartile1, &box.Quartile3, &box.AdjLow, &box.AdjHigh, &box.Min, &box.Max} {
		if p.log {
			*x = math.Pow(10, *x)
		}
		const rounding = 1e-9
		switch {
		case *x >= p.reach.hi*(1-rounding):
			*x = p.limits.hi
		case *x <= p.reach.lo*(1+rounding):
			*x = p.limits.lo
		default:
			*x = min(max(*x, p.limits.lo), p.limits.hi)
		}
	}
	copy(box.Values, values)
	box.Outside = slices.DeleteFunc(box.Outside, func(i int) bool { return !p.limits.contain(values[i]) })
	box.Horizontal, box.FillColor = true, s.band()
	box.BoxStyle = draw.LineStyle{Color: s.color, Width: vg.Points(0.9)}
	box.MedianStyle = draw.LineStyle{Color: s.color, Width: vg.Points(1.8)}
	box.WhiskerStyle = draw.LineStyle{Color: s.color, Width: vg.Points(0.9)}
	if box.GlyphStyle = dot; len(values) <= fewValues {
		box.GlyphStyle.Radius = 0 // every value has a point of its own
	}
	return box, nil
}

// scaled is values moved to the reach of the panel, as their axis shows them: on a log axis
// logarithms.
func (p boxPanel) scaled(values []float64) []float64 {
	scaled := slices.Clone(values)
	p.reach.clamp(scaled)
	if p.log {
		scaled = logarithms(scaled)
	}
	return scaled
}

// whiskers are the farthest values within 1.5 times the length of the box from q1 to q3, or
// the ends of the box where no value between its end and there is, and the values beyond.
func whiskers(values []float64, q1, q3 float64) (low, high float64, outside []int) {
	reach := 1.5 * (q3 - q1)
	low, high = q1, q3
	for i, v := range values {
		if v < q1-reach || v > q3+reach {
			outside = append(outside, i)
			continue
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high, outside
}

// Errors are the values of an error measure, such as a residual, that solvers reached on
// problems.
type Errors struct {
	Measure string
	Solvers []string
	// Value[p][s] ≥ 0 is the error of solver s on problem p, +∞ if it has none.
	Value [][]float64
}

// ErrorBoxes draws, for each of some measures of the same solvers, at least one, a panel of boxes
// on a log axis, like the boxes of Box. The axis has the length of the whiskers; marks count the
// values beyond, including 0 and +∞.
func ErrorBoxes(measures []Errors, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	labels := measures[0].Solvers
	panels := make([]boxPanel, len(measures))
	for i, e := range measures {
		p, err := e.panel()
		if err != nil {
			return nil, fmt.Errorf("plots: %s: %w", e.Measure, err)
		}
		panels[i] = p
	}
	return boxFigure(panels, stylesOf(labels), nil, fmt.Sprintf("%d problems", len(measures[0].Value)), o)
}

// panel is the panel of the measure, with a box for each solver.
func (e Errors) panel() (boxPanel, error) {
	var all []float64
	for _, row := range e.Value {
		for _, v := range row {
			if v > 0 && !math.IsInf(v, 1) {
				all = append(all, v)
			}
		}
	}
	p := boxPanel{title: e.Measure, log: true, limits: logLimits(all, nil), labels: e.Solvers}
	p.reach = p.limits
	var whiskers []float64
	for s := range e.Solvers {
		values := make([]float64, len(e.Value))
		for i, row := range e.Value {
			values[i] = row[s]
		}
		box, err := p.box(values, 0, style{})
		if err != nil {
			return boxPanel{}, err
		}
		p.values, whiskers = append(p.values, values), append(whiskers, box.AdjLow, box.AdjHigh)
	}
	p.limits = logLimits(whiskers, nil)
	return p, nil
}
