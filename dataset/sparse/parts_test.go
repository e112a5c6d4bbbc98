package sparse

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestUniformRows compares rows without pointers with the same rows with pointers, by bits.
func TestUniformRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cols := rapid.IntRange(0, 90).Draw(t, "rows"), 200
		valued, ones := rapid.IntRange(0, 5).Draw(t, "values a row"), rapid.IntRange(0, 5).Draw(t, "ones a row")
		with, without := Parts{Rows: n, Cols: cols}, Parts{Rows: n, Cols: cols}
		with.Ones.Ptr, with.Valued.Ptr = []int{0}, []int{0}
		without.Ones.PerRow, without.Valued.PerRow = ones, valued
		for range n {
			row := rapid.SliceOfNDistinct(rapid.Uint8Range(0, uint8(cols-1)), valued+ones,
				valued+ones, rapid.ID).Draw(t, "row")
			slices.Sort(row[:valued])
			slices.Sort(row[valued:])
			with.Valued.Narrow = append(with.Valued.Narrow, row[:valued]...)
			with.Ones.Narrow = append(with.Ones.Narrow, row[valued:]...)
			with.Valued.Ptr = append(with.Valued.Ptr, len(with.Valued.Narrow))
			with.Ones.Ptr = append(with.Ones.Ptr, len(with.Ones.Narrow))
			for range valued {
				with.Values = append(with.Values, rapid.Float64Range(1.5, 9).Draw(t, "value"))
			}
		}
		without.Valued.Narrow, without.Ones.Narrow, without.Values = with.Valued.Narrow, with.Ones.Narrow, with.Values
		a, err := Over(with)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Over(without)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.CheckRows(0, n); err != nil {
			t.Fatal(err)
		}
		x := make([]float64, cols)
		for j := range x {
			x[j] = math.Sin(float64(j))
		}
		var list []int
		if n > 0 {
			list = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 80).Draw(t, "list")
		}
		products := func(m *Matrix) []float64 {
			all, some, sum := make([]float64, n), make([]float64, len(list)), slices.Clone(x)
			m.MulRange(all, x, 0, n)
			m.MulRows(some, x, list)
			m.AddTransRange(sum, all, 0, n)
			m.AddTransRows(sum, some, list)
			for i := range n {
				for j, v := range m.Row(i) {
					sum = append(sum, float64(j), v)
				}
			}
			return slices.Concat(all, some, sum)
		}
		if !slices.Equal(products(a), products(b)) {
			t.Fatal("rows without pointers differ from those with them")
		}
	})
}

func TestPartsThatContradict(t *testing.T) {
	two, one := Columns{PerRow: 2, Narrow: []uint8{0, 1}}, Columns{PerRow: 1, Narrow: []uint8{0, 1}}
	for name, p := range map[string]Parts{
		"no sizes":               {Rows: -1},
		"two widths":             {Rows: 1, Cols: 2, Ones: Columns{PerRow: 2, Narrow: two.Narrow, Wide: []uint32{0, 1}}},
		"indices of two widths":  {Rows: 2, Cols: 2, Ones: one, Valued: Columns{PerRow: 1, Wide: []uint32{0, 1}}, Values: []float64{2, 3}},
		"row pointers":           {Rows: 1, Cols: 2, Ones: Columns{Ptr: []int{0, 1}, Narrow: two.Narrow}},
		"2 entries":              {Rows: 3, Cols: 2, Ones: one},
		"1 values for 2 entries": {Rows: 2, Cols: 2, Valued: one, Values: []float64{2}},
		"of -1 each":             {Rows: 1, Ones: Columns{PerRow: -1}},
	} {
		if _, err := Over(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRows(t *testing.T) {
	all := func(perRow int, idx ...uint8) Columns { return Columns{PerRow: perRow, Narrow: idx} }
	for want, p := range map[string]Parts{
		"":                            {Rows: 2, Cols: 9, Ones: all(2, 3, 8, 0, 1)},
		"row 2: column 10 after":      {Rows: 2, Cols: 9, Ones: all(2, 3, 8, 0, 9)},
		"row 1: column 4 after":       {Rows: 2, Cols: 9, Ones: Columns{PerRow: 2, Medium: []uint16{3, 3, 0, 1}}},
		"the value 0, expected":       {Rows: 1, Cols: 9, Valued: Columns{PerRow: 1, Wide: []uint32{8}}, Values: []float64{0}},
		"row 1: the value 1, ex":      {Rows: 1, Cols: 9, Ones: all(1, 3), Valued: all(1, 2), Values: []float64{1}},
		"column 4 has a value and is": {Rows: 1, Cols: 9, Ones: all(2, 1, 3), Valued: all(2, 2, 3), Values: []float64{5, 6}},
		"the value NaN, expected":     {Rows: 2, Cols: 9, Valued: all(1, 2, 2), Values: []float64{5, math.NaN()}},
		"the value +Inf, expected":    {Rows: 1, Cols: 9, Valued: Columns{Ptr: []int{0, 1}, Narrow: []uint8{8}}, Values: []float64{math.Inf(1)}},
	} {
		m, err := Over(p)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := m.Dims()
		if err := m.CheckRows(0, rows); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
