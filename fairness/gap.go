package fairness

import "math"

// The gap between groups is the largest difference, and the smallest ratio, of the metric
// between any two of them. The interval for two shares is made by melding, see meld.go. For two other
// figures it is made from the interval of each group by MOVER, the method of variance estimates
// recovery (Zou and Donner, Statistics in Medicine 27, 2008; ratios: Donner and Zou, Statistical
// Methods in Medical Research 21, 2012): the distance of a limit from the estimate stands for its
// standard error in that direction.
//
// Among many groups some pair is far apart by chance. So the two bounds of the largest
// gap need different levels for the pairs:
//
//	at least  the largest lower bound of all pairs, each at the joint tail (Bonferroni),
//	          as any pair may be the one that is far apart by chance
//	at most   the largest upper bound of all pairs, each at the single tail, as the true
//	          gap is that of one pair, whose own bound is among them
//
// A group without rows that the figure rests on, such as positive labels, may have any share: the
// gap is at most that between it and the others.
//
// No bootstrap could do that: in a bootstrap sample, chance makes the maximum too large
// once more.

// order is an ordered pair of cells: the figure of the first minus, or divided by, the
// figure of the second.
type order struct{ first, second int }

// orders returns all pairs of groups, whose cells are 1, 2, …, in both orders.
func orders(groups int) []order {
	var all []order
	for i := 1; i <= groups; i++ {
		for j := 1; j <= groups; j++ {
			if i != j {
				all = append(all, order{i, j})
			}
		}
	}
	return all
}

// tailsOf returns the tails of intervals at a level, for a number of ordered pairs.
func tailsOf(level float64, orders int) tails {
	return tails{single: 1 - level, joint: (1 - level) / max(1, float64(orders/2))}
}

// compared returns the largest difference and the smallest ratio over pairs of cells in which the
// figure is defined, undefined if there are none. The ratio is undefined where all figures are 0,
// though it has an interval; ratios have no meaning where a figure is below 0.
func compared(cells []estimates, pairs []order, t tails) (largest, smallest Estimate) {
	var known []order
	farthest, below := 0.0, false // the gap to a group of which nothing is known
	unknown := false
	value, least := math.Inf(-1), math.Inf(1)
	for _, p := range pairs {
		a, b := cells[p.first].single, cells[p.second].single
		if math.IsNaN(a.value) || math.IsNaN(b.value) {
			if anyBetween(a, b) {
				farthest, unknown = max(farthest, a.high-b.low), true
			}
			continue
		}
		known = append(known, p)
		below = below || a.value < 0
		value = max(value, difference(a.value, b.value))
		if r := a.value / b.value; r < least { // not so for 0 by 0
			least = r
		}
	}
	largest, smallest = NoEstimate(), NoEstimate()
	if len(known) == 0 {
		return largest, smallest
	}
	low, high := differences.ends(cells, known, t)
	largest = limits{value: value, low: low, high: max(high, farthest)}.estimate()
	if below {
		return largest, smallest
	}
	if low, high = ratios.ends(cells, known, t); unknown {
		high = 1
	}
	if math.IsInf(least, 1) {
		least = math.NaN()
	}
	return largest, limits{value: least, low: 1 - high, high: 1 - low}.estimate()
}

// anyBetween reports whether the gap between a pair of figures has limits, though one of the
// figures is unknown.
func anyBetween(a, b limits) bool {
	return (a.isUnknown() || b.isUnknown()) && !math.IsNaN(a.low) && !math.IsNaN(b.low)
}

// lowestDifference returns MOVER's lower bound of a − b.
func lowestDifference(a, b limits) float64 {
	return difference(a.value, b.value) - math.Hypot(a.value-a.low, b.high-b.value)
}

// difference returns a − b, 0 if they differ by the rounding of their sums alone.
func difference(a, b float64) float64 {
	const rounding = 1e-12
	if d := a - b; math.Abs(d) > rounding*(math.Abs(a)+math.Abs(b)) {
		return d
	}
	return 0
}

// lowestRatio returns MOVER's lower bound of a / b for figures ≥ 0: the R for which the
// lower bound of a − R b is 0. The upper bound is 1 divided by the lower bound of b / a.
func lowestRatio(a, b limits) float64 {
	numerator := a.low * (2*a.value - a.low)
	if numerator <= 0 {
		return 0
	}
	mixed := float64(a.value * b.value)
	root := math.Sqrt(max(0, mixed*mixed-numerator*b.high*(2*b.value-b.high)))
	return numerator / (mixed + root)
}

// NoEstimate is an undefined figure.
func NoEstimate() Estimate { return Estimate{Undefined(), Undefined(), Undefined()} }

// LargestDifference returns the largest difference of groups in any of some metrics, as equalized
// odds bounds it for two. Its interval is at most the largest upper bound, as it is one of the
// differences and the bound of this one holds. It is at least the largest lower bound if all lower
// bounds hold together, by Bonferroni's correction. It is undefined if one of the metrics is.
func LargestDifference(rows *Judged, level float64, metrics ...string) (Estimate, error) {
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
func SmallestRatio(rows *Judged, level float64, metric string) (Estimate, error) {
	compared, err := Comparisons(rows, level, metric)
	if err != nil {
		return NoEstimate(), err
	}
	return compared[0].Ratio, nil
}

// Comparisons compares the groups in some metrics, with intervals of a level.
func Comparisons(rows *Judged, level float64, metrics ...string) ([]Comparison, error) {
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
