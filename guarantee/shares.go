package guarantee

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// limit is what a one-sided statement about two groups bounds: the difference a − b or
// the ratio a/b of their shares or mean scores a and b.
type limit int

const (
	difference limit = iota
	ratio
)

// least returns the smallest a for which the statement "a − b ≤ bound" or "a/b ≤ bound"
// is at its edge, given b.
func (l limit) least(b, bound float64) float64 {
	if l == ratio {
		return b * bound
	}
	return b + bound
}

// largest returns the b at which least is a.
func (l limit) largest(a, bound float64) float64 {
	if l == ratio {
		return a / bound
	}
	return a - bound
}

// oneShare tests statements "the share is at most bound": it is the upper limit of Clopper and Pearson.
type oneShare float64

func (s oneShare) excludes(bound float64) bool { return bound >= float64(s) }

func (s oneShare) guess() (bound, step float64) { return float64(s), 0 }

// count is a count among the rows of a group.
type count struct{ positive, rows int }

func (c count) share() float64 { return float64(c.positive) / float64(c.rows) }

// bounded is a count with the Clopper–Pearson limits of its share that tests at a level share.
type bounded struct {
	count
	low, high float64
	window    *window // for shares between them; tests take turns
}

// within returns a count with limits for tests at level delta. It may have no rows.
func (c count) within(delta float64) bounded {
	b := bounded{count: c, high: 1}
	if c.rows > 0 {
		b.low, b.high = clopperPearson(c.positive, c.rows, bergerBoos*delta/4)
		b.window = newWindow(c.rows, b.low, b.high)
	}
	return b
}

// sharePair tests statements that the shares a and b of two independent groups are not far
// apart, a − b ≤ bound or a/b ≤ bound, by the exact unconditional test of docs/guarantee.md:
// the pairs of counts that are at least as favourable as the observed pair are the region
//
//	C = {(i, j): T(i, j) ≤ T(seen)},
//
// whose probability f(a, b) falls in a and rises in b. A bound is excluded if f is at most
// δ − γ for every (a, b) in the Clopper–Pearson rectangle of level γ for which the
// statement is false (Berger and Boos 1994).
type sharePair struct {
	a, b  bounded // their limits are the rectangle
	limit limit

	level     float64 // δ − γ
	order     newcombe
	statistic float64 // T(seen)
	error     float64 // standard error of the contrast weight·a − b
	wa, wb    *window
	edge      []int // edge[k] is the least j with (wa.first+k, j) in C; made where it is first needed
}

// bergerBoos is γ/δ, the part of the error that is used for the rectangle.
const bergerBoos = 0.01

// newSharePair prepares the tests at level delta; a and b must come from within(delta). The order T
// of counts is the upper limit of weight·a − b by Newcombe's method: weight 1 suits differences,
// 1/r ratios near r.
func newSharePair(a, b bounded, l limit, weight, delta float64) *sharePair {
	s := &sharePair{a: a, b: b, limit: l, wa: a.window, wb: b.window}
	s.level = delta - bergerBoos*delta
	s.order = newNewcombe(float64(a.rows), float64(b.rows), weight, delta)
	s.statistic = s.order.at(a.positive, b.positive)
	s.error = s.order.standardError(a.share(), b.share())
	return s
}

// region computes the edge of C for all counts of a that a window may need. Its slack
// covers rounding errors of T: a larger region is safe.
func (s *sharePair) region() {
	const slack = 1e-12
	t := s.order
	most := s.statistic + slack
	s.edge = make([]int, len(s.wa.odds))
	j := 0
	for k := range s.edge {
		within := func(up int) bool { return t.at(s.wa.first+k, j+up) <= most }
		far := 1 // the next edge is near
		for j+far <= s.b.rows && !within(far) {
			far *= 2
		}
		j += sort.Search(min(far, s.b.rows+1-j), within)
		s.edge[k] = j
	}
}

// probability bounds f(a, b) from above, within 10⁻⁹ relatively.
func (s *sharePair) probability(a, b float64) float64 {
	s.wa.set(a)
	s.wb.set(b)
	s.wb.cumulate()
	sum := 0.0
	edge := s.edge[s.wa.lo-s.wa.first:]
	for k, m := range s.wa.mass {
		sum += float64(m * s.wb.tail(edge[k]))
	}
	return float64(sum*(1+1e-9)) + float64(4*negligible)
}

// excludes reports whether the rows show, at the level, that the statement with this bound
// holds. It may say no where the truth is closer to the edge than resolution standard
// errors. It never says yes where the exact answer is no.
//
// The false statements of the rectangle are a ≥ least(b). As f falls in a and rises in b,
// the statements with b in a cell [low, high] have f ≤ f(least(low), high). A cell for
// which this bound is too large is halved.
func (s *sharePair) excludes(bound float64) bool {
	const resolution = 0.01
	low, high := s.b.low, min(s.b.high, s.limit.largest(s.a.high, bound))
	if high < low {
		return true // the rectangle has no false statement
	}
	if s.edge == nil {
		s.region()
	}
	value := func(low, high float64) float64 {
		return s.probability(min(max(s.a.low, s.limit.least(low, bound)), s.a.high), high)
	}
	const probes = 4 // which mostly find what is not excluded
	for k := range probes + 1 {
		if b := low + (high-low)*float64(k)/probes; value(b, b) > s.level {
			return false
		}
	}
	type cell struct{ low, high float64 }
	for cells := []cell{{low, high}}; len(cells) > 0; {
		c := cells[len(cells)-1]
		cells = cells[:len(cells)-1]
		if c.high < c.low || value(c.low, c.high) <= s.level {
			continue
		}
		if c.high-c.low < resolution*s.error {
			return false
		}
		middle := (c.low + c.high) / 2
		cells = append(cells, cell{middle, c.high}, cell{c.low, middle})
	}
	return true
}

// guess returns roughly the least bound that is excluded, and a small step.
func (s *sharePair) guess() (bound, step float64) {
	if s.limit == difference {
		return s.statistic, s.error
	}
	b := max(s.b.share(), 1/float64(s.b.rows+1))
	return (s.statistic + s.b.share()) / (s.order.weight * b), s.error / b
}

// newcombe is the order of pairs of counts: the upper limit of weight·a − b of Newcombe's
// hybrid score method (1998, method 10), from the limits of Wilson for either share at the
// one-sided level. It rises in i and falls in j; docs/guarantee.md has the proof.
type newcombe struct {
	na, nb, weight, z float64
}

func newNewcombe(na, nb, weight, delta float64) newcombe {
	return newcombe{na, nb, weight, distuv.UnitNormal.Quantile(1 - delta)}
}

func (t newcombe) at(i, j int) float64 { return t.of(float64(i)/t.na, float64(j)/t.nb) }

// of takes shares rather than counts.
func (t newcombe) of(a, b float64) float64 {
	up := t.weight * (wilson(a, t.na, t.z) - a)
	down := b - wilson(b, t.nb, -t.z)
	return float64(t.weight*a) - b + math.Sqrt(float64(up*up)+float64(down*down))
}

// standardError is the standard error of weight·a − b, with half a row of each kind added
// to every group so that it is not 0.
func (t newcombe) standardError(a, b float64) float64 {
	variance := func(p, n float64) float64 { p = (float64(p*n) + 0.5) / (n + 1); return p * (1 - p) / (n + 1) }
	return math.Sqrt(float64(t.weight*t.weight*variance(a, t.na)) + variance(b, t.nb))
}

// wilson is the upper limit of Wilson (1927) for the share p of n rows, or the lower limit
// for a negative z.
func wilson(p, n, z float64) float64 {
	return (p + z*z/(2*n) + float64(z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n)))) / (1 + z*z/n)
}
