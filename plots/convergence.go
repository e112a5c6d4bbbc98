package plots

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/results"
)

// Convergence draws the objective, the largest constraint value and the KKT residual (on a log
// axis) of runs, side by side: per label a line and a band, as Options.Band says. Lines mark c = 0 and, if ref is not nil, the reference
// optimum. Notes of the figure name the runs left out because they ended badly.
func Convergence(runs []results.Run, ref *results.Reference, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	groups, notes, styles := showable(runs, o.X)
	panels, err := convergencePanels(groups, ref, o)
	if err != nil {
		return nil, err
	}
	rows := [][]panel{panels}
	if o.Inset > 0 {
		enlarged := make([]panel, len(panels))
		for i, p := range panels {
			enlarged[i] = p.enlarge(o.Inset)
		}
		rows = append(rows, enlarged)
	}
	l := methodLegend(groups, styles)
	if ref != nil {
		l = append(l, referenceEntry)
	}
	cut := false
	drawn := make([][]titled, len(rows))
	for i, row := range rows {
		for k, p := range row {
			f, err := p.plot(styles)
			if err != nil {
				return nil, err
			}
			if i == 0 && len(rows) > 1 {
				f.Add(part{rows[1][k].x, rows[1][k].y})
			}
			cut = cut || slices.ContainsFunc(p.curves, func(c curve) bool { return len(p.cut(c)) > 0 })
			drawn[i] = append(drawn[i], titled{f, p.title, p.xLabel})
		}
	}
	if cut {
		l = append(l, beyondEntry("goes beyond the axis", upward))
	}
	caption := o.Band.caption(runCount(groups))
	if len(rows) > 1 {
		caption += " Second row: the framed parts, enlarged."
	}
	figure := newFigure(o, caption+aboveStart(groups), l, drawn...)
	figure.Notes = notes
	return figure, nil
}

var referenceEntry = entry{label: "reference optimum", line: referenceLine}

func methodLegend(groups []group, styles map[string]style) legend {
	var l legend
	for _, g := range groups {
		l = append(l, entry{label: names.Method(g.label), line: styles[g.label].line(), band: styles[g.label].band()})
	}
	return l
}

// runCount says how many runs of each label there are.
func runCount(groups []group) string {
	least, most := math.MaxInt, 0
	for _, g := range groups {
		least, most = min(least, len(g.runs)), max(most, len(g.runs))
	}
	switch {
	case most == 1:
		return "one run each"
	case least == most:
		return fmt.Sprintf("%d runs each", most)
	}
	return fmt.Sprintf("%d to %d runs each", least, most)
}

func leftOut(label string, n, all int) string {
	return fmt.Sprintf("%s: %d of %d runs ended badly and are left out", names.Method(label), n, all)
}

// ErrNothing is the error of a figure of runs that all ended badly.
var ErrNothing = errors.New("plots: no run has anything to show")

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
			if c := newCurve(g.label, g.runs, o.X, o.Band, value); len(c.x) > 0 {
				panels[i].curves = append(panels[i].curves, c)
				x = max(x, c.x[len(c.x)-1])
			}
		}
		if len(panels[i].curves) == 0 {
			return nil, fmt.Errorf("%w in the panel of the %s", ErrNothing, panels[i].title)
		}
	}
	if x == 0 {
		return nil, fmt.Errorf("%w: all runs end at 0 %s", ErrNothing, o.X)
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

// unit returns the divisor of x values with which ticks have few digits, and the axis
// label.
func unit(axis XAxis, largest float64) (float64, string) {
	switch {
	case axis == Passes:
		return 1, "passes over the data"
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
			part := &values
			if x < p.x.lo+earlyPart*(p.x.hi-p.x.lo) {
				part = &early
			}
			*part = append(*part, c.middle[i], c.upper[i], c.lower[i])
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

// enlarge is the panel of the last share of the x axis, with its own y axis. It has the
// lines that are within its range. A panel that no curve reaches is enlarged to itself.
func (p panel) enlarge(share float64) panel {
	start := p.x.hi - share*(p.x.hi-p.x.lo)
	in := p
	in.x, in.curves = limits{start, p.x.hi}, nil
	for _, c := range p.curves {
		if part := c.from(start); len(part.x) > 1 {
			in.curves = append(in.curves, part)
		}
	}
	if len(in.curves) == 0 {
		return p
	}
	in.y = in.fit()
	return in
}
