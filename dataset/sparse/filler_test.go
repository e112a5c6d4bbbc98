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
		var idx []uint32 // of all rows
		var val []float64
		ends := []int{0}
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			row := rapid.SliceOfNDistinct(rapid.Uint32Range(0, uint32(cols-1)), least, most, rapid.ID).Draw(t, "row")
			slices.Sort(row)
			for _, j := range row {
				v := 1.0
				if !binary {
					v = rapid.SampledFrom([]float64{1, 1, 2.5, -3}).Draw(t, "value")
				}
				b.Push(j, v)
				idx, val = append(idx, j), append(val, v)
			}
			b.EndRow(1)
			ends = append(ends, len(idx))
		}
		f := NewFiller(len(ends)-1, cols, rapid.IntRange(1, 8).Draw(t, "rows a block"), most, binary)
		put := func(first, last int) {
			var own []int
			for _, end := range ends[first+1 : last+1] {
				own = append(own, end-ends[first])
			}
			f.Put(first, own, idx[ends[first]:ends[last]], val[ends[first]:ends[last]])
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
