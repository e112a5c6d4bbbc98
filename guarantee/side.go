package guarantee

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// side is one of the one-sided statements that make up a requirement, such as "a is at
// most so far above b". The requirement is broken if and only if one of its sides is.
type side struct {
	name     string // "race=Black above race=White, label +1"
	estimate float64
	test     func() test // made by the first call; nil if a group has no rows
	// against returns a test at a level of the opposite statement, whose bound is scale.opposite's.
	against  func(level float64) test
	contrast contrast
	groups   []sized // those compared
	// times returns the side of so many times the rows, with the same rates.
	times func(k float64) side
}

// sized is a group with the number of its rows that count.
type sized struct {
	name string
	rows int
}

// test decides whether rows show that a statement holds with a bound.
type test interface {
	// excludes returns true with a probability of at most δ if the statement is false.
	// With a larger bound it returns true as well.
	excludes(bound float64) bool
	// guess returns roughly the least bound that is excluded, and a standard error.
	guess() (bound, step float64)
}

// sides returns the sides of a requirement, to be tested at level delta.
func (r *Requirement) sides(e *Added, delta float64) ([]side, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	if !e.Labelled && r.NeedsLabels() {
		return nil, errors.New("it needs the labels of the rows")
	}
	groups, err := e.cells(r.Key())
	if err != nil {
		return nil, err
	}
	named := len(groups) - 1
	if counted := r.counted(groups); r.Kind != MinShare {
		groups = counted
	}
	arms := func(label int8) []*arm {
		var arms []*arm
		for _, g := range groups {
			a := g.arm(label, r.Rate, !r.onScores())
			a.name, a.label, a.level, a.fraction = g.name, label, g.level, a.rows()/float64(e.Rows)
			arms = append(arms, &a)
		}
		return arms
	}
	switch {
	case r.Kind == MinShare && named > 1:
		return nil, fmt.Errorf("%s names %d groups, expected one", r.Group, named)
	case r.Kind == MinShare && r.Bound == 0:
		all := arms(anyLabel)
		return []side{r.between(all[1], all[0], delta)}, nil
	case r.Kind == MinShare:
		return []side{r.shareSide(groups, delta)}, nil
	}
	var sides []side
	for _, label := range r.labels() {
		compared := slices.DeleteFunc(arms(label), func(a *arm) bool { return a.count < r.MinRows })
		for i, a := range compared {
			if !r.twoWay() {
				sides = append(sides, r.alone(a, delta))
				continue
			}
			for j, b := range compared {
				if i != j && a.level == b.level {
					sides = append(sides, r.between(a, b, delta))
				}
			}
		}
	}
	switch {
	case sides == nil && r.MinRows > 0:
		return nil, fmt.Errorf("min-rows=%d leaves too few groups of %s", r.MinRows, r.Key())
	case sides == nil:
		return nil, fmt.Errorf("no two groups of %s can be compared", r.Key())
	}
	return sides, nil
}

// counted returns the groups that a requirement is about, of all cells. A single group is compared
// with all others, but bounded by a number alone. Without groups all rows are one, or those of each
// level are.
func (r *Requirement) counted(cells []cell) []cell {
	last := len(cells) - 1
	switch {
	case last == 0:
		cells[0].name = Everybody
		return cells
	case r.twoWay() && last == 1:
		return cells
	case r.Group == "" && last == 1 && cells[1].rows() > 0: // each side of within is a group
		return cells
	}
	return slices.DeleteFunc(slices.Clone(cells[:last]), func(c cell) bool { return c.others && !r.twoWay() && r.Group != "" })
}

// compared returns the groups that a requirement is about and that the rows have, and the number of
// rows in none of them.
func (r *Requirement) compared(e *Added) (list []Compared, leftOut int, err error) {
	cells, err := e.cells(r.Key())
	if err != nil {
		return nil, 0, err
	}
	few := func(g cell) bool {
		return slices.ContainsFunc(r.labels(), func(label int8) bool { return g.count(label) < max(r.MinRows, 1) })
	}
	counted := slices.DeleteFunc(slices.Clone(r.counted(cells)), few)
	leftOut = e.Rows
	for k, g := range counted {
		alone := !slices.ContainsFunc(counted[:k], g.sameLevel) && !slices.ContainsFunc(counted[k+1:], g.sameLevel)
		if r.twoWay() && alone {
			continue
		}
		list = append(list, Compared{g.name, g.rows()})
		leftOut -= g.rows()
	}
	return list, leftOut, nil
}

const anyLabel int8 = 0

// labels returns the labels among whose people groups are compared.
func (r *Requirement) labels() []int8 {
	if len(r.Labels) == 0 {
		return []int8{anyLabel}
	}
	return r.Labels
}

// arm is one of the groups that a side compares, among the rows of one label.
type arm struct {
	name  string
	label int8
	level int // at which it is compared
	scores
	rate        float64 // of decisions that count, or the mean score
	least, most int     // decisions that count, a whole number but for weights
	fraction    float64 // of all rows
	shares      map[asked]bounded
}

// asked is for so many positive decisions in tests at a level.
type asked struct {
	positive int
	level    float64
}

// within returns positive decisions with limits for tests at a level.
func (a *arm) within(positive int, level float64) bounded {
	b, known := a.shares[asked{positive, level}]
	if !known {
		if b = (count{positive, a.count}).within(level); a.shares == nil {
			a.shares = map[asked]bounded{}
		}
		a.shares[asked{positive, level}] = b
	}
	return b
}

// weight is the weight of a in the contrast weight·a − b, by which groups are compared.
func (r *Requirement) weight() float64 {
	if r.Kind == MinRatio {
		return r.Bound
	}
	return 1
}

// gap is a − b or a/b, the least possible if both are 0: their ratio is undefined, and no other is
// smaller.
func (l limit) gap(a, b float64) float64 {
	switch {
	case l == difference:
		return a - b
	case a == 0 && b == 0:
		return math.Inf(-1)
	}
	return a / b
}

// population is what the rows say about a group.
func (r *Requirement) population(a *arm) population {
	p := population{fraction: a.fraction}
	if a.count > 0 {
		p.mean = a.rate
	}
	if a.count > 0 && r.onScores() {
		p.variance = a.variance()
	}
	return p
}

// between is the side that bounds a from above relative to b: their shares of positive decisions, or
// their mean scores.
func (r *Requirement) between(a, b *arm, delta float64) side {
	s := side{
		name: a.name + " above " + b.name, estimate: math.NaN(), groups: []sized{{a.name, a.count}, {b.name, b.count}},
		contrast: r.contrast(r.population(a), r.population(b)),
	}
	if a.label != anyLabel {
		s.name = fmt.Sprintf("%s, label %+d", s.name, a.label)
	}
	if a.count == 0 || b.count == 0 {
		return s
	}
	s.estimate = r.limit().gap(s.contrast.a.mean, s.contrast.b.mean)
	s.test = sync.OnceValue(func() test { return r.pair(a, b, r.weight(), delta) })
	s.against = func(level float64) test { return r.pair(b, a, 1/r.weight(), level) }
	s.times = func(k float64) side { return r.between(a.times(k), b.times(k), delta) }
	return s
}

// pair returns the test that bounds a from above relative to b.
func (r *Requirement) pair(a, b *arm, weight, level float64) test {
	if r.onScores() {
		return newMeanPair(a.scores, b.scores, r.limit(), weight, level)
	}
	return newSharePair(a.within(a.most, level), b.within(b.least, level), r.limit(), weight, level)
}

// complement turns a rate into one minus it.
func (a *arm) complement() *arm {
	return &arm{
		name: a.name, label: a.label, scores: a.scores.scaled(-1, 1), rate: 1 - a.rate,
		least: a.count - a.most, most: a.count - a.least, fraction: a.fraction,
	}
}

// alone is the side that bounds the rate of a group, from above. A bound from below is one of what is
// missing to 1.
func (r *Requirement) alone(a *arm, delta float64) side {
	if r.Kind == MinRate {
		a = a.complement()
	}
	return r.below(a, delta)
}

// below is the side that bounds a rate from above.
func (r *Requirement) below(a *arm, delta float64) side {
	s := side{
		name: a.name, estimate: math.NaN(), groups: []sized{{a.name, a.count}},
		contrast: contrast{a: population{fraction: a.fraction}, bound: r.edge(), weight: 1, shares: !r.onScores()},
	}
	if a.count == 0 {
		return s
	}
	s.estimate = a.rate
	s.contrast.a = r.population(a)
	s.test = sync.OnceValue(func() test { return r.single(a, delta) })
	s.against = func(level float64) test { return r.single(a.complement(), level) }
	s.times = func(k float64) side { return r.below(a.times(k), delta) }
	return s
}

// single returns the test that bounds a rate from above.
func (r *Requirement) single(a *arm, level float64) test {
	if r.onScores() {
		return newOneMean(a.scores, level)
	}
	_, high := clopperPearson(a.most, a.count, level)
	return oneShare(high)
}

// shareSide bounds the share of all scores that is not the group's.
func (r *Requirement) shareSide(cells []cell, delta float64) side {
	group, others := cells[0].scores(anyLabel), scores{}
	for k := range cells[1:] {
		others = others.with(cells[k+1].scores(anyLabel))
	}
	return r.sharing(cells[0].name, group, others, delta)
}

// sharing is shareSide of a group and the others.
func (r *Requirement) sharing(name string, group, others scores, delta float64) side {
	t := newGroupShare(group, others, delta)
	s := side{
		name: name, estimate: 1 - t.share, groups: []sized{{name, group.count + others.count}},
		test:    func() test { return t },
		against: func(level float64) test { return newGroupShare(others, group, level) },
		times:   func(k float64) side { return r.sharing(name, group.times(k), others.times(k), delta) },
	}
	at := t.test(r.edge())
	s.contrast = contrast{bound: r.edge(), weight: 1, a: population{1, at.mean, at.variance()}}
	return s
}
