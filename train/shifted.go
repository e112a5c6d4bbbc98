package train

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// apart is how far apart selection rates of the levels of a category are.
type apart struct {
	column              string
	lowest, highest     int // features
	least, most         float64
	freeLeast, freeMost float64 // without the requirements, of whichever levels
}

func (a *apart) more() float64 { return a.most - a.least - (a.freeMost - a.freeLeast) }

// shifted says by which categories, that nothing was asked about, decisions differ much more than without the
// requirements. A requirement can be kept by deciding less by what counts, and more by what does not: fair to
// the groups that were named, and arbitrary to others.
func (o *Options) shifted(x, free []float64) (warnings []string) {
	const much, named = 0.2, 3 // a difference of selection rates, categories
	d := o.Data
	if o.Encoding == nil || len(o.requirements()) == 0 || o.sampled() || d.Rows() >= decide.Many {
		return nil
	}
	weight, now, before := make([]float64, d.Features()), make([]float64, d.Features()), make([]float64, d.Features())
	coefficients := d.Weights
	if coefficients == nil {
		coefficients = slices.Repeat([]float64{1}, d.Rows())
	}
	d.X.AddTransRange(weight, coefficients, 0, d.Rows())
	for _, of := range []struct{ dst, x []float64 }{{now, x}, {before, free}} {
		decisions := o.margins(of.x, d).Decisions(o.centre())
		floats.Mul(decisions, coefficients)
		d.X.AddTransRange(of.dst, decisions, 0, d.Rows())
	}
	rows := make([]int, d.Features())
	for j, c := range d.X.Columns() {
		rows[j] = c.Entries
	}
	asked := dataset.AttributesIn(model.GroupsOf(o.requirements()...)...)
	for _, g := range o.Encoding.Schema.Groups {
		if slices.Contains(asked, g.Name) {
			asked = append(asked, g.Column)
		}
	}
	var found []apart
	first := 0
	for k := range o.Encoding.Features {
		c := &o.Encoding.Features[k]
		lo, hi := first, first+c.Width()
		first = hi
		if c.As != table.OneHot || slices.Contains(asked, c.Column) {
			continue
		}
		if a, ok := farthest(lo, hi, rows, weight, now, before); ok && a.more() > much {
			a.column = c.Column
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b apart) int { return cmp.Compare(b.more(), a.more()) })
	for _, a := range found[:min(len(found), named)] {
		warnings = append(warnings, fmt.Sprintf("Selection rates differ far more by %s, about which nothing was asked: from %.4f (%s, %d rows) to %.4f (%s, %d rows); without the requirements from %.4f to %.4f.",
			a.column, a.least, d.Cols[a.lowest], rows[a.lowest], a.most, d.Cols[a.highest], rows[a.highest], a.freeLeast, a.freeMost))
	}
	return warnings
}

// farthest returns which levels of a category are furthest apart, of those that not only few rows have, given the rows
// of the features, what these weigh, and of that what is selected. It is not ok if there are no two.
func farthest(lo, hi int, rows []int, weight, now, before []float64) (a apart, ok bool) {
	const few, share = 50, 0.01 // of the rows that have any level
	all := 0
	for _, n := range rows[lo:hi] {
		all += n
	}
	a = apart{least: 2, most: -1, freeLeast: 2, freeMost: -1}
	for j := lo; j < hi; j++ {
		if n := rows[j]; n < few || float64(n) < share*float64(all) || weight[j] == 0 {
			continue
		}
		rate, free := now[j]/weight[j], before[j]/weight[j]
		if rate < a.least {
			a.least, a.lowest = rate, j
		}
		if rate > a.most {
			a.most, a.highest = rate, j
		}
		a.freeLeast, a.freeMost = min(a.freeLeast, free), max(a.freeMost, free)
	}
	return a, a.most > a.least
}
