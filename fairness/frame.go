package fairness

import (
	"errors"
	"fmt"
	"math"
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
	// undefined for numbers of rows.
	//
	// Chance alone parts groups: a difference is never below 0, and neither is its
	// interval, even where groups are treated alike.
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

// compare computes the line of a metric from the figures of the cells: all rows, then the
// groups.
func (o FrameOptions) compare(m Metric, groups []Group, cells []Metrics, size []sizes, samples [][]Metrics) Comparison {
	values := o.values(m, cells)
	estimates := make([]Estimate, len(values))
	for k, v := range values {
		estimates[k] = Estimate{Value(v), Undefined(), Undefined()}
	}
	if !m.count && o.Interval != NoInterval {
		drawn := make([][]float64, len(samples))
		for b := range samples {
			drawn[b] = o.values(m, samples[b])
		}
		for k := range estimates {
			e := &estimates[k]
			switch {
			case !e.Value.Defined():
			case m.share && o.Interval == Wilson && k < len(cells):
				e.Low, e.High = wilson(values[k], size[k][m.over[0]], normalQuantile(o.Level))
			default:
				column := make([]float64, len(drawn))
				for b := range drawn {
					column[b] = drawn[b][k]
				}
				e.Low, e.High = percentiles(column, o.Level)
			}
		}
	}
	c := Comparison{
		Name: m.Name, Overall: estimates[0], Groups: make([]GroupEstimate, len(groups)),
		Difference: estimates[len(cells)], Ratio: estimates[len(cells)+1],
	}
	for i, g := range groups {
		c.Groups[i] = GroupEstimate{g.Name, estimates[i+1]}
	}
	return c
}

// values returns the metric in all cells, then the difference and the ratio.
func (o FrameOptions) values(m Metric, cells []Metrics) []float64 {
	values := make([]float64, len(cells), len(cells)+2)
	for k := range cells {
		values[k] = float64(m.Value(&cells[k]))
	}
	difference, ratio := math.NaN(), math.NaN()
	if !m.count {
		difference, ratio = disparity(values[0], values[1:], o.RelativeTo)
	}
	return append(values, difference, ratio)
}

// disparity returns how far apart the groups are, NaN where they can't be compared.
func disparity(overall float64, groups []float64, to Reference) (difference, ratio float64) {
	if to == ToGroups {
		low, high := extremes(groups)
		return high - low, quotient(low, high)
	}
	difference, ratio = math.NaN(), math.NaN()
	for _, v := range groups {
		if math.IsNaN(v) {
			continue
		}
		if d := math.Abs(v - overall); !(d <= difference) {
			difference = d
		}
		if q := quotient(min(v, overall), max(v, overall)); !(q >= ratio) {
			ratio = q
		}
	}
	return difference, ratio
}

// quotient divides a figure by a larger one. It has no meaning for figures below 0, and
// is NaN also where both are 0.
func quotient(low, high float64) float64 {
	if low < 0 || high == 0 {
		return math.NaN()
	}
	return low / high
}
