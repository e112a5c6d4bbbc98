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
	x := evidence{cells: []Metrics{f.Report.Metrics}, sizes: []sizes{effectiveSizes(rows, nil)}}
	for i, g := range groups {
		x.cells = append(x.cells, f.Report.Groups[i].Metrics)
		x.sizes = append(x.sizes, effectiveSizes(rows, g.Member))
	}
	if o.Interval != NoInterval {
		x.samples = resample(rows, groups, labelled, o.Resamples, o.Seed)
	}
	for _, m := range o.Metrics {
		f.Metrics = append(f.Metrics, o.compare(m, groups, x))
	}
	f.Warnings = o.warnings(groups, x.sizes, labelled)
	return f, nil
}

// evidence is what a frame is made of. A cell is the set of all rows, at first, or a group.
type evidence struct {
	cells   []Metrics
	sizes   []sizes     // of the cells
	samples [][]Metrics // the cells in each sample of the bootstrap
}

// compare computes the line of a metric.
func (o FrameOptions) compare(m Metric, groups []Group, x evidence) Comparison {
	values := m.of(x.cells)
	drawn := make([][]float64, len(x.samples))
	for b, cells := range x.samples {
		drawn[b] = m.of(cells)
	}
	estimates := make([]Estimate, len(values))
	for k, v := range values {
		estimates[k] = o.estimate(m, k, v, x.sizes[k], drawn)
	}
	c := Comparison{Name: m.Name, Overall: estimates[0], Groups: make([]GroupEstimate, len(groups)), Difference: none(), Ratio: none()}
	for i, g := range groups {
		c.Groups[i] = GroupEstimate{g.Name, estimates[i+1]}
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

// estimate returns the value of the metric in cell k, of the given size, with its interval;
// drawn are the values in all cells, by sample.
func (o FrameOptions) estimate(m Metric, k int, value float64, size sizes, drawn [][]float64) Estimate {
	e := Estimate{Value(value), Undefined(), Undefined()}
	switch {
	case m.count || o.Interval == NoInterval || !e.Value.Defined():
	case m.share && o.Interval == Wilson:
		e.Low, e.High = wilson(value, size[m.over[0]], normalQuantile(o.Level))
	default:
		e.Low, e.High = percentiles(drawn, func(values []float64) float64 { return values[k] }, o.Level)
	}
	return e
}
