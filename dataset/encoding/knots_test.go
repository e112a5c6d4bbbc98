package encoding

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestKnots: every bin has enough values, a value is in one bin, there are at most so many bins,
// and a frequent value has one of its own where its neighbours fill theirs.
func TestKnots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least, k := rapid.IntRange(1, 5).Draw(t, "least"), rapid.IntRange(2, 20).Draw(t, "bins")
		var x []float64
		for range rapid.IntRange(1, 30).Draw(t, "values") {
			v := float64(rapid.IntRange(-20, 20).Draw(t, "value"))
			x = append(x, slices.Repeat([]float64{v}, rapid.IntRange(1, 8).Draw(t, "times"))...)
		}
		slices.Sort(x)
		edges := knots(x, k, least)
		if !slices.IsSorted(edges) || len(slices.Compact(slices.Clone(edges))) < len(edges) {
			t.Fatalf("edges %v", edges)
		}
		f := Column{Edges: edges}
		count := make([]int, len(edges)+1)
		for _, v := range x {
			count[f.bin(v)]++
		}
		for bin, n := range count {
			if n < least && len(edges) > 0 {
				t.Fatalf("bin %d of %v has %d values: %v", bin, edges, n, x)
			}
		}
		if len(edges)+1 > 2*k {
			t.Fatalf("%d bins, at most %d", len(edges)+1, k)
		}
	})
	zeros := slices.Repeat([]float64{0}, 900)
	for k := range 100 {
		zeros = append(zeros, float64(1+k))
	}
	if edges := knots(zeros, 11, 5); len(edges) != 10 || edges[0] != 1 {
		t.Errorf("edges of a number that is mostly 0: %v", edges)
	}
}
