package scoring

import (
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// Interval returns the value of a constraint for the decisions on rows that are judged by its groups,
// with its confidence interval: that of package fairness for the largest difference or the smallest ratio,
// of a share for the difference. The largest, or lowest, rate of a group is at least the largest lower
// limit, as all limits hold together by Bonferroni's correction. It is undefined for rows that lack the
// groups, and for constraints that compare groups at each level of a column, or some groups only.
func Interval(rows *fairness.Judged, c model.GroupConstraint, level float64) (fairness.Estimate, error) {
	metrics := c.Metrics()
	alone, err := fairness.Comparisons(rows, level, metrics[0])
	if err != nil || c.Within != "" || c.MinRows > 0 {
		return fairness.NoEstimate(), err
	}
	switch groups := len(alone[0].Groups); {
	case c.Group != "" && groups == 0:
		return fairness.NoEstimate(), nil
	case c.Kind == model.Ratio:
		return alone[0].Ratio, nil
	case c.Kind.Compares(), c.Kind == model.HeldShare:
		return fairness.LargestDifference(rows, level, metrics...)
	case c.Group == "":
		return alone[0].Overall, nil
	default:
		together, err := fairness.Comparisons(rows, 1-(1-level)/float64(groups), metrics[0])
		return extreme(c, alone[0].Groups, together[0].Groups), err
	}
}

// extreme is the largest, or for a least rate the lowest, rate of the groups that a constraint names.
func extreme(c model.GroupConstraint, alone, together []fairness.GroupEstimate) fairness.Estimate {
	sign := fairness.Value(1)
	if c.Kind == model.AtLeast {
		sign = -1
	}
	of := func(e fairness.Estimate) fairness.Estimate {
		if c.Rates()[0].Complement {
			e = fairness.Estimate{Value: 1 - e.Value, Low: 1 - e.High, High: 1 - e.Low}
		}
		if sign < 0 {
			e.Low, e.High = e.High, e.Low
		}
		return fairness.Estimate{Value: sign * e.Value, Low: sign * e.Low, High: sign * e.High}
	}
	worst := fairness.NoEstimate()
	for k, g := range alone {
		if g.Name == fairness.Others {
			continue
		}
		one, all := of(g.Estimate), of(together[k].Estimate)
		worst.Value = fairness.Larger(worst.Value, one.Value)
		worst.Low = fairness.Larger(worst.Low, all.Low)
		worst.High = fairness.Larger(worst.High, one.High)
	}
	if sign < 0 {
		worst = fairness.Estimate{Value: -worst.Value, Low: -worst.High, High: -worst.Low}
	}
	return worst
}
