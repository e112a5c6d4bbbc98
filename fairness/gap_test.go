package fairness

import (
	"math"
	"testing"
)

// TestHighestDifference: MOVER's bound, and half a row of the larger group more where both distances count.
func TestHighestDifference(t *testing.T) {
	share := func(cases, rows float64) limits {
		l := clopperPearson(cases/rows, rows, 0.05)
		l.row = 1 / rows
		return l
	}
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
