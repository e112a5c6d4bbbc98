package sparse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// entry is a value of a row that is not 0.
type entry struct {
	column int
	value  float64
}

// drawRows draws the entries of rows, by columns, together with the matrix of them.
func drawRows(t *rapid.T, cols int) ([][]entry, *Matrix) {
	value := rapid.SampledFrom([]*rapid.Generator[float64]{
		rapid.Just(1.0), rapid.Float64Range(-1e3, 1e3), rapid.SampledFrom([]float64{1, 1, 0, 7.3, -1e-3}),
	}).Draw(t, "values")
	var b Builder
	drawn := make([][]entry, rapid.IntRange(0, 70).Draw(t, "rows"))
	for i := range drawn {
		index := rapid.SliceOfNDistinct(rapid.IntRange(0, cols-1), 0, min(cols, 20), rapid.ID).Draw(t, "columns")
		slices.Sort(index)
		vals := make([]float64, len(index))
		for k, j := range index {
			if vals[k] = value.Draw(t, "value"); vals[k] != 0 {
				drawn[i] = append(drawn[i], entry{j, vals[k]})
			}
		}
		b.Add(1, index, vals)
	}
	m, _ := b.Finish(cols)
	return drawn, m
}

// TestProducts covers the three index types, at the edges of their ranges.
func TestProducts(t *testing.T) {
	for _, cols := range []int{1, 123, 256, 257, 1 << 16, 1<<16 + 1} {
		t.Run(fmt.Sprint(cols), rapid.MakeCheck(func(t *rapid.T) {
			drawn, m := drawRows(t, cols)
			vector := rapid.Float64Range(-10, 10)
			x := make([]float64, cols)
			for j := range x {
				x[j] = math.Sin(float64(j + 1))
			}
			all := make([]float64, len(drawn))
			m.MulRange(all, x, 0, len(drawn))
			for i, row := range drawn {
				var want, scale float64
				for _, e := range row {
					want += e.value * x[e.column]
					scale += math.Abs(e.value * x[e.column])
				}
				if math.Abs(all[i]-want) > 1e-14*(1+scale) {
					t.Fatalf("row %d: product %v, want %v", i, all[i], want)
				}
			}
			if len(drawn) == 0 {
				return
			}

			lo := rapid.IntRange(0, len(drawn)-1).Draw(t, "lo")
			hi := rapid.IntRange(lo, len(drawn)).Draw(t, "hi")
			part := make([]float64, hi-lo)
			m.MulRange(part, x, lo, hi)
			if !slices.Equal(part, all[lo:hi]) {
				t.Fatalf("rows %d to %d: products differ in bits from those of the whole range", lo, hi)
			}
			rows := rapid.SliceOfN(rapid.IntRange(0, len(drawn)-1), 0, 100).Draw(t, "list")
			listed := make([]float64, len(rows))
			m.MulRows(listed, x, rows)
			for k, i := range rows {
				if listed[k] != all[i] {
					t.Fatalf("row %d: %v in a list, %v in a range", i, listed[k], all[i])
				}
			}

			coef := rapid.SliceOfN(vector, len(rows)+hi-lo, len(rows)+hi-lo).Draw(t, "coefficients")
			got := make([]float64, cols)
			want := make([]float64, cols)
			scale := 1.0
			for j := range got {
				got[j], want[j] = x[j], x[j]
			}
			m.AddTransRange(got, coef, lo, hi)
			m.AddTransRows(got, coef[hi-lo:], rows)
			for k, w := range coef {
				i := lo + k
				if k >= hi-lo {
					i = rows[k-(hi-lo)]
				}
				for _, e := range drawn[i] {
					want[e.column] += w * e.value
					scale = max(scale, math.Abs(w*e.value))
				}
			}
			for j := range want {
				if math.Abs(got[j]-want[j]) > 1e-13*scale*float64(len(coef)+1) {
					t.Fatalf("column %d: transposed product %v, want %v", j, got[j], want[j])
				}
			}
		}))
	}
}

func TestRowsAreWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.SampledFrom([]int{1, 7, 256, 300, 70000}).Draw(t, "cols")
		drawn, m := drawRows(t, cols)
		nnz, binary := 0, true
		for i, row := range drawn {
			var got []entry
			for j, v := range m.Row(i) {
				got = append(got, entry{j, v})
			}
			if !slices.Equal(got, row) {
				t.Fatalf("row %d is %v, want %v", i, got, row)
			}
			norm := 0.0
			for _, e := range row {
				norm += e.value * e.value
				binary = binary && e.value == 1
			}
			nnz += len(row)
			if math.Abs(m.RowNorm2(i)-math.Sqrt(norm)) > 1e-12*math.Sqrt(norm) {
				t.Fatalf("row %d: norm %v, want %v", i, m.RowNorm2(i), math.Sqrt(norm))
			}
		}
		if m.NNZ() != nnz || m.Binary() != binary {
			t.Fatalf("%d non-zeros, binary %v; want %d, %v", m.NNZ(), m.Binary(), nnz, binary)
		}
	})
}

// identity returns the matrix with a 1 in row i and column i, and nothing else.
func identity(n int) *Matrix {
	var b Builder
	for i := range n {
		b.Push(uint32(i), 1)
		b.EndRow(1)
	}
	m, _ := b.Finish(n)
	return m
}

func TestKernelsDoNotAllocate(t *testing.T) {
	const n = 500
	few, many := []int{3, 1, 4, 1, 5}, rand.New(rand.NewPCG(1, 2)).Perm(200)[:64]
	for what, m := range map[string]*Matrix{"narrow": censusLike(n), "mixed": surveyLike(n), "uniform": identity(200), "wide": identity(n)} {
		rows, cols := m.Dims()
		x, z := make([]float64, cols), make([]float64, rows)
		for name, kernel := range map[string]func(){
			"MulRange":           func() { m.MulRange(z, x, 0, rows) },
			"MulRows":            func() { m.MulRows(z, x, few) },
			"MulRows, many":      func() { m.MulRows(z, x, many) },
			"AddTransRange":      func() { m.AddTransRange(x, z, 0, rows) },
			"AddTransRows":       func() { m.AddTransRows(x, z, few) },
			"AddTransRows, many": func() { m.AddTransRows(x, z, many) },
		} {
			if n := testing.AllocsPerRun(10, kernel); n != 0 {
				t.Errorf("%s rows, %s: %v allocations", what, name, n)
			}
		}
	}
}

// TestColumns compares with sums over the rows, of the matrix and of a part of its columns.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.IntRange(1, 400).Draw(t, "cols")
		drawn, m := drawRows(t, cols)
		want := make([]Column, cols)
		for _, e := range slices.Concat(drawn...) {
			c := &want[e.column]
			c.Entries++
			c.Sum += e.value
			c.Squares += e.value * e.value
			c.Other = c.Other || e.value != 1
		}
		if got := m.Columns(); !slices.Equal(got, want) {
			t.Fatalf("columns are %v, want %v", got, want)
		}
		var columns []int
		var left []Column
		for j, c := range want {
			if c.Entries > 0 {
				columns, left = append(columns, j), append(left, c)
			}
		}
		if got := m.SelectColumns(columns).Columns(); !slices.Equal(got, left) {
			t.Fatalf("selected columns are %v, want %v", got, left)
		}
	})
}

// TestSelectColumns drops some of the empty columns, and nothing else.
func TestSelectColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.IntRange(1, 400).Draw(t, "cols")
		drawn, m := drawRows(t, cols)
		var columns []int
		for j, c := range m.Columns() {
			if c.Entries > 0 || rapid.Bool().Draw(t, "an empty one, too") {
				columns = append(columns, j)
			}
		}
		got := m.SelectColumns(columns)
		if rows, n := got.Dims(); rows != len(drawn) || n != len(columns) || got.NNZ() != m.NNZ() {
			t.Fatalf("%d rows of %d columns with %d entries", rows, n, got.NNZ())
		}
		for i, row := range drawn {
			var kept []entry
			for k, v := range got.Row(i) {
				kept = append(kept, entry{columns[k], v})
			}
			if !slices.Equal(kept, row) {
				t.Fatalf("row %d is %v, want %v", i, kept, row)
			}
		}
	})
}
