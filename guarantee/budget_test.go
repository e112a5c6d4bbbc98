package guarantee

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// wrongSide returns the largest probability, over all true shares, that a count of n rows has an
// interval without the share. It is largest just beyond a limit, where one more count joins those
// on the wrong side.
func wrongSide(n int, interval func(x int) (low, high float64)) float64 {
	var limits []float64
	for x := range n + 1 {
		low, high := interval(x)
		limits = append(limits, low, high)
	}
	worst := 0.0
	for _, limit := range limits {
		for _, p := range []float64{limit - 1e-12, limit + 1e-12} {
			if p <= 0 || p >= 1 {
				continue
			}
			law, wrong := distuv.Binomial{N: float64(n), P: p}, 0.0
			for x := range n + 1 {
				if low, high := interval(x); p < low || p > high {
					wrong += mass(law, x)
				}
			}
			worst = max(worst, wrong)
		}
	}
	return worst
}

// TestShareBudget: the error of the rectangle and the level inside of it add up to at most δ, as
// the proof of Theorem 1 in docs/guarantee.md needs. All counts are enumerated, at the worst true
// shares; and nearly nothing of δ is lost.
func TestShareBudget(t *testing.T) {
	for _, delta := range []float64{0.5, 0.05, 0.001} {
		for _, n := range [][2]int{{1, 1}, {2, 9}, {9, 2}, {20, 20}, {35, 4}} {
			var level float64
			pair := func(i, j int) *sharePair {
				s := pairOf(count{i, n[0]}, count{j, n[1]}, difference, 1, delta)
				level = s.level
				return s
			}
			a := wrongSide(n[0], func(x int) (low, high float64) { s := pair(x, 0); return s.a.low, s.a.high })
			b := wrongSide(n[1], func(x int) (low, high float64) { s := pair(0, x); return s.b.low, s.b.high })
			if outside := a + b - a*b; outside+level > delta {
				t.Errorf("δ = %v, %d rows: outside of the rectangle with probability %v, and the level is %v", delta, n, outside, level)
			}
			if level < 0.98*delta {
				t.Errorf("δ = %v: the level is only %v", delta, level)
			}
		}
	}
}

// TestBetsBudget: the parts of the capital add up to 1.
func TestBetsBudget(t *testing.T) {
	parts := func(bets []bet) (sum float64) {
		for _, b := range bets {
			sum += math.Exp(b.logPart)
		}
		return sum
	}
	s := bernoulli(7, 20)
	for name, bets := range map[string][]bet{
		"one mean": newOneMean(s, 0.05).bets, "a difference": newMeanPair(s, s, difference, 1,
			0.05).bets, "a ratio": newMeanPair(s, s, ratio, 0.5, 0.05).bets,
	} {
		if sum := parts(bets); math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: the parts add up to %v", name, sum)
		}
	}
}

// capitalAt is the capital of the proofs, multiplied row by row.
func (p *meanPair) capitalAt(c, bound float64) float64 {
	m, sum := min(max(p.limit.least(c, bound), 0), 1), 0.0
	for _, bet := range p.bets {
		product := math.Exp(bet.logPart)
		for _, x := range p.a.values {
			product *= 1 + bet.a*(m-x)
		}
		for _, y := range p.b.values {
			product *= 1 + bet.b*(y-c)
		}
		sum += product
	}
	return sum
}

// TestCapitalOfSmallGroups: at the edge of the statement the capital has a mean of at most 1, over
// all outcomes of scores of 0 and 1, for every true mean. Theorems 2 and 3 in docs/guarantee.md
// rest on it.
func TestCapitalOfSmallGroups(t *testing.T) {
	const steps = 20
	for _, test := range []exactCase{
		{1, 1, difference, 0, 0.05}, {4, 7, difference, 0.3, 0.05}, {7, 4, difference, -0.4, 0.5}, {5, 5, ratio, 2, 0.1}, {3, 8, ratio, 1.25, 0.01},
	} {
		for k := range steps + 1 {
			b := float64(k) / steps
			a := max(0, test.limit.least(b, test.bound))
			if a > 1 {
				continue
			}
			pair, alone := 0.0, 0.0
			for i := range test.na + 1 {
				pa := mass(distuv.Binomial{N: float64(test.na), P: a}, i)
				one := newOneMean(bernoulli(i, test.na), test.delta)
				for _, bet := range one.bets {
					alone += pa * math.Exp(bet.logPart+one.exactGrowth(bet.a, a))
				}
				for j := range test.nb + 1 {
					p := newMeanPair(bernoulli(i, test.na), bernoulli(j, test.nb), test.limit,
						weightOf(test.limit, test.bound), test.delta)
					pair += pa * mass(distuv.Binomial{N: float64(test.nb), P: b}, j) * p.capitalAt(b, test.bound)
				}
			}
			if pair > 1+1e-9 || alone > 1+1e-9 {
				t.Errorf("%+v, means %v and %v: the mean of the capital is %v, of one group's %v",
					test, a, b, pair, alone)
			}
		}
	}
}

// TestExcludedEverywhere: a bound is excluded only if the capital is large enough at every c, also
// where a below b by the bound would be below 0: there the capital has a corner, and may be least.
func TestExcludedEverywhere(t *testing.T) {
	excluded := 0
	for _, delta := range []float64{0.05, 0.5} {
		for _, n := range [][2]int{{200, 3}, {200, 8}, {60, 12}, {12, 60}, {30, 30}} {
			for _, ones := range [][2]int{{0, n[1]}, {n[0] / 10, n[1]}, {0, n[1] - 1}} {
				p := newMeanPair(bernoulli(ones[0], n[0]), bernoulli(ones[1], n[1]), difference, 1, delta)
				for k := range 199 {
					bound := float64(k-150) / 200
					if !p.excludes(bound) {
						continue
					}
					excluded++
					const steps = 200
					for j := range steps + 1 {
						if c := float64(j) / steps; c+bound <= 1 && p.capitalAt(c, bound) < 1/delta {
							t.Fatalf("%d of %d rows and %d of %d, δ = %v: the bound %v is excluded, but at %v the capital is %v", ones[0], n[0], ones[1], n[1], delta, bound, c, p.capitalAt(c, bound))
						}
					}
				}
			}
		}
	}
	if excluded < 100 {
		t.Errorf("only %d bounds are excluded", excluded)
	}
}
