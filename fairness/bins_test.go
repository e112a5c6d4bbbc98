package fairness

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// rowsOf returns rows of weight 1, so many of each score.
func rowsOf(sizes ...int) []row {
	var rows []row
	for rank, n := range sizes {
		for range n {
			rows = append(rows, row{rank: int32(rank), weight: 1, rows: 1})
		}
	}
	return rows
}

// TestEqualMass: runs end where they are nearest to equal weights, between different scores.
func TestEqualMass(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		count int
		want  []int
	}{
		{[]int{1, 1, 1, 1, 1, 1}, 3, []int{2, 2, 2}},
		{[]int{1, 1, 1, 1, 1, 1, 1}, 3, []int{2, 3, 2}},
		{[]int{12, 27}, 3, []int{12, 27}}, // as many as scores
		{[]int{9, 90}, 9, []int{9, 90}},
		{[]int{9, 3, 8}, 2, []int{9, 11}},
		{[]int{11, 1, 27, 1}, 3, []int{12, 28}},                                    // 1 is no run
		{[]int{50, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 38}, 10, []int{50, 10, 40}}, // nor is one after many
		{nil, 3, nil},
		{[]int{3}, 1, []int{3}},
	} {
		var got []int
		for _, bin := range equalMass(rowsOf(c.sizes...), c.count) {
			got = append(got, len(bin))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v in %d runs: %v, want %v", c.sizes, c.count, got, c.want)
		}
	}
}

// TestEqualMassSplits: all rows are in one run, no score in two, no run is too small, and there are
// not too many.
func TestEqualMassSplits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := rowsOf(rapid.SliceOfN(rapid.IntRange(1, 30), 1, 60).Draw(r, "sizes")...)
		for i := range rows {
			rows[i].weight = rapid.Float64Range(0.5, 2).Draw(r, "weight")
		}
		var all float64
		for i := range rows {
			all += rows[i].weight
		}
		count := rapid.IntRange(1, 12).Draw(r, "count")
		bins := equalMass(rows, count)
		different := int(rows[len(rows)-1].rank) + 1
		if len(bins) > count {
			r.Fatalf("%d runs, at most %d", len(bins), count)
		}
		if different <= count && len(bins) != different {
			r.Fatalf("%d runs for %d scores", len(bins), different)
		}
		next := 0
		for _, bin := range bins {
			if &bin[0] != &rows[next] || next > 0 && rows[next].rank == rows[next-1].rank {
				r.Fatal("rows are left out, twice there, or of a score of the run before")
			}
			next += len(bin)
			var weight float64
			for i := range bin {
				weight += bin[i].weight
			}
			if different > count && weight < all/float64(2*count)*(1-1e-9) {
				r.Fatalf("a run of the share %v, of %d", weight/all, count)
			}
		}
		if next != len(rows) {
			r.Fatalf("%d of %d rows", next, len(rows))
		}
	})
}
