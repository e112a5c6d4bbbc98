package rows

import (
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// TestRoundTrip writes rows with groups and weights as shards, and reads them.
func TestRoundTrip(t *testing.T) {
	d := census.Train()
	group := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.MakeCodes(d.Rows(), 2)}
	number := dataset.Attribute{Name: "age"}
	for i := range d.Rows() {
		group.Codes.Put(i, i%3)
		number.Numbers = append(number.Numbers, math.Sqrt(float64(i)))
		d.Weights = append(d.Weights, float64(1+i%5))
	}
	d.Attributes = []dataset.Attribute{group, number}
	for count, want := range map[int][]int{1: {32561}, 3: {12288, 12288, 7985}, 100: slices.Concat(slices.Repeat([]int{2048}, 15), []int{1841})} {
		pattern, err := Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		list, in, err := Open(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var rows []int
		first := 0
		for _, s := range list {
			if s.First != first {
				t.Errorf("%s begins at row %d, want %d", s.Path, s.First, first)
			}
			first += s.Rows
			rows = append(rows, s.Rows)
		}
		got := in.Rows
		if !slices.Equal(rows, want) || !sameRows(got.X, d.X) || !slices.Equal(got.Y, d.Y) ||
			!slices.Equal(got.Weights, d.Weights) ||
			!reflect.DeepEqual(got.Attributes, d.Attributes) || !slices.Equal(got.Cols, d.Cols) {
			t.Errorf("%d shards of %d rows are not the rows that were written", len(rows), rows)
		}
	}
}

// TestAlike reads shards of different data sets.
func TestAlike(t *testing.T) {
	weighted, renamed, coded := *census.Test(), *census.Test(), *census.Test()
	weighted.Weights = slices.Repeat([]float64{2}, weighted.Rows())
	renamed.Cols = slices.Clone(renamed.Cols)
	renamed.Cols[3] = "other"
	coded.Attributes = []dataset.Attribute{{Name: "g", Levels: []string{"a"}, Codes: dataset.MakeCodes(coded.Rows(), 1)}}
	for want, d := range map[string]*dataset.Dataset{
		"it has other columns than":           &weighted,
		"it has features of other names than": &renamed,
		"it has other columns of groups, or":  &coded,
	} {
		dir := t.TempDir()
		if err := write(filepath.Join(dir, "1.fpk"), census.Test(), nil); err != nil {
			t.Fatal(err)
		}
		if err := write(filepath.Join(dir, "2.fpk"), d, nil); err != nil {
			t.Fatal(err)
		}
		_, _, err := Open(filepath.Join(dir, "*"))
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "2.fpk")+": "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// sameRows reports whether matrices have the same rows.
func sameRows(a, b *sparse.Matrix) bool {
	rows, cols := a.Dims()
	if n, m := b.Dims(); n != rows || m != cols {
		return false
	}
	for i := range rows {
		if !maps.Equal(maps.Collect(a.Row(i)), maps.Collect(b.Row(i))) {
			return false
		}
	}
	return true
}
