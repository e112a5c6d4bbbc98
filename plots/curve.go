package plots

import (
	"math"
	"slices"
	"sort"

	"github.com/fairtrain/fairtrain/results"
)

// gridSize is the number of points of a curve.
const gridSize = 241

// curve is the mean of a quantity over a method's runs with its standard deviation up and down, at
// increasing x, or the median with the quartiles. These are the same on a log axis and on a linear one,
// and a single outlier does not move them; on a log axis, a lower edge at or below 0 is at its lower end.
type curve struct {
	label        string
	x, middle    []float64
	lower, upper []float64 // of the band
}

// quantity is a number of a recorded point.
type quantity func(results.Point) float64

func objective(p results.Point) float64  { return p.Objective }
func constraint(p results.Point) float64 { return p.LargestConstraint() }
func residual(p results.Point) float64   { return p.KKT() }

// position is the position of a point on an x axis.
func position(p results.Point, axis XAxis) float64 {
	switch axis {
	case Passes:
		return p.Passes
	case Seconds:
		return p.Seconds
	}
	return float64(p.Samples)
}

// newCurve sums up runs of one label on a grid of evenly spaced points that all runs
// share, from the last of their starts to the last of their ends. Between two recorded
// points a run has the value of the earlier one, after its end its last value. A grid
// point at which no run has a value is left out.
func newCurve(label string, runs []results.Run, axis XAxis, band Band, value quantity) curve {
	c := curve{label: label}
	start, end := math.Inf(-1), math.Inf(-1)
	for _, r := range runs {
		start = max(start, position(r.Points[0], axis))
		end = max(end, position(r.Final(), axis))
	}
	values := make([]float64, 0, len(runs))
	for i := range gridSize {
		x := start + (end-start)*float64(i)/(gridSize-1)
		values = values[:0]
		for _, r := range runs {
			if v := value(pointAt(r, axis, x)); isFinite(v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			continue
		}
		s := results.NewSpread(values)
		c.x = append(c.x, x)
		middle, lower, upper := s.Median, s.Q1, s.Q3
		if band == SD && isFinite(s.Mean-s.SD) && isFinite(s.Mean+s.SD) { // sums of huge values overflow
			middle, lower, upper = s.Mean, s.Mean-s.SD, s.Mean+s.SD
		}
		c.middle = append(c.middle, middle)
		c.lower = append(c.lower, lower)
		c.upper = append(c.upper, upper)
		if start == end {
			break
		}
	}
	return c
}

// pointAt is the last recorded point at or before x, which is not before the first.
func pointAt(r results.Run, axis XAxis, x float64) results.Point {
	after := sort.Search(len(r.Points), func(i int) bool { return position(r.Points[i], axis) > x })
	return r.Points[max(after-1, 0)]
}

// from is the part of a curve at x ≥ start.
func (c curve) from(start float64) curve {
	i := sort.SearchFloat64s(c.x, start)
	return curve{label: c.label, x: c.x[i:], middle: c.middle[i:], lower: c.lower[i:], upper: c.upper[i:]}
}

// group is the runs of a label that can be shown.
type group struct {
	label string
	runs  []results.Run
}

// aboveStart is what captions say of runs that were thrown far out.
func aboveStart(groups []group) string {
	text := ""
	for _, g := range groups {
		if note := results.AboveStart(g.runs); note != "" {
			text += " " + note + "."
		}
	}
	return text
}

// showable groups runs by label, in the order of their first appearance. Runs that diverged, failed
// or recorded nothing at a known position are left out and noted: a mean over the points before
// their end would flatter the method.
func showable(runs []results.Run, axis XAxis) (groups []group, notes []string, styles map[string]style) {
	var labels []string
	good, all := map[string][]results.Run{}, map[string]int{}
	for _, r := range runs {
		if all[r.Label] == 0 {
			labels = append(labels, r.Label)
		}
		all[r.Label]++
		placed := !slices.ContainsFunc(r.Points, func(p results.Point) bool { return math.IsNaN(position(p, axis)) })
		if len(r.Points) > 0 && placed && !r.EndedBadly() {
			good[r.Label] = append(good[r.Label], r)
		}
	}
	for _, label := range labels {
		if n := len(good[label]); n > 0 {
			groups = append(groups, group{label, good[label]})
		}
		if n := all[label] - len(good[label]); n > 0 {
			notes = append(notes, leftOut(label, n, all[label]))
		}
	}
	return groups, notes, stylesOf(labels)
}
