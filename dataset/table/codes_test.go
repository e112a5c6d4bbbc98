package table

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
)

// TestCodesOfAllWidths reads a category that turns out to need codes of one, two and four bytes, and looks up its values again.
func TestCodesOfAllWidths(t *testing.T) {
	schema := &Schema{Columns: []ColumnSpec{{Name: "x", As: OneHot}}}
	for _, levels := range []int{255, 256, 65535, 65536} {
		var text strings.Builder
		text.WriteString("x,y\n")
		for round := range 2 {
			for k := range levels {
				fmt.Fprintf(&text, "v%d,%d\n,1\n", k, round)
			}
		}
		table, err := Read(strings.NewReader(text.String()), schema, Options{Name: "f.csv", AnyLabels: true})
		if err != nil {
			t.Fatal(err)
		}
		x := table.Column("x")
		want := dataset.MakeCodes(table.Rows, levels)
		for i := range table.Rows {
			if i%2 == 0 {
				level, _ := slices.BinarySearch(x.Levels, fmt.Sprintf("v%d", i/2%levels))
				want.Put(i, 1+level)
			}
		}
		if !cmp.Equal(want, x.Codes, sameCodes) {
			t.Errorf("%d levels: not the codes wanted, or not as wide", levels)
		}
	}
}
