package sparse

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawRows draws rows of a matrix as a dense table together with the matrix itself.
func drawRows(t *rapid.T, cols int) ([][]float64, *Matrix) {
	value := rapid.Just(1.0)
	if !rapid.Bool().Draw(t, "binary") {
		value = rapid.Float64Range(-1e3, 1e3)
	}
	var b Builder
	dense := make([][]float64, rapid.IntRange(0, 70).Draw(t, "rows"))
	for i := range dense {
		dense[i] = make([]float64, cols)
		index := rapid.SliceOfNDistinct(rapid.IntRange(0, cols-1), 0, min(cols, 20), rapid.ID).Draw(t, "columns")
		slices.Sort(index)
		vals := make([]float64, len(index))
		for k, j := range index {
			vals[k] = value.Draw(t, "value")
			dense[i][j] = vals[k]
		}
		b.Add(1, index, vals)
	}
	m, _ := b.Finish(cols)
	return dense, m
}

// TestMatrixAgainstDense covers the three index types, at the edges of their ranges.
func TestMatrixAgainstDense(t *testing.T) {
	for _, cols := range []int{1, 123, 256, 257, 1 << 16, 1<<16 + 1} {
		t.Run(fmt.Sprint(cols), rapid.MakeCheck(func(t *rapid.T) {
			dense, m := drawRows(t, cols)
			vector := rapid.Float64Range(-10, 10)
			x := make([]float64, cols)
			for j := range x {
				x[j] = math.Sin(float64(j + 1))
			}
			all := make([]float64, len(dense))
			m.MulRange(all, x, 0, len(dense))
			for i, row := range dense {
				var want, scale float64
				for j, v := range row {
					want += v * x[j]
					scale += math.Abs(v * x[j])
				}
				if math.Abs(all[i]-want) > 1e-14*(1+scale) {
					t.Fatalf("row %d: product %v, dense %v", i, all[i], want)
				}
			}
			if len(dense) == 0 {
				return
			}

			lo := rapid.IntRange(0, len(dense)-1).Draw(t, "lo")
			hi := rapid.IntRange(lo, len(dense)).Draw(t, "hi")
			part := make([]float64, hi-lo)
			m.MulRange(part, x, lo, hi)
			if !slices.Equal(part, all[lo:hi]) {
				t.Fatalf("rows %d to %d: products differ in bits from those of the whole range", lo, hi)
			}
			rows := rapid.SliceOfN(rapid.IntRange(0, len(dense)-1), 0, 100).Draw(t, "list")
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
				for j, v := range dense[i] {
					want[j] += w * v
					scale = max(scale, math.Abs(w*v))
				}
			}
			for j := range want {
				if math.Abs(got[j]-want[j]) > 1e-13*scale*float64(len(coef)+1) {
					t.Fatalf("column %d: transposed product %v, dense %v", j, got[j], want[j])
				}
			}
		}))
	}
}

func TestRowsAreWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.SampledFrom([]int{1, 7, 256, 300, 70000}).Draw(t, "cols")
		dense, m := drawRows(t, cols)
		nnz, binary := 0, true
		for i, row := range dense {
			var norm float64
			got := make([]float64, cols)
			last := -1
			for j, v := range m.Row(i) {
				if j <= last {
					t.Fatalf("row %d: column %d after column %d", i, j, last)
				}
				last, got[j] = j, v
			}
			if !slices.Equal(got, row) {
				t.Fatalf("row %d differs", i)
			}
			for _, v := range row {
				norm += v * v
				if v != 0 {
					nnz++
					binary = binary && v == 1
				}
			}
			if math.Abs(m.RowNorm2(i)-math.Sqrt(norm)) > 1e-12*math.Sqrt(norm) {
				t.Fatalf("row %d: norm %v, dense %v", i, m.RowNorm2(i), math.Sqrt(norm))
			}
		}
		if m.NNZ() != nnz || m.Binary() != binary {
			t.Fatalf("%d non-zeros, binary %v; dense %d, %v", m.NNZ(), m.Binary(), nnz, binary)
		}
	})
}

func TestKernelsDoNotAllocate(t *testing.T) {
	m := censusLike(500)
	x, z := make([]float64, 123), make([]float64, 500)
	rows := []int{3, 1, 4, 1, 5}
	for name, kernel := range map[string]func(){
		"MulRange":      func() { m.MulRange(z, x, 0, 500) },
		"MulRows":       func() { m.MulRows(z, x, rows) },
		"AddTransRange": func() { m.AddTransRange(x, z, 0, 500) },
		"AddTransRows":  func() { m.AddTransRows(x, z, rows) },
	} {
		if n := testing.AllocsPerRun(10, kernel); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestSelectColumns drops some of the empty columns, and nothing else.
func TestSelectColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.IntRange(1, 400).Draw(t, "cols")
		dense, m := drawRows(t, cols)
		used := make([]bool, cols)
		m.MarkColumns(used)
		var columns []int
		for j, u := range used {
			if want := slices.ContainsFunc(dense, func(row []float64) bool { return row[j] != 0 }); want && !u {
				t.Fatalf("column %d is not marked", j)
			}
			if u || rapid.Bool().Draw(t, "an empty one, too") {
				columns = append(columns, j)
			}
		}
		got := m.SelectColumns(columns)
		if rows, n := got.Dims(); rows != len(dense) || n != len(columns) || got.NNZ() != m.NNZ() {
			t.Fatalf("%d rows of %d columns with %d entries", rows, n, got.NNZ())
		}
		for i := range dense {
			for k, v := range got.Row(i) {
				if dense[i][columns[k]] != v {
					t.Fatalf("entry %d, %d is %v, want %v", i, k, v, dense[i][columns[k]])
				}
			}
		}
	})
}
