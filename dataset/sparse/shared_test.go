package sparse

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sharesColumns reports whether the columns of values are not stored for every row.
func sharesColumns(m *Matrix) bool {
	switch c := m.store.(type) {
	case mixed:
		return c.shared != nil
	case csr[uint8]:
		return c.shared != nil
	case csr[uint16]:
		return c.shared != nil
	case csr[uint32]:
		return c.shared != nil
	}
	return false
}

// rebuilt returns the same rows without shared columns.
func rebuilt(m *Matrix) *Matrix {
	var b Builder
	for i := range m.rows {
		for j, v := range m.Row(i) {
			b.Push(uint32(j), v)
		}
		b.EndRow(1)
	}
	same, _ := b.Finish(m.cols)
	return same
}

// TestSharedColumns compares rows whose values are in the same columns with the same rows, of which each has
// columns of its own, by bits.
func TestSharedColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cols := rapid.IntRange(1, 90).Draw(t, "rows"), rapid.SampledFrom([]int{40, 300, 70000, manyColumns}).Draw(t, "columns")
		own, least := rapid.IntRange(0, 9).Draw(t, "other entries"), 0
		if rapid.Bool().Draw(t, "as many in each row") {
			least = own
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var columns []int // that are not empty
		for len(columns) < 30 {
			if j := r.IntN(cols); !slices.Contains(columns, j) {
				columns = append(columns, j)
			}
		}
		shared := columns[:rapid.IntRange(1, 9).Draw(t, "shared columns")]
		slices.Sort(shared)
		var b Builder
		p := Parts{Rows: n, Cols: cols, Ptr: []int{0}, ValuesPerRow: len(shared)}
		for _, j := range shared {
			p.Shared = append(p.Shared, uint32(j))
		}
		var ones []uint32
		for range n {
			row := map[int]float64{}
			for _, j := range shared {
				row[j] = r.NormFloat64()
				p.Values = append(p.Values, row[j])
			}
			first := len(ones)
			for _, k := range r.Perm(20)[:least+r.IntN(own-least+1)] {
				j := columns[len(shared)+k]
				row[j] = 1
				ones = append(ones, uint32(j))
			}
			slices.Sort(ones[first:])
			p.Ptr = append(p.Ptr, len(ones))
			for _, j := range slices.Sorted(maps.Keys(row)) {
				b.Push(uint32(j), row[j])
			}
			b.EndRow(1)
		}
		idx := newIndices(cols, len(ones))
		idx.set(0, indicesOf[uint32](ones))
		got := matrixOf(p, idx)
		want, _ := b.Finish(cols)
		if !sharesColumns(got) || sharesColumns(want) {
			t.Fatal("the wrong rows share columns")
		}
		if err := got.CheckRows(0, n); err != nil {
			t.Fatal(err)
		}
		x := make([]float64, cols)
		for j := range x {
			x[j] = math.Sin(float64(j))
		}
		list := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 80).Draw(t, "list")
		everything := func(m *Matrix) map[string]any {
			all, some, sum := make([]float64, n), make([]float64, len(list)), make([]float64, cols)
			m.MulRange(all, x, 0, n)
			m.MulRows(some, x, list)
			m.AddTransRange(sum, all, 0, n)
			m.AddTransRows(sum, some, list)
			var entries []float64
			for i := range n {
				for j, v := range m.Row(i) {
					entries = append(entries, float64(j), v)
				}
			}
			used := make([]bool, cols)
			m.MarkColumns(used)
			var present []int
			for j, is := range used {
				if is {
					present = append(present, j)
				}
			}
			selected := make([]float64, n)
			m.SelectColumns(present).MulRange(selected, x, 0, n)
			lo, hi := n/3, n
			part := m.store.turned(lo, hi, cols, make([]turnedEntry, m.store.entries(lo, hi)))
			isZero := func(v float64) bool { return v == 0 }
			isEmpty := func(c Column) bool { return c.Entries == 0 }
			sum, measured := slices.DeleteFunc(sum, isZero), slices.DeleteFunc(slices.Clone(m.Columns()), isEmpty)
			return map[string]any{
				"rows": all, "list of rows": some, "sums": sum, "entries": entries, "used": present, "selected": selected, "turned": part,
				"count": m.NNZ(), "binary": m.Binary(), "columns": measured,
			}
		}
		if diff := cmp.Diff(everything(want), everything(got), cmp.AllowUnexported(TurnedPart{})); diff != "" {
			t.Fatal(diff)
		}
	})
}
