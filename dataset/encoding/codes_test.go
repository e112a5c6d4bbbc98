package encoding

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/table"
)

// TestNumbersByCode: a column of few distinct numbers, which has codes if nothing declares it, is encoded
// like the same column with a number for each row, in every way, whichever rows are learned from.
func TestNumbersByCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("x,y\n" + strings.Repeat("1,0\n5,1\n9,0\n", 2))
		value := rapid.SampledFrom([]string{"1", "1.0", "5", "9", "-0", "0", "-2.5", "1e3", ""})
		for i := range rapid.IntRange(1, 60).Draw(t, "rows") {
			fmt.Fprintf(&text, "%s,%d\n", value.Draw(t, "x"), i%2)
		}
		coded, err := table.Read(strings.NewReader(text.String()), nil, table.Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := table.Read(strings.NewReader(text.String()), coded.FullSchema(), table.Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		if !coded.Column("x").HasCodes() || plain.Column("x").HasCodes() {
			t.Fatalf("codes: %v of what is found out, %v of what is declared", coded.Column("x").HasCodes(), plain.Column("x").HasCodes())
		}
		var rows []int
		if rapid.Bool().Draw(t, "some rows") {
			rows = []int{0, 1, 2, 3, 4, 5}
			for i := len(rows); i < coded.Rows; i++ {
				if rapid.Bool().Draw(t, "row") {
					rows = append(rows, i)
				}
			}
		}
		as := rapid.SampledFrom([]string{table.Standardise, table.Raw, table.Bins}).Draw(t, "as")
		learned := func(from *table.Table) (*Encoding, [][]float64) {
			k := slices.IndexFunc(from.Schema.Columns, func(c table.ColumnSpec) bool { return c.Name == "x" })
			from.Schema.Columns[k].As = as
			if from.Schema.Columns[k].Bins = 0; as == table.Bins {
				from.Schema.Columns[k].Bins = 3
			}
			e, err := Learn(from, rows)
			if err != nil {
				t.Fatal(err)
			}
			d, err := e.Apply(from, rows)
			if err != nil {
				t.Fatal(err)
			}
			return e, dense(d)
		}
		want, wantRows := learned(plain)
		got, gotRows := learned(coded)
		if diff := cmp.Diff(want.Features, got.Features, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("encodings (-by row +by code)\n%s", diff)
		}
		if diff := cmp.Diff(wantRows, gotRows); diff != "" {
			t.Fatalf("rows (-by row +by code)\n%s", diff)
		}
	})
}

// TestCountsOfCodes: the mean and the deviation are those of all rows, not of the distinct numbers.
func TestCountsOfCodes(t *testing.T) {
	text := "x,y\n" + strings.Repeat("1,0\n", 90) + strings.Repeat("5,1\n", 9) + "9,0\n"
	e, err := Learn(readTable(t, text, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := e.Features[0]; x.Mean != 1.44 || math.Abs(x.SD*x.SD-1.8864) > 1e-12 {
		t.Errorf("mean %v, SD %v; want 1.44 and the root of 1.8864", x.Mean, x.SD)
	}
}
