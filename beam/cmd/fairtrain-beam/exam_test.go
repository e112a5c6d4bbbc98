package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// inShards writes rows as so many shards and returns their pattern.
func inShards(t *testing.T, d *dataset.Dataset, count int) string {
	t.Helper()
	pattern, err := shards.Write(t.TempDir(), d, count)
	if err != nil {
		t.Fatal(err)
	}
	return pattern
}

// TestExam tests on more rows than the program holds, in 1, 3 and 8 shards. It trains on a sample.
func TestExam(t *testing.T) {
	flags := []string{"--on", "scores", "--tol", "1e-2", "--test", "none", "--sample", "8000", "--constraint", "demographic-parity:group=71,bound=0.05"}
	var one trained
	for _, count := range []int{1, 3, 8} {
		exam := []string{"--certify", inShards(t, census.Test(), count), "--ledger", t.TempDir()}
		got := command(t, inProcess(t.Context()), slices.Concat(flags, exam)...)
		if count == 1 {
			one = got
		}
		if diff := cmp.Diff(one, got, named); diff != "" {
			t.Errorf("%d shards (-one +these):\n%s", count, diff)
		}
	}
	if one.Certificate.Guarantee == nil {
		t.Error("no guarantee")
	}
}

// named leaves out what a report says about the names of rows.
var named = cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "data" || key == "statement" })

// TestLargeExam compares the test of 2²⁰ rows by workers with that of the plain program.
func TestLargeExam(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows sparse.Builder
	for range 1<<20 + 3000 { // with some feature, the group or not, and a number that nobody else has
		rows.Push(r.Uint32N(70), 1)
		if r.IntN(3) == 0 {
			rows.Push(70, 1)
		}
		rows.Push(100, r.Float64())
		rows.EndRow([]int8{-1, 1}[r.IntN(2)])
	}
	d := &dataset.Dataset{Name: "people"}
	d.X, d.Y = rows.Finish(census.Train().Features())
	flags := func(pattern string) []string {
		return []string{"--on", "scores", "--tol", "1e-2", "--test", "none", "--sample", "40000", "--ledger", t.TempDir(), "--certify", pattern, "--constraint", "equalized-odds:group=71,bound=0.2"}
	}
	whole, _ := filepath.Glob(inShards(t, d, 1))
	want := inMemory(t, census.Train(), flags(whole[0]))
	got := command(t, inProcess(t.Context()), append(flags(inShards(t, d, 3)), "--shards", "1")...)
	if diff := cmp.Diff(want, got, named); diff != "" || want.Certificate.Guarantee == nil {
		t.Errorf("(-plain +shards)\n%s", diff)
	}
}

// TestExamRefusals asks for a guarantee by rows that can't give one.
func TestExamRefusals(t *testing.T) {
	training := inShards(t, census.Train(), 3)
	some := func(rows func(i int) bool) *dataset.Dataset {
		var list []int
		for i := range census.Test().Rows() {
			if rows(i) {
				list = append(list, i)
			}
		}
		return census.Test().Pick(list, "some")
	}
	men, err := census.Test().Strata("71")
	if err != nil {
		t.Fatal(err)
	}
	weighted := *census.Test()
	weighted.Weights = slices.Repeat([]float64{2}, weighted.Rows())
	wide := *census.Test()
	wide.Cols = nil
	var rows sparse.Builder
	for i, y := range census.Test().Y {
		rows.Push(uint32(i%200), float64(i))
		rows.EndRow(y)
	}
	wide.X, _ = rows.Finish(200)
	damaged := inShards(t, census.Test(), 2)
	spoilt := strings.Replace(damaged, "*", "00001", 1)
	if err := os.Truncate(spoilt, 1000); err != nil {
		t.Fatal(err)
	}
	ledger := t.TempDir()
	tested := inShards(t, census.Test(), 2)
	for _, test := range []struct {
		exam, want string
		code       int
	}{
		{training, "is the file that the model is to be trained on", 1},
		{strings.Replace(training, "*", "00001", 1), "100 % of the rows are also in", 1},
		{damaged, spoilt + ": is damaged", 1},
		{inShards(t, &weighted, 2), "the rows have weights", 1},
		{inShards(t, &wide, 2), "200 features, the model has 123", 1},
		{inShards(t, some(func(i int) bool { return men.Group(i) > 0 }), 2), "group 71: none of the", 1},
		{inShards(t, census.Test().Pick(slices.Repeat([]int{1, 2, 3}, 3000), "thrice"), 2), "repeat another row", 1},
		{tested, "", 0},
		{strings.Replace(tested, "*", "00000", 1), "these rows were tested before", 1},
	} {
		var stdout, stderr bytes.Buffer
		args := []string{
			"fairtrain-beam", "train", "--on", "scores", "--tol", "1e-2", "--test", "none", "--sample", "6000", "--ledger", ledger, "--data", training,
			"--constraint", "demographic-parity:group=71,bound=0.1", "--certify", test.exam, "--model", filepath.Join(t.TempDir(), "model.json"),
		}
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != test.code || !strings.Contains(stderr.String(), test.want) {
			t.Errorf("code %d: %s, want %d and %q", code, &stderr, test.code, test.want)
		}
	}
}
