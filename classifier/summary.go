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
// the least sum of squared distances from the means (Fisher 1958).
func (e *ColumnEffect) joined(bins []Effect, most int) (list []Effect) {
	const little = 0.01 // of the variance
	n := len(bins)
	if n == 0 {
		return nil
	}
	sums := make([][3]float64, n+1) // weights, their products with effects and with the squares
	for k := range bins {
		w, v := bins[k].weight(), bins[k].LogOdds
		sums[k+1] = [3]float64{sums[k][0] + w, sums[k][1] + float64(w*v), sums[k][2] + float64(w*v*v)}
	}
	lost := func(from, to int) float64 {
		w, s, q := sums[to][0]-sums[from][0], sums[to][1]-sums[from][1], sums[to][2]-sums[from][2]
		return max(q-s*s/w, 0)
	}
	best, starts := make([]float64, n+1), [][]int{} // of the first bins in so many ranges
	for to := 1; to <= n; to++ {
		best[to] = lost(0, to)
	}
	all := best[n]
	for len(starts) < min(most, n)-1 && best[n] > little*all {
		next, start := make([]float64, n+1), make([]int, n+1)
		for to := 1; to <= n; to++ {
			next[to] = best[to]
			for from := 1; from < to; from++ {
				if v := best[from] + lost(from, to); v < next[to] {
					next[to], start[to] = v, from
				}
			}
		}
		best, starts = next, append(starts, start)
	}
	for to, k := n, len(starts)-1; to > 0; k-- {
		from := 0
		if k >= 0 {
			if from = starts[k][to]; from == 0 { // as with a range less
				continue
			}
		}
		list = append(list, e.join(bins[from:to]))
		to = from
	}
	slices.Reverse(list)
	return list
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
