package sparse

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestJoiner: rows in several builders make the same matrix as in one.
func TestJoiner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all, part Builder
		joined := Joiner{Rows: rapid.SampledFrom([]int{0, 1, 20}).Draw(t, "expected rows")}
		uniform := rapid.Bool().Draw(t, "uniform")
		value := rapid.SampledFrom([][]float64{{1}, {0.5, 2}, {1, 0.5, 0}}).Draw(t, "values")
		for range rapid.IntRange(0, 5).Draw(t, "parts") {
			width := rapid.SampledFrom([]int{3, 256, 257, 1 << 16, 1<<16 + 1}).Draw(t, "width")
			for range rapid.IntRange(0, 4).Draw(t, "rows") {
				cols := []int{0, width - 1}
				if !uniform {
					cols = cols[:rapid.IntRange(0, 2).Draw(t, "entries")]
				}
				var vals []float64
				for range cols {
					vals = append(vals, rapid.SampledFrom(value).Draw(t, "value"))
				}
				label := rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
				all.Add(label, cols, vals)
				part.Add(label, cols, vals)
			}
			joined.Append(&part)
			if part.Rows() > 0 || part.Entries() > 0 || part.Width() > 0 {
				t.Fatal("the builder is not empty")
			}
		}
		if rapid.Bool().Draw(t, "columns are given") {
			joined.Cols = all.Width() + rapid.IntRange(0, 300).Draw(t, "more columns")
		}
		want, labels := all.Finish(max(all.Width(), joined.Cols))
		got, gotLabels := joined.Finish()
		if !slices.Equal(gotLabels, labels) {
			t.Fatalf("labels %v, want %v", gotLabels, labels)
		}
		if diff := cmp.Diff(want, got, cmp.Transformer("rows", rowsOf)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// rowsOf returns the sizes of a matrix and its rows.
func rowsOf(m *Matrix) (all []float64) {
	rows, cols := m.Dims()
	all = append(all, float64(rows), float64(cols), float64(m.NNZ()))
	for i := range rows {
		all = append(all, -1)
		for j, v := range m.Row(i) {
			all = append(all, float64(j), v)
		}
	}
	return all
}
