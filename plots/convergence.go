package plots

import (
	"errors"
	"fmt"
	"math"

	"github.com/fairtrain/fairtrain/results"
)

// Convergence draws the objective, the largest constraint value and the KKT residual (on
// a log axis) of runs, side by side: per label the mean over its runs and a band of ± one
// sample standard deviation. On the log axis a band whose lower edge is not positive, or
// less than a fifth of the mean, may go down to the frame. Lines mark c = 0 and, if ref is not nil, the reference optimum.
// Notes of the figure name the runs left out because they ended badly.
func Convergence(runs []results.Run, ref *results.Reference, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	groups, notes, styles := showable(runs, o.X)
	panels, err := convergencePanels(groups, ref, o)
	if err != nil {
		return nil, err
	}
	plots := make([]titled, len(panels))
	for i, p := range panels {
		in := p.enlarge(o.Inset)
		if in != nil {
			p = p.withRoom()
		}
		drawn, err := p.plot(styles, textSize)
		if err != nil {
			return nil, err
		}
		plots[i] = titled{drawn, p.title, p.xLabel}
		if in == nil {
			continue
		}
		child, err := in.plot(styles, insetSize)
		if err != nil {
			return nil, err
		}
		child.X.Tick.Marker = linearTicks{2}
		drawn.Add(inset{child, in.x, in.y})
	}
	l := methodLegend(groups, styles, true)
	if ref != nil {
		l = append(l, referenceEntry)
	}
	return newFigure(o, l, plots, notes), nil
}

var referenceEntry = entry{label: "reference", line: referenceLine}

func methodLegend(groups []group, styles map[string]style, band bool) legend {
	var l legend
	for _, g := range groups {
		e := entry{label: g.label, line: styles[g.label].line()}
		if band {
			e.band = styles[g.label].band()
		}
		l = append(l, e)
	}
	return l
}

func leftOut(label string, n, all int) string {
	return fmt.Sprintf("%s: %d of %d runs ended badly and are left out", label, n, all)
}

var errNothing = errors.New("plots: no run has anything to show")

// convergencePanels is the data of the figure.
func convergencePanels(groups []group, ref *results.Reference, o Options) ([]panel, error) {
	panels := []panel{
		{title: "objective"},
		{title: "constraint", zero: true},
		{title: "KKT residual", log: true},
	}
	if ref != nil {
		panels[0].reference = &ref.Objective
	}
	x := math.Inf(-1)
	for i, value := range []quantity{objective, constraint, residual} {
		for _, g := range groups {
			if c := meanCurve(g.label, g.runs, o.X, value); len(c.x) > 0 {
				panels[i].curves = append(panels[i].curves, c)
				x = max(x, c.x[len(c.x)-1])
			}
		}
		if len(panels[i].curves) == 0 {
			return nil, fmt.Errorf("%w in the panel of the %s", errNothing, panels[i].title)
		}
	}
	if x == 0 {
		return nil, fmt.Errorf("plots: all runs end at 0 %s", o.X)
	}
	scale, label := unit(o.X, x)
	for i := range panels {
		p := &panels[i]
		p.xLabel, p.x = label, limits{0, x / scale}
		for _, c := range p.curves {
			for k := range c.x {
				c.x[k] /= scale
			}
		}
		p.y = p.fit(p.levels()...)
	}
	return panels, nil
}

// unit is what x values are divided by so that ticks have few digits, and the axis label.
func unit(axis XAxis, largest float64) (float64, string) {
	switch {
	case axis == Passes:
		return 1, "passes over the data"
	case axis == Seconds && largest < 0.5:
		return 1e-3, "milliseconds"
	case axis == Seconds:
		return 1, "seconds"
	case largest >= 2e6:
		return 1e6, "samples (millions)"
	case largest >= 2e3:
		return 1e3, "samples (thousands)"
	}
	return 1, "samples"
}

// earlyPart is the first part of the x axis, where values may be wild.
const earlyPart = 0.05

// fit chooses the limits of the y axis from the curves; a linear axis contains the levels.
func (p panel) fit(levels ...float64) limits {
	var values, early []float64
	for _, c := range p.curves {
		for i, x := range c.x {
			lower := c.lower[i]
			if p.log { // where a lower edge may come arbitrarily close to 0, or below
				lower = max(lower, c.mean[i]/5)
			}
			part := &values
			if x < p.x.lo+earlyPart*(p.x.hi-p.x.lo) {
				part = &early
			}
			*part = append(*part, c.mean[i], c.upper[i], lower)
		}
	}
	if len(values) == 0 { // all curves end early
		values, early = early, nil
	}
	if p.log {
		return logLimits(values, early)
	}
	return linearLimits(values, early, levels...)
}

// levels are the values at which the panel has lines.
func (p panel) levels() []float64 {
	var levels []float64
	if p.zero {
		levels = append(levels, 0)
	}
	if p.reference != nil {
		levels = append(levels, *p.reference)
	}
	return levels
}

// enlarge is the panel of an inset, of the last share of the x axis; nil for none. It
// shows the lines that happen to be within its range.
func (p panel) enlarge(share float64) *panel {
	start := p.x.hi - share*(p.x.hi-p.x.lo)
	in := panel{log: p.log, zero: p.zero, reference: p.reference, x: limits{start, p.x.hi}}
	for _, c := range p.curves {
		if part := c.from(start); len(part.x) > 1 {
			in.curves = append(in.curves, part)
		}
	}
	if share == 0 || len(in.curves) == 0 {
		return nil
	}
	in.y = in.fit()
	return &in
}

// withRoom raises the upper limit until the upper right corner is free for an inset.
func (p panel) withRoom() panel {
	left := p.x.hi - (insetWidth+0.02)*(p.x.hi-p.x.lo)
	top := math.Inf(-1)
	for _, c := range p.curves {
		for _, y := range c.from(left).upper {
			top = max(top, y)
		}
	}
	if math.IsInf(top, -1) {
		return p // all curves end before the corner
	}
	const share = insetHeight + 0.04
	if p.log {
		p.y = p.y.roomAboveLog(top, share)
	} else {
		p.y = p.y.roomAbove(top, share)
	}
	return p
}
