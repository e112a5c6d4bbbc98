package tabular

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// drawnTable is a random table and the schema that declares it.
type drawnTable struct {
	schema *Schema
	names  []string
	rows   [][]string // as text; "" is missing
}

// drawTable draws rows of a label y, numbers n… and categories c….
func drawTable(t *rapid.T) drawnTable {
	d := drawnTable{
		schema: &Schema{Missing: []string{""}, Label: LabelSpec{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}},
		names:  []string{"y"},
	}
	number := rapid.Custom(func(t *rapid.T) string {
		return numparse.Format(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))
	})
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab \",;|\t\né#"))).Filter(func(s string) bool {
		return s == strings.Trim(s, " \t\n") && !strings.HasPrefix(s, "#")
	})
	values := []*rapid.Generator[string]{rapid.SampledFrom([]string{"0", "1"})}
	for k := range rapid.IntRange(1, 3).Draw(t, "numbers") {
		as := rapid.SampledFrom([]string{Standardise, Bins, Raw}).Draw(t, "as")
		spec := ColumnSpec{Name: fmt.Sprintf("n%d", k), As: as}
		if as == Bins {
			spec.Bins = rapid.IntRange(2, 6).Draw(t, "bins")
		}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.OneOf(number, number, number, rapid.Just("")))
	}
	for k := range rapid.IntRange(1, 3).Draw(t, "categories") {
		spec := ColumnSpec{Name: fmt.Sprintf("c%d", k), As: OneHot, MinCount: rapid.IntRange(0, 3).Draw(t, "min count")}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.OneOf(text, rapid.SampledFrom([]string{"", "x", "y", "z"})))
	}
	for _, c := range d.schema.Columns {
		d.names = append(d.names, c.Name)
	}
	for range rapid.IntRange(1, 30).Draw(t, "rows") {
		var row []string
		for _, v := range values {
			row = append(row, v.Draw(t, "value"))
		}
		d.rows = append(d.rows, row)
	}
	return d
}

// csv writes the columns in the given order.
func (d drawnTable) csv(order []int, delimiter rune) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = delimiter
	for _, row := range append([][]string{d.names}, d.rows...) {
		var permuted []string
		for _, k := range order {
			permuted = append(permuted, row[k])
		}
		w.Write(permuted)
	}
	w.Flush()
	return out.String()
}

func inOrder(n int) []int {
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	return order
}

// TestWhatIsWrittenIsRead: a table that is written as CSV is read as the same table, if the
// schema says how it is written.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTable(t)
		delimiter := rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "delimiter")
		d.schema.Delimiter, d.schema.Header, d.schema.Comments = string(delimiter), new(true), []string{"no such row"}
		table, err := Read(strings.NewReader(d.csv(inOrder(len(d.names)), delimiter)), d.schema, Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]string, len(d.rows))
		for i, row := range d.rows {
			for _, v := range row {
				if v == "" {
					v = "missing"
				}
				want[i] = append(want[i], v)
			}
		}
		if diff := cmp.Diff(want, cells(table), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
		for _, c := range table.Columns {
			if !slices.IsSorted(c.Levels) {
				t.Fatalf("levels of %s are not sorted: %q", c.Name, c.Levels)
			}
		}
	})
}

// tableSeeds are files to be damaged.
var tableSeeds = []string{
	"age,job,rich\n31,cook,yes\n42,?,no\n",
	"31 A11 1\n42 A12 2\n",
	"|1x3 Cross validator\n25, Private, <=50K.\n38, ?, >50K.\n",
	"\ufeffa;b\r\n\"1;\n2\";13.5%\r\n",
	"a\tb\n\"\t1\n", "a,a\n1,2\n", "Z\xfcrich\n", "a,b\n1\n", "\xff\xfe", "a|b\n\n# x\n1|$1,200\n",
	"b,\n1,b\n,a\n", "b\n,b\n,", // the header, or a title above one?
}

func FuzzReadTable(f *testing.F) { datatest.Fuzz(f, tableSeeds, checkTable) }

// checkTable expects that errors have a place in the file, and that the full schema reads the
// same table.
func checkTable(t *testing.T, text string) {
	declared := &Schema{
		Names:   []string{"a", "b"},
		Label:   LabelSpec{Column: "b"},
		Columns: []ColumnSpec{{Name: "a", As: Raw, Unit: "%"}},
	}
	for _, s := range []*Schema{{}, declared} {
		table, err := Read(strings.NewReader(text), s, Options{Name: "f"})
		if err != nil {
			fault, ok := errors.AsType[*textfile.ParseError](err)
			if !ok || fault.Line < 1 || fault.Column < 1 || fault.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("error without a place in the file: %v", err)
			}
			continue
		}
		for _, c := range table.Columns {
			if n := c.Codes.Len() + len(c.Numbers); n != table.Rows {
				t.Fatalf("column %s has %d values for %d rows", c.Name, n, table.Rows)
			}
		}
		if err := table.FullSchema().Validate(); err != nil {
			t.Fatalf("the schema found out is invalid: %v", err)
		}
		again, err := Read(strings.NewReader(text), table.FullSchema(), Options{Name: "f"})
		if err != nil {
			t.Fatalf("with the schema found out: %v", err)
		}
		if diff := cmp.Diff(cells(table), cells(again)); diff != "" {
			t.Fatalf("with the schema found out (-first +second)\n%s", diff)
		}
	}
}
