package fairness

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Melding (Fay, Proschan, Brittain, Biometrics 71, 2015) makes a limit for the gap between two
// independent shares from the distributions behind Clopper and Pearson's limits. The upper limits of x
// cases in n rows are the quantiles of A ~ Beta(x+1, n−x), the lower limits of y in m rows those of
// B ~ Beta(y, m−y+1). The upper limit of the gap is the e for which P(A > B moved by e) is the tail. At
// e = 0 this is the p-value of Fisher's exact test, so difference and ratio agree on whether a gap is
// significant. Neither side missed more often than its tail at any level that was enumerated
// (TestGapCoverage).

// gap is a way to compare two figures by a number e in [−1, 1] that grows with the first, falls with
// the second, and changes its sign if they are exchanged.
type gap struct {
	of    func(a, b float64) float64 // e of two figures
	apply func(b, e float64) float64 // the a for which of(a, b) is e
	undo  func(a, e float64) float64 // the b for which of(a, b) is e
	mover func(a, b limits) float64  // the upper limit of e for figures that are no shares
}

var (
	// differences are a − b.
	differences = gap{
		of:    difference,
		apply: func(b, e float64) float64 { return b + e },
		undo:  func(a, e float64) float64 { return a - e },
		mover: func(a, b limits) float64 { return -lowestDifference(b, a) },
	}
	// ratios are 1 less the smaller of a / b and b / a, below 0 if a is smaller.
	ratios = gap{
		of:    func(a, b float64) float64 { return ratioGap(b / a) },
		apply: func(b, e float64) float64 { return b * times(e) },
		undo:  func(a, e float64) float64 { return a / times(e) },
		mover: func(a, b limits) float64 { return ratioGap(lowestRatio(b, a)) },
	}
)

// ratioGap is the gap of figures of which the second is r times the first.
func ratioGap(r float64) float64 {
	if r <= 1 {
		return 1 - r
	}
	return 1/r - 1
}

// times is what the first figure is of the second, by their gap of ratios.
func times(e float64) float64 {
	if e <= 0 {
		return 1 + e
	}
	return 1 / (1 - e)
}

// upper returns the upper limit of the gap between two shares, which is in [least, most].
func (g gap) upper(a, b limits, tail, least, most float64) float64 {
	// Normal quantiles of the chance are nearly linear in e: false position (Illinois) takes few steps.
	beyond := func(e float64) float64 {
		return distuv.UnitNormal.Quantile(g.chance(a, b, e)) + normalTail(tail)
	}
	low, high := math.Inf(1), math.Inf(-1)
	const near = 1e-10
	for side := 0; most-least > near; {
		e := (least + most) / 2
		if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
			e = max(least+near/4, min(most-near/4, most-high*(most-least)/(high-low)))
		}
		if at := beyond(e); at > 0 {
			if side > 0 {
				high /= 2
			}
			least, low, side = e, at, 1
		} else {
			if side < 0 {
				low /= 2
			}
			most, high, side = e, at, -1
		}
	}
	return most
}

// chance returns P(A > B moved by e).
func (g gap) chance(a, b limits, e float64) float64 {
	first, second := a.above(), b.below()
	if first.variance() < second.variance() { // the sum is over the narrower one, where the other is smooth
		return first.mean(func(x float64) float64 { return second.cdf(g.undo(x, e)) })
	}
	return second.mean(func(x float64) float64 { return first.mirrored().cdf(1 - g.apply(x, e)) })
}

// ends returns the largest lower limit, or 0, and the largest upper limit of the gap over pairs of
// cells in which the figure is defined.
func (g gap) ends(cells []estimates, pairs []order, t tails) (low, high float64) {
	shares := slices.ContainsFunc(cells, func(e estimates) bool { return e.single.rows > 0 })
	if !shares {
		for _, p := range pairs {
			a, b := cells[p.first], cells[p.second]
			low, high = max(low, -g.mover(b.joint, a.joint)), max(high, g.mover(a.single, b.single))
		}
		return low, high
	}
	// Few pairs need a root. By the union bound, an upper limit is at most the gap between the limits at
	// half of its tail. A lower limit is at most the gap between those at the root of its tail, as both
	// are passed at once with a probability that is the tail.
	wide, narrow := make([]limits, len(cells)), make([]limits, len(cells))
	for k, c := range cells {
		wide[k] = clopperPearson(c.single.value, c.single.rows, t.single/2)
		narrow[k] = clopperPearson(c.single.value, c.single.rows, 2*math.Sqrt(t.joint/2))
	}
	g.eachBelow(pairs, func(p order) float64 { return g.of(wide[p.first].high, wide[p.second].low) }, &high,
		func(p order, most float64) {
			if a, b := cells[p.first].single, cells[p.second].single; g.chance(a, b, high) > t.single/2 {
				high = g.upper(a, b, t.single, high, most)
			}
		})
	g.eachBelow(pairs, func(p order) float64 { return g.of(narrow[p.first].low, narrow[p.second].high) }, &low,
		func(p order, most float64) {
			if a, b := cells[p.first].joint, cells[p.second].joint; g.chance(b, a, -low) <= t.joint/2 {
				low = -g.upper(b, a, t.joint, -most, -low)
			}
		})
	return low, high
}

// eachBelow calls f for the pairs with a bound above the level, the largest bounds first.
func (g gap) eachBelow(pairs []order, bound func(order) float64, level *float64, f func(order, float64)) {
	type bounded struct {
		order
		most float64
	}
	all := make([]bounded, len(pairs))
	for i, p := range pairs {
		all[i] = bounded{p, bound(p)}
	}
	slices.SortStableFunc(all, func(a, b bounded) int { return cmp.Compare(b.most, a.most) })
	for _, p := range all {
		if p.most <= *level {
			return
		}
		f(p.order, p.most)
	}
}

// beta is a beta distribution; with a = 0 it is the number 0, with b = 0 the number 1.
type beta struct{ a, b float64 }

// above and below are the distributions of which the limits of a share are quantiles.
func (l limits) above() beta { return beta{l.value*l.rows + 1, (1 - l.value) * l.rows} }
func (l limits) below() beta { return beta{l.value * l.rows, (1-l.value)*l.rows + 1} }

func (v beta) mirrored() beta { return beta{v.b, v.a} }

func (v beta) variance() float64 {
	sum := v.a + v.b
	return v.a * v.b / (sum * sum * (sum + 1))
}

// cdf returns the probability of x or less.
func (v beta) cdf(x float64) float64 {
	switch {
	case !(x < 1) || v.a == 0 && x >= 0: // NaN is 0 times an unbounded ratio, which may be anything
		return 1
	case x <= 0 || v.b == 0:
		return 0
	}
	return mathext.RegIncBeta(v.a, v.b, x)
}

// mean returns the mean of f, by the trapezoidal rule on the log-odds, where the density is smooth and
// falls off exponentially at both ends: its error falls exponentially with the number of terms.
func (v beta) mean(f func(x float64) float64) float64 {
	switch {
	case v.a == 0:
		return f(0)
	case v.b == 0:
		return f(1)
	}
	const (
		step = 0.35  // standard deviations
		low  = 1e-18 // of the density at its mode
	)
	h := step * min(1, math.Sqrt(1/v.a+1/v.b))
	mode := math.Log(v.a / v.b)
	softplus := func(t float64) float64 { return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) } // which does not overflow
	log := func(t float64) float64 { return -v.a*softplus(-t) - v.b*softplus(t) }
	most := log(mode)
	total, sum := 0.0, 0.0
	for _, direction := range []float64{-1, 1} {
		for k := 0.0; ; k++ {
			t := mode + direction*h*k
			weight := math.Exp(log(t) - most)
			if weight < low {
				break
			}
			if k > 0 || direction > 0 {
				total += weight
				sum += weight * f(1/(1+math.Exp(-t)))
			}
		}
	}
	return sum / total
}
