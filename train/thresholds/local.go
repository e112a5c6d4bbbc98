package thresholds

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/model"
)

// local returns good options where groups are in several cells. It starts where the cells themselves
// satisfy every comparison of their groups, and so do the groups, whose rates are means of those of
// their cells: exactly the best for that, and for weaker comparisons of the cells as long as the groups
// satisfy theirs. Others come from prices of the rates. All are moved a cell at a time.
func (s *solver) local() (best []int, gap float64) {
	// A start need not be the best one: to look longer costs more than it gains, in many cells above all.
	boxes := min(1<<12, 1+1<<17/len(s.cells))
	best = s.simple()
	for _, wider := range []float64{1, 1.25, 1.5, 2, 3, 5, 1e3} {
		if options, _, _ := s.byCells(wider).exact(boxes); s.better(options, best) {
			best = options
		}
	}
	best = s.swept(best)
	var seen [][]int
	bound := s.priced(func(options []int) {
		if slices.ContainsFunc(seen, func(other []int) bool { return slices.Equal(options, other) }) {
			return
		}
		seen = append(seen, options)
		if moved := s.swept(options); s.better(moved, best) {
			best = moved
		}
	})
	return best, max(bound-s.right(best), 0)
}

// better reports whether options are better than others: less violated or, if neither is violated,
// more often right.
func (s *solver) better(options, than []int) bool {
	a, b := s.excess(options), s.excess(than)
	return a < b || a == b && s.right(options) > s.right(than)
}

// byCells is the problem in which every cell is a group of its own in the comparisons of its groups,
// with bounds so many times as wide.
func (s *solver) byCells(wider float64) *solver {
	cells := *s
	cells.comparisons, cells.cells = slices.Clone(s.comparisons), slices.Clone(s.cells)
	for k := range cells.comparisons {
		c := &cells.comparisons[k]
		compared := *c.Comparison
		if compared.Kind.FromBelow() {
			compared.Bound = max(1-float64(wider*(1-compared.Bound)), 1e-9)
		} else {
			compared.Bound = min(wider*compared.Bound, 1)
		}
		compared.Groups = nil
		c.Comparison, c.slack, c.cells = &compared, nil, nil
	}
	for at := range cells.cells {
		c := &cells.cells[at]
		c.rates = slices.Clone(c.rates)
		for n := range c.rates {
			r := &c.rates[n]
			of := &cells.comparisons[r.comparison]
			r.values = slices.Clone(r.values)
			for k := range r.values {
				r.values[k] /= cmp.Or(r.share, 1)
			}
			r.group = len(of.slack)
			of.Groups = append(of.Groups, model.RateGroup{})
			of.slack, of.cells = append(of.slack, 0), append(of.cells, []int{at})
		}
	}
	return &cells
}

// placing is options that change one cell at a time, and their rates by comparison.
type placing struct {
	*solver
	options []int
	rates   [][]float64
	beyond  []float64 // by how much each comparison is violated
	inside  float64   // by how much rates are to be inside of their intervals
}

// swept moves one cell after the other, each to its best option given those of all others, until that
// changes nothing. First violations cost more and more, in squares: options come near what satisfies the
// comparisons by many small moves, where no single one leads there. Where that ends outside, as rates move
// in steps, they are to be further inside.
func (s *solver) swept(options []int) []int {
	const most, fewer = 10, 3 // rounds
	p := &placing{solver: s, options: slices.Clone(options), rates: s.rates(options), beyond: make([]float64, len(s.comparisons))}
	for k := range s.comparisons {
		p.judge(k)
	}
	for range min(most, 1+400/len(s.cells)) {
		for dear := 1.0; dear < 1e6; dear *= 10 {
			for range fewer {
				for at := range s.cells {
					if s.done() {
						return p.options
					}
					p.approach(at, dear)
				}
			}
		}
		excess := p.excess()
		if excess <= 0 {
			break
		}
		p.inside += 1.5 * excess
	}
	for range most {
		before := slices.Clone(p.options)
		for at := range s.cells {
			if s.done() {
				return p.options
			}
			p.move(at)
		}
		if slices.Equal(p.options, before) {
			break
		}
	}
	return p.options
}

// put gives a cell another option.
func (p *placing) put(at, option int) {
	for _, r := range p.cells[at].rates {
		p.rates[r.comparison][r.group] += r.values[option] - r.values[p.options[at]]
	}
	p.options[at] = option
	for _, k := range p.cells[at].comparisons {
		p.judge(k)
	}
}

// judge finds by how much a comparison is violated.
func (p *placing) judge(k int) { p.beyond[k] = p.comparisons[k].Excess(p.rates[k]) - 2*roundoff }

// excess is that of the worst comparison.
func (p *placing) excess() float64 { return max(floats.Max(p.beyond), 0) }

// approach moves a cell to the option of the most right decisions, less the squares of what rates are
// outside of their intervals, at a price. It looks at some options and then at those around the best.
func (p *placing) approach(at int, dear float64) {
	const some = 64
	last := len(p.cells[at].at) - 1
	best, most := p.options[at], math.Inf(-1)
	look := func(option int) {
		p.put(at, option)
		worth := p.cells[at].right[option]
		for _, k := range p.cells[at].comparisons { // others don't change
			c := &p.comparisons[k]
			low, high := c.interval(p.rates[k])
			inside := min(p.inside, (high-low)/2)
			for g, rate := range p.rates[k] {
				beyond := max(rate-c.slack[g]-high+inside, low+inside-rate-c.slack[g], 0)
				worth -= float64(dear * p.scale * beyond * beyond)
			}
		}
		if worth > most {
			best, most = option, worth
		}
	}
	look(best)
	for stride := max(last/some, 1); ; stride = max(stride/some, 1) {
		centre := best
		if stride == max(last/some, 1) { // of all
			centre = last / 2
		}
		for k := -some; k <= some; k++ {
			if option := centre + k*stride; option >= 0 && option <= last {
				look(option)
			}
		}
		if stride == 1 {
			break
		}
	}
	p.put(at, best)
}

// move moves a cell to the option that violates the comparisons least and, of those, has the most right
// decisions.
func (p *placing) move(at int) {
	c, found := &p.cells[at], p.options[at]
	least := p.excess()
	for k := range c.at {
		if least <= 0 && int(c.best.better(int32(found), int32(k))) == found {
			continue
		}
		p.put(at, k)
		if worst := p.excess(); worst < least || worst == least && c.right[k] > c.right[found] {
			found, least = k, worst
		}
	}
	p.put(at, found)
}

// prices are those of rates above the interval of their comparison, and of those below, by comparison
// and group.
type prices struct{ above, below [][]float64 }

// priced yields options by prices of rates, in which every cell takes the option of the most right
// decisions less what its rates cost. Prices rise for rates above the interval of their comparison and
// fall for those below, in ever smaller steps: the subgradient method for the Lagrangian dual (Held,
// Wolfe, Crowder 1974). Rates swing about those of the best mixtures of thresholds, and the intervals go
// by their means. It returns the least bound on the right decisions of all options that satisfy the
// comparisons.
func (s *solver) priced(yield func(options []int)) (bound float64) {
	const rounds, first, every = 300, 60, 20
	bound = math.Inf(1)
	var p prices
	var mean [][]float64
	for k := range s.comparisons {
		n := len(s.comparisons[k].Groups)
		p.above, p.below = append(p.above, make([]float64, n)), append(p.below, make([]float64, n))
		mean = append(mean, make([]float64, n))
	}
	for round := range rounds {
		if s.done() {
			return bound
		}
		options, _ := s.bestAt(p)
		step := 1 / math.Sqrt(float64(round+1))
		for k, rates := range s.rates(options) {
			c := &s.comparisons[k]
			for g, rate := range rates {
				mean[k][g] += float64((rate - mean[k][g]) * max(2/float64(round+2), 0.05))
			}
			low, high := c.interval(mean[k])
			for g, rate := range rates {
				price := step * s.scale * float64(c.Groups[g].Rows) / float64(len(s.Scores))
				p.above[k][g] = max(p.above[k][g]+float64(price*(rate-c.slack[g]-high)), 0)
				p.below[k][g] = max(p.below[k][g]+float64(price*(low-rate-c.slack[g])), 0)
			}
		}
		if round >= first && round%every == 0 {
			yield(options)
			bound = min(bound, s.bound(p))
		}
	}
	return bound
}

// bestAt returns the best options at prices, and what their decisions are worth less what they cost.
func (s *solver) bestAt(p prices) (options []int, worth float64) {
	options = make([]int, len(s.cells))
	for at := range s.cells {
		c, most := &s.cells[at], math.Inf(-1)
		for option, right := range c.right {
			for _, r := range c.rates {
				right -= float64((p.above[r.comparison][r.group] - p.below[r.comparison][r.group]) * r.values[option])
			}
			if right > most {
				options[at], most = option, right
			}
		}
		worth += most
	}
	return options, worth
}

// bound returns a bound on the right decisions of all options that satisfy the comparisons, by weak
// duality. Prices are scaled so that it does not depend on where intervals begin.
func (s *solver) bound(p prices) float64 {
	allowed := 0.0
	var scaled prices
	for k := range s.comparisons {
		c := &s.comparisons[k]
		above, below := slices.Clone(p.above[k]), slices.Clone(p.below[k])
		up, down := floats.Sum(above), floats.Sum(below)
		switch c.Kind {
		case model.AtMost:
			allowed += float64(up * c.Bound)
		case model.AtLeast:
			allowed -= float64(down * c.Bound)
		case model.Difference:
			floats.Scale(min(up, down)/cmp.Or(up, 1), above)
			floats.Scale(min(up, down)/cmp.Or(down, 1), below)
			allowed += float64(floats.Sum(above)*c.Bound) + floats.Dot(above, c.slack) + floats.Dot(below, c.slack)
		default: // above by its bound is as much as below
			most := min(up/c.Bound, down)
			floats.Scale(most*c.Bound/cmp.Or(up, 1), above)
			floats.Scale(most/cmp.Or(down, 1), below)
		}
		scaled.above, scaled.below = append(scaled.above, above), append(scaled.below, below)
	}
	_, worth := s.bestAt(scaled)
	return worth + allowed
}

// interval returns the one that rates violate least.
func (c *comparison) interval(rates []float64) (low, high float64) {
	switch c.Kind {
	case model.AtMost:
		return math.Inf(-1), c.Bound
	case model.AtLeast:
		return c.Bound, math.Inf(1)
	}
	least, largest := math.Inf(1), math.Inf(-1)
	for g, rate := range rates {
		least, largest = min(least, rate+c.slack[g]), max(largest, rate-c.slack[g])
	}
	low = c.part(least, largest)
	return low, c.top(low)
}
