package frontier

import (
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// IntervalLevel is the probability of the intervals of a frontier.
const IntervalLevel = 0.95

// Intervals are the accuracy and the disparity of a classifier's decisions on a data set.
// Their intervals are for the people from whom the rows are drawn: the exact interval of
// Clopper and Pearson for the accuracy, and for the disparity the interval of package
// fairness, which holds for the largest gap of all pairs of groups. Each interval holds on
// its own with the probability IntervalLevel, not all intervals of a frontier together, and
// only for rows that had no part in training or choosing the classifier. All are undefined
// for rows that are not there, the disparity also for rows that lack the groups.
type Intervals struct {
	Accuracy  fairness.Estimate `json:"accuracy"`
	Disparity fairness.Estimate `json:"disparity"`
}

func unknownIntervals() Intervals {
	return Intervals{fairness.NoEstimate(), fairness.NoEstimate()}
}

// audit compares groups in metrics of decisions, with intervals of a level.
type audit func(level float64) (decided, error)

// decided are the metrics of decisions.
type decided struct{ accuracy, selection, tpr, fpr fairness.Comparison }

// auditOf is the audit of the groups that the constraints name.
func auditOf(rows fairness.Judged) audit {
	return func(level float64) (decided, error) {
		o := fairness.DefaultFrameOptions()
		o.Level = level
		o.Metrics = fairness.Named("accuracy", "selection_rate", "tpr", "fpr")
		f, err := rows.Frame(o)
		if err != nil {
			return decided{}, err
		}
		return decided{f.Metrics[0], f.Metrics[1], f.Metrics[2], f.Metrics[3]}, nil
	}
}

// intervals are the intervals on the rows.
func (m measure) intervals(rows fairness.Judged) (Intervals, error) {
	i := unknownIntervals()
	of := auditOf(rows)
	d, err := of(IntervalLevel)
	if err != nil {
		return i, err
	}
	i.Accuracy = d.accuracy.Overall
	if len(d.accuracy.Groups) > 0 {
		i.Disparity, err = m.interval(d, of)
	}
	return i, err
}

// interval is the interval of the measure, the largest of several figures. It is at most
// the largest upper bound, as it is one of the figures and the bound of this figure holds.
// It is at least the largest lower bound if all lower bounds hold together, by Bonferroni's
// correction.
func (m measure) interval(d decided, of audit) (fairness.Estimate, error) {
	corrected := func(figures int) (decided, error) { return of(1 - (1-IntervalLevel)/float64(figures)) }
	switch {
	case m.Kind == model.Ratio:
		return d.selection.Ratio, nil
	case m.Family == model.EqualOpportunity:
		return d.tpr.Difference, nil
	case m.Family == model.EqualizedOdds:
		both, err := corrected(2)
		return fairness.Estimate{
			Value: larger(d.tpr.Difference.Value, d.fpr.Difference.Value),
			Low:   larger(both.tpr.Difference.Low, both.fpr.Difference.Low),
			High:  larger(d.tpr.Difference.High, d.fpr.Difference.High),
		}, err
	case m.Kind == model.Loss:
		all, err := corrected(len(d.accuracy.Groups))
		if err != nil {
			return fairness.Estimate{}, err
		}
		e := unknownIntervals().Disparity
		for k, g := range d.accuracy.Groups {
			if g.Name != fairness.Others {
				e.Value = larger(e.Value, 1-g.Value)
				e.Low = larger(e.Low, 1-all.accuracy.Groups[k].High)
				e.High = larger(e.High, 1-g.Low)
			}
		}
		return e, nil
	}
	return d.selection.Difference, nil
}

// larger is the larger of two figures; one of them may be undefined.
func larger(a, b fairness.Value) fairness.Value {
	if !a.Defined() || b > a {
		return b
	}
	return a
}
