package encoding

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// TestLearnedOnTheGivenRowsOnly: other rows may have any values.
func TestLearnedOnTheGivenRowsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTable(t)
		d.rows[0][0] = "1"
		d.rows = append(d.rows, slices.Clone(d.rows[0]))
		d.rows[len(d.rows)-1][0] = "0"
		for k := range d.names[1:] {
			if d.schema.Columns[k].As != tabular.OneHot {
				d.rows[0][k+1] = "1" // so that no number is always missing
			}
		}
		n := len(d.rows)
		first := learnDrawn(t, d, nil)
		for range 3 {
			row := []string{"1"}
			for _, c := range d.schema.Columns {
				value := "another"
				if c.As != tabular.OneHot {
					value = numparse.Format(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))
				}
				row = append(row, value)
			}
			d.rows = append(d.rows, row)
		}
		second := learnDrawn(t, d, inOrder(n))
		if diff := cmp.Diff(first.Features, second.Features); diff != "" {
			t.Fatalf("(-without +with rows not to learn from)\n%s", diff)
		}
	})
}

// drawnTable is a random table and the schema that declares it.
type drawnTable struct {
	schema *tabular.Schema
	names  []string
	rows   [][]string // as text; "" is missing
}

// drawTable draws rows of a label y, numbers n… and categories c….
func drawTable(t *rapid.T) drawnTable {
	d := drawnTable{
		schema: &tabular.Schema{Missing: []string{""}, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}},
		names:  []string{"y"},
	}
	number := rapid.Custom(func(t *rapid.T) string {
		return numparse.Format(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))
	})
	values := []*rapid.Generator[string]{rapid.SampledFrom([]string{"0", "1"})}
	for k := range rapid.IntRange(1, 3).Draw(t, "numbers") {
		as := rapid.SampledFrom([]string{tabular.Standardise, tabular.Bins, tabular.Raw}).Draw(t, "as")
		spec := tabular.ColumnSpec{Name: fmt.Sprintf("n%d", k), As: as}
		if as == tabular.Bins {
			spec.Bins = rapid.IntRange(2, 6).Draw(t, "bins")
		}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.OneOf(number, number, number, rapid.Just("")))
	}
	for k := range rapid.IntRange(1, 3).Draw(t, "categories") {
		spec := tabular.ColumnSpec{Name: fmt.Sprintf("c%d", k), As: tabular.OneHot, MinCount: rapid.IntRange(0, 3).Draw(t, "min count")}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.SampledFrom([]string{"", "x", "y", "z", "é"}))
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
func (d drawnTable) csv(order []int) string {
	var text strings.Builder
	for _, row := range append([][]string{d.names}, d.rows...) {
		for k, column := range order {
			if k > 0 {
				text.WriteString(",")
			}
			text.WriteString(row[column])
		}
		text.WriteString("\n")
	}
	return text.String()
}

func inOrder(n int) []int {
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	return order
}

func learnDrawn(t *rapid.T, d drawnTable, rows []int) *Encoding {
	d.schema.Header, d.schema.Delimiter, d.schema.Comments = new(true), ",", []string{"no such row"}
	people, err := tabular.Read(strings.NewReader(d.csv(inOrder(len(d.names)))), d.schema, tabular.Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Learn(people, rows)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSameBits: an encoding that went through JSON, applied to the training rows or to
// the file with its columns in any order, gives the rows bit for bit.
func TestSameBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTable(t)
		for k := range d.names { // both labels, and a number in every column
			d.rows = append(d.rows, nil)
			copy(d.rows[1:], d.rows)
			d.rows[0] = slices.Repeat([]string{"1"}, len(d.names))
			if k > 0 {
				d.rows[0][0] = "0"
			}
		}
		e := learnDrawn(t, d, nil)
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		stored := &Encoding{}
		if err := json.Unmarshal(text, stored); err != nil {
			t.Fatal(err)
		}
		if err := stored.Validate(); err != nil {
			t.Fatalf("read from JSON: %v", err)
		}
		if diff := cmp.Diff(e, stored); diff != "" {
			t.Fatalf("(-learned +stored)\n%s", diff)
		}

		want, err := e.Read(strings.NewReader(d.csv(inOrder(len(d.names)))), tabular.Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		order := rapid.Permutation(inOrder(len(d.names))).Draw(t, "order")
		got, err := stored.Read(strings.NewReader(d.csv(order)), tabular.Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		sameBits := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
		if diff := cmp.Diff(dense(want), dense(got), sameBits); diff != "" {
			t.Fatalf("columns in order %v (-want +got)\n%s", order, diff)
		}
		if diff := cmp.Diff(want.Y, got.Y); diff != "" {
			t.Fatalf("labels (-want +got)\n%s", diff)
		}
		one := rapid.IntRange(0, want.Rows()-1).Draw(t, "row")
		people, err := tabular.Read(strings.NewReader(d.csv(order)), stored.Schema, tabular.Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := stored.Apply(people, []int{one})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(dense(want)[one], dense(alone)[0], sameBits); diff != "" {
			t.Fatalf("row %d alone (-want +got)\n%s", one, diff)
		}
	})
}
