package libsvm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
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
	for size := 1; size <= 6; size++ {
		var blocks []*dataset.Dataset
		end, err := Blocks(strings.NewReader(text), Options{}, size, func(d *dataset.Dataset) error {
			blocks = append(blocks, d)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []row
		for k, d := range blocks {
			if d.Rows() > size || d.Rows() < size && k < len(blocks)-1 {
				t.Errorf("a block of %d rows, want %d", d.Rows(), size)
			}
			got = append(got, rows(d, end.Label)...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("blocks of %d rows: %s", size, diff)
		}
		if end.Features != whole.Features() || end.Hash != whole.Hash || end.Rule != whole.Rule {
			t.Errorf("blocks of %d rows: %d features, hash %s, rule %s", size, end.Features, end.Hash, end.Rule)
		}
	}
}

// TestBlocksOfFaults: the places of errors don't depend on the blocks.
func TestBlocksOfFaults(t *testing.T) {
	for text, want := range map[string]string{
		"1 1:1\n2 1:1\n2 0:1\n": "rows:3:3: ",
		"1 1:1\n1 1:1\n":        "every label is 1",
		"1 1:1\n2 1:1\n0 1:1\n": "rows:3:1: ",
		"# nobody\n":            "no rows",
	} {
		_, err := Blocks(strings.NewReader(text), Options{Name: "rows"}, 1, func(*dataset.Dataset) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
