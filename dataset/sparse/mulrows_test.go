package sparse

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestMulRows: rows from anywhere have the products that they have in a range.
func TestMulRows(t *testing.T) {
	const n = 2000
	for what, m := range map[string]*Matrix{"narrow": censusLike(n), "mixed": surveyLike(n), "uniform": oneHot(n), "wide": identity(n)} {
		rows, cols := m.Dims()
		x := make([]float64, cols)
		for j := range x {
			x[j] = 1 / float64(j+3)
		}
		want := make([]float64, rows)
		m.MulRange(want, x, 0, rows)
		rapid.Check(t, func(t *rapid.T) {
			list := rapid.SliceOfN(rapid.IntRange(0, rows-1), 0, 300).Draw(t, "rows")
			got := make([]float64, len(list)+3)
			m.MulRows(got, x, list)
			for k, i := range list {
				if got[k] != want[i] {
					t.Fatalf("%s: row %d at %d is %v, want %v", what, i, k, got[k], want[i])
				}
			}
			if slices.Max(got[len(list):]) != 0 {
				t.Fatalf("%s: more than %d products", what, len(list))
			}
		})
	}
}

// oneHot has a row for each of n people, with three entries of 1 in 12 columns.
func oneHot(n int) *Matrix {
	var b Builder
	for i := range n {
		b.Add(1, []int{i % 3, 3 + i%4, 7 + i%5}, nil)
	}
	m, _ := b.Finish(12)
	return m
}
