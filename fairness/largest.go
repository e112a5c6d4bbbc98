package fairness

// LargestDifference returns the largest difference of groups in any of some metrics, as equalized odds bounds it for two. Its
// interval is at most the largest upper bound, as it is one of the differences and the bound of this one holds. It is
// at least the largest lower bound if all lower bounds hold together, by Bonferroni's correction. It is undefined if one
// of the metrics is.
func LargestDifference(rows Judged, level float64, metrics ...string) (Estimate, error) {
	e := NoEstimate()
	alone, err := Comparisons(rows, level, metrics...)
	if err != nil {
		return e, err
	}
	together := alone
	if n := len(metrics); n > 1 {
		if together, err = Comparisons(rows, 1-(1-level)/float64(n), metrics...); err != nil {
			return e, err
		}
	}
	for k := range alone {
		if !alone[k].Difference.Value.Defined() {
			return NoEstimate(), nil
		}
		e.Value = Larger(e.Value, alone[k].Difference.Value)
		e.Low = Larger(e.Low, together[k].Difference.Low)
		e.High = Larger(e.High, alone[k].Difference.High)
	}
	return e, nil
}

// SmallestRatio returns the smallest ratio of groups in a metric.
func SmallestRatio(rows Judged, level float64, metric string) (Estimate, error) {
	compared, err := Comparisons(rows, level, metric)
	if err != nil {
		return NoEstimate(), err
	}
	return compared[0].Ratio, nil
}

// Comparisons compares the groups in some metrics, with intervals of a level.
func Comparisons(rows Judged, level float64, metrics ...string) ([]Comparison, error) {
	o := DefaultFrameOptions()
	o.Level, o.Metrics = level, Named(metrics...)
	f, err := rows.Frame(o)
	if err != nil {
		return nil, err
	}
	return f.Metrics, nil
}

// Larger is the larger of two figures; one of them may be undefined.
func Larger(a, b Value) Value {
	if !a.Defined() || b > a {
		return b
	}
	return a
}
