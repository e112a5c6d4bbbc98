package fairness

import (
	"math"
	"slices"
)

// IntervalMethod says how to find the uncertainty of figures.
type IntervalMethod string

// The methods.
const (
	// Wilson takes the score interval of Wilson (1927) for shares of rows, such as
	// accuracy and the true positive rate, and Bootstrap for everything else. Unlike the
	// bootstrap it is sound for few rows and for shares of 0 and 1. Where rows have
	// weights, their number is Kish's effective one, (Σ w)² / Σ w²: weights measure
	// importance, so that ten rows of weight 2 tell as much as ten rows of weight 1.
	Wilson IntervalMethod = "wilson"
	// Bootstrap draws as many rows as there are, with replacement, again and again, and
	// takes the quantiles of the figure in these samples (the percentile method). Samples
	// in which the figure is undefined don't count.
	Bootstrap IntervalMethod = "bootstrap"
	// NoInterval is quick.
	NoInterval IntervalMethod = "none"
)

// normalQuantile returns z such that a standard normal variable lies in [−z, z] with the
// probability level.
func normalQuantile(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// wilson returns the bounds of a share that is p in n rows:
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)
func wilson(p, n, z float64) (low, high Value) {
	if math.IsNaN(p) || n == 0 {
		return Undefined(), Undefined()
	}
	shift := z * z / n
	centre := p + shift/2
	half := z * math.Sqrt(p*(1-p)/n+shift/(4*n))
	// Rounding must neither leave [0, 1] nor exclude p where p is 0 or 1.
	low = Value(max(0, min(p, (centre-half)/(1+shift))))
	high = Value(min(1, max(p, (centre+half)/(1+shift))))
	return low, high
}

// percentiles returns the bounds between which the middle part, level, of the samples'
// figures lies, of those that are numbers.
func percentiles(samples [][]float64, figure func(values []float64) float64, level float64) (low, high Value) {
	var figures []float64
	for _, values := range samples {
		if f := figure(values); !math.IsNaN(f) {
			figures = append(figures, f)
		}
	}
	if len(figures) == 0 {
		return Undefined(), Undefined()
	}
	slices.Sort(figures)
	return quantile(figures, (1-level)/2), quantile(figures, (1+level)/2)
}

// quantile interpolates linearly between sorted values, of which the first is the quantile
// 0 and the last the quantile 1.
func quantile(sorted []float64, q float64) Value {
	whole, part := math.Modf(q * float64(len(sorted)-1))
	k := int(whole)
	if part == 0 {
		return Value(sorted[k])
	}
	return Value((1-part)*sorted[k] + part*sorted[k+1])
}

// sizes are effective numbers of rows by stratum.
type sizes [strata]float64

// effectiveSizes returns the sizes of the member rows, of all rows if member is nil, by
// Kish's formula; without weights these are plain numbers of rows.
func effectiveSizes(rows []row, member []bool) sizes {
	var sum, squares, size sizes
	for i := range rows {
		r := &rows[i]
		if member != nil && !member[r.index] {
			continue
		}
		for s := range strata {
			if s.holds(r) {
				sum[s] += r.weight
				squares[s] += r.weight * r.weight
			}
		}
	}
	for s := range size {
		if squares[s] == 0 {
			continue
		}
		size[s] = sum[s] * sum[s] / squares[s]
		if whole := math.Round(size[s]); math.Abs(size[s]-whole) < 1e-9*whole {
			size[s] = whole // equal weights of any size are plain rows
		}
	}
	return size
}
