// Package thresholds finds the most accurate thresholds of a score, one for each cell of rows, whose
// decisions satisfy constraints on rates of groups.
//
//	Problem   scored rows in cells, and what their decisions must satisfy
//	Solve     the thresholds: exact where every group is in one cell (bound.go), and otherwise a
//	          local search from a solution that is exact for tighter constraints (local.go)
package thresholds

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// Problem is scored rows in cells. A row is decided positively if its score is at least the threshold
// of its cell.
type Problem struct {
	Scores []float64
	Cells  []int // of the rows
	Count  int   // of cells; one without rows keeps the threshold of before
	Labels []int8
	Weight func(row int) float64
	// Worth is that of a right decision on a row of the label −1, and of +1.
	Worth [2]float64
	// Requirements compare rates of decisions.
	Requirements []*model.Requirement
	// Before is the threshold of all rows before. Of thresholds that are equally good, those nearest to
	// it are taken.
	Before float64
}

// Solution is what Solve finds.
type Solution struct {
	Thresholds []float64 // of the cells
	// Right is the worth of the right decisions, and Total that of all decisions if they were right.
	Right, Total float64
	// Gap is by how much that of other thresholds can be larger at most: 0 where these are the best
	// ones.
	Gap float64
	// Satisfied is whether the decisions satisfy the requirements: exactly, unless no thresholds do, or
	// only those that decide everybody alike; then within one decision of each group that is tiny. If
	// they don't, they are those of the least violation that was found.
	Satisfied bool
	// Impossible is whether no thresholds satisfy the requirements, which is proved.
	Impossible bool
}

// curve is what thresholds do to a cell: option k decides positively for its k highest different
// scores.
type curve struct {
	at    []float64 // the threshold of each option
	right []float64 // worth of right decisions
	far   []float64 // distance from the threshold before
	same  int       // option that decides as the threshold before
	// rates are those of groups as far as the rows of the cell make them, see group.
	rates       []rate
	comparisons []int // of its rates
	best        table // of right, for ranges of options
}

// rate is the part of the rate of a group that a cell makes.
type rate struct {
	comparison, group int
	values            []float64 // by option
	rises             bool      // with the options
	share             float64   // of the group that the cell has
}

// comparison is groups whose rates must not be far apart: each within its slack of an interval from r
// to r+bound or, for ratios, r/bound.
type comparison struct {
	*model.Comparison
	slack []float64 // of the groups
	cells [][]int   // of the groups
	wider float64   // by how much violations are allowed
}

// roundoff is what sums of rates may be off by, less than what a requirement forgives.
const roundoff = 1e-13

// top returns the end of the interval that begins at r.
func (c *comparison) top(r float64) float64 {
	switch c.Kind {
	case model.Difference:
		return r + c.Bound + c.wider + roundoff
	case model.AtMost:
		return c.Bound + c.wider + roundoff
	case model.AtLeast:
		return math.Inf(1)
	}
	return (r+c.wider)/c.Bound + roundoff
}

// part returns where to part beginnings of intervals so that none on the left has high, and none on the
// right has low.
func (c *comparison) part(low, high float64) float64 {
	if c.Kind == model.Difference {
		return (low + high - c.Bound - c.wider) / 2
	}
	return (low + float64(c.Bound*high) - c.wider) / 2
}

// apart reports by how much two values are further apart than those of an interval. Those of boxes
// satisfy bounds that are numbers.
func (c *comparison) apart(low, high float64) float64 { return high - c.top(low) }

// solver is a problem by the curves of its cells.
type solver struct {
	*Problem
	done        func() bool // the search is to end
	comparisons []comparison
	cells       []curve
	scale       float64 // of all worth
}

// Solve finds the thresholds. It returns no thresholds worse than to decide everybody alike, or than the
// threshold before. It returns an error if the context is cancelled.
func (p *Problem) Solve(ctx context.Context) (Solution, error) {
	s := &solver{Problem: p, done: func() bool { return ctx.Err() != nil }}
	for _, r := range p.Requirements {
		for k := range r.Comparisons {
			c := comparison{Comparison: &r.Comparisons[k]}
			c.cells, c.slack = make([][]int, len(c.Groups)), make([]float64, len(c.Groups))
			s.comparisons = append(s.comparisons, c)
		}
	}
	rows := make([][]int, p.Count)
	for i, cell := range p.Cells {
		rows[cell] = append(rows[cell], i)
		s.scale += p.worth(i)
	}
	for _, in := range rows {
		s.cells = append(s.cells, s.curve(in))
	}
	for at := range s.cells {
		for _, r := range s.cells[at].rates {
			c := &s.comparisons[r.comparison]
			c.cells[r.group] = append(c.cells[r.group], at)
		}
	}
	tolerant := s.withinOneDecision()
	options, found := s.exactly().solve(tolerant == nil)
	if tolerant != nil && (!found.Satisfied || s.isAlike(options)) {
		others, within := tolerant.solve(true)
		if !found.Satisfied || tolerant.better(others, options) {
			options, found = others, within
		}
		found.Gap = max(found.Gap, within.Gap)
	}
	if found.Gap < 1e-9*s.scale { // roundoff
		found.Gap = 0
	}
	for at, k := range options {
		found.Thresholds = append(found.Thresholds, s.cells[at].at[k])
		found.Right += s.cells[at].right[k]
	}
	return found, ctx.Err()
}

// solve returns the best options. Where none satisfy the comparisons, they are those of least violation if
// that is asked for.
func (s *solver) solve(least bool) (options []int, found Solution) {
	found.Total = s.scale
	if s.separable() {
		var failed []*bounding
		options, found.Gap, failed = s.exact(mostBoxes)
		for _, b := range failed {
			found.Impossible = found.Impossible || b.ended
			if least {
				b.nearest()
			}
		}
	} else {
		options, found.Gap = s.local()
	}
	found.Satisfied = s.excess(options) <= 0
	return options, found
}

// exactly is the problem in which no group is held to its bound within one decision.
func (s *solver) exactly() *solver {
	exact := *s
	exact.comparisons = slices.Clone(s.comparisons)
	for k := range exact.comparisons {
		c := &exact.comparisons[k]
		compared := *c.Comparison
		compared.Groups = slices.Clone(c.Groups)
		for g := range compared.Groups {
			compared.Groups[g].Unit = 0
		}
		c.Comparison = &compared
	}
	return &exact
}

// withinOneDecision is the problem in which tiny groups are held to their bounds within one decision of
// each, nil if none is tiny.
func (s *solver) withinOneDecision() *solver {
	tolerant, some := *s, false
	tolerant.comparisons = slices.Clone(s.comparisons)
	for k := range tolerant.comparisons {
		c := &tolerant.comparisons[k]
		c.slack = make([]float64, len(c.Groups))
		for g := range c.Groups {
			if c.Tiny(&c.Groups[g]) {
				c.slack[g], some = c.Groups[g].Unit, true
			}
		}
	}
	if !some {
		return nil
	}
	return &tolerant
}

// isAlike reports whether options decide everybody positively, or nobody.
func (s *solver) isAlike(options []int) bool {
	nobody, everybody := true, true
	for at, k := range options {
		nobody, everybody = nobody && k == 0, everybody && k == len(s.cells[at].at)-1
	}
	return nobody || everybody
}

// worth is that of a right decision on a row.
func (p *Problem) worth(row int) float64 { return p.Weight(row) * p.Worth[(p.Labels[row]+1)/2] }

// alike is the difference of scores that rounding may hide, by their size.
const alike = 1e-12

// curve returns that of the rows of a cell.
func (s *solver) curve(rows []int) curve {
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(s.Scores[j], s.Scores[i]) })
	first, right := s.Before, 0.0 // of deciding nobody positively
	if len(rows) > 0 {
		first = max(s.Before, s.Scores[rows[0]]+1)
	}
	for _, i := range rows {
		if s.Labels[i] < 0 {
			right += s.worth(i)
		}
	}
	c := curve{at: []float64{first}, right: []float64{right}}
	sums := s.sums(rows)
	for n, i := range rows {
		right += float64(s.worth(i) * float64(s.Labels[i]))
		score := s.Scores[i]
		next := min(s.Before, score-1) // below which there is nobody
		if n+1 < len(rows) {
			next = s.Scores[rows[n+1]]
		}
		ends := n+1 == len(rows) || score-next > alike*max(1, math.Abs(score), math.Abs(next))
		for k := range sums {
			sums[k].add(i, ends)
		}
		if !ends {
			continue
		}
		at := score - (score-next)/2
		if next < s.Before && s.Before <= score { // as it was, if rounding can't matter
			if room := alike / 2 * max(1, math.Abs(score)); s.Before-next > room && score-s.Before > room || n+1 == len(rows) {
				at = s.Before
			}
		}
		c.at, c.right = append(c.at, at), append(c.right, right)
		if score >= s.Before {
			c.same = len(c.at) - 1
		}
	}
	for _, at := range c.at {
		c.far = append(c.far, math.Abs(at-s.Before))
	}
	for k := range sums {
		sums[k].rises = slices.IsSorted(sums[k].values)
		c.rates = append(c.rates, sums[k].rate)
		if of := sums[k].comparison; !slices.Contains(c.comparisons, of) {
			c.comparisons = append(c.comparisons, of)
		}
	}
	c.best = newTable(&c)
	return c
}

// sum adds up a rate along a curve.
type sum struct {
	rate
	weight []float64 // by stratum
	strata *dataset.Strata
	now    float64
}

// sums returns those of the groups that rows are of, at the option that decides nobody positively.
func (s *solver) sums(rows []int) (list []sum) {
	for k := range s.comparisons {
		c := &s.comparisons[k]
		in := make([]bool, c.Strata.Len())
		for _, i := range rows {
			in[c.Strata.Of(i)] = true
		}
		for g := range c.Groups {
			weight := c.Groups[g].Weight
			for stratum, w := range weight {
				if in[stratum] && w != 0 {
					next := sum{rate: rate{comparison: k, group: g}, weight: weight, strata: c.Strata}
					next.begin(rows)
					list = append(list, next)
					break
				}
			}
		}
	}
	return list
}

// begin is the rate where nobody is decided positively: rows of a negative weight are those that count
// then.
func (s *sum) begin(rows []int) {
	for _, i := range rows {
		w := float64(s.weight[s.strata.Of(i)] * s.strata.Weight(i))
		s.share += math.Abs(w)
		s.now += max(-w, 0)
	}
	s.values = []float64{s.now}
}

// add adds a row, the last one of an option or not.
func (s *sum) add(row int, ends bool) {
	s.now += float64(s.weight[s.strata.Of(row)] * s.strata.Weight(row))
	if ends {
		s.values = append(s.values, s.now)
	}
}

// separable reports whether every group is in one cell.
func (s *solver) separable() bool {
	return !slices.ContainsFunc(s.comparisons, func(c comparison) bool {
		return slices.ContainsFunc(c.cells, func(cells []int) bool { return len(cells) > 1 })
	})
}

// rates returns those of the groups by comparison, given the option of each cell.
func (s *solver) rates(options []int) [][]float64 {
	rates := make([][]float64, len(s.comparisons))
	for k := range rates {
		rates[k] = make([]float64, len(s.comparisons[k].Groups))
	}
	for at, option := range options {
		for _, r := range s.cells[at].rates {
			rates[r.comparison][r.group] += r.values[option]
		}
	}
	return rates
}

// excess returns by how much options violate the worst comparison, or the worst of some, 0 if they violate
// none.
func (s *solver) excess(options []int, some ...int) float64 {
	worst := 0.0
	for k, rates := range s.rates(options) {
		if some == nil || slices.Contains(some, k) {
			worst = max(worst, s.comparisons[k].Excess(rates)-2*roundoff)
		}
	}
	return worst
}

// right returns the worth of the right decisions of options.
func (s *solver) right(options []int) float64 {
	parts := make([]float64, len(options))
	for at, k := range options {
		parts[at] = s.cells[at].right[k]
	}
	return floats.Sum(parts)
}

// simple returns the options that decide everybody positively, or nobody, or as the threshold before,
// whichever are the best.
func (s *solver) simple() []int {
	best, everybody, same := make([]int, len(s.cells)), make([]int, len(s.cells)), make([]int, len(s.cells))
	for at := range s.cells {
		everybody[at], same[at] = len(s.cells[at].at)-1, s.cells[at].same
	}
	for _, options := range [][]int{everybody, same} {
		if s.better(options, best) {
			best = options
		}
	}
	return best
}

// table finds the best option of a range: of ranges of 2^j options it knows the best one.
type table struct {
	of   *curve
	best [][]int32
}

func newTable(c *curve) table {
	t := table{of: &curve{right: c.right, far: c.far}}
	single := make([]int32, len(c.right))
	for k := range single {
		single[k] = int32(k)
	}
	t.best = append(t.best, single)
	for half := 1; 2*half <= len(single); half *= 2 {
		last := t.best[len(t.best)-1]
		next := make([]int32, len(last)-half)
		for k := range next {
			next[k] = t.better(last[k], last[k+half])
		}
		t.best = append(t.best, next)
	}
	return t
}

// better returns the better one of two options.
func (t *table) better(k, l int32) int32 {
	if a, b := t.of.right[k], t.of.right[l]; a > b || a == b && t.of.far[k] <= t.of.far[l] {
		return k
	}
	return l
}

// in returns the best one of options lo to hi.
func (t *table) in(lo, hi int) int {
	j := 0
	for 2<<j <= hi-lo+1 {
		j++
	}
	return int(t.better(t.best[j][lo], t.best[j][hi+1-1<<j]))
}
