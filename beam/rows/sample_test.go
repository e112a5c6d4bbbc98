package rows

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/internal/jobs/jobstest"
)

// people is the census with a column of groups, of which one is small.
func people() *dataset.Dataset {
	d := census.Train()
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.MakeCodes(d.Rows(), 2)}
	for i := range d.Rows() {
		g.Codes.Put(i, map[bool]int{true: 2, false: i % 2}[i%100 == 0])
	}
	d.Attributes = []dataset.Attribute{g}
	return d
}

// TestSample draws from the same rows in 1 and 7 shards.
func TestSample(t *testing.T) {
	d := people()
	whole, err := d.Strata("g")
	if err != nil {
		t.Fatal(err)
	}
	var one *dataset.Dataset
	for _, count := range []int{1, 7} {
		pattern, err := Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		known, _, err := Open(pattern)
		if err != nil {
			t.Fatal(err)
		}
		s := Sample{Rows: 6000, Groups: []string{"g", "71"}, Seed: 1}
		list, in, err := s.Open(pattern, jobstest.Encoded{})
		if err != nil {
			t.Fatal(err)
		}
		got := in.Rows
		if !slices.Equal(list, known) {
			t.Errorf("shards %v, want %v", list, known)
		}
		if one == nil {
			one = got
		}
		if !sameRows(got.X, one.X) || !slices.Equal(got.Weights, one.Weights) ||
			!reflect.DeepEqual(got.Attributes, one.Attributes) {
			t.Errorf("%d shards have another sample than one", count)
		}
		strata, err := got.Strata("g")
		if err != nil {
			t.Fatal(err)
		}
		// Some 326 rows of the group c, all of which are drawn, some in other cells, and a share of
		// the others.
		if n := got.Rows(); got.SampleOf != d.Rows() || n < 8000 || n > 12_000 || strata.Size(4) != whole.Size(4) {
			t.Errorf("%d of %d rows were drawn, %d of the small cell, want all %d", n, got.SampleOf,
				strata.Size(4), whole.Size(4))
		}
		for k := range whole.Len() {
			want := whole.Total(k) / float64(d.Rows())
			if share := strata.Total(k) / float64(got.Rows()); math.Abs(share-want) > 1e-12 {
				t.Errorf("stratum %d stands for %v of all rows, want %v", k, share, want)
			}
		}
	}
}

// TestSampleOfAll asks for more rows than there are.
func TestSampleOfAll(t *testing.T) {
	d := census.Test()
	pattern, err := Write(t.TempDir(), d, 3)
	if err != nil {
		t.Fatal(err)
	}
	_, in, err := Sample{Rows: d.Rows()}.Open(pattern, jobstest.Encoded{})
	if err != nil || in.Rows.SampleOf != 0 || !sameRows(in.Rows.X, d.X) {
		t.Errorf("%v, or these are not all rows", err)
	}
}

// TestSampleErrors samples rows whose weights are all 0, groups that are not there, and shards of
// two data sets.
func TestSampleErrors(t *testing.T) {
	weighted, other := people(), people()
	weighted.Weights = make([]float64, weighted.Rows())
	other.Attributes[0].Levels = []string{"a", "b", "d"}
	for want, test := range map[string]struct {
		rows   []*dataset.Dataset
		groups []string
	}{
		"the rows have weights, and must all be in this program": {[]*dataset.Dataset{weighted}, nil},
		"it has other columns of groups":                         {[]*dataset.Dataset{people(), other}, nil},
		"group age":                                              {[]*dataset.Dataset{people()}, []string{"age"}},
	} {
		dir := t.TempDir()
		for k, d := range test.rows {
			if err := write(dir+"/part-"+string(rune('0'+k))+".fpk", d, nil); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := Sample{Rows: 100, Groups: test.groups}.Open(dir+"/*", jobstest.Encoded{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
