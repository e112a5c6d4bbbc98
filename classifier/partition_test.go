package classifier

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestPartition: no other lines of bins cost less, of all 2ⁿ⁻¹; without a price every bin is
// rounded; and what ascends stays so.
func TestPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "bins")
		weights := rapid.SliceOfN(rapid.Float64Range(-20, 20), n, n).Draw(t, "weights")
		people := make([]float64, n)
		for k := range people {
			people[k] = float64(rapid.IntRange(1, 50).Draw(t, "people"))
		}
		price := rapid.SampledFrom([]float64{0, 1, 30, 1000}).Draw(t, "price")
		points := make([]int, n)
		parts, _ := Partition(weights, people, price, math.Round)
		for _, p := range parts {
			for k := p.First; k < p.End; k++ {
				points[k] = int(p.Level)
			}
		}
		errorOf := func(k int, level float64) float64 { return people[k] * (weights[k] - level) * (weights[k] - level) }
		least := math.Inf(1)
		for cuts := range 1 << (n - 1) {
			cost, from := 0.0, 0
			for end := 1; end <= n; end++ {
				if end < n && cuts>>(end-1)&1 == 0 {
					continue
				}
				best := math.Inf(1)
				for level := -20; level <= 20; level++ {
					sum := price
					for k := from; k < end; k++ {
						sum += errorOf(k, float64(level))
					}
					best = min(best, sum)
				}
				cost, from = cost+best, end
			}
			least = min(least, cost)
		}
		got := price
		for k, p := range points {
			if got += errorOf(k, float64(p)); k > 0 && p != points[k-1] {
				got += price
			}
			if k > 0 && weights[k-1] <= weights[k] && p < points[k-1] {
				t.Fatalf("%v became %v", weights, points)
			}
		}
		if got > least*(1+1e-9)+1e-9 {
			t.Fatalf("%v of %v became %v: cost %v, the least is %v", weights, people, points, got, least)
		}
	})
}
