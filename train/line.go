package train

import (
	"cmp"
	"math"
	"slices"
)

// A classifier's decisions change at finitely many points of a line, one for each row at
// most, so that the best point of a line can be found exactly.

// line is classifiers whose margins are t + θd, on the rows of d and of s, which may be the
// same slices.
type line struct {
	t, d   []float64 // on the rows to train on
	ts, ds []float64 // on the rows of the constraints
	low    float64   // of θ, may be infinite
	high   float64
	same   bool // both sets of rows are one
}

// crossing is where the decision on a row changes.
type crossing struct {
	theta  float64
	row    int32
	onS    bool
	change int8 // +1 if the decision becomes positive
}

// point is a point of a line.
type point struct {
	theta, accuracy, excess float64
}

// better reports whether p is the better choice: one that satisfies the requirements before
// one that does not, then the more accurate one, or the one that violates them less.
func (p point) better(q point) bool {
	switch {
	case (p.excess <= 0) != (q.excess <= 0):
		return p.excess <= 0
	case p.excess <= 0:
		return p.accuracy > q.accuracy
	}
	return p.excess < q.excess
}

// best returns the best point of a line; centre is the margin from which on decisions are
// positive. θ is in the middle between two changes, so that no rounding moves a decision.
func (j *judge) best(l line, centre float64) point {
	now := j.count(l.decisionsAtLow(l.t, l.d, centre), l.decisionsAtLow(l.ts, l.ds, centre))
	return j.scan(now, l.crossings(centre), l.low, l.high, l.same)
}

// scan returns the best point between low and high, given the crossings in ascending order
// and the decisions at low.
func (j *judge) scan(now tally, crossings []crossing, low, high float64, same bool) point {
	found := point{excess: math.Inf(1)}
	consider := func(from, to float64) {
		p := point{middle(from, to), now.accuracy, found.excess}
		if found.excess <= 0 && p.accuracy <= found.accuracy {
			return
		}
		if p.excess = j.excess(&now); p.better(found) {
			found = p
		}
	}
	from := low
	for k := 0; k < len(crossings); {
		theta := crossings[k].theta
		consider(from, theta)
		for ; k < len(crossings) && crossings[k].theta == theta; k++ {
			j.cross(&now, crossings[k], same)
		}
		from = theta
	}
	consider(from, high)
	return found
}

// cross changes a decision.
func (j *judge) cross(t *tally, c crossing, same bool) {
	if !c.onS {
		right := float64(c.change) * float64(j.d.Y[c.row])
		t.accuracy += right * j.weight[c.row]
	}
	if c.onS || same {
		j.move(t, int(c.row), float64(c.change))
	}
}

func (l line) crossings(centre float64) []crossing {
	list := appendCrossings(nil, l.t, l.d, l, centre, false)
	if !l.same {
		list = appendCrossings(list, l.ts, l.ds, l, centre, true)
	}
	return sortCrossings(list)
}

// sortCrossings sorts by θ. Many are sorted digit by digit (radix sort), which takes a fifth
// of the time of comparisons.
func sortCrossings(list []crossing) []crossing {
	const few, digits = 512, 8
	if len(list) < few {
		slices.SortFunc(list, func(a, b crossing) int { return cmp.Compare(a.theta, b.theta) })
		return list
	}
	var count [digits][256]int32
	for i := range list {
		for d, key := 0, ordered(list[i].theta); d < digits; d, key = d+1, key>>8 {
			count[d][key&255]++
		}
	}
	from, to := list, make([]crossing, len(list))
	for d := range digits {
		if slices.Max(count[d][:]) == int32(len(list)) {
			continue // all have the same digit
		}
		sum := int32(0)
		for k, n := range count[d] {
			count[d][k], sum = sum, sum+n
		}
		for _, c := range from {
			place := &count[d][ordered(c.theta)>>(8*d)&255]
			to[*place] = c
			*place++
		}
		from, to = to, from
	}
	return from
}

// ordered returns a key that is in the order of the numbers.
func ordered(x float64) uint64 {
	const sign = 1 << 63
	if b := math.Float64bits(x); b&sign == 0 {
		return b | sign
	} else {
		return ^b
	}
}

func appendCrossings(list []crossing, t, d []float64, l line, centre float64, onS bool) []crossing {
	for i, slope := range d {
		if slope == 0 {
			continue
		}
		theta := (centre - t[i]) / slope
		if theta <= l.low || theta >= l.high {
			continue
		}
		c := crossing{theta: theta, row: int32(i), onS: onS, change: 1}
		if slope < 0 {
			c.change = -1
		}
		list = append(list, c)
	}
	return list
}

// decisionsAtLow returns the decisions just above the lower end of the line.
func (l line) decisionsAtLow(t, d []float64, centre float64) []bool {
	positive := make([]bool, len(t))
	for i := range t {
		switch {
		case d[i] == 0:
			positive[i] = t[i] >= centre
		case math.IsInf(l.low, -1):
			positive[i] = d[i] < 0
		default:
			theta := (centre - t[i]) / d[i]
			positive[i] = d[i] > 0 && theta <= l.low || d[i] < 0 && theta > l.low
		}
	}
	return positive
}

// middle is the mean of two numbers; where one is infinite, a point 1 from the other.
func middle(low, high float64) float64 {
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return 0
	case math.IsInf(low, 0):
		return high - 1
	case math.IsInf(high, 0):
		return low + 1
	}
	return low + (high-low)/2
}
