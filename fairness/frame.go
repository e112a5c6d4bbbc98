package fairness

import (
	"errors"
	"fmt"
	"slices"
)

// Frame is a table of metrics by group, with how far the groups are apart and how sure
// all of it is.
type Frame struct {
	RelativeTo Reference      `json:"relative_to"`
	Interval   IntervalMethod `json:"interval"`
	Level      float64        `json:"level"`     // of the intervals
	Resamples  int            `json:"resamples"` // of the bootstrap
	Seed       uint64         `json:"seed"`      // of the bootstrap
	Metrics    []Comparison   `json:"metrics"`
	Warnings   []Warning      `json:"warnings"`

	Report *Report `json:"-"` // all figures of the same predictions and groups
}

// Comparison is a metric for all rows and by group, in the order of Report.Groups.
type Comparison struct {
	Name    string          `json:"name"`
	Overall Estimate        `json:"overall"`
	Groups  []GroupEstimate `json:"groups"`
	// Difference and Ratio say how far apart the groups are, see Reference. They are
	// undefined for numbers of rows. Their intervals are those of the same two cells of
	// the table in all samples of the bootstrap, whichever is larger there: a difference
	// whose interval begins with 0, and a ratio whose interval ends with 1, may be chance.
	// Of many groups, some two are far apart by chance: as these two are chosen for it,
	// their intervals are then too narrow.
	Difference Estimate `json:"difference"`
	Ratio      Estimate `json:"ratio"`
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

// Reference says what groups are compared with.
type Reference string

// The references. Groups in which a metric is undefined are left out.
const (
	// ToGroups compares groups with each other: the difference is the largest minus the
	// smallest value, the ratio the smallest divided by the largest.
	ToGroups Reference = "groups"
	// ToOverall compares groups with all rows: the difference is the largest distance of
	// a group's value from that of all rows, the ratio the smallest quotient of the two,
	// the smaller one divided by the larger one.
	ToOverall Reference = "overall"
)

// FrameOptions choose what a frame shows.
type FrameOptions struct {
	Metrics    []Metric
	RelativeTo Reference
	Interval   IntervalMethod
	Level      float64 // probability of the intervals, in (0, 1)
	Resamples  int     // of the bootstrap, at least 2
	Seed       uint64  // of the bootstrap; equal seeds give equal intervals
}

// DefaultFrameOptions are those of an audit of a classifier.
func DefaultFrameOptions() FrameOptions {
	metrics, err := FindMetrics("rows", "accuracy", "selection_rate", "mean_score", "tpr", "fpr", "auc")
	if err != nil {
		panic(err)
	}
	return FrameOptions{Metrics: metrics, RelativeTo: ToGroups, Interval: Wilson, Level: 0.95, Resamples: 200, Seed: 1}
}

// Validate reports every option that is out of its range.
func (o FrameOptions) Validate() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(o.Metrics) == 0 {
		add("Metrics is empty")
	}
	if o.RelativeTo != ToGroups && o.RelativeTo != ToOverall {
		add("RelativeTo is %q, must be %s or %s", o.RelativeTo, ToGroups, ToOverall)
	}
	if methods := []IntervalMethod{Wilson, Bootstrap, NoInterval}; !slices.Contains(methods, o.Interval) {
		add("Interval is %q, must be one of %v", o.Interval, methods)
	}
	if !(o.Level > 0 && o.Level < 1) {
		add("Level is %v, must be in (0, 1)", o.Level)
	}
	if o.Resamples < 2 {
		add("Resamples is %d, must be at least 2", o.Resamples)
	}
	return errors.Join(errs...)
}

// NewFrame compares groups in the chosen metrics. Errors are those of Evaluate, whose
// completion of a single group it shares, and of Validate. The result does not depend on
// the number of processors, all of which the bootstrap uses.
func NewFrame(p Predictions, groups []Group, o FrameOptions) (*Frame, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	groups, err := completed(groups, len(p.Scores))
	if err != nil {
		return nil, fmt.Errorf("fairness: %w", err)
	}
	rows, labelled := p.byScore(), p.Labels != nil
	f := &Frame{
		RelativeTo: o.RelativeTo, Interval: o.Interval, Level: o.Level, Resamples: o.Resamples, Seed: o.Seed,
		Report: evaluate(p.Threshold, rows, groups, labelled),
	}
	size := make([]sizes, 1+len(groups)) // all rows, then the groups
	size[0] = effectiveSizes(rows, nil)
	for i, g := range groups {
		size[i+1] = effectiveSizes(rows, g.Member)
	}
	cells := make([]Metrics, len(size))
	cells[0] = f.Report.Metrics
	for i := range groups {
		cells[i+1] = f.Report.Groups[i].Metrics
	}
	var samples [][]Metrics
	if o.Interval != NoInterval {
		samples = resample(rows, groups, labelled, o.Resamples, o.Seed)
	}
	for _, m := range o.Metrics {
		f.Metrics = append(f.Metrics, o.compare(m, groups, cells, size, samples))
	}
	f.Warnings = o.warnings(groups, size, labelled)
	return f, nil
}

// compare computes the line of a metric from the figures of the cells, which are all rows
// and then the groups, and from those in the samples of the bootstrap.
func (o FrameOptions) compare(m Metric, groups []Group, cells []Metrics, size []sizes, samples [][]Metrics) Comparison {
	values := m.of(cells)
	drawn := make([][]float64, len(samples))
	for b := range samples {
		drawn[b] = m.of(samples[b])
	}
	c := Comparison{Name: m.Name, Groups: make([]GroupEstimate, len(groups)), Difference: none(), Ratio: none()}
	c.Overall = o.estimate(m, 0, values, size, drawn)
	for i, g := range groups {
		c.Groups[i] = GroupEstimate{g.Name, o.estimate(m, i+1, values, size, drawn)}
	}
	if !m.count {
		difference, ratio := farthest(values, o.RelativeTo)
		c.Difference = o.difference(difference, values, drawn)
		c.Ratio = o.ratio(ratio, values, drawn)
	}
	return c
}

// of returns the metric in every cell.
func (m Metric) of(cells []Metrics) []float64 {
	values := make([]float64, len(cells))
	for k := range cells {
		values[k] = float64(m.Value(&cells[k]))
	}
	return values
}

// estimate is that of the metric in cell k.
func (o FrameOptions) estimate(m Metric, k int, values []float64, size []sizes, drawn [][]float64) Estimate {
	e := Estimate{Value(values[k]), Undefined(), Undefined()}
	switch {
	case m.count || o.Interval == NoInterval || !e.Value.Defined():
	case m.share && o.Interval == Wilson:
		e.Low, e.High = wilson(values[k], size[k][m.over[0]], normalQuantile(o.Level))
	default:
		e.Low, e.High = percentiles(drawn, func(v []float64) float64 { return v[k] }, o.Level)
	}
	return e
}
