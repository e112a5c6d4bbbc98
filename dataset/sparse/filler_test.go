package sparse

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFiller: a Filler makes the matrix that a Builder makes of the same rows, in whatever pieces and
// order of blocks they come.
func TestFiller(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols, most := rapid.SampledFrom([]int{5, 300, 70000}).Draw(t, "columns"), rapid.IntRange(0, 3).Draw(t, "entries a row")
		binary, least := rapid.Bool().Draw(t, "binary"), 0
		if rapid.Bool().Draw(t, "full") {
			least = most
		}
		var b Builder
		slots := most + rapid.IntRange(0, 2).Draw(t, "further slots")
		var idx []uint32 // of the slots of all rows
		var val []float64
		rows := rapid.IntRange(0, 20).Draw(t, "rows")
		for range rows {
			row := rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(cols-1)), least, most, rapid.ID).Draw(t, "row")
			slices.Sort(row)
			unused := slots - len(row)
			leave := func(most int) {
				for range rapid.IntRange(0, min(most, unused)).Draw(t, "unused slots") {
					j, v := uint32(NoColumn), 3.0
					if rapid.Bool().Draw(t, "zero") {
						j, v = 0, 0
					}
					idx, val, unused = append(idx, j), append(val, v), unused-1
				}
			}
			for _, j := range row {
				leave(1)
				v := 1.0
				if !binary {
					v = rapid.SampledFrom([]float64{1, 1, 2.5, -3}).Draw(t, "value")
				}
				b.Push(j, v)
				idx, val = append(idx, j), append(val, v)
			}
			b.EndRow(1)
			for unused > 0 {
				leave(unused)
			}
		}
		f := NewFiller(rows, cols, rapid.IntRange(1, 8).Draw(t, "rows a block"), most, binary)
		put := func(first, last int) {
			f.Put(first, last-first, idx[first*slots:last*slots], val[first*slots:last*slots])
		}
		blocks := make([]int, f.Blocks())
		for k := range blocks {
			blocks[k] = k
		}
		for _, k := range rapid.Permutation(blocks).Draw(t, "order") {
			first, last := f.Block(k)
			middle := rapid.IntRange(first+1, last).Draw(t, "piece")
			put(first, middle)
			if middle < last {
				put(middle, last)
			}
		}
		want, _ := b.Finish(cols)
		if got := f.Finish(); !reflect.DeepEqual(got.store, want.store) {
			t.Fatalf("%+v, want %+v", got.store, want.store)
		}
	})
}
