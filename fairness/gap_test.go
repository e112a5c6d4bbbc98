package fairness

import (
	"math"
	"testing"
)

// TestHighestDifference: MOVER's bound, and half a row of the larger group more where both
// distances count.
func TestHighestDifference(t *testing.T) {
	share := func(cases, rows float64) limits { return clopperPearson(cases/rows, rows, 0.05) }
	some, few, all, none, large := share(6, 20), share(2, 20), share(20, 20), share(0, 20), share(60, 200)
	score := limits{value: 0.3, low: 0.2, high: 0.4}
	mover := func(a, b limits) float64 {
		return a.value - b.value + math.Sqrt((a.high-a.value)*(a.high-a.value)+(b.value-b.low)*(b.value-b.low))
	}
	for _, c := range []struct {
		name string
		a, b limits
		want float64
	}{
		{"two shares", some, few, mover(some, few) + 0.025},
		{"the reverse", few, some, mover(few, some) + 0.025},
		{"a larger group", some, large, mover(some, large) + 0.0025},
		{"none of a larger group", share(0, 200), some, mover(share(0, 200), some) + 0.0025},
		{"all of a larger group", some, share(200, 200), mover(some, share(200, 200)) + 0.0025},
		{"the first has no distance above", all, some, mover(all, some)},
		{"the second has no distance below", some, none, mover(some, none)},
		{"a figure that is no share", some, score, mover(some, score)},
		{"another one", score, some, mover(score, some)},
	} {
		if got := highestDifference(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestHalfSum: the mean of two shares, with MOVER's limits and half a row of the larger group more
// where both distances count.
func TestHalfSum(t *testing.T) {
	share := func(cases, rows float64) limits { return clopperPearson(cases/rows, rows, 0.05) }
	few, some, none, all, large := share(2, 20), share(15, 20), share(0, 20), share(20, 20), share(160, 200)
	for _, c := range []struct {
		a, b        limits
		below, over float64 // what is added to MOVER's distances
	}{
		{few, some, 0.05 / 2, 0.05 / 2},
		{some, few, 0.05 / 2, 0.05 / 2},
		{few, large, 0.005 / 2, 0.005 / 2},
		{none, some, 0, 0.05 / 2}, // the share 0 has no distance below
		{some, none, 0, 0.05 / 2},
		{all, some, 0.05 / 2, 0},
		{some, all, 0.05 / 2, 0},
	} {
		got := halfSum(c.a, c.b)
		mean := (c.a.value + c.b.value) / 2
		below := math.Sqrt(math.Pow(c.a.value-c.a.low, 2)+math.Pow(c.b.value-c.b.low, 2)) + c.below
		above := math.Sqrt(math.Pow(c.a.high-c.a.value, 2)+math.Pow(c.b.high-c.b.value, 2)) + c.over
		want := limits{value: mean, low: mean - below/2, high: mean + above/2, row: min(c.a.row, c.b.row) / 2}
		for _, pair := range [][2]float64{{got.value, want.value}, {got.low, want.low}, {got.high, want.high}, {got.row, want.row}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%v and %v: %+v, want %+v", c.a.value, c.b.value, got, want)
				break
			}
		}
	}
}
