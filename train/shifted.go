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

// Shift is a category by whose levels selection rates are much further apart than without the requirements.
type Shift struct {
	Column  string    `json:"column"`
	Lowest  LevelRate `json:"lowest"`
	Highest LevelRate `json:"highest"`
	// FreeLowest and FreeHighest are the rates that are furthest apart without the requirements, of whichever levels.
	FreeLowest  float64 `json:"without_requirements_lowest"`
	FreeHighest float64 `json:"without_requirements_highest"`
}

// LevelRate is the selection rate of the rows that have a level, or a feature that is 1.
type LevelRate struct {
	Level string  `json:"level"`
	Rows  int     `json:"rows"`
	Rate  float64 `json:"selection_rate"`
}

func (s *Shift) more() float64 {
	return s.Highest.Rate - s.Lowest.Rate - (s.FreeHighest - s.FreeLowest)
}

// Said says it in a sentence, with rates in the given form.
func (s *Shift) Said(rate func(float64) string) string {
	return fmt.Sprintf("Among the training rows selection rates differ far more by %s, about which nothing was asked: from %s (%s, %d rows) to %s (%s, %d rows); without the requirements from %s to %s.",
		s.Column, rate(s.Lowest.Rate), s.Lowest.Level, s.Lowest.Rows, rate(s.Highest.Rate), s.Highest.Level, s.Highest.Rows, rate(s.FreeLowest), rate(s.FreeHighest))
}

// shifted says by which categories, that nothing was asked about, decisions on the training rows differ much more than
// without the requirements. A requirement can be kept by deciding less by what counts, and more by what does not: fair
// to the groups that were named, and arbitrary to others. Rows that are Many or a sample are not looked at.
func (o *Options) shifted(x, free []float64) []Shift {
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
	var found []Shift
	first := 0
	for k := range o.Encoding.Features {
		c := &o.Encoding.Features[k]
		lo, hi := first, first+c.Width()
		first = hi
		if c.As != table.OneHot || slices.Contains(asked, c.Column) {
			continue
		}
		if shift, ok := o.farthest(lo, hi, rows, weight, now, before); ok && shift.more() > much {
			shift.Column = c.Column
			found = append(found, shift)
		}
	}
	slices.SortStableFunc(found, func(a, b Shift) int { return cmp.Compare(b.more(), a.more()) })
	return found[:min(len(found), named)]
}

// farthest returns which levels of a category are furthest apart, of those that not only few rows have, given the rows
// of the features, what these weigh, and of that what is selected. It is not ok if there are no two.
func (o *Options) farthest(lo, hi int, rows []int, weight, now, before []float64) (s Shift, ok bool) {
	const few, share = 50, 0.01 // of the rows that have any level
	all := 0
	for _, n := range rows[lo:hi] {
		all += n
	}
	s = Shift{Lowest: LevelRate{Rate: 2}, Highest: LevelRate{Rate: -1}, FreeLowest: 2, FreeHighest: -1}
	for j := lo; j < hi; j++ {
		if n := rows[j]; n < few || float64(n) < share*float64(all) || weight[j] == 0 {
			continue
		}
		level := LevelRate{o.Data.Cols[j], rows[j], now[j] / weight[j]}
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
