package guarantee

import (
	"cmp"
	"errors"
	"math"
)

// ErrWeighted says why rows that have weights can't be tested.
var ErrWeighted = errors.New("a test counts every row once")

// Weighted are sums over rows that have weights. What is said of such rows is approximate: a mean of
// them counts as that of so many rows without weights as have its variance, rounded down (Korn and
// Graubard, Survey Methodology 24, 1998), and of no more than Kish's effective number. Where few rows
// are on one side of ½, others like them may have larger weights than they. Then every row counts as
// one of the largest weight: the mean is of no more rows than the sum of weights over that.
type Weighted struct {
	Scores, Decisions WeightedPowers
}

// WeightedPowers are sums of powers of values − ½, times weights and times their squares.
type WeightedPowers struct {
	Once  [5]float64
	Twice [3]float64
	// Above and Below are numbers of rows, by the sign of the value − ½. Largest is the largest weight
	// of these rows, or of all that are compared.
	Above, Below, Largest float64
}

// fewOfAKind is the number of rows on one side from which their own weights tell enough.
const fewOfAKind = 5

// AddWeighted adds a row with a weight that is not below 0.
func (s *Sums) AddWeighted(score float64, positive bool, weight float64) {
	if s.Weighted == nil {
		s.Weighted = &Weighted{}
	}
	s.Rows++
	decision := 0.0
	if positive {
		s.Positive++
		decision = 1
	}
	s.Weighted.Scores.add(score-centre, weight)
	s.Weighted.Decisions.add(decision-centre, weight)
}

func (p *WeightedPowers) add(x, weight float64) {
	switch p.Largest = max(p.Largest, weight); {
	case weight == 0:
	case x > 0:
		p.Above++
	default:
		p.Below++
	}
	power := weight
	for k := range p.Once {
		p.Once[k] += power
		if k < len(p.Twice) {
			p.Twice[k] += weight * power
		}
		power *= x
	}
}

// largest enters the largest weight of all rows.
func (w *Weighted) largest(weight float64) *Weighted {
	at := *w
	at.Scores.Largest, at.Decisions.Largest = weight, weight
	return &at
}

// with returns the sums of p and of q together; either may be nil.
func (p *WeightedPowers) with(q *WeightedPowers) *WeightedPowers {
	if p == nil || q == nil {
		return cmp.Or(p, q)
	}
	both := *p
	for k, x := range q.Once {
		both.Once[k] += x
	}
	for k, x := range q.Twice {
		both.Twice[k] += x
	}
	both.Above, both.Below, both.Largest = p.Above+q.Above, p.Below+q.Below, max(p.Largest, q.Largest)
	return &both
}

// scaled returns the sums of the values factor·x + shift.
func (p *WeightedPowers) scaled(factor, shift float64) *WeightedPowers {
	shift += float64(factor*centre) - centre // of values from the centre
	q := &WeightedPowers{Above: p.Above, Below: p.Below, Largest: p.Largest}
	if factor < 0 {
		q.Above, q.Below = q.Below, q.Above
	}
	for _, sums := range []struct{ of, to []float64 }{{p.Once[:], q.Once[:]}, {p.Twice[:], q.Twice[:]}} {
		for k := range sums.to {
			binomial := 1.0
			for j := range k + 1 { // (factor·x + shift)ᵏ
				power := math.Pow(factor, float64(j)) * math.Pow(shift, float64(k-j))
				sums.to[k] += float64(binomial * power * sums.of[j])
				binomial = binomial * float64(k-j) / float64(j+1)
			}
		}
	}
	return q
}

// scores returns as many rows without weights as say as much about the mean.
func (p *WeightedPowers) scores() scores {
	s := scores{weighted: p}
	mass := p.Once[0]
	if mass == 0 {
		return s
	}
	p1, p2, p3, p4 := p.Once[1]/mass, p.Once[2]/mass, p.Once[3]/mass, p.Once[4]/mass
	d2 := float64(p1 * p1)
	variance := max(0, p2-d2)
	n := mass * mass / p.Twice[0]
	const exact = 1e-12 // a smaller variance is rounding
	ofMean := (p.Twice[2] - float64(2*p1*p.Twice[1]) + float64(d2*p.Twice[0])) / (mass * mass)
	if variance > exact && ofMean > 0 {
		n = min(n, variance/ofMean)
	}
	if min(p.Above, p.Below) < fewOfAKind {
		n = min(n, mass/p.Largest)
	}
	n = max(1, math.Floor(n+exact*n))
	s.count, s.mean = int(n), min(max(centre+p1, 0), 1)
	s.sum2 = n * variance
	s.sum3 = n * (p3 - float64(3*p1*p2) + float64(2*d2*p1))
	s.sum4 = n * max(0, p4-float64(4*p1*p3)+float64(6*d2*p2)-float64(3*d2*d2))
	return s
}
