package vmath

import (
	"math/rand/v2"
	"testing"
)

// The sum doesn't depend on where the numbers lie in memory, which gonum's does.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		x := make([]float64, n)
		want := 0.0
		for i := range x {
			x[i] = r.NormFloat64()
			want += x[i]
		}
		got := Sum(x)
		if d := got - want; d > 1e-13 || d < -1e-13 {
			t.Errorf("sum of %d numbers is %v, want %v", n, got, want)
		}
		for offset := range 4 {
			moved := make([]float64, n+offset)[offset:]
			copy(moved, x)
			if s := Sum(moved); s != got {
				t.Errorf("sum of %d numbers is %v at offset %d, %v at 0", n, s, offset, got)
			}
		}
	}
}
