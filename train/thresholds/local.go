package thresholds

import (
	"cmp"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/model"
)

// local returns good options where groups are in several cells. It starts where the cells themselves
// satisfy every comparison of their groups, and so do the groups, whose rates are means of those of
// their cells: exactly the best for that, and for weaker comparisons of the cells as long as the groups
// satisfy theirs. From the best of these it moves one or two cells at a time.
func (s *solver) local() []int {
	best := s.constant()
	for _, wider := range []float64{1, 1.25, 1.5, 2, 3, 5, 1e3} {
		if options, _ := s.byCells(wider).exact(); s.better(options, best) {
			best = options
		}
	}
	for range 20 {
		before := s.right(best)
		for at := range s.cells {
			best = s.moved(best, at)
		}
		if s.right(best) <= before {
			break
		}
	}
	return best
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
			compared.Bound = max(1-wider*(1-compared.Bound), 1e-9)
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

// moved returns the options with the best one of a cell, given those of all others.
func (s *solver) moved(options []int, at int) []int {
	others := make([][]float64, len(s.comparisons)) // rates without the cell
	from := slices.Clone(options)
	for k := range others {
		others[k] = s.rates(k, from)
	}
	for _, r := range s.cells[at].rates {
		others[r.comparison][r.group] -= r.values[from[at]]
	}
	c, found := &s.cells[at], from[at]
	least := s.excess(from)
	for k := range c.at {
		if c.best.better(int32(found), int32(k)) == int32(found) && least <= 0 {
			continue
		}
		worst := math.Inf(-1)
		for j := range s.comparisons {
			rates := slices.Clone(others[j])
			for _, r := range c.rates {
				if r.comparison == j {
					rates[r.group] += r.values[k]
				}
			}
			worst = max(worst, s.comparisons[j].Excess(rates)-2*roundoff)
		}
		if worst = max(worst, 0); worst < least || worst == least && c.right[k] > c.right[found] {
			found, least = k, worst
		}
	}
	from[at] = found
	return from
}
