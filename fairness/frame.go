package fairness

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Frame is a table of metrics by group, with the gaps between the groups and intervals
// for all figures.
type Frame struct {
	Interval IntervalMethod `json:"interval"`
	Level    float64        `json:"level"` // of the intervals
	Seed     uint64         `json:"seed"`  // of the bootstraps
	Metrics  []Comparison   `json:"metrics"`
	Warnings []Warning      `json:"warnings"`

	Report *Report `json:"-"` // all figures of the same predictions and groups
}

// Comparison is a metric for all rows and by group, in the order of Report.Groups.
type Comparison struct {
	Name    string          `json:"name"`
	Overall Estimate        `json:"overall"`
	Groups  []GroupEstimate `json:"groups"`
	// Difference is the largest minus the smallest value of a group, Ratio the smallest divided
	// by the largest, without groups in which the metric is undefined; but if these have rows,
	// they may have any rate or AUC in an interval. Difference and Ratio are undefined for numbers of rows. Their intervals are for the true largest difference and
	// the true smallest ratio among all groups, however many. A difference whose interval
	// begins with 0, and a ratio whose interval ends with 1, may be due to chance. If all
	// groups are equal, other intervals occur with a probability of at most 1 − Level. Where
	// all figures are 0, the ratio is undefined but has an interval.
	Difference Estimate `json:"difference"`
	Ratio      Estimate `json:"ratio"`
	// Technique says how the intervals of all rows and of the groups are found. If they are
	// Approximate, they may contain the true value less often than promised: see
	// docs/intervals.md for how much less was seen.
	Technique   Technique `json:"technique,omitempty"`
	Approximate bool      `json:"approximate"`
}

// GroupEstimate is the estimate of a group.
type GroupEstimate struct {
	Name string `json:"name"`
	Estimate
}

// Estimate is a figure and the bounds of its interval, undefined if it has none.
type Estimate struct {
	Value Value `json:"value"`
	Low   Value `json:"low"`
	High  Value `json:"high"`
}

// FrameOptions choose what a frame shows.
type FrameOptions struct {
	Metrics  []Metric
	Interval IntervalMethod
	Level    float64 // probability of the intervals, at least 0.5 and below 1
	Seed     uint64  // of the bootstraps; equal seeds give equal intervals

	resamples int // of the bootstraps, 0 for Resamples
}

// Resamples is the number of samples of a bootstrap.
const Resamples = 2000

// DefaultFrameOptions are the options for an audit of a classifier.
func DefaultFrameOptions() FrameOptions {
	metrics := Named("rows", "accuracy", "selection_rate", "mean_score", "tpr", "fpr", "precision", "auc")
	return FrameOptions{Metrics: metrics, Interval: Standard, Level: 0.95, Seed: 1}
}

// Validate reports every option that is out of its range.
func (o FrameOptions) Validate() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(o.Metrics) == 0 {
		add("Metrics is empty")
	}
	if o.Interval != Standard && o.Interval != NoInterval {
		add("Interval is %q, must be %s or %s", o.Interval, Standard, NoInterval)
	}
	if !(o.Level >= 0.5 && o.Level < 1) {
		add("Level is %v, must be at least 0.5 and below 1", o.Level)
	}
	return errors.Join(errs...)
}

// Frame compares the groups in the chosen metrics. The result does not depend on the number of
// processors, all of which it uses. Its errors are those of Validate.
func (j *Judged) Frame(o FrameOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	pairs := orders(len(j.groups))
	t := tailsOf(o.Level, len(pairs))
	cells := o.judge(j, t)
	f := &Frame{
		Interval: o.Interval, Level: o.Level, Seed: o.Seed, Report: j.report(cells),
	}
	for k, m := range o.Metrics {
		limits := make([]estimates, len(cells))
		for i := range cells {
			limits[i] = cells[i].estimates[k]
		}
		f.Metrics = append(f.Metrics, compare(m, limits, j.groups, pairs, t, j.weighted))
	}
	f.Warnings = o.warnings(j.groups, cells)
	return f, nil
}

// cell is a set of rows: all of them, or a group.
type cell struct {
	rows     []row // by ascending score
	labelled bool
	metrics  Metrics
	weights  sizes // sums of weights
	sizes    sizes // effective numbers of rows

	estimates []estimates // of the metrics of the frame
}

// unit returns the weight of an effective row.
func (c *cell) unit(s stratum) float64 {
	if c.sizes[s] == 0 {
		return 1
	}
	return c.weights[s] / c.sizes[s]
}

// judge returns the cells: first all rows, then the groups.
func (o FrameOptions) judge(j *Judged, t tails) []cell {
	cells := make([]cell, 1+len(j.groups))
	parallel.Do(runtime.GOMAXPROCS(0), len(cells), func(k int) {
		c := &cells[k]
		*c = cell{rows: j.rows(k), labelled: j.labelled}
		c.metrics = measure(c.rows, j.labelled)
		c.weights, c.sizes = effectiveSizes(c.rows)
		c.estimates = o.estimate(c, t, rand.NewPCG(o.Seed, uint64(k)))
		c.rows = nil // a copy of a group's rows is needed no more
	})
	return cells
}

// estimate returns the limits of the metrics in a cell.
func (o FrameOptions) estimate(c *cell, t tails, source *rand.PCG) []estimates {
	found := make([]estimates, len(o.Metrics))
	var drawn []int // metrics of the bootstrap
	for k, m := range o.Metrics {
		value := m.Value(&c.metrics)
		switch technique := m.Technique(); {
		case o.Interval == NoInterval || technique == NoTechnique:
			found[k] = undefinedLimits(float64(value))
		case !value.Defined() && c.labelled && m.ofSomeRows() && len(c.rows) > 0:
			found[k] = estimates{unknownShare, unknownShare}
		case !value.Defined():
			found[k] = undefinedLimits(float64(value))
		case m.exact != nil:
			found[k] = estimates{m.exact(c, t.single), m.exact(c, t.joint)}
		case technique == ParametricBootstrap:
			found[k] = c.calibrationLimits(t, cmp.Or(o.resamples, Resamples), source)
		default:
			drawn = append(drawn, k)
		}
	}
	metrics := make([]Metric, len(drawn))
	for i, k := range drawn {
		metrics[i] = o.Metrics[k]
	}
	for i, e := range c.bootstrap(metrics, t, cmp.Or(o.resamples, Resamples), source) {
		found[drawn[i]] = e
	}
	return found
}

// compare makes the line of a metric from its limits: first in all rows, then in the
// groups.
func compare(m Metric, cells []estimates, groups []string, pairs []order, t tails, weighted bool) Comparison {
	c := Comparison{
		Name: m.Name, Technique: m.Technique(), Approximate: m.approximate(weighted),
		Overall: cells[0].single.estimate(), Groups: make([]GroupEstimate,
			len(groups)), Difference: NoEstimate(), Ratio: NoEstimate(),
	}
	if cells[0].single.isUnknown() {
		c.Overall = NoEstimate()
	}
	for i, name := range groups {
		c.Groups[i] = GroupEstimate{name, NoEstimate()}
		if l := cells[i+1].single; !l.isUnknown() {
			c.Groups[i].Estimate = l.estimate()
		}
	}
	if !m.count {
		c.Difference, c.Ratio = compared(cells, pairs, t)
	}
	return c
}
