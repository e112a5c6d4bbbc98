package guarantee

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// population is a group as a plan assumes it.
type population struct {
	fraction float64 // of all rows that the group has
	mean     float64 // share of positive decisions, or mean score
	variance float64 // of the scores
}

// contrast is a side as a plan sees it: the statement weight·a − b ≤ bound, or a ≤ bound if
// b has no rows.
type contrast struct {
	a, b          population
	weight, bound float64
	shares        bool // of decisions
}

// contrast returns the contrast of a pair of groups.
func (r *Requirement) contrast(a, b population) contrast {
	c := contrast{a: a, b: b, weight: r.weight(), bound: r.Bound, shares: !r.onScores()}
	if r.Kind == MinRatio {
		c.bound = 0
	}
	return c
}

// opposite returns the contrast of the opposite statement.
func (c contrast) opposite() contrast {
	c.weight, c.bound = 1/c.weight, -c.bound
	if c.a, c.b = c.b, c.a; c.a.fraction == 0 {
		c.a, c.b, c.bound = c.b, c.a, 1+c.bound
		c.a.mean = 1 - c.a.mean
	}
	return c
}

// power is approximately the probability that the side passes at level delta with so many
// rows: the estimate of weight·a − b is nearly normal, and its upper limit is above it by
// about margin.
func (c contrast) power(rows, delta float64) float64 {
	gap, margin, spread := c.spread(rows, delta)
	if spread == 0 {
		return 0
	}
	return distuv.UnitNormal.CDF((c.bound - gap - margin) / spread)
}

// gap returns weight·a − b, or a if b has no rows.
func (c contrast) gap() float64 {
	if c.b.fraction == 0 {
		return c.a.mean
	}
	return float64(c.weight*c.a.mean) - c.b.mean
}

// spread returns the gap, the approximate distance of its upper limit above its
// estimate, and the standard error of the estimate.
func (c contrast) spread(rows, delta float64) (gap, margin, spread float64) {
	na, nb := rows*c.a.fraction, rows*c.b.fraction
	gap = c.gap()
	switch {
	case na == 0 || c.shares && nb == 0 && c.b.fraction > 0:
		return 0, 0, 0
	case c.shares && nb == 0: // about the limit of Clopper and Pearson
		z := distuv.UnitNormal.Quantile(1 - delta)
		spread = math.Sqrt(gap*(1-gap)/na) + 1/na
		return gap, z*spread + z*z/(3*na), spread
	case c.shares:
		t := newNewcombe(na, nb, c.weight, delta)
		return gap, t.of(c.a.mean, c.b.mean) - gap, t.standardError(c.a.mean, c.b.mean)
	case nb == 0:
		spread = math.Sqrt(c.a.variance / na)
	default:
		spread = math.Sqrt(c.weight*c.weight*c.a.variance/na + c.b.variance/nb)
	}
	spread += 1 / na // bets on few rows are worth less than on many
	return gap, bettingQuantile(-math.Log(delta)) * spread, spread
}

// jointPower bounds from below, by the sum of the failures, the probability that all sides
// pass.
func jointPower(sides []contrast, rows, delta float64) float64 {
	fail := 0.0
	for _, c := range sides {
		fail += 1 - c.power(rows, delta)
	}
	return max(0, 1-fail)
}

// mostRows is the largest number of rows that is tried.
const mostRows = 1e12

// least returns the least number up to mostRows with enough power, which must rise with it.
func least(power func(rows float64) float64, enough float64) (int, bool) {
	high := 1.0
	for power(high) < enough {
		if high *= 2; high > mostRows {
			return 0, false
		}
	}
	low := int(high / 2)
	return low + 1 + sort.Search(int(high)-low-1, func(k int) bool { return power(float64(low+1+k)) >= enough }), true
}

// tooSmall names the groups of failed sides that had little chance even if the groups were
// equal, with the rows that they need.
func tooSmall(failed []side, delta float64) []SmallGroup {
	var list []SmallGroup
	for _, s := range failed {
		if len(s.groups) < 2 {
			continue
		}
		small, large := s.groups[0], s.groups[1]
		if large.rows < small.rows {
			small, large = large, small
		}
		needed, ok := s.contrast.leastGroup(large.rows, delta)
		if !ok || needed <= small.rows {
			continue
		}
		if k := slices.IndexFunc(list, func(g SmallGroup) bool { return g.Group == small.name }); k >= 0 {
			list[k].Needed = max(list[k].Needed, needed)
			continue
		}
		list = append(list, SmallGroup{small.name, small.rows, needed})
	}
	return list
}

// leastGroup returns the number of rows that the smaller of two groups needs so that both
// sides pass with probability Power if the groups are equal, beside a larger group.
func (c contrast) leastGroup(large int, delta float64) (int, bool) {
	if large == 0 {
		return 0, false
	}
	pool := func(a, b float64) float64 {
		return (float64(a*c.a.fraction) + float64(b*c.b.fraction)) / (c.a.fraction + c.b.fraction)
	}
	c.a.mean, c.a.variance = pool(c.a.mean, c.b.mean), pool(c.a.variance, c.b.variance)
	c.b.mean, c.b.variance = c.a.mean, c.a.variance
	return least(func(rows float64) float64 {
		c.a.fraction, c.b.fraction = rows, max(rows, float64(large))
		return 2*c.power(1, delta) - 1
	}, Power)
}

// Prospect is what is assumed about people of whom there are no rows yet.
type Prospect struct {
	// Groups are the groups' shares of the people for every specification that a requirement names.
	// The shares add up to 1, or to less if people of other groups are not compared. A single group
	// is compared with all others.
	Groups   map[string][]float64
	Rate     float64 // of positive decisions, or the mean score or loss, in every group but the first
	Gap      float64 // by which the first group is below that
	Positive float64 // share of the label +1
}

// The errors of a Plan for which no number of rows up to 10^12 is enough, because of what is
// supposed.
var (
	ErrNotWithin = errors.New("guarantee: no number of rows shows it: the supposed gap is not within the bound")
	ErrTooMany   = errors.New("guarantee: more than 10^12 rows are needed: the supposed gap is too near the bound, or a group too rare")
)

// Plan returns approximately the number of rows with which all requirements are guaranteed with the
// given probability if the people are as assumed; up to 20,000 rows it is tried out on simulated
// people. The variance of scores is taken as the largest that their mean allows. Errors: numbers
// out of range, groups that are not there, ErrNotWithin and ErrTooMany.
func Plan(requirements []Requirement, p Prospect, confidence, power float64) (int, error) {
	if !(confidence >= 0.5 && confidence < 1) || !(power > 0 && power < 1) {
		return 0, fmt.Errorf("guarantee: confidence is %v and power %v, must be in [0.5, 1) and (0, 1)", confidence, power)
	}
	var sides []contrast
	for _, r := range requirements {
		found, err := p.sides(&r)
		if err != nil {
			return 0, fmt.Errorf("guarantee: %s: %w", r.Spec, err)
		}
		sides = append(sides, found...)
	}
	rows, ok := least(func(rows float64) float64 { return jointPower(sides, rows, 1-confidence) }, power)
	if !ok {
		if slices.ContainsFunc(sides, func(c contrast) bool { return c.gap() >= c.bound }) {
			return 0, ErrNotWithin
		}
		return 0, ErrTooMany
	}
	return p.enough(requirements, rows, 1-confidence, power)
}

// sides returns the sides of a requirement on the assumed people.
func (p Prospect) sides(r *Requirement) ([]contrast, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if r.Within != "" {
		return nil, errors.New("a plan is for groups among all people: without within=, with --shares of the groups of one level, it says how many rows that level needs")
	}
	shares, err := p.shares(r)
	if err != nil {
		return nil, err
	}
	low := p.Rate - p.Gap
	if !(p.Rate >= 0 && p.Rate <= 1 && low >= 0 && low <= 1) {
		return nil, fmt.Errorf("the rates %v and %v, must be in [0, 1]", p.Rate, low)
	}
	if len(r.Labels) > 0 && !(p.Positive > 0 && p.Positive < 1) {
		return nil, fmt.Errorf("the share of positive labels is %v, must be between 0 and 1", p.Positive)
	}
	arms := make([]population, len(shares))
	for k, share := range shares {
		mean := p.Rate
		if k == 0 {
			mean = low
		}
		arms[k] = population{share, mean, mean * (1 - mean)}
	}
	switch {
	case r.Kind == MinShare && r.Bound == 0:
		return []contrast{r.contrast(arms[1], arms[0])}, nil
	case r.Kind == MinShare:
		return nil, errors.New("a plan needs omega=share")
	}
	var parts []float64
	for _, label := range r.labels() {
		parts = append(parts, map[int8]float64{anyLabel: 1, 1: p.Positive, -1: 1 - p.Positive}[label])
	}
	var list []contrast
	for _, part := range parts {
		for i, a := range arms {
			if !r.twoWay() {
				if a.fraction *= part; r.Kind == MinRate {
					a.mean = 1 - a.mean
				}
				list = append(list, contrast{a: a, weight: 1, bound: r.edge(), shares: !r.onScores()})
				continue
			}
			for j, b := range arms {
				if i == j {
					continue
				}
				c := r.contrast(a, b)
				c.a.fraction *= part
				c.b.fraction *= part
				list = append(list, c)
			}
		}
	}
	return list, nil
}

// shares returns the shares of the groups, completed by the share of the others.
func (p Prospect) shares(r *Requirement) ([]float64, error) {
	const rounding = 1e-3
	spec := r.Group
	shares := p.Groups[spec]
	if spec == "" { // all rows
		return []float64{1}, nil
	}
	sum := 0.0
	for _, s := range shares {
		if !(s > 0 && s <= 1) {
			return nil, fmt.Errorf("a group of %s has the share %v of the people, must be between 0 and 1", spec, s)
		}
		sum += s
	}
	switch {
	case len(shares) == 0:
		return nil, fmt.Errorf("the shares of the groups of %s are not given", spec)
	case len(shares) == 1 && sum < 1:
		return []float64{shares[0], 1 - shares[0]}, nil
	case sum > 1+rounding || len(shares) == 1:
		return nil, fmt.Errorf("the shares of the groups of %s add up to %.6g, must be 1, or one below 1", spec, sum)
	}
	return shares, nil
}

// The power of a plan is that of estimates that are nearly normal. In small groups, and where rates
// are near 0 or 1, they are not, and the numbers of people of each group vary. So a plan of few
// rows is tried out.

const (
	mostRowsTried = 20_000    // that are tried out
	mostTrials    = 1000      // of a plan
	mostDrawn     = 3_000_000 // rows, in all trials
)

// enough returns a number of rows, at least as many as given, with which the tests of simulated
// people pass with the wanted probability.
func (p Prospect) enough(requirements []Requirement, rows int, delta, power float64) (int, error) {
	for ; rows < mostRowsTried; rows += 1 + rows/20 {
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		trials := min(mostTrials, mostDrawn/rows)
		allowed := int((1 - power) * float64(trials)) // failures of all requirements together
		for k := range requirements {
			for n := 0; n < trials && allowed >= 0; n++ {
				passed, err := p.passes(&requirements[k], rows, delta, r)
				if err != nil {
					return 0, err
				}
				if !passed {
					allowed--
				}
			}
		}
		if allowed >= 0 {
			break
		}
	}
	return rows, nil
}

// passes draws rows of people, and reports whether they guarantee a requirement.
func (p Prospect) passes(r *Requirement, rows int, delta float64, random *rand.Rand) (bool, error) {
	return pass([]Requirement{*r}, p.draw(r, rows, random), delta)
}

// draw draws rows of people, with scores of 0 and 1: their variance is the largest that their mean
// allows.
func (p Prospect) draw(r *Requirement, rows int, random *rand.Rand) Evidence {
	shares, _ := p.shares(r) // were checked
	e := Evidence{Scores: make([]float64, rows), Labels: make([]int8, rows), Threshold: 0.5}
	groups := make([]Group, len(shares))
	for k := range groups {
		groups[k] = Group{Name: string(rune('a' + k)), Member: make([]bool, rows)}
	}
	for i := range rows {
		group, at := 0, random.Float64()
		for group < len(shares) && at >= shares[group] {
			at -= shares[group]
			group++
		}
		rate := p.Rate
		if group == 0 {
			rate -= p.Gap
		}
		if group < len(groups) {
			groups[group].Member[i] = true
		}
		if e.Labels[i] = -1; random.Float64() < p.Positive {
			e.Labels[i] = 1
		}
		happens := random.Float64() < rate
		if r.Rate.flips(e.Labels[i] > 0) {
			happens = !happens
		}
		if happens {
			e.Scores[i] = 1
		}
	}
	if r.Kind == MinShare {
		groups = groups[:1] // compared with all others
	}
	e.Groups = map[string][]Group{r.Key(): groups}
	return e
}
