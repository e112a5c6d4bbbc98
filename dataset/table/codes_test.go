package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/spool"
)

// TestCodesOfAllWidths reads a category that turns out to need codes of one, two and four bytes, in memory
// and in files, and looks up its values again.
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
		for _, folder := range []*spool.Folder{nil, spool.New(t.TempDir())} {
			table, err := Read(strings.NewReader(text.String()), schema, Options{Name: "f.csv", AnyLabels: true, Spool: folder})
			if err != nil {
				t.Fatal(err)
			}
			x := table.Column("x")
			for i := range table.Rows {
				got, want := "", ""
				if code := x.Codes.At(i); code > 0 {
					got = x.Levels[code-1]
				}
				if i%2 == 0 {
					want = fmt.Sprintf("v%d", i/2%levels)
				}
				if got != want {
					t.Fatalf("%d levels: row %d has %q, want %q", levels, i, got, want)
				}
			}
			folder.Close()
		}
	}
}
