package frontier

import (
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// IntervalLevel is the probability of the intervals of a frontier.
const IntervalLevel = 0.95

// Intervals are the accuracy and the disparity of a classifier's decisions on a data set.
// Their intervals are for the people from whom the rows are drawn: the exact interval of
// Clopper and Pearson for the accuracy, and for the disparity the interval of package
// fairness, which holds for the largest gap of all pairs of groups. Each interval holds on
// its own with the probability IntervalLevel, not all intervals of a frontier together, and
// only for rows that had no part in training or choosing the classifier. All are undefined
// for rows that are not there, the disparity also for rows that lack the groups, and for groups that
// are compared at each level of a column.
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
	if err == nil {
		i.Accuracy = compared[0].Overall
		i.Disparity, err = scoring.Interval(rows, m.GroupConstraint, IntervalLevel)
	}
	return i, err
}
