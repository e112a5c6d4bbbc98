package encoding

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// TestStatistics: what is learned from several files, in any order, is what is learned from one file
// with all of their rows, and rows of the files are encoded as they are there.
func TestStatistics(t *testing.T) {
	const header = "size,raw,binned,code,group,age,label\n"
	rapid.Check(t, func(t *rapid.T) {
		value := func(values ...string) string { return rapid.SampledFrom(values).Draw(t, "value") }
		files := make([]string, rapid.IntRange(2, 4).Draw(t, "files"))
		for k := range files {
			for range rapid.IntRange(1, 30).Draw(t, "rows") {
				files[k] += fmt.Sprintf("%s,%s,%s,%s,%s,%s,%s\n", value("0.1", "1e9", "-3.7", ""), value("0.3", "7"), value("", "1", "2.5", "-3", "0", "-0"), value("a", "b", "c", "d", ""),
					value("x", "y", "z", ""), value("20", "40", ""), value("no", "yes", "never"))
			}
		}
		schema := &table.Schema{
			MinCount: rapid.IntRange(1, 5).Draw(t, "least"), Label: table.LabelSpec{Column: "label", Positive: []string{"yes"}, Negative: []string{"no", "never"}},
			Columns: []table.ColumnSpec{
				{Name: "size", As: table.Standardise},
				{Name: "raw", As: table.Raw},
				{Name: "binned", As: table.Bins, Bins: 3},
				{Name: "code", As: table.OneHot, MinCount: 2},
				{Name: "group", As: table.Drop},
				{Name: "age", As: table.Drop},
			},
			Groups:  []table.GroupSpec{{Column: "group"}, {Column: "age", Cuts: []float64{30}, Levels: []string{"young", "old"}}},
			Crosses: []string{"group*age", "group=z"},
		}
		read := func(rows string) *table.Table {
			r, err := table.Read(strings.NewReader(header+rows), schema, table.Options{Name: "rows"})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		whole := read(strings.Join(files, ""))
		want, wantErr := Learn(whole, nil)
		var all *Statistics
		for _, k := range rapid.Permutation(inOrder(len(files))).Draw(t, "order") {
			s := Count(read(files[k]), whole.Schema)
			if all == nil {
				all = s
			} else if err := all.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		e, err := all.Learn("rows", whole.Schema)
		if wantErr != nil || err != nil {
			if fmt.Sprint(err) != fmt.Sprint(wantErr) && !strings.Contains(fmt.Sprint(wantErr), "no row has the positive label") {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			return
		}
		if !e.Equal(want) {
			t.Fatal(cmp.Diff(want, e))
		}
		rows, err := e.Apply(whole, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for _, file := range files {
			_, err := e.Blocks(read(file), all.Groups, 7, func(d *dataset.Dataset, _ int) error {
				for i := range d.Rows() {
					if got, want := entries(d.X, i), entries(rows.X, before); !slices.Equal(got, want) || d.Y[i] != rows.Y[before] {
						t.Fatalf("row %d is %v, want %v", before, got, want)
					}
					for k, a := range d.Attributes {
						if b := rows.Attributes[k]; a.Levels[a.Codes.At(i)] != b.Levels[b.Codes.At(before)] || !slices.Equal(a.Levels, b.Levels) {
							t.Fatalf("row %d has %s %s of %q, want %s of %q", before, a.Name, a.Levels[a.Codes.At(i)], a.Levels, b.Levels[b.Codes.At(before)], b.Levels)
						}
					}
					before++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestMissingSpelledOtherwise: a number that stands for a missing value does so however it is written, in columns of few
// numbers, too.
func TestMissingSpelledOtherwise(t *testing.T) {
	learned := func(missing string) *Encoding {
		read, err := table.Read(strings.NewReader("x,y\n"+strings.Repeat(missing+",yes\n1.5,no\n2.5,yes\n3.5,no\n", 30)), &table.Schema{Missing: []string{"9999"}}, table.Options{Name: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Learn(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	want := learned("9999")
	for _, missing := range []string{"9999.0", "9999.00"} {
		if diff := cmp.Diff(want.Features, learned(missing).Features); diff != "" {
			t.Errorf("%s: (-9999 +%[1]s)\n%s", missing, diff)
		}
	}
}
