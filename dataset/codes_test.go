package dataset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCodes: codes of any width are looked up and counted like a list.
func TestCodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{0, 1, 255, 256, 65535, 65536}).Draw(t, "most")
		list := append(rapid.SliceOf(rapid.IntRange(0, most)).Draw(t, "codes"), most)
		c := CodesOf(list...)
		width := 4
		switch {
		case most < 1<<8:
			width = 1
		case most < 1<<16:
			width = 2
		}
		if n := len(c.narrow) + 2*len(c.medium) + 4*len(c.wide); n != len(list)*width {
			t.Fatalf("%d codes up to %d take %d bytes", len(list), most, n)
		}
		table := make([]int, most+1)
		for k := range table {
			table[k] = 7 * k
		}
		rows := rapid.SliceOf(rapid.IntRange(0, len(list)-1)).Draw(t, "rows")
		got := make([]int, len(rows))
		Lookup(got, table, c, rows)
		for k, i := range rows {
			if got[k] != 7*list[i] {
				t.Fatalf("row %d: %d, want %d", i, got[k], 7*list[i])
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

// TestNoCodes: without memory all rows have the code 0.
func TestNoCodes(t *testing.T) {
	got := []string{"", ""}
	Lookup(got, []string{"all"}, Codes{}, []int{5, 9})
	if !slices.Equal(got, []string{"all", "all"}) {
		t.Errorf("looked up: %q", got)
	}
}
