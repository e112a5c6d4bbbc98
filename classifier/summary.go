package classifier

import (
	"cmp"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/encoding"
)

// Summary returns about so many of the effects of a column, and how many it leaves out: of a number,
// neighbouring bins are joined, so that the means over the ranges are as near to the shape as so
// many ranges can be; of a category, levels that move few rows little are left out.
func (e *ColumnEffect) Summary(most int) (list []Effect, left int) {
	var bins, others []Effect
	for _, x := range e.Effects {
		if x.Bounds == (encoding.Bounds{}) {
			others = append(others, x)
		} else {
			bins = append(bins, x)
		}
	}
	if left = len(others) - most; left > 0 {
		moved := slices.Clone(others)
		slices.SortStableFunc(moved, func(a, b Effect) int { return cmp.Compare(b.moves(), a.moves()) })
		least := moved[most-1].moves()
		others = slices.DeleteFunc(others, func(x Effect) bool { return x.moves() < least })
		left = len(e.Effects) - len(bins) - len(others)
	}
	return append(e.joined(bins, most), others...), max(left, 0)
}

// moves is by how much a level moves the log-odds of all rows.
func (x *Effect) moves() float64 { return math.Abs(x.LogOdds) * x.weight() }

// weight is the share of the rows; of none and where it is unknown, as good as nothing.
func (x *Effect) weight() float64 {
	const nothing = 1e-9
	if x.Share == nil {
		return nothing
	}
	return max(*x.Share, nothing)
}

// joined joins bins to at most so many ranges, or to fewer that leave out little: the partition with
// the least sum of squared distances from the means, at a price of a range that is lowered step by step.
func (e *ColumnEffect) joined(bins []Effect, most int) (list []Effect) {
	const little, lower = 0.01, 1.25 // of the variance; a step
	var values, weights []float64
	for k := range bins {
		values, weights = append(values, bins[k].LogOdds), append(weights, bins[k].weight())
	}
	mean := func(mean float64) float64 { return mean }
	parts, all := Partition(values, weights, math.Inf(1), mean)
	for price := all; price > 0; price /= lower {
		finer, lost := Partition(values, weights, price, mean)
		if len(finer) <= most {
			parts = finer
		}
		if len(finer) >= most || lost <= little*all {
			break
		}
	}
	for _, p := range parts {
		list = append(list, e.join(bins[p.First:p.End]))
	}
	return list
}

// Part is a part of a row of values, First to End−1, and the level that stands for them.
type Part struct {
	First, End int
	Level      float64
}

// Partition cuts a row of values into parts, with a level made of the mean of each, such that the sum
// of squared distances from the levels and a price ≥ 0 for every part are least (by dynamic programming:
// Jackson et al., An algorithm for optimal partitioning of data on an interval, 2005). It returns the
// parts and the sum of squares. Values count by their weights > 0.
func Partition(values, weights []float64, price float64, level func(mean float64) float64) (parts []Part, squares float64) {
	n := len(values)
	cost, lost, last := make([]float64, n+1), make([]float64, n+1), make([]Part, n+1) // of the first k values
	for end := 1; end <= n; end++ {
		cost[end] = math.Inf(1)
		var in, sum, square float64
		for from := end - 1; from >= 0; from-- {
			v, w := values[from], weights[from]
			in, sum, square = in+w, sum+float64(w*v), square+float64(w*v*v)
			at := level(sum / in)
			beyond := max(square-float64(at*(2*sum-float64(at*in))), 0)
			if c := cost[from] + price + beyond; c < cost[end] || from == 0 && math.IsInf(price, 1) {
				cost[end], lost[end], last[end] = c, lost[from]+beyond, Part{from, end, at}
			}
		}
	}
	for end := n; end > 0; end = last[end].First {
		parts = append(parts, last[end])
	}
	slices.Reverse(parts)
	return parts, lost[n]
}

// join returns the mean effect of neighbouring bins.
func (e *ColumnEffect) join(bins []Effect) Effect {
	x := bins[0]
	x.Below = bins[len(bins)-1].Below
	x.Feature = e.Column + " " + x.Name()
	x.Level, x.OddsRatio, x.LogOdds = x.Feature, nil, 0
	share, weights, before := 0.0, 0.0, 0.0
	for k := range bins {
		w := bins[k].weight()
		weights += w
		x.LogOdds += float64(w * bins[k].LogOdds)
		if bins[k].Share != nil {
			share += *bins[k].Share
		}
		if bins[k].Unconstrained != nil {
			before += float64(w * *bins[k].Unconstrained)
		}
	}
	x.LogOdds /= weights
	if x.Share != nil {
		x.Share = &share
	}
	if x.Unconstrained != nil {
		x.Unconstrained = new(before / weights)
	}
	if bins[0].OddsRatio != nil {
		x.OddsRatio = new(math.Exp(x.LogOdds))
	}
	return x
}
