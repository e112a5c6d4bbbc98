package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/fairtrain/fairtrain/internal/names"
)

// Costs is a table of the costs of solvers on problems.
type Costs struct {
	Solvers []string
	// Cost[p][s] > 0 is the cost of solver s on problem p, +∞ or NaN if it did not solve it.
	Cost    [][]float64
	Counted string // what the problems are and when one counts as solved: the title of Profile
	Name    string // of the cost
}

// steps is the share of problems solved as a right-continuous step function: y[i] from
// x[i] on, 0 before x[0].
type steps struct{ x, y []float64 }

// performance is the performance profile of each solver (Dolan and Moré, Mathematical
// Programming 91, 2002): the share of all problems that it solves at no more than x times
// the cost of the best solver of the problem.
func (c Costs) performance() []steps {
	profiles := make([]steps, len(c.Solvers))
	for s := range c.Solvers {
		var scaled []float64
		for _, costs := range c.Cost {
			if costs[s] < math.Inf(1) {
				best := math.Inf(1)
				for _, cost := range costs {
					if cost < best { // not NaN
						best = cost
					}
				}
				scaled = append(scaled, costs[s]/best)
			}
		}
		slices.Sort(scaled)
		for i, x := range scaled {
			if i+1 < len(scaled) && scaled[i+1] == x {
				continue // one step for all problems of equal cost
			}
			profiles[s].x = append(profiles[s].x, x)
			profiles[s].y = append(profiles[s].y, float64(i+1)/float64(len(c.Cost)))
		}
	}
	return profiles
}

// farthest is the end of the axis of performance profiles: a solver with more than
// farthest times the best cost has not solved the problem in any useful sense.
const farthest = 1e4

// Profile draws, per solver, the share of solved problems against the cost, relative to the best
// solver's, on a log axis.
func Profile(c Costs, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f := frame()
	profiles, last := c.performance(), 0.0
	for _, s := range profiles {
		if n := len(s.x); n > 0 {
			last = max(last, s.x[n-1])
		}
	}
	f.X.Scale, f.X.Tick.Marker = plot.LogScale{}, logTicks{}
	f.X.Min, f.X.Max = 1, min(max(1.1*last, 2), farthest)
	f.Y.Min, f.Y.Max = 0, 1.02
	styles := stylesOf(c.Solvers)
	var l legend
	for _, solver := range c.Solvers {
		l = append(l, entry{label: names.Method(solver), line: styles[solver].line()})
	}
	cut := false
	for s, solver := range slices.Backward(c.Solvers) { // the first of the legend on top
		profile := profiles[s]
		path := profile.path(f.X.Min, f.X.Max)
		line, err := plotter.NewLine(path)
		if err != nil {
			return nil, err
		}
		line.LineStyle = styles[solver].line()
		f.Add(line)
		if n := len(profile.x); n > 0 && profile.x[n-1] > f.X.Max {
			f.Add(beyond{at: path[len(path)-1], tip: toRight, color: styles[solver].color})
			cut = true
		}
	}
	if cut {
		l = append(l, beyondEntry("goes on beyond the axis", toRight))
	}
	return newFigure(o, "", l, []titled{{f, c.Counted, c.Name + ", as a multiple of the best method's"}}), nil
}

// path is the staircase from lo to hi.
func (s steps) path(lo, hi float64) plotter.XYs {
	path := plotter.XYs{{X: lo, Y: 0}}
	y := 0.0
	for i, x := range s.x {
		if x > hi {
			break
		}
		path = append(path, plotter.XY{X: x, Y: y}, plotter.XY{X: x, Y: s.y[i]})
		y = s.y[i]
	}
	return append(path, plotter.XY{X: hi, Y: y})
}
