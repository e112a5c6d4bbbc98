package guarantee

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// scores are independent values in [0, 1]; the tests are about their mean.
type scores struct {
	count  int
	values []float64 // nil if there are more than fewRows that were only added up
	mean   float64
	// sums of the second, third and fourth powers of the deviations from the mean
	sum2, sum3, sum4 float64
	weighted         *WeightedPowers // where rows have weights: count is an effective number
}

func newScores(values []float64) scores {
	s := scores{count: len(values), values: values, mean: stat.Mean(values, nil)}
	for _, x := range values {
		d := x - s.mean
		s.sum2 += float64(d * d)
		s.sum3 += float64(d * d * d)
		s.sum4 += float64(d * d * d * d)
	}
	return s
}

func (s *scores) rows() float64 { return float64(s.count) }

// mass is the sum of weights.
func (s *scores) mass() float64 {
	if s.weighted != nil {
		return s.weighted.Once[0]
	}
	return s.rows()
}

func (s *scores) variance() float64 { return s.sum2 / s.rows() }

const (
	// largestBet keeps the factors 1 + λ(m − x) above 1/4.
	largestBet = 0.75
	// smallBet is the bet up to which the series of the logarithm is sharp enough.
	smallBet = 0.1
	// weightedBet is where the series still is of use for few rows that have weights.
	weightedBet = 0.3
	// fewRows is the number of rows up to which a larger bet is computed row by row.
	fewRows = 5000
)

// clip keeps a bet in the range in which growth is fast and exact enough.
func (s *scores) clip(lambda float64) float64 {
	switch {
	case s.count > fewRows:
		return min(lambda, smallBet)
	case s.weighted != nil:
		return min(lambda, weightedBet)
	}
	return min(lambda, largestBet)
}

// growth bounds Σ log(1 + λ(m − x)) from below, for −largestBet ≤ λ ≤ largestBet and m in
// [0, 1]. This is the logarithm of the capital that grows from 1 by betting its part |λ| on
// every x against m. For t ≥ −|λ|,
//
//	log(1+t) ≥ t − t²/2 + t³/3 − t⁴/(4(1−|λ|)⁴)      (Taylor, with Lagrange's remainder),
//
// which is used for small λ and needs the moments only.
func (s *scores) growth(lambda, m float64) float64 {
	if lambda == 0 {
		return 0
	}
	if math.Abs(lambda) > smallBet && s.weighted == nil {
		return s.exactGrowth(lambda, m)
	}
	n, d := s.rows(), m-s.mean
	l2 := lambda * lambda
	p2 := s.sum2 + float64(n*d*d)
	p3 := float64(n*d*d*d) + float64(3*d*s.sum2) - s.sum3
	p4 := s.sum4 - float64(4*d*s.sum3) + float64(6*d*d*s.sum2) + float64(n*d*d*d*d)
	rest := 1 - math.Abs(lambda)
	return lambda*n*d - l2*p2/2 + l2*lambda*p3/3 - l2*l2*p4/(4*rest*rest*rest*rest)
}

// exactGrowth multiplies what it can before it takes a logarithm.
func (s *scores) exactGrowth(lambda, m float64) float64 {
	const block = 256 // (1/4)²⁵⁶ and (7/4)²⁵⁶ are far from the ends of the range
	sum := 0.0
	for at := 0; at < len(s.values); at += block {
		product := 1.0
		for _, x := range s.values[at:min(at+block, len(s.values))] {
			product *= 1 + float64(lambda*(m-x))
		}
		sum += math.Log(product)
	}
	return sum
}

// bet is one of the bets among which the capital is divided before the rows are looked
// at.
type bet struct {
	logPart float64 // logarithm of the part of the capital
	a, b    float64 // λ against the scores of a being high, and of b being low
}

// meanPair tests statements about the means a and b of scores, a − b ≤ bound or a/b ≤
// bound, by betting (Waudby-Smith and Ramdas 2024), as docs/guarantee.md explains: if b = c
// and a ≥ least(c), the capital
//
//	K(c) = Σ_bets part · Π_i (1 + λ_a (least(c) − x_i)) · Π_j (1 + λ_b (y_j − c))
//
// has a mean of at most 1, so that it exceeds 1/δ with a probability of at most δ
// (Markov). A bound is excluded if K(c) ≥ 1/δ for every c.
type meanPair struct {
	a, b   scores
	limit  limit
	error  float64 // estimate of the standard error of weight·a − b
	bets   []bet
	target float64 // log 1/δ
}

// newMeanPair prepares the tests at level delta; weight is as in newSharePair.
func newMeanPair(a, b scores, l limit, weight, delta float64) *meanPair {
	p := &meanPair{a: a, b: b, limit: l, target: -math.Log(delta)}
	p.error = math.Sqrt(weight*weight*a.variance()/a.rows() + b.variance()/b.rows())
	// At c near the mean of b the two products bet together: λ_a and λ_b are proportional to
	// the weights in the contrast, so c adds to one product what it takes from the other.
	const together, apart = 0.9, 0.05
	spread := math.Sqrt(weight*weight/a.rows() + 1/b.rows())
	for _, scale := range deviations {
		stake := math.Sqrt(2*p.target) / (scale.deviation * spread)
		p.bets = append(p.bets, bet{
			math.Log(together * scale.part),
			a.clip(stake * weight / a.rows()), b.clip(stake / b.rows()),
		})
	}
	// Far from the mean, one sample alone shows that b is not c, or that a is not least(c).
	p.bets = append(p.bets,
		bet{math.Log(apart), a.clip(0.5), 0},
		bet{math.Log(apart), 0, b.clip(0.5)})
	return p
}

// deviations are the standard deviations of scores for which bets are made, with the
// bets' parts of the capital. A bet is best for one deviation and good for deviations
// within a factor of 1.5. Scores of classifiers are mostly within the first three.
var deviations = func() (list []struct{ deviation, part float64 }) {
	const most = 10
	for k := range most {
		part := 1 / float64((k+1)*(k+2))
		if k == most-1 {
			part = 1 / float64(most) // so that they add up to 1
		}
		list = append(list, struct{ deviation, part float64 }{0.5 * math.Pow(2, -float64(k)/2), part})
	}
	return list
}()

// rounding bounds the error of the logarithm of a capital.
const rounding = 1e-6

// excludes reports whether the rows show, at the level, that the statement with this bound
// holds. The logarithms of the products are concave in c, so on an interval each is at
// least the smaller of its values at the ends. An interval for which this bound is not
// enough is halved.
func (p *meanPair) excludes(bound float64) bool {
	const smallest = 1.0 / (1 << 14)
	type point struct {
		c      float64
		growth []float64 // of each bet
	}
	at := func(c float64) point {
		g := make([]float64, len(p.bets))
		m := min(max(p.limit.least(c, bound), 0), 1)
		for k, bet := range p.bets {
			g[k] = bet.logPart + p.a.growth(bet.a, m) + p.b.growth(-bet.b, c)
		}
		return point{c, g}
	}
	capital := func(low, high point) float64 {
		least := make([]float64, len(p.bets))
		for k := range least {
			least[k] = min(low.growth[k], high.growth[k])
		}
		return floats.LogSumExp(least) - rounding
	}
	type interval struct{ low, high point }
	highest := min(1, p.limit.largest(1, bound))
	if highest < 0 {
		return true // a would have to be above 1
	}
	rest := []interval{{at(0), at(highest)}}
	if turn := -bound; p.limit == difference && turn > 0 && turn < highest {
		rest = []interval{{at(0), at(turn)}, {at(turn), at(highest)}} // where a can't be lower
	}
	for len(rest) > 0 {
		i := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if capital(i.low, i.high) >= p.target {
			continue
		}
		if capital(i.low, i.low) < p.target || capital(i.high, i.high) < p.target || i.high.c-i.low.c < smallest {
			return false
		}
		middle := at((i.low.c + i.high.c) / 2)
		rest = append(rest, interval{i.low, middle}, interval{middle, i.high})
	}
	return true
}

func (p *meanPair) guess() (bound, step float64) {
	margin := bettingQuantile(p.target) * p.error
	if p.limit == difference {
		return p.a.mean - p.b.mean + margin, p.error
	}
	b := max(p.b.mean, 1/(p.b.rows()+1))
	return (p.a.mean + margin) / b, p.error / b
}

// bettingQuantile is √(2 log(1/δ)), the quantile of a bet for the right deviation with
// many rows, plus the price of not knowing the deviation.
func bettingQuantile(target float64) float64 { return math.Sqrt(2 * (target + 0.7)) }

// oneMean tests statements "the mean is at most bound" about scores by betting.
type oneMean struct {
	scores
	bets   []bet // of which b is not used
	target float64
}

func newOneMean(s scores, delta float64) *oneMean {
	t := &oneMean{scores: s, target: -math.Log(delta)}
	for _, scale := range deviations {
		stake := math.Sqrt(2*t.target/s.rows()) / scale.deviation
		t.bets = append(t.bets, bet{logPart: math.Log(scale.part), a: s.clip(stake)})
	}
	return t
}

func (t *oneMean) excludes(bound float64) bool {
	g := make([]float64, len(t.bets))
	for k, bet := range t.bets {
		g[k] = bet.logPart + t.growth(bet.a, min(bound, 1))
	}
	return floats.LogSumExp(g)-rounding >= t.target
}

func (t *oneMean) guess() (bound, step float64) {
	step = math.Sqrt(t.variance() / t.rows())
	return t.mean + bettingQuantile(t.target)*step, step
}

// groupShare tests statements "the group holds less than 1 − bound of all scores": with ω
// = 1 − bound this says that the values z = (ω − 1)s in the group and ωs elsewhere have a
// mean above 0. The bound is written so that, as for the other tests, a larger bound is
// easier.
type groupShare struct {
	// at returns the values z + bound, which are in [0, 1].
	at    func(bound float64) scores
	share float64 // of all scores that is the group's
	all   float64 // mean of all scores
	delta float64
}

// newGroupShare prepares the tests of the share of all scores that is the group's.
func newGroupShare(group, others scores, delta float64) *groupShare {
	all := group.with(others)
	at := func(bound float64) scores {
		return group.scaled(-bound, bound).with(others.scaled(1-bound, bound))
	}
	return &groupShare{at: at, share: group.mean * group.mass() / (all.mean * all.mass()), all: all.mean, delta: delta}
}

func (g *groupShare) test(bound float64) *oneMean { return newOneMean(g.at(bound), g.delta) }

func (g *groupShare) excludes(bound float64) bool { return g.test(bound).excludes(bound) }

func (g *groupShare) guess() (bound, step float64) {
	bound = 1 - g.share
	t := g.test(bound)
	limit, step := t.guess()
	return bound + (limit-bound)/g.all, step / g.all
}
