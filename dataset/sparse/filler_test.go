package sparse

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestFiller: a Filler makes the matrix that a Builder makes of the same rows, in whatever pieces and
// order of blocks they come.
func TestFiller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.SampledFrom([]int{5, 300, 70000}).Draw(t, "columns")
		numbers := rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(cols-1)), 0, 3, rapid.ID).Draw(t, "numbers")
		slices.Sort(numbers)
		most, full := rapid.IntRange(0, min(3, cols-len(numbers))).Draw(t, "ones"), rapid.Bool().Draw(t, "full")
		value := rapid.SampledFrom([]float64{0, 1, 2.5, -3})
		if full {
			value = rapid.SampledFrom([]float64{2.5, -3})
		}
		one := rapid.Uint32Range(0, uint32(cols-1)).Filter(func(j uint32) bool { return !slices.Contains(numbers, j) })
		slots := most + rapid.IntRange(0, 2).Draw(t, "further slots")
		count := rapid.IntRange(1, 20).Draw(t, "rows")
		var b Builder
		values, ones := make([][]float64, count), make([][]uint32, count)
		for i := range count {
			row := map[uint32]float64{}
			for _, j := range numbers {
				row[j] = value.Draw(t, "value")
				values[i] = append(values[i], row[j])
			}
			least := 0
			if full {
				least = most
			}
			var own []uint32
			if most > 0 {
				own = rapid.SliceOfNDistinct(one, least, most, rapid.ID).Draw(t, "ones of the row")
				slices.Sort(own)
			}
			for _, j := range own {
				row[j] = 1
			}
			for left := slots - len(own); len(ones[i]) < slots; {
				if left > 0 && (len(own) == 0 || rapid.Bool().Draw(t, "unused")) {
					ones[i], left = append(ones[i], NoColumn), left-1
				} else {
					ones[i], own = append(ones[i], own[0]), own[1:]
				}
			}
			for _, j := range slices.Sorted(maps.Keys(row)) {
				b.Push(j, row[j])
			}
			b.EndRow(1)
		}
		f := NewFiller(count, cols, rapid.IntRange(1, 8).Draw(t, "rows a block"), len(numbers)+most, numbers)
		put := func(block, first, last int) {
			given := slices.Concat(values[first:last]...)
			copy(f.Numbers(block, last-first), given)
			noGaps := !slices.Contains(given, 0) && !slices.Contains(given, 1)
			f.Put(block, last-first, noGaps, slices.Concat(ones[first:last]...))
		}
		blocks := make([]int, f.Blocks())
		for k := range blocks {
			blocks[k] = k
		}
		for _, k := range rapid.Permutation(blocks).Draw(t, "order") {
			first, last := f.Block(k)
			middle := rapid.IntRange(first+1, last).Draw(t, "piece")
			put(k, first, middle)
			if middle < last {
				put(k, middle, last)
			}
		}
		want, _ := b.Finish(cols)
		isWhole := func(row []float64) bool { return len(row) > 0 && !slices.Contains(row, 0) && !slices.Contains(row, 1) }
		got := f.Finish()
		shares := sharesColumns(got)
		if shares != !slices.ContainsFunc(values, func(row []float64) bool { return !isWhole(row) }) {
			t.Fatalf("the columns of values are shared: %v", shares)
		}
		if shares {
			if err := got.CheckRows(0, count); err != nil {
				t.Fatal(err)
			}
			got = rebuilt(got)
		}
		stored := cmp.AllowUnexported(csr[uint8]{}, csr[uint16]{}, csr[uint32]{}, narrow{}, uniform{}, mixed{}, rows{})
		if diff := cmp.Diff(want.store, got.store, stored, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestFillerKeepsLittle: memory for values that are 0, and for entries that are not there, is not kept.
func TestFillerKeepsLittle(t *testing.T) {
	const rows = 1000
	f := NewFiller(rows, 5, 100, 3, []uint32{0, 1})
	for k := range f.Blocks() {
		numbers := f.Numbers(k, 100)
		clear(numbers)
		numbers[0] = 7
		f.Put(k, 100, false, slices.Repeat([]uint32{4}, 100))
	}
	c := f.Finish().store.(mixed)
	if cap(c.val) > 20 || cap(c.idx) > rows+100 {
		t.Errorf("room for %d values and %d entries, of 10 and %d", cap(c.val), cap(c.idx), rows+10)
	}
}

// TestNoRows: a Filler of no rows makes a matrix of none.
func TestNoRows(t *testing.T) {
	m := NewFiller(0, 5, 8, 3, []uint32{2}).Finish()
	if rows, cols := m.Dims(); rows != 0 || cols != 5 || m.NNZ() != 0 || len(m.Columns()) != 5 {
		t.Errorf("%d rows and %d columns with %d entries", rows, cols, m.NNZ())
	}
	m.MulRange(nil, make([]float64, 5), 0, 0)
}

// TestOneGap has a single row without a value, in one place after the other.
func TestOneGap(t *testing.T) {
	const rows, perBlock = 9, 3
	for gap := range rows {
		f := NewFiller(rows, 5, perBlock, 3, []uint32{1, 3})
		for i := range rows {
			v := 2.5
			if i == gap {
				v = 0
			}
			copy(f.Numbers(i/perBlock, 1), []float64{float64(2 + i), v})
			f.Put(i/perBlock, 1, v != 0, []uint32{uint32(i % 2 * 2)})
		}
		m := f.Finish()
		for i := range rows {
			want := map[int]float64{i % 2 * 2: 1, 1: float64(2 + i), 3: 2.5}
			if i == gap {
				delete(want, 3)
			}
			if got := maps.Collect(m.Row(i)); !maps.Equal(got, want) {
				t.Errorf("gap in row %d: row %d is %v, want %v", gap, i, got, want)
			}
		}
	}
}
