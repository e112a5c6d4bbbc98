package decide

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// A classifier's decisions change at finitely many points of a line, at most one for each
// row. So the best point of a line can be found exactly.

// Line is the classifiers whose margins are T + θD on the rows to train on and TS + θDS on
// the rows of the constraints. Where these are the rows to train on, TS and DS are not looked at.
type Line struct {
	T, D      Margins
	TS, DS    Margins
	Low, High float64 // of θ, may be infinite
}

// crossing is where the decision on a row changes.
type crossing struct {
	theta  float64
	row    int32
	onS    bool
	change int8 // +1 if the decision becomes positive
}

// Point is a point of a line. Excess is the violation of the worst requirement.
type Point struct {
	Theta, Accuracy, Excess float64
}

// Better reports whether p is the better choice. A point that satisfies the requirements is
// better than one that does not. Of two that do, the more accurate is better; of two that
// don't, the one with the smaller violation.
func (p Point) Better(q Point) bool {
	switch {
	case (p.Excess <= 0) != (q.Excess <= 0):
		return p.Excess <= 0
	case p.Excess <= 0:
		return p.Accuracy > q.Accuracy
	}
	return p.Excess < q.Excess
}

// Best returns the best point of a line; centre is the margin from which on decisions are
// positive. θ is in the middle between two changes, so that no rounding moves a decision. Of Many
// rows it returns the best point of a grid.
func (j *Judge) Best(l Line, centre float64) Point {
	if l.T.kept == nil || !j.same && l.TS.kept == nil {
		return j.bestOnGrid(l, centre)
	}
	s := spaces.Get().(*space)
	defer spaces.Put(s)
	s.t = l.marginsAtLow(s.t, l.T.kept, l.D.kept, centre)
	if !j.same {
		s.ts = l.marginsAtLow(s.ts, l.TS.kept, l.DS.kept, centre)
	}
	now := j.Count(Margins{kept: s.t}, Margins{kept: s.ts}, centre)
	s.crossings = l.appendCrossings(s.crossings[:0], l.T.kept, l.D.kept, centre, false)
	if !j.same {
		s.crossings = l.appendCrossings(s.crossings, l.TS.kept, l.DS.kept, centre, true)
	}
	s.sort()
	return j.scan(now, s.crossings, l.Low, l.High)
}

// space is memory for the rows of a line, which is used again: new memory takes longer than what is
// done with it.
type space struct {
	t, ts             []float64 // see marginsAtLow
	crossings, sorted []crossing
}

var spaces = sync.Pool{New: func() any { return new(space) }}

// scan returns the best point between low and high, given the crossings in ascending order
// and the decisions at low.
func (j *Judge) scan(now Tally, crossings []crossing, low, high float64) Point {
	found := Point{Excess: math.Inf(1)}
	consider := func(from, to float64) {
		p := Point{middle(from, to), now.Accuracy, found.Excess}
		if found.Excess <= 0 && p.Accuracy <= found.Accuracy {
			return
		}
		if p.Excess = j.Excess(&now); p.Better(found) {
			found = p
		}
	}
	from := low
	for k := 0; k < len(crossings); {
		theta := crossings[k].theta
		consider(from, theta)
		for ; k < len(crossings) && crossings[k].theta == theta; k++ {
			j.cross(&now, crossings[k])
		}
		from = theta
	}
	consider(from, high)
	return found
}

// cross changes a decision.
func (j *Judge) cross(t *Tally, c crossing) {
	if !c.onS {
		right := float64(c.change) * float64(j.d.Y[c.row])
		t.Accuracy += right * j.weight.At(int(c.row))
	}
	if c.onS || j.same {
		j.move(t, int(c.row), float64(c.change))
	}
}

// sort sorts the crossings.
func (s *space) sort() {
	n := len(s.crossings)
	s.sorted = slices.Grow(s.sorted[:0], n)
	sortCrossings(s.crossings, s.sorted[:n])
}

// sortCrossings sorts by θ; equal ones stay in their order. It needs space for as many.
func sortCrossings(list, space []crossing) {
	if len(list) < few {
		slices.SortStableFunc(list, byTheta)
		return
	}
	sortDigits(list, space)
}

// few is the number of crossings below which they are sorted by comparisons.
const few = 512

// sortDigits sorts crossings by the upper 33 of the bits that tell them apart, 11 at a time (radix
// sort), and then those that have these in common.
func sortDigits(list, space []crossing) {
	const digits, width, mask = 3, 11, 1<<11 - 1
	least, largest := ordered(list[0].theta), ordered(list[0].theta)
	for i := range list {
		key := ordered(list[i].theta)
		least, largest = min(least, key), max(largest, key)
	}
	low := max(0, bits.Len64(largest-least)-digits*width) // bits that are left out
	upper := func(c *crossing) uint64 { return (ordered(c.theta) - least) >> low }
	var count [digits][1 << width]int32
	for i := range list {
		for d, key := 0, upper(&list[i]); d < digits; d, key = d+1, key>>width {
			count[d][key&mask]++
		}
	}
	from, to := list, space
	for d := range digits {
		if slices.Max(count[d][:]) == int32(len(list)) {
			continue // all have the same digit
		}
		sum := int32(0)
		for k, n := range count[d] {
			count[d][k], sum = sum, sum+n
		}
		for i := range from {
			place := &count[d][upper(&from[i])>>(width*d)&mask]
			to[*place] = from[i]
			*place++
		}
		from, to = to, from
	}
	if &from[0] != &list[0] {
		copy(list, from)
	}
	for begin, end := 0, 0; low > 0 && begin < len(list); begin = end {
		common := upper(&list[begin])
		for end = begin + 1; end < len(list) && upper(&list[end]) == common; end++ {
		}
		sortCrossings(list[begin:end], space[begin:end])
	}
}

func byTheta(a, b crossing) int { return cmp.Compare(a.theta, b.theta) }

// ordered returns a key with the same order as the numbers.
func ordered(x float64) uint64 {
	const sign = 1 << 63
	switch b := math.Float64bits(x); {
	case b == sign:
		return sign // −0, which is 0
	case b&sign == 0:
		return b | sign
	default:
		return ^b
	}
}

// appendCrossings appends the crossings inside the line. A margin that is no number crosses
// nowhere.
func (l Line) appendCrossings(list []crossing, t, d []float64, centre float64, onS bool) []crossing {
	for i, slope := range d {
		if theta := (centre - t[i]) / slope; theta > l.Low && theta < l.High {
			list = append(list, crossing{theta: theta, row: int32(i), onS: onS, change: sign(slope > 0)})
		}
	}
	return list
}

// marginsAtLow returns margins with the decisions just above the lower end of the line, in the
// given memory if it is enough.
func (l Line) marginsAtLow(margins, t, d []float64, centre float64) []float64 {
	margins = slices.Grow(margins[:0], len(t))[:len(t)]
	for i := range t {
		margins[i] = math.Inf(int(sign(positiveAt(l.Low, t[i], d[i], centre))))
	}
	return margins
}

// positiveAt reports whether the decision on a row of the margin t + θd is positive just above a
// point of the line.
func positiveAt(point, t, d, centre float64) bool {
	switch theta := (centre - t) / d; {
	case d == 0:
		return t >= centre
	case d > 0:
		return theta <= point
	default:
		return theta > point
	}
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
