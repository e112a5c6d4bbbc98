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
		n, perRow, cols := rapid.IntRange(0, 90).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "entries a row"), 200
		valued := rapid.IntRange(0, perRow).Draw(t, "values a row")
		idx, ptr, valuePtr := []uint8{}, []int{0}, []int{0}
		for range n {
			row := rapid.SliceOfNDistinct(rapid.Uint8Range(0, uint8(cols-1)), perRow, perRow, rapid.ID).Draw(t, "row")
			slices.Sort(row[:valued])
			slices.Sort(row[valued:])
			idx = append(idx, row...)
			ptr, valuePtr = append(ptr, len(idx)), append(valuePtr, len(valuePtr)*valued)
		}
		var values []float64
		for range n * valued {
			values = append(values, rapid.Float64Range(1.5, 9).Draw(t, "value"))
		}
		with, err := Over(Parts{Rows: n, Cols: cols, Ptr: ptr, Narrow: idx, Values: values, ValuePtr: valuePtr})
		if err != nil {
			t.Fatal(err)
		}
		without, err := Over(Parts{Rows: n, Cols: cols, PerRow: perRow, Narrow: idx, Values: values, ValuesPerRow: valued})
		if err != nil {
			t.Fatal(err)
		}
		if err := without.CheckRows(0, n); err != nil {
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
		if !slices.Equal(products(with), products(without)) {
			t.Fatal("rows without pointers differ from those with them")
		}
	})
}

func TestPartsThatContradict(t *testing.T) {
	two := []uint8{0, 1}
	for name, p := range map[string]Parts{
		"no sizes":     {Rows: -1},
		"two widths":   {Rows: 1, Cols: 2, PerRow: 2, Narrow: two, Wide: []uint32{0, 1}},
		"row pointers": {Rows: 1, Cols: 2, Ptr: []int{0, 1}, Narrow: two},
		"2 entries":    {Rows: 3, Cols: 2, PerRow: 1, Narrow: two},
		"1 values":     {Rows: 2, Cols: 2, PerRow: 1, Narrow: two, Values: []float64{1}},
		"and 1 values": {Rows: 2, Cols: 2, PerRow: 1, Narrow: two, Values: []float64{1}, ValuePtr: []int{0, 1}},
		"3 values":     {Rows: 2, Cols: 2, PerRow: 1, Narrow: two, Values: []float64{1, 2, 3}, ValuesPerRow: 1},
		"-1 entries":   {Rows: 1, PerRow: -1},
		"-1 values":    {Rows: 1, ValuesPerRow: -1},
		"of 2 columns": {Rows: 2, Cols: 2, Values: []float64{1, 2}, ValuesPerRow: 1, Shared: []uint32{0, 1}},
		"columns [2]":  {Rows: 2, Cols: 2, Values: []float64{1, 2}, ValuesPerRow: 1, Shared: []uint32{2}},
		"of 1 columns": {Rows: 2, Cols: 2, Values: []float64{1, 2}, ValuePtr: []int{0, 1, 2}, Shared: []uint32{1}},
	} {
		if _, err := Over(p); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRows(t *testing.T) {
	for want, p := range map[string]Parts{
		"":                             {Rows: 2, Cols: 9, PerRow: 2, Narrow: []uint8{3, 8, 0, 1}},
		"row 2: column 10 after":       {Rows: 2, Cols: 9, PerRow: 2, Narrow: []uint8{3, 8, 0, 9}},
		"row 1: column 4 after":        {Rows: 2, Cols: 9, PerRow: 2, Medium: []uint16{3, 3, 0, 1}},
		"the value 0, expected":        {Rows: 1, Cols: 9, PerRow: 1, Wide: []uint32{8}, Values: []float64{0}},
		"row 2: 2 values of 1 entries": {Rows: 2, Cols: 9, Ptr: []int{0, 2, 3}, Narrow: []uint8{3, 8, 1}, Values: []float64{5, 6}, ValuePtr: []int{0, 0, 2}},
		"row 1: a value is 1, where":   {Rows: 1, Cols: 9, PerRow: 2, Narrow: []uint8{2, 3}, Values: []float64{1}, ValuesPerRow: 1},
		"column 4 has a value and is":  {Rows: 1, Cols: 9, PerRow: 4, Narrow: []uint8{2, 3, 1, 3}, Values: []float64{5, 6}, ValuesPerRow: 2},
		" ":                            {Rows: 1, Cols: 9, PerRow: 2, Narrow: []uint8{2, 3}, Values: []float64{1, 5}}, // of an old file
		"column 2 after column 2":      {Rows: 2, Cols: 9, Values: []float64{5, 6, 5, 6}, ValuesPerRow: 2, Shared: []uint32{1, 1}},
		"column 3 has a value and is":  {Rows: 2, Cols: 9, PerRow: 1, Narrow: []uint8{3, 2}, Values: []float64{5, 6}, ValuesPerRow: 1, Shared: []uint32{2}},
		"row 2: a value is 1, where":   {Rows: 2, Cols: 9, PerRow: 1, Narrow: []uint8{3, 3}, Values: []float64{5, 1}, ValuesPerRow: 1, Shared: []uint32{2}},
		"the value NaN, expected":      {Rows: 2, Cols: 9, Values: []float64{5, math.NaN()}, ValuesPerRow: 1, Shared: []uint32{2}},
		"the value +Inf, expected":     {Rows: 1, Cols: 9, Ptr: []int{0, 1}, Narrow: []uint8{8}, Values: []float64{math.Inf(1)}},
	} {
		m, err := Over(p)
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := m.Dims()
		if err := m.CheckRows(0, rows); (err == nil) != (strings.TrimSpace(want) == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}
