// Package shifted finds categories by which decisions differ much more than before.
package shifted

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Find says by which categories of encoded rows, none of those asked for, decisions differ much more now
// than before. A requirement can be kept by deciding less by what counts, and more by what does not:
// fair to the groups that were named, and arbitrary to others. Decisions, 0 or 1 a row, are overwritten.
func Find(d *dataset.Dataset, e *encoding.Encoding, asked []string, now, before []float64) []classifier.Shift {
	const much, named = 0.2, 3 // a difference of selection rates, categories
	coefficients := d.Weights
	if coefficients == nil {
		coefficients = slices.Repeat([]float64{1}, d.Rows())
	}
	sum := func(of []float64) []float64 {
		sums := make([]float64, d.Features())
		d.X.AddTransRange(sums, of, 0, d.Rows())
		return sums
	}
	c := categories{names: d.Cols, weight: sum(coefficients), rows: make([]int, d.Features())}
	c.now, c.before = sum(floats.MulTo(now, now, coefficients)), sum(floats.MulTo(before, before, coefficients))
	for j, column := range d.X.Columns() {
		c.rows[j] = column.Entries
	}
	asked = slices.Clone(asked)
	for _, g := range e.Schema.Groups {
		if slices.Contains(asked, g.Name) {
			asked = append(asked, g.Column)
		}
	}
	var found []classifier.Shift
	first := 0
	for k := range e.Features {
		f := &e.Features[k]
		lo, hi := first, first+f.Width()
		first = hi
		if f.As != tabular.OneHot || slices.Contains(asked, f.Column) {
			continue
		}
		if shift, ok := c.farthest(lo, hi); ok && shift.More() > much {
			shift.Column = f.Column
			found = append(found, shift)
		}
	}
	slices.SortStableFunc(found, func(a, b classifier.Shift) int { return cmp.Compare(b.More(), a.More()) })
	return found[:min(len(found), named)]
}

// categories are features: the rows that have them, what these weigh, and of that what is selected.
type categories struct {
	names               []string
	rows                []int
	weight, now, before []float64
}

// farthest returns which levels of a category are furthest apart, of those that not only few rows
// have. It is not ok if there are no two.
func (c *categories) farthest(lo, hi int) (s classifier.Shift, ok bool) {
	const few, share = 50, 0.01 // of the rows that have any level
	all := 0
	for _, n := range c.rows[lo:hi] {
		all += n
	}
	s = classifier.Shift{Lowest: classifier.LevelRate{Rate: 2}, Highest: classifier.LevelRate{Rate: -1}, FreeLowest: 2, FreeHighest: -1}
	for j := lo; j < hi; j++ {
		if n := c.rows[j]; n < few || float64(n) < share*float64(all) || c.weight[j] == 0 {
			continue
		}
		level := classifier.LevelRate{Level: c.names[j], Rows: c.rows[j], Rate: c.now[j] / c.weight[j]}
		if level.Rate < s.Lowest.Rate {
			s.Lowest = level
		}
		if level.Rate > s.Highest.Rate {
			s.Highest = level
		}
		free := c.before[j] / c.weight[j]
		s.FreeLowest, s.FreeHighest = min(s.FreeLowest, free), max(s.FreeHighest, free)
	}
	return s, s.Highest.Rate > s.Lowest.Rate
}
