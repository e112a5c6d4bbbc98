package encoding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestBlocks: columns in files and rows in blocks make no difference. Gaps of groups and
// unknown levels are in some blocks only.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		fmt.Fprintln(&text, "number,binned,code,group,age,times,label")
		value := func(values ...string) string { return rapid.SampledFrom(values).Draw(t, "value") }
		for k := range rapid.IntRange(8, 60).Draw(t, "rows") {
			fmt.Fprintf(&text, "%d.%d,%s,%s,%s,%s,%s,%s\n", k*k, k%10, value("", "1", "2.5", "-3"),
				value("a", "b", "c", ""), value("x", "y", ""),
				value("20", "40", ""), value("1", "2"), []string{"no", "yes"}[k%2])
		}
		schema := &tabular.Schema{
			Label: tabular.LabelSpec{Column: "label"}, Weight: "times", MinCount: 1,
			Columns: []tabular.ColumnSpec{{Name: "binned", As: tabular.Bins, Bins: 3}, {Name: "code", As: tabular.OneHot}},
			Groups:  []tabular.GroupSpec{{Column: "group"}, {Column: "age", Cuts: []float64{30}, Levels: []string{"young", "old"}}},
		}
		options := tabular.Options{Name: "rows", Identify: true}
		want, err := tabular.Read(strings.NewReader(text.String()), schema, options)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Learn(want, rowsOrAll(want, nil))
		other, otherErr := Learn(want, nil)
		if diff := cmp.Diff(e, other); diff != "" || (err == nil) != (otherErr == nil) {
			t.Fatalf("errors %v, %v; encodings (-listed +all rows)\n%s", err, otherErr, diff)
		}
		if err != nil {
			return
		}
		e.Features[0].Missing = false // as if other rows had been seen: some levels are unknown
		for k := range e.Features {
			e.Features[k].Rare = false
			e.Features[k].Levels = e.Features[k].Levels[:min(2, len(e.Features[k].Levels))]
		}
		rows, err := e.Apply(want, nil)
		if err != nil {
			t.Fatal(err)
		}
		var parts []*sparse.Matrix
		joined := &dataset.Dataset{Attributes: make([]dataset.Attribute, len(rows.Attributes))}
		whole, err := e.Blocks(want, rapid.IntRange(1, 20).Draw(t, "size"), func(d *dataset.Dataset, before int) error {
			parts = append(parts, d.X)
			if before != len(joined.Y) {
				t.Fatalf("a block after %d rows, said to be after %d", len(joined.Y), before)
			}
			joined.Y, joined.Weights = append(joined.Y, d.Y...), append(joined.Weights, d.Weights...)
			for k, a := range d.Attributes {
				all := &joined.Attributes[k]
				all.Name, all.Levels = a.Name, a.Levels
				all.Codes = dataset.CodesOf(slices.AppendSeq(slices.Collect(all.Codes.All()), a.Codes.All())...)
				all.Numbers = append(all.Numbers, a.Numbers...)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		joined.Name, joined.Hash, joined.Cols, joined.Rule, joined.Missing, joined.Unknown = whole.Name, whole.Hash, whole.Cols, whole.Rule, whole.Missing, whole.Unknown
		same := cmp.Options{cmp.Transformer("codes", func(c dataset.Codes) []int { return slices.Collect(c.All()) }), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(dataset.Dataset{}, "X"), cmpopts.IgnoreUnexported(dataset.Dataset{}, dataset.Attribute{})}
		if diff := cmp.Diff(rows, joined, same); diff != "" {
			t.Fatalf("rows (-whole +blocks)\n%s", diff)
		}
		row := 0
		for _, x := range parts {
			n, _ := x.Dims()
			for i := range n {
				if diff := cmp.Diff(entries(rows.X, row), entries(x, i)); diff != "" {
					t.Fatalf("row %d (-whole +blocks)\n%s", row, diff)
				}
				row++
			}
		}
	})
}

// entries lists the non-zeros of a row.
func entries(x *sparse.Matrix, row int) (list []string) {
	for j, v := range x.Row(row) {
		list = append(list, fmt.Sprintf("%d:%v", j, v))
	}
	return list
}
