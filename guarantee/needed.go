package guarantee

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The number of rows that would decide is found by the tests themselves, on the rows given, multiplied:
// rates stay as they are, and limits come nearer to them. Normal estimates would be far off for groups
// of a few rows.

const (
	mostMultiplied = 1e6  // rows of a group, beyond which limits come nearer as one over the root of rows
	mostSides      = 16   // that are multiplied, of those that normal estimates put first
	precisely      = 1.03 // the ratio of rows that are too few and of those that are enough
)

// statement is one that a test may show, as its estimate says.
type statement struct {
	test            func(k float64) test // on so many times the rows
	estimate, bound float64              // of which the first is below the second
	// deviation is the standard error of the estimate on the rows given.
	deviation float64
}

// statement is one about a side; c is its contrast or the opposite one.
func (r *Requirement) statement(c contrast, e *Added, estimate, bound float64, test func(k float64) test) statement {
	unit := 1.0 // of the bound, in the contrast
	switch {
	case r.Kind == MinRatio:
		unit = c.weight * c.b.mean
	case r.Kind == MinShare && r.Bound > 0:
		unit = e.mean()
	}
	return statement{test, estimate, bound, c.deviation(float64(e.Rows)) / unit}
}

// deviation is the standard error of weight·a − b in so many rows.
func (c contrast) deviation(rows float64) float64 {
	variance := func(p population) float64 {
		if p.fraction == 0 {
			return 0
		}
		if c.shares {
			p.variance = p.mean * (1 - p.mean)
		}
		return p.variance / (rows * p.fraction)
	}
	return math.Sqrt(float64(c.weight*c.weight*variance(c.a)) + variance(c.b))
}

// room is what chance takes of the distance to the bound with so many times the rows.
func (s statement) room(k float64) float64 {
	return distuv.UnitNormal.Quantile(Power) * s.deviation / math.Sqrt(k)
}

// shown reports whether so many times the rows show the statement with probability Power, about.
func (s statement) shown(k float64) bool {
	bound := s.bound - s.room(k)
	return bound > s.estimate && s.test(k).excludes(bound)
}

// normal is how many times the rows show the statement if limits come nearer with the root of rows from
// so many times the rows on; infinite if none do.
func (s statement) normal(k float64) float64 {
	limit, _ := s.test(k).guess()
	ratio := (limit - s.estimate + s.room(k)) / (s.bound - s.estimate)
	if !(ratio >= 0) || s.bound-s.estimate < 1e-12 {
		return math.Inf(1)
	}
	return k * ratio * ratio
}

// least returns how many times the rows show the statement, from so many times on; infinite if none do.
// Groups of a side have at most the given number of rows. It need not be exact beyond enough.
func (s statement) least(from, enough, rows float64) float64 {
	low, high := from, from
	for !s.shown(high) {
		if low = high; high*rows > mostMultiplied {
			return max(high, s.normal(high))
		}
		if high *= 2; low > enough {
			return high
		}
	}
	for high > low*precisely {
		if middle := math.Sqrt(low * high); s.shown(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// by returns the side of so many times the rows.
func (s side) by(k float64) side {
	if k == 1 {
		return s
	}
	return s.times(k)
}

// multiple is how many times the rows are needed for all statements about a side.
func (s side) multiple(statements []statement, from, enough float64) float64 {
	rows := 0
	for _, g := range s.groups {
		rows = max(rows, g.rows)
	}
	for _, t := range statements {
		if math.IsInf(from, 1) {
			break
		}
		from = t.least(from, enough, float64(rows))
	}
	return from
}

// toSatisfy returns the number of rows with which all sides that failed would pass, nil if none do.
func (r *Requirement) toSatisfy(failed []side, e *Added) *int {
	type candidate struct {
		side
		statement
		guess float64
	}
	var list []candidate
	for _, s := range failed {
		if s.test == nil || math.IsInf(s.estimate, -1) {
			return nil
		}
		t := r.statement(s.contrast, e, s.estimate, r.edge(), func(k float64) test { return s.by(k).test() })
		list = append(list, candidate{s, t, t.normal(1)})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.guess, a.guess) })
	k := 1.0
	for _, c := range list[:min(len(list), mostSides)] {
		k = c.multiple([]statement{c.statement}, k, math.Inf(1))
	}
	return needed(k, e.Rows)
}

// toViolate returns the number of rows with which some side would be shown to be beyond the bound, nil if
// none is.
func (r *Requirement) toViolate(sides []side, below tails, e *Added) *int {
	type candidate struct {
		side
		statements []statement
		guess      float64
	}
	scale := r.scale()
	var list []candidate
	for _, s := range sides {
		if s.test == nil || !(s.estimate > r.edge()) {
			continue
		}
		c := candidate{side: s}
		add := func(level, bound float64) {
			t := r.statement(s.contrast.opposite(), e, scale.opposite(s.estimate), scale.opposite(bound),
				func(k float64) test { return s.by(k).against(level) })
			c.statements, c.guess = append(c.statements, t), max(c.guess, t.normal(1))
		}
		if add(below.beyond, r.edge()); below.floor > 0 {
			add(below.floor, scale.floor)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.guess, b.guess) })
	k := math.Inf(1)
	for _, c := range list[:min(len(list), mostSides)] {
		k = min(k, c.multiple(c.statements, 1, k))
	}
	return needed(k, e.Rows)
}

// needed is so many times the rows, more than them; nil if it is too many.
func needed(k float64, rows int) *int {
	n := math.Ceil(k * float64(rows))
	if !(n <= mostRows) {
		return nil
	}
	return new(max(int(n), rows+1))
}

// times returns the scores of so many times the rows, at least as many as these.
func (s scores) times(k float64) scores {
	if s.weighted != nil {
		return s.weighted.times(k).scores()
	}
	count := int(math.Round(k * s.rows()))
	if count == s.count {
		return s
	}
	k = float64(count) / s.rows()
	many := scores{count: count, mean: s.mean, sum2: k * s.sum2, sum3: k * s.sum3, sum4: k * s.sum4}
	if count <= fewRows {
		values := slices.Sorted(slices.Values(s.values)) // the order of rows plays no part
		many.values = make([]float64, count)
		for i := range many.values {
			many.values[i] = values[i*s.count/count]
		}
	}
	return many
}

func (p *WeightedPowers) times(k float64) *WeightedPowers {
	many := *p
	many.Above, many.Below = k*p.Above, k*p.Below
	for i := range many.Once {
		many.Once[i] *= k
	}
	for i := range many.Twice {
		many.Twice[i] *= k
	}
	return &many
}

// times returns the arm of so many times the rows.
func (a *arm) times(k float64) *arm {
	const rounding = 1e-9
	many := &arm{name: a.name, label: a.label, level: a.level, scores: a.scores.times(k), rate: a.rate, fraction: a.fraction}
	positive := a.rate * many.rows()
	slack := rounding * max(1, positive)
	many.least, many.most = int(math.Floor(positive+slack)), int(math.Ceil(positive-slack))
	return many
}
