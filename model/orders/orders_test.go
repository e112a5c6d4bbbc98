package orders

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
)

// drawOrders draws orders of some of n weights.
func drawOrders(t *rapid.T, n int) (orders []dataset.Order) {
	for first := 0; first < n; {
		end := min(first+rapid.IntRange(1, 5).Draw(t, "width"), n)
		if rapid.Bool().Draw(t, "monotone") {
			orders = append(orders, dataset.Order{First: first, End: end, Falls: rapid.Bool().Draw(t, "falls")})
		}
		first = end
	}
	return orders
}

// drawVector draws thirds, of which many are equal.
func drawVector(t *rapid.T, n int, label string) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = float64(rapid.IntRange(-9, 9).Draw(t, label)) / 3
	}
	return x
}

// kept reports, by plain loops, whether x keeps orders exactly.
func kept(x []float64, orders []dataset.Order) bool {
	for _, o := range orders {
		if o.End == o.First+1 && (x[o.First] < 0 && !o.Falls || x[o.First] > 0 && o.Falls) {
			return false
		}
		for j := o.First + 1; j < o.End; j++ {
			if x[j] < x[j-1] && !o.Falls || x[j] > x[j-1] && o.Falls {
				return false
			}
		}
	}
	return true
}

// TestKeep: the result keeps the orders exactly, and is the nearest such point: the multipliers
// that prove it are ≥ 0, are 0 where neighbours differ, and leave nothing.
func TestKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		orders, y := drawOrders(t, n), drawVector(t, n, "y")
		x := slices.Clone(y)
		Keep(x, orders)
		if !kept(x, orders) {
			t.Fatalf("%v does not keep %v", x, orders)
		}
		again := slices.Clone(x)
		if Keep(again, orders); !slices.Equal(again, x) {
			t.Fatalf("%v becomes %v", x, again)
		}
		if kept(y, orders) && !slices.Equal(x, y) {
			t.Fatalf("%v becomes %v", y, x)
		}
		gradient := floats.SubTo(make([]float64, n), x, y) // of ½‖x − y‖²
		checkMultipliers(t, Multipliers(gradient, x, orders), x, orders)
		if norm := floats.Norm(gradient, 2); norm > 1e-12 {
			t.Fatalf("%g of the gradient is left", norm)
		}
	})
}

func checkMultipliers(t *rapid.T, all [][]float64, x []float64, orders []dataset.Order) {
	for k, o := range orders {
		for j, u := range all[k] {
			isBound := o.Alone() && x[o.First] == 0 || !o.Alone() && equal(x[o.First+j], x[o.First+j+1])
			if u < 0 || u > 0 && !isBound {
				t.Fatalf("multiplier %g of neighbour %d of %v at %v", u, j, o, x)
			}
		}
	}
}

// TestMultipliers: what is left of a gradient is the gradient with the multipliers, and the way
// against it keeps the orders and is the steepest one.
func TestMultipliers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		orders, x, g := drawOrders(t, n), drawVector(t, n, "x"), drawVector(t, n, "g")
		Keep(x, orders)
		left := slices.Clone(g)
		all := Multipliers(left, x, orders)
		checkMultipliers(t, all, x, orders)
		with := slices.Clone(g)
		for k, o := range orders {
			for j, u := range all[k] {
				if o.Alone() {
					with[o.First] -= o.Sign() * u
					continue
				}
				with[o.First+j] += o.Sign() * u
				with[o.First+j+1] -= o.Sign() * u
			}
		}
		if !floats.EqualApprox(with, left, 1e-12) {
			t.Fatalf("gradient with multipliers %v, left is %v", with, left)
		}
		const step = 1e-3
		floats.AddScaled(x, -step, left)
		near := slices.Clone(x)
		if Keep(near, orders); floats.Distance(near, x, math.Inf(1)) > 1e-12 {
			t.Fatalf("a step against %v leaves the orders", left)
		}
		if dot := floats.Dot(left, g) - floats.Dot(left, left); math.Abs(dot) > 1e-9 {
			t.Fatalf("%v is no projection of %v", left, g)
		}
	})
}

func TestTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		orders, x := drawOrders(t, n), drawVector(t, n, "x")
		Keep(x, orders)
		ties := TiesAt(x, orders)
		back := make([]float64, n)
		if ties.Spread(back, ties.Last(x)); !floats.EqualApprox(back, x, 1e-12) {
			t.Fatalf("%v became %v", x, back)
		}
		d := drawVector(t, n, "d")
		length := Furthest(x, d, orders, 2)
		at := func(step float64) []float64 { return floats.AddScaledTo(make([]float64, n), x, step, d) }
		near := at(length)
		if Keep(near, orders); floats.Distance(near, at(length), math.Inf(1)) > 1e-12 {
			t.Fatalf("%g of %v is too far from %v", length, d, x)
		}
		if length < 1.9 && kept(at(length+0.1), orders) {
			t.Fatalf("%g of %v is not the furthest from %v", length, d, x)
		}
	})
}
