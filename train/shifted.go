package train

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// shifted says by which categories, that nothing was asked about, decisions on the training rows
// differ much more than without the requirements. A requirement can be kept by deciding less by
// what counts, and more by what does not: fair to the groups that were named, and arbitrary to
// others. Rows that are Many or a sample are not looked at.
func (t *task) shifted(solved *solution, free fit) []classifier.Shift {
	const much, named = 0.2, 3 // a difference of selection rates, categories
	d := t.Data
	if t.Encoding == nil || len(t.requirements()) == 0 || t.sampled() || d.Rows() >= decide.Many {
		return nil
	}
	weight, now, before := make([]float64, d.Features()), make([]float64, d.Features()), make([]float64, d.Features())
	coefficients := d.Weights
	if coefficients == nil {
		coefficients = slices.Repeat([]float64{1}, d.Rows())
	}
	d.X.AddTransRange(weight, coefficients, 0, d.Rows())
	for _, of := range []struct{ dst, decisions []float64 }{
		{now, t.decisions(solved.x, solved.centre)},
		{before, t.decisions(free.classifier(), free.centre)},
	} {
		decisions := of.decisions
		floats.Mul(decisions, coefficients)
		d.X.AddTransRange(of.dst, decisions, 0, d.Rows())
	}
	rows := make([]int, d.Features())
	for j, c := range d.X.Columns() {
		rows[j] = c.Entries
	}
	asked := dataset.AttributesIn(model.GroupsOf(t.requirements()...)...)
	for _, g := range t.Encoding.Schema.Groups {
		if slices.Contains(asked, g.Name) {
			asked = append(asked, g.Column)
		}
	}
	var found []classifier.Shift
	first := 0
	for k := range t.Encoding.Features {
		c := &t.Encoding.Features[k]
		lo, hi := first, first+c.Width()
		first = hi
		if c.As != tabular.OneHot || slices.Contains(asked, c.Column) {
			continue
		}
		if shift, ok := t.farthest(lo, hi, rows, weight, now, before); ok && shift.More() > much {
			shift.Column = c.Column
			found = append(found, shift)
		}
	}
	slices.SortStableFunc(found, func(a, b classifier.Shift) int { return cmp.Compare(b.More(), a.More()) })
	return found[:min(len(found), named)]
}

// decisions returns those of weights and intercept on the rows to train on.
func (t *task) decisions(x []float64, centre float64) []float64 {
	decisions := make([]float64, t.Data.Rows())
	for lo, margins := range t.linear(x).Margins(t.Data, 0, len(decisions)) {
		decide.Decisions(decisions[lo:lo+len(margins)], margins, centre)
	}
	return decisions
}

// farthest returns which levels of a category are furthest apart, of those that not only few rows
// have, given the rows of the features, what these weigh, and of that what is selected. It is not
// ok if there are no two.
func (t *task) farthest(lo, hi int, rows []int, weight, now, before []float64) (s classifier.Shift, ok bool) {
	const few, share = 50, 0.01 // of the rows that have any level
	all := 0
	for _, n := range rows[lo:hi] {
		all += n
	}
	s = classifier.Shift{Lowest: classifier.LevelRate{Rate: 2}, Highest: classifier.LevelRate{Rate: -1}, FreeLowest: 2, FreeHighest: -1}
	for j := lo; j < hi; j++ {
		if n := rows[j]; n < few || float64(n) < share*float64(all) || weight[j] == 0 {
			continue
		}
		level := classifier.LevelRate{Level: t.Data.Cols[j], Rows: rows[j], Rate: now[j] / weight[j]}
		if level.Rate < s.Lowest.Rate {
			s.Lowest = level
		}
		if level.Rate > s.Highest.Rate {
			s.Highest = level
		}
		free := before[j] / weight[j]
		s.FreeLowest, s.FreeHighest = min(s.FreeLowest, free), max(s.FreeHighest, free)
	}
	return s, s.Highest.Rate > s.Lowest.Rate
}
