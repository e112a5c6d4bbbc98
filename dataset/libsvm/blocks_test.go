package libsvm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// TestBlocks compares rows that are handed over in blocks with the rows that Read returns.
func TestBlocks(t *testing.T) {
	const text = "1 1:1 3:2\n2 2:1\n\n1\n# nobody\n2 1:0.5\n1 7:1\n"
	whole, err := Read(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Label int8
		At    []float64
	}
	rows := func(d *dataset.Dataset, label func(int8) int8) (list []row) {
		for i, y := range d.Y {
			r := row{Label: label(y)}
			for j, v := range d.X.Row(i) {
				r.At = append(r.At, float64(j), v)
			}
			list = append(list, r)
		}
		return list
	}
	want := rows(whole, func(y int8) int8 { return y })
	var got []row
	end, err := Blocks(textfile.One(strings.NewReader(text), ""), Options{}, func(d *dataset.Dataset) error {
		got = append(got, rows(d, func(y int8) int8 { return 2*y - 3 })...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if end.Features != whole.Features() || end.Hash != whole.Hash || end.Rule != whole.Rule || end.Label(2) != 1 {
		t.Errorf("%d features, hash %s, rule %s", end.Features, end.Hash, end.Rule)
	}
}
