package dataset_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

func mustRead(t *testing.T, content string) *dataset.Dataset {
	t.Helper()
	d, err := libsvm.Read(strings.NewReader(content), libsvm.Options{Name: "small"})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// written returns the rows as a LIBSVM file.
func written(d *dataset.Dataset) string {
	var b strings.Builder
	libsvm.Write(&b, d) // a builder takes everything
	return b.String()
}

func TestGroupsByFeature(t *testing.T) {
	d := mustRead(t, "1 1:1 2:0.5 5:1\n0 1:1 3:0 5:2\n1 1:-1 2:1\n")
	got, err := dataset.FindGroups(d, "2")
	if err != nil {
		t.Fatal(err)
	}
	want := []*dataset.Group{{Name: "2", Member: []bool{true, false, true}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for feature, says := range map[int]string{
		0:  "has features 1 to 5",
		-1: "has features 1 to 5",
		6:  "has features 1 to 5",
		1:  "all 3 rows",
		3:  "none of the 3 rows",
	} {
		_, err := dataset.FindGroups(d, fmt.Sprint(feature))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "small") {
			t.Errorf("feature %d: error %v, want %q", feature, err, says)
		}
	}
}

// TestSplitDealsEveryRowOnce gives every row its number as a feature.
func TestSplitDealsEveryRowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		size := rapid.IntRange(1, n-1).Draw(t, "test rows")
		seed := rapid.Uint64().Draw(t, "seed")
		var b sparse.Builder
		for i := range n {
			b.Add(int8(1-2*(i%2)), []int{i}, nil)
		}
		d := &dataset.Dataset{}
		d.X, d.Y = b.Finish(n)

		train, test, err := dataset.Split(d, float64(size)/float64(n), seed)
		if err != nil {
			t.Fatal(err)
		}
		if test.Rows() != size || train.Rows() != n-size || train.Features() != n || test.Features() != n {
			t.Fatalf("%d + %d rows with %d and %d features", train.Rows(), test.Rows(),
				train.Features(), test.Features())
		}
		var dealt []int
		for _, part := range []*dataset.Dataset{train, test} {
			from := len(dealt)
			for i, y := range part.Y {
				for j := range part.X.Row(i) {
					dealt = append(dealt, j)
					if y != d.Y[j] {
						t.Fatalf("row %d lost its label", j)
					}
				}
			}
			if !slices.IsSorted(dealt[from:]) {
				t.Fatal("the rows changed their order")
			}
		}
		slices.Sort(dealt)
		for i, j := range dealt {
			if i != j || len(dealt) != n {
				t.Fatalf("dealt %v", dealt)
			}
		}

		again, _, err := dataset.Split(d, float64(size)/float64(n), seed)
		if err != nil || written(train) != written(again) {
			t.Fatal("the same seed deals differently")
		}
	})
}

func TestSplitDependsOnTheSeed(t *testing.T) {
	var b sparse.Builder
	for i := range 100 {
		b.Add(1, []int{i}, nil)
	}
	d := &dataset.Dataset{}
	d.X, d.Y = b.Finish(100)
	one, _, err1 := dataset.Split(d, 0.5, 1)
	two, _, err2 := dataset.Split(d, 0.5, 2)
	if err1 != nil || err2 != nil || written(one) == written(two) {
		t.Errorf("seeds 1 and 2 deal alike (errors %v, %v)", err1, err2)
	}
}

func TestSplitRefusesEmptySides(t *testing.T) {
	d := mustRead(t, "1 1:1\n0 2:1\n1 3:1\n")
	for _, fraction := range []float64{-1, 0, 1, 2, 0.1, 0.9} {
		if _, _, err := dataset.Split(d, fraction, 1); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprint(fraction)) {
			t.Errorf("fraction %v: error %v", fraction, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	d := mustRead(t, "1 1:1 2:0.5 5:1\n0 1:1 5:2\n1 1:-1 2:1\n")
	want := `{"name":"small","rows":3,"features":5,"non_zeros":7,"positives":2,"negatives":1,` +
		`"density":0.4666666666666667,"binary":false,"min_value":-1,"max_value":2,"unused":[3,4],` +
		`"label_rule":"0 → −1, 1 → +1","sha256":"` + d.Hash + `"}`
	got, err := json.Marshal(dataset.Describe(d))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	dense := dataset.Describe(mustRead(t, "1 1:3 2:4\n0 1:5 2:6\n"))
	if dense.MinValue != 3 || dense.MaxValue != 6 || dense.Density != 1 {
		t.Errorf("dense data: minimum %v, maximum %v, density %v; want 3, 6, 1", dense.MinValue,
			dense.MaxValue, dense.Density)
	}
}

func TestIdentitiesOfFeatures(t *testing.T) {
	d, err := libsvm.Read(strings.NewReader("+1 1:1 3:0.5\n-1 1:1 3:0.5\n+1 1:1 2:0.5\n+1 1:1 3:0.5\n"), libsvm.Options{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	ids := slices.Collect(dataset.Identities(d))
	if ids[0] != ids[3] || ids[0] == ids[1] || ids[0] == ids[2] {
		t.Errorf("only rows 1 and 4 are equal: %x", ids)
	}
}

// TestPickedMissing: what values the picked rows lack is known only where none is lacking.
func TestPickedMissing(t *testing.T) {
	var b sparse.Builder
	b.EndRow(1)
	d := &dataset.Dataset{Missing: []dataset.ColumnCount{}, Unknown: []dataset.UnknownLevels{{Column: "job", Rows: 1}}}
	d.X, d.Y = b.Finish(1)
	if picked := d.Pick([]int{0}, "p"); picked.Missing == nil || picked.Unknown != nil {
		t.Errorf("missing %v, unknown %v, want none and unknown", picked.Missing, picked.Unknown)
	}
	d.Missing = []dataset.ColumnCount{{Column: "age", Rows: 1}}
	if picked := d.Pick([]int{0}, "p"); picked.Missing != nil {
		t.Errorf("missing %v, which nobody has counted", picked.Missing)
	}
}
