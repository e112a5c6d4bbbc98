package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/results"
)

// Costs is a table of the costs of solvers on problems.
type Costs struct {
	Solvers []string
	// Cost[p][s] > 0 is the cost of solver s on problem p, +∞ or NaN if it did not solve it.
	Cost    [][]float64
	Counted string // what the problems are and when one counts as solved: the title of Profile
	Name    string // of the cost
	Unit    string // of a data profile's axis
}

// steps is the share of problems solved as a right-continuous step function: y[i] from
// x[i] on, 0 before x[0].
type steps struct{ x, y []float64 }

// performance is the performance profile of each solver (Dolan and Moré, Mathematical
// Programming 91, 2002): the share of all problems that it solves at no more than x times
// the cost of the best solver of the problem.
func (c Costs) performance() []steps {
	return c.profile(func(p int) float64 {
		best := math.Inf(1)
		for _, cost := range c.Cost[p] {
			if cost < best {
				best = cost
			}
		}
		return best
	})
}

// data is the data profile of each solver (Moré and Wild, SIAM Journal on Optimization 20,
// 2009): the share of all problems that it solves at a cost of no more than x units, the
// unit of problem p being units[p].
func (c Costs) data(units []float64) []steps {
	return c.profile(func(p int) float64 { return units[p] })
}

func (c Costs) profile(unit func(problem int) float64) []steps {
	profiles := make([]steps, len(c.Solvers))
	for s := range c.Solvers {
		var scaled []float64
		for p := range c.Cost {
			if cost := c.Cost[p][s]; cost < math.Inf(1) {
				scaled = append(scaled, cost/unit(p))
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

// Profile draws, per solver, the share of solved problems against the cost: with units
// nil the performance profile, on a log axis of the cost relative to the best solver's;
// else the data profile, on an axis of units, one per problem (for a method that pays by
// the gradient n + 1 is usual).
func Profile(c Costs, units []float64, o Options) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f := frame()
	f.Y.Min, f.Y.Max = 0, 1.02
	profiles, label := c.performance(), c.Name+", as a multiple of the best method's"
	if units == nil {
		f.X.Scale, f.X.Tick.Marker = plot.LogScale{}, logTicks{}
		f.X.Min, f.X.Max = 1, min(max(1.1*largest(profiles), 2), farthest)
	} else {
		profiles = c.data(units)
		label = c.Name + ", in " + c.Unit
		f.X.Min, f.X.Max = 0, 1.05*max(largest(profiles), 1e-9)
	}
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
	return newFigure(o, "", l, []titled{{f, c.Counted, label}}), nil
}

// largest is the last step of all.
func largest(profiles []steps) float64 {
	x := 0.0
	for _, s := range profiles {
		if n := len(s.x); n > 0 {
			x = max(x, s.x[n-1])
		}
	}
	return x
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

// Reached is the Profile of the runs of a comparison. A seed counts as a problem; the cost
// is the number of samples until the KKT residual is at most tolerance. A data profile is
// in passes over the data.
func Reached(runs []results.Run, tolerance float64, dataProfile bool, o Options) (*Figure, error) {
	perPass := samplesPerPass(runs)
	if perPass == 0 {
		return nil, ErrNothing
	}
	costs := samplesTo(runs, tolerance)
	var units []float64
	if dataProfile {
		costs.Unit = "passes over the data"
		units = slices.Repeat([]float64{perPass}, len(costs.Cost))
	}
	figure, err := Profile(costs, units, o)
	if err != nil {
		return nil, err
	}
	groups, _, _ := showable(runs, Samples)
	figure.caption = strings.TrimSpace(aboveStart(groups))
	return figure, nil
}

// samplesPerPass is the same for all runs of a comparison; 0 if none took a sample.
func samplesPerPass(runs []results.Run) float64 {
	for _, r := range runs {
		if end := r.Final(); end.Passes > 0 {
			return float64(end.Samples) / end.Passes
		}
	}
	return 0
}

// samplesTo is a table of the samples that runs take to a KKT residual.
func samplesTo(runs []results.Run, tolerance float64) Costs {
	costs := Costs{Counted: fmt.Sprintf("share of the seeds that reach a KKT residual of %g", tolerance), Name: "samples until then"}
	var seeds []uint64
	for _, r := range runs {
		if !slices.Contains(costs.Solvers, r.Label) {
			costs.Solvers = append(costs.Solvers, r.Label)
		}
		if !slices.Contains(seeds, r.Seed) {
			seeds = append(seeds, r.Seed)
		}
	}
	costs.Cost = make([][]float64, len(seeds))
	for i := range costs.Cost {
		costs.Cost[i] = slices.Repeat([]float64{math.Inf(1)}, len(costs.Solvers))
	}
	for _, r := range runs {
		if reached := r.Reached(tolerance); reached >= 0 {
			costs.Cost[slices.Index(seeds, r.Seed)][slices.Index(costs.Solvers, r.Label)] = float64(max(1, r.Points[reached].Samples))
		}
	}
	return costs
}
