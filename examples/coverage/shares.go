package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fairtrain/fairtrain/fairness"
)

// measureShares fills in the coverage of shares and of their gaps: with the same rate in
// all groups, and with the first group apart.
func (c *cell) measureShares(trials int) {
	cases, probability := outcomes(c.rows, c.rate)
	var covered float64
	for k, x := range cases {
		if contains(fairness.Share{Cases: x, Rows: float64(c.rows)}.Interval(level), c.rate) {
			covered += probability[k]
		}
	}
	c.note("share", covered)
	for suffix, first := range map[string]float64{"": c.rate, ", one apart": gapped(c.rate)} {
		difference, ratio := c.simulate(first, trials)
		if c.groups == 2 {
			difference, ratio = c.enumerate(first)
		}
		c.note("difference"+suffix, difference)
		c.note("ratio"+suffix, ratio)
	}
}

// outcomes returns numbers of cases, without those that one trial in 10⁹ has, and their
// probabilities.
func outcomes(rows int, rate float64) (cases, probability []float64) {
	if rate == 0 {
		return []float64{0}, []float64{1}
	}
	d := distuv.Binomial{N: float64(rows), P: rate}
	for x := range rows + 1 {
		if p := d.Prob(float64(x)); p > 1e-9 {
			cases, probability = append(cases, float64(x)), append(probability, p)
		}
	}
	return cases, probability
}

// enumerate returns the coverage for two groups, of which the second has the cell's rate.
func (c *cell) enumerate(first float64) (difference, ratio float64) {
	n := float64(c.rows)
	xs, ps := outcomes(c.rows, first)
	ys, qs := outcomes(c.rows, c.rate)
	truth := truths(first, c.rate)
	for i, x := range xs {
		for j, y := range ys {
			d, r := fairness.CompareShares([]fairness.Share{{Cases: x, Rows: n}, {Cases: y, Rows: n}}, level)
			if contains(d, truth.difference) {
				difference += ps[i] * qs[j]
			}
			if contains(r, truth.ratio) {
				ratio += ps[i] * qs[j]
			}
		}
	}
	return difference, truth.defined(ratio)
}

// simulate returns the coverage for any number of groups.
func (c *cell) simulate(first float64, trials int) (difference, ratio float64) {
	n := float64(c.rows)
	source := rand.NewPCG(uint64(c.groups), uint64(c.rows))
	truth := truths(first, c.rate)
	shares := make([]fairness.Share, c.groups)
	for range trials {
		for g := range shares {
			rate := c.rate
			if g == 0 {
				rate = first
			}
			shares[g] = fairness.Share{Cases: draw(n, rate, source), Rows: n}
		}
		d, r := fairness.CompareShares(shares, level)
		if contains(d, truth.difference) {
			difference += 1 / float64(trials)
		}
		if contains(r, truth.ratio) {
			ratio += 1 / float64(trials)
		}
	}
	return difference, truth.defined(ratio)
}

func draw(n, rate float64, source *rand.PCG) float64 {
	if rate == 0 {
		return 0
	}
	return distuv.Binomial{N: n, P: rate, Src: source}.Rand()
}

// truth is how far two rates are apart.
type truth struct{ difference, ratio float64 }

func truths(a, b float64) truth { return truth{math.Abs(a - b), min(a, b) / max(a, b)} }

// defined returns the coverage of the ratio, NaN where that is 0 by 0.
func (t truth) defined(coverage float64) float64 {
	if math.IsNaN(t.ratio) {
		return math.NaN()
	}
	return coverage
}

// contains allows for rounding.
func contains(e fairness.Estimate, truth float64) bool {
	return float64(e.Low) <= truth+1e-12 && truth <= float64(e.High)+1e-12
}
