// Package orders keeps the weights of a monotone classifier in their order (dataset.Order). The nearest
// point that keeps orders is found by isotonic regression, and so are the multipliers of the orders at
// a point. Where neighbours are equal, they are tied: one variable in place of several. So a method sees
// a smooth problem without bounds, with fewer variables.
package orders

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/problem"
)

// Keep moves x to the nearest point that keeps the orders. Weights that keep them stay as they
// are, to the last bit.
func Keep(x []float64, orders []dataset.Order) {
	for _, o := range orders {
		part, sign := x[o.First:o.End], o.Sign()
		if o.Alone() {
			if !(sign*part[0] > 0) {
				part[0] = 0
			}
			continue
		}
		floats.Scale(sign, part)
		isotonic(part)
		floats.Scale(sign, part)
	}
}

// isotonic replaces y by the nearest vector that does not fall, by pooling adjacent violators (Ayer,
// Brunk, Ewing, Reid, Silverman 1955).
func isotonic(y []float64) {
	type pool struct {
		mean float64
		size int
	}
	var pools []pool
	for _, v := range y {
		p := pool{v, 1}
		for k := len(pools) - 1; k >= 0 && pools[k].mean > p.mean; k-- {
			size := pools[k].size + p.size
			p = pool{(float64(pools[k].mean*float64(pools[k].size)) + float64(p.mean*float64(p.size))) / float64(size), size}
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	j := 0
	for _, p := range pools {
		for range p.size {
			y[j] = p.mean
			j++
		}
	}
}

// Multipliers returns the multipliers ≥ 0 of orders at a point x that keeps them, given the
// gradient of the Lagrangian without them: for each order one for each pair of neighbours, or for
// the sign of a weight alone. They are those that leave least of the gradient, which becomes what is
// left. Multipliers of neighbours that differ are 0.
func Multipliers(gradient, x []float64, orders []dataset.Order) [][]float64 {
	all := make([][]float64, len(orders))
	for k, o := range orders {
		g, sign := gradient[o.First:o.End], o.Sign()
		of := make([]float64, max(len(g)-1, 1))
		all[k] = of
		if o.Alone() {
			if x[o.First] == 0 {
				of[0] = max(float64(sign*g[0]), 0)
				g[0] -= sign * of[0]
			}
			continue
		}
		for lo := 0; lo < len(g); {
			hi := lo + 1
			for hi < len(g) && equal(x[o.First+hi], x[o.First+hi-1]) {
				hi++
			}
			// With multipliers u the gradient is g_j + u_j − u_{j−1}, of a rising order. The descent
			// −g that keeps the order is nearest to −g, and what is left.
			rest, sum := g[lo:hi], 0.0
			before := slices.Clone(rest)
			floats.Scale(-sign, rest)
			isotonic(rest)
			floats.Scale(-sign, rest)
			for j := range rest[1:] {
				sum += sign * (rest[j] - before[j])
				of[lo+j] = max(sum, 0)
			}
			lo = hi
		}
	}
	return all
}

// equal reports whether neighbours differ by rounding only.
func equal(a, b float64) bool {
	const rounding = 1e-13
	return math.Abs(a-b) <= rounding*math.Abs(a)
}

// TiesAt returns the variables that are one at a point that keeps the orders: neighbours in an order
// that are equal. A weight alone is fixed where it is 0.
func TiesAt(x []float64, orders []dataset.Order) *problem.Ties {
	t := &problem.Ties{Of: make([]int, len(x))}
	tied := make([]bool, len(x)) // to the one before
	for _, o := range orders {
		if o.Alone() && x[o.First] == 0 {
			t.Of[o.First] = -1
		}
		for j := o.First + 1; j < o.End; j++ {
			tied[j] = equal(x[j], x[j-1])
		}
	}
	for j := range x {
		if t.Of[j] == 0 {
			if !tied[j] {
				t.Count++
			}
			t.Of[j] = t.Count - 1
		}
	}
	return t
}

// Furthest returns how far one can go from x along d, at most the given length, such that orders are
// kept.
func Furthest(x, d []float64, orders []dataset.Order, length float64) float64 {
	limit := func(gap, slope float64) {
		if slope < 0 {
			length = min(length, max(gap, 0)/-slope)
		}
	}
	for _, o := range orders {
		sign := o.Sign()
		if o.Alone() {
			limit(sign*x[o.First], sign*d[o.First])
		}
		for j := o.First + 1; j < o.End; j++ {
			limit(sign*(x[j]-x[j-1]), sign*(d[j]-d[j-1]))
		}
	}
	return length
}
