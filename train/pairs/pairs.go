// Package pairs ranks pairs of columns by what their cells explain beyond the columns themselves.
package pairs

import (
	"cmp"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/internal/parallel"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

const (
	// mostColumns is the largest number of columns of which pairs are looked at.
	mostColumns = 64
	// falsely is the probability that any pair promises something in a table without interactions.
	falsely = 0.01
)

// Pair is two columns.
type Pair [2]*encoding.Coarse

// Promising returns the pairs of columns whose cells explain more than the columns do and than chance
// would, the most promising first. The margins are those of a model of the columns, on rows that it
// was not fitted to.
func Promising(d *dataset.Dataset, margins []float64, columns []*encoding.Coarse) []Pair {
	if len(columns) > mostColumns {
		all := residualsOf(d, make([]float64, len(margins)))
		columns = largest(columns, func(c *encoding.Coarse) float64 {
			sums := make([]residual, c.Width()+1)
			for i, code := range c.Codes {
				sums[code].add(all[i])
			}
			square, _ := explained(sums)
			return square
		})
		columns = columns[:min(len(columns), mostColumns)]
	}
	var pairs []Pair
	for i, b := range columns {
		for _, a := range columns[:i] {
			pairs = append(pairs, Pair{a, b})
		}
	}
	left := residualsOf(d, margins)
	return largest(pairs, func(p Pair) float64 {
		square, freedom := p.interaction(left)
		if freedom < 1 || (distuv.ChiSquared{K: freedom}).Survival(square) > falsely/float64(len(pairs)) {
			return 0
		}
		return square - freedom
	})
}

// largest returns the items of positive value in its descending order.
func largest[T any](items []T, value func(T) float64) []T {
	values, order := make([]float64, len(items)), make([]int, len(items))
	parallel.Do(runtime.GOMAXPROCS(0), len(items), func(k int) { values[k], order[k] = value(items[k]), k })
	order = slices.DeleteFunc(order, func(k int) bool { return !(values[k] > 0) })
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return dataset.Pick(items, order)
}

// interaction returns how much more the cells of a pair explain of residuals than the columns do:
// about χ² of the given freedom, if that is nothing.
func (p Pair) interaction(of []residual) (square, freedom float64) {
	wide := p[1].Width() + 1
	own, others, all := make([]residual, p[0].Width()+1), make([]residual, wide), make([]residual, 1)
	cells := make([]residual, len(own)*wide)
	for i, code := range p[0].Codes {
		cells[int(code)*wide+int(p[1].Codes[i])].add(of[i])
	}
	for k, c := range cells {
		own[k/wide].add(c)
		others[k%wide].add(c)
		all[0].add(c)
	}
	square, freedom = explained(cells)
	rows, rowFreedom := explained(own)
	columns, columnFreedom := explained(others)
	common, commonFreedom := explained(all) // in both of them
	return square - rows - columns + common, freedom - rowFreedom - columnFreedom + commonFreedom
}

// residual is 1 or 0 minus the probability of a positive label, and its variance, or sums of them.
type residual struct{ value, variance float64 }

func (r *residual) add(other residual) {
	r.value += other.value
	r.variance += other.variance
}

// residualsOf returns those of rows with given margins. Rows count by their weights, of mean 1.
func residualsOf(d *dataset.Dataset, margins []float64) []residual {
	list, total := make([]residual, len(margins)), 0.0
	for i := range margins {
		total += d.Weight(i)
	}
	probability := make([]float64, len(margins))
	vmath.Sigmoid(probability, margins)
	for i, p := range probability {
		w := d.Weight(i) * float64(len(margins)) / total
		list[i] = residual{-float64(w * p), float64(w * w * p * (1 - p))}
		if d.Y[i] > 0 {
			list[i].value += w
		}
	}
	return list
}

// explained returns what sums of residuals explain of them: χ² of the given freedom, if that is nothing.
// Sums of few rows, or of sure ones, do not count.
func explained(sums []residual) (square, freedom float64) {
	for _, s := range sums {
		if s.variance > 1 {
			square += float64(s.value*s.value) / s.variance
			freedom++
		}
	}
	return square, freedom
}
