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

// Errors are the values of an error measure, such as a residual, that solvers reached on
// problems.
type Errors struct {
	Measure string
	Solvers []string
	// Value[p][s] ≥ 0 is the error of solver s on problem p, +∞ if it has none.
	Value [][]float64
}

// ErrorBoxes draws, for each of some measures of the same solvers, at least one, a panel of boxes
// on a log axis: per solver a box from the first to the third quartile with the median, as in
// tables, whiskers to the farthest values within 1.5 times the box's length on the axis, and points
// for the values beyond. The axis has the length of the whiskers; marks count the values beyond it,
// including 0 and +∞.
func ErrorBoxes(measures []Errors, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	styles := stylesOf(measures[0].Solvers)
	cut := false
	plots := make([]titled, len(measures))
	for i, e := range measures {
		p, err := e.panel()
		if err != nil {
			return nil, fmt.Errorf("plots: %s: %w", e.Measure, err)
		}
		drawn, err := p.plot(styles, i == 0)
		if err != nil {
			return nil, fmt.Errorf("plots: %s: %w", e.Measure, err)
		}
		plots[i] = titled{plot: drawn, title: e.Measure}
		cut = cut || slices.ContainsFunc(p.values, func(v []float64) bool { low, high := p.beyond(v); return low+high > 0 })
	}
	var l legend
	if cut {
		l = append(l, beyondEntry("this many values are beyond the axis", toRight))
	}
	caption := fmt.Sprintf("Boxes: quartiles and median over %d problems. Whiskers: to the farthest values within 1.5 box lengths. Points: values beyond.", len(measures[0].Value))
	return newFigure(o, caption, l, plots), nil
}

// boxPanel is one of the plots of a figure of boxes, as data.
type boxPanel struct {
	limits limits
	labels []string
	values [][]float64 // per label
	reach  limits      // values beyond them are moved to them, also 0
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
	p := boxPanel{limits: logLimits(all, nil), labels: e.Solvers}
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

// plot draws the panel, with the labels at the left if named, the first at the top.
func (p boxPanel) plot(styles map[string]style, named bool) (*plot.Plot, error) {
	f := frame()
	ticks := make(plot.ConstantTicks, len(p.labels))
	for i, label := range p.labels {
		height := float64(len(p.labels) - 1 - i)
		if ticks[i].Value = height; named {
			ticks[i].Label = names.Method(label)
		}
		box, err := p.box(p.values[i], height, styles[label])
		if err != nil {
			return nil, err
		}
		f.Add(box)
		color := styles[label].color
		low, high := p.beyond(p.values[i])
		if low > 0 {
			f.Add(beyond{at: plotter.XY{X: p.limits.lo, Y: height}, tip: toLeft, color: color, count: strconv.Itoa(low)})
		}
		if high > 0 {
			f.Add(beyond{at: plotter.XY{X: p.limits.hi, Y: height}, tip: toRight, color: color, count: strconv.Itoa(high)})
		}
	}
	f.X.Scale, f.X.Tick.Marker = plot.LogScale{}, logTicks{}
	f.X.Min, f.X.Max = p.limits.lo, p.limits.hi
	f.Y.Min, f.Y.Max = -0.6, float64(len(p.labels))-0.4
	f.Y.Tick.Marker, f.Y.Tick.Length = ticks, 0
	return f, nil
}

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
		*x = math.Pow(10, *x)
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
	box.GlyphStyle = glyph(color.Gray{40}, 1.3, draw.CircleGlyph{})
	return box, nil
}

// scaled is the logarithms of values that are moved to the reach of the panel.
func (p boxPanel) scaled(values []float64) []float64 {
	scaled := make([]float64, len(values))
	for i, v := range values {
		scaled[i] = math.Log10(min(max(v, p.reach.lo), p.reach.hi))
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
