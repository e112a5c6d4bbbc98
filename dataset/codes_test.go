package dataset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCodes: codes of any width are picked and counted like a list.
func TestCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{0, 1, 255, 256, 65535, 65536}).Draw(t, "most")
		list := append(rapid.SliceOf(rapid.IntRange(0, most)).Draw(t, "codes"), most)
		c, bits := CodesOf(list...), 32*len(list)
		switch {
		case most < 1<<8:
			bits = 8 * len(list)
		case most < 1<<16:
			bits = 16 * len(list)
		}
		if n := 8*len(c.narrow) + 16*len(c.medium) + 32*len(c.wide); n != bits || c.Len() != len(list) {
			t.Fatalf("%d codes up to %d take %d bits and are %d", len(list), most, n, c.Len())
		}
		if got := slices.Collect(c.All()); !slices.Equal(got, list) {
			t.Fatalf("codes %v, want %v", got, list)
		}
		rows := rapid.SliceOf(rapid.IntRange(0, len(list)-1)).Draw(t, "rows")
		for k, code := range slices.Collect(c.pick(rows).All()) {
			if code != list[rows[k]] {
				t.Fatalf("row %d picked: %d, want %d", rows[k], code, list[rows[k]])
			}
		}
		want := make([]int, most+1)
		for _, code := range list {
			want[code]++
		}
		if !slices.Equal(c.Count(most+1), want) {
			t.Fatalf("%v are counted wrongly", list)
		}
	})
}
