package fairness

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// IntervalMethod says how to find the intervals of figures.
type IntervalMethod string

// The methods.
const (
	// Standard takes, for every figure and every comparison, a method whose coverage is as
	// promised: see Technique. docs/intervals.md has the measured coverage of each.
	Standard IntervalMethod = "standard"
	// NoInterval is quick.
	NoInterval IntervalMethod = "none"
)

// Technique is how the intervals of a metric are found.
type Technique string

// The techniques. Intervals of gaps between shares are melded, those of other gaps made by MOVER, see
// gap.go. If rows have weights, their number is Kish's effective number, (Σ w)² /
// Σ w². Weights measure importance, so ten rows of weight 2 are as informative as ten
// rows of weight 1. All intervals are then approximate.
const (
	// ClopperPearson is the exact interval of shares of rows, such as accuracy and the true
	// positive rate (Biometrika 26, 1934). With weights it is the interval of Korn and
	// Graubard (Survey Methodology 24, 1998).
	ClopperPearson Technique = "clopper-pearson"
	// Melded is the interval of the mean of two shares, see meld.go. Those of gaps between such means
	// are approximate.
	Melded Technique = "melded"
	// BayesianBootstrap weighs the rows at random, again and again, and takes quantiles
	// of the figure, with one more row that has the worst possible value: approximate,
	// see bootstrap.go.
	BayesianBootstrap Technique = "bayesian-bootstrap"
	// ParametricBootstrap draws labels for the bins of the reliability table, again and
	// again: approximate, see calibration.go.
	ParametricBootstrap Technique = "parametric-bootstrap"
	// NoTechnique is for numbers of rows.
	NoTechnique Technique = ""
)

// limits are a figure and the bounds of its interval, NaN where undefined.
type limits struct {
	value, low, high float64
	rows             float64 // of a share, 0 for other figures
}

func (l limits) estimate() Estimate { return Estimate{Value(l.value), Value(l.low), Value(l.high)} }

// unknownShare are the limits of a share of no rows. They count for gaps, and are not shown.
var unknownShare = limits{value: math.NaN(), low: 0, high: 1}

func (l limits) isUnknown() bool { return math.IsNaN(l.value) && l.high > l.low }

// tails are the probabilities of a miss at which intervals are made, both sides together.
type tails struct {
	single float64 // of an interval that stands alone
	joint  float64 // of each interval, if all must hold together
}

// stretch is the factor by which a half-width grows from the single to the joint tail, if
// the figure is normal.
func (t tails) stretch() float64 { return normalTail(t.joint) / normalTail(t.single) }

// normalTail returns z such that a standard normal variable leaves [−z, z] with the given
// probability.
func normalTail(probability float64) float64 { return distuv.UnitNormal.Quantile(1 - probability/2) }

// estimates are the limits of a figure in a cell at both tails.
type estimates struct{ single, joint limits }

// undefinedLimits are the limits of a value without an interval.
func undefinedLimits(value float64) estimates {
	l := limits{value: value, low: math.NaN(), high: math.NaN()}
	return estimates{l, l}
}

// clopperPearson returns the limits of a share p in n rows. n need not be whole.
func clopperPearson(p, n, tail float64) limits {
	switch {
	case math.IsNaN(p) || n == 0:
		return limits{value: math.NaN(), low: math.NaN(), high: math.NaN()}
	case p == 0:
		return limits{value: 0, low: 0, high: -math.Expm1(math.Log(tail/2) / n), rows: n}
	case p == 1:
		return limits{value: 1, low: math.Exp(math.Log(tail/2) / n), high: 1, rows: n}
	}
	x, rest := float64(p*n), float64((1-p)*n)
	return limits{
		value: p,
		low:   min(p, betaQuantile(x, rest+1, tail/2)),
		high:  max(p, 1-betaQuantile(rest, x+1, tail/2)),
		rows:  n,
	}
}

// betaQuantile returns the quantile q of the distribution Beta(a, b). Gonum's quantile is
// wrong by orders of magnitude for a few cases in 10⁴ rows and small q. So it is checked
// and, where it fails, the root is found by bisection on the log-odds.
func betaQuantile(a, b, q float64) float64 {
	x := mathext.InvRegIncBeta(a, b, q)
	if math.Abs(mathext.RegIncBeta(a, b, x)-q) <= 1e-6*q {
		return x
	}
	low, high := -700.0, 700.0 // whose odds are finite
	for range 64 {
		middle := (low + high) / 2
		if x = 1 / (1 + math.Exp(-middle)); mathext.RegIncBeta(a, b, x) < q {
			low = middle
		} else {
			high = middle
		}
	}
	return x
}

// halfSum returns the limits of the mean of two independent shares: a + b is 1 more than the
// difference of a and 1 − b, which is melded.
func halfSum(a, b limits, tail float64) limits {
	rest := limits{value: 1 - b.value, rows: b.rows}
	return limits{
		value: (a.value + b.value) / 2,
		low:   (1 - differences.upper(rest, a, tail, -1, 1)) / 2,
		high:  (1 + differences.upper(a, rest, tail, -1, 1)) / 2,
	}
}

// sizes are numbers of rows by stratum.
type sizes [strata]float64

// effectiveSizes returns the sums of weights of rows and their numbers by Kish's formula;
// without weights both are plain numbers of rows.
func effectiveSizes(rows []row) (sum, size sizes) {
	var squares sizes
	for i := range rows {
		r := &rows[i]
		for s := range strata {
			if s.holds(r) {
				sum[s] += r.weight
				squares[s] += r.squares
			}
		}
	}
	for s := range size {
		size[s] = kish(sum[s], squares[s])
	}
	return sum, size
}

// kish returns the number of rows of equal weight that are as informative as rows with
// the given sums of weights and of squared weights.
func kish(sum, squares float64) float64 {
	if squares == 0 {
		return 0
	}
	size := sum * sum / squares
	if whole := math.Round(size); math.Abs(size-whole) < 1e-9*whole {
		return whole // with equal weights of any size, the number of rows itself
	}
	return size
}
