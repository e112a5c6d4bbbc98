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

// intervals are the intervals on the rows.
func (m measure) intervals(rows *fairness.Judged) (Intervals, error) {
	i := unknownIntervals()
	compared, err := fairness.Comparisons(rows, IntervalLevel, "accuracy")
	if err != nil {
		return i, err
	}
	accuracy := compared[0]
	i.Accuracy = accuracy.Overall
	switch {
	case len(accuracy.Groups) == 0:
	case m.Kind == model.Ratio:
		i.Disparity, err = fairness.SmallestRatio(rows, IntervalLevel, m.Rates()[0])
	case m.Kind == model.Loss:
		i.Disparity, err = largestLoss(rows, accuracy)
	default:
		i.Disparity, err = fairness.LargestDifference(rows, IntervalLevel, m.Rates()...)
	}
	return i, err
}

// largestLoss is the largest error of a group, whose interval is made as that of
// fairness.LargestDifference.
func largestLoss(rows *fairness.Judged, alone fairness.Comparison) (fairness.Estimate, error) {
	e := fairness.NoEstimate()
	together, err := fairness.Comparisons(rows, 1-(1-IntervalLevel)/float64(len(alone.Groups)), "accuracy")
	if err != nil {
		return e, err
	}
	for k, g := range alone.Groups {
		if g.Name != fairness.Others {
			e.Value = fairness.Larger(e.Value, 1-g.Value)
			e.Low = fairness.Larger(e.Low, 1-together[0].Groups[k].High)
			e.High = fairness.Larger(e.High, 1-g.Low)
		}
	}
	return e, nil
}
