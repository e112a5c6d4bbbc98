package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/beam/rows"
	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/program"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	if dir := os.Getenv(childFolder); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(tidily(m.Run))
}

// trained is what a run leaves: the certificate of its report, and its classifier.
type trained struct {
	Certificate struct {
		Status       string
		Objective    float64
		KKT          any
		KKTResidual  float64 `json:"kkt_residual"`
		Passes       float64
		Constraints  any
		Requirements []train.Requirement
		Baselines    any
		Train        struct{ Accuracy float64 }
	}
	Classifier struct {
		Weights              []float64
		Intercept, Threshold float64
	}
}

// result reads what a run has left.
func result(t *testing.T, report []byte, path string) trained {
	t.Helper()
	var r trained
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &r.Classifier)
	}
	if err == nil {
		err = json.Unmarshal(report, &r.Certificate)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// command runs something with the flags of train and returns what it has left.
func command(t *testing.T, run func(args []string, stdout, stderr *bytes.Buffer) int, flags ...string) trained {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.json")
	var stdout, stderr bytes.Buffer
	args := append([]string{"fairtrain-beam", "train", "--json", "--quiet", "--model", path}, flags...)
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("code %d: %s", code, &stderr)
	}
	return result(t, stdout.Bytes(), path)
}

// inMemory trains on rows that are in memory.
func inMemory(t *testing.T, d *dataset.Dataset, flags []string) trained {
	t.Helper()
	here := func(*cli.Context, string, *train.Options) (catalogue.Input, *shards.Rows, error) {
		return catalogue.Input{Rows: d}, nil, nil
	}
	return command(t, func(args []string, stdout, stderr *bytes.Buffer) int {
		return program.Run(t.Context(), args[0], args, nil, stdout, stderr,
			program.Workers{Rows: here, TrainFlags: flagsOfTrain()})
	}, append(flags, "--data", "memory")...)
}

func a9a(t *testing.T) *dataset.Dataset {
	t.Helper()
	in, err := catalogue.LoadInput(datatest.Path(t, "a9a"), nil, catalogue.InputOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return in.Rows
}

// inShards writes rows as so many shards, and returns the pattern of their names.
func inShards(t *testing.T, d *dataset.Dataset, count int) string {
	t.Helper()
	pattern, err := rows.Write(t.TempDir(), d, count)
	if err != nil {
		t.Fatal(err)
	}
	return pattern
}

// TestShards trains on one data set in 1 and 3 shards and in memory.
func TestShards(t *testing.T) {
	for _, test := range []struct {
		name  string
		rows  func(t *testing.T) *dataset.Dataset
		flags []string
	}{
		{"census", func(*testing.T) *dataset.Dataset { return census.Train() }, []string{"--constraint", "demographic-parity:group=71,bound=0.01"}},
		{"a9a", a9a, []string{"--constraint", "equalized-odds:group=72,bound=0.02", "--on", "scores"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := test.rows(t)
			want := inMemory(t, d, test.flags)
			for _, count := range []int{1, 3} {
				pattern, err := rows.Write(t.TempDir(), d, count)
				if err != nil {
					t.Fatal(err)
				}
				got := command(t, inProcess(t.Context()), append(test.flags, "--data", pattern)...)
				if diff := cmp.Diff(want.Certificate, got.Certificate); diff != "" {
					t.Errorf("certificate of %d shards (-memory +shards):\n%s", count, diff)
				}
				if diff := cmp.Diff(want.Classifier, got.Classifier, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
					t.Errorf("classifier of %d shards (-memory +shards):\n%s", count, diff)
				}
			}
		})
	}
}

// TestSample trains on shards of which the program holds a quarter of the rows: the same
// certificate however they are cut, at the solution of all rows.
func TestSample(t *testing.T) {
	d := census.Train()
	flags := []string{"--constraint", "demographic-parity:group=71,bound=0.02", "--on", "scores", "--tol", "1e-3"}
	want := inMemory(t, d, flags)
	var one trained
	for _, count := range []int{1, 3} {
		pattern, err := rows.Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		got := command(t, inProcess(t.Context()), append(flags, "--data", pattern, "--sample", "8000")...)
		if count == 1 {
			one = got
		}
		if diff := cmp.Diff(one, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%d shards (-one +these):\n%s", count, diff)
		}
		if f := got.Certificate.Objective; math.Abs(f-want.Certificate.Objective) > 2e-3 {
			t.Errorf("%d shards end at f = %v, all rows at %v", count, f, want.Certificate.Objective)
		}
	}
}

// TestSampledDecisions trains for decisions on shards of which the program holds an eighth of the
// rows: the same classifier however they are cut and when a run finds all answers of another one,
// about as accurate as with all rows, and reported as it is on all rows.
func TestSampledDecisions(t *testing.T) {
	d := census.Train()
	flags := []string{"--constraint", "demographic-parity:group=71,bound=0.02", "--loss", "logistic", "--tol", "3e-3"}
	want := inMemory(t, d, flags)
	var one trained
	for _, count := range []int{1, 3} {
		pattern, err := rows.Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		kept := t.TempDir()
		sampled := append(flags, "--data", pattern, "--sample", "4000", "--resume", kept)
		got := command(t, inProcess(t.Context()), sampled...)
		if count == 1 {
			one = got
			asked := answers(t, kept)
			if diff := cmp.Diff(got, command(t, inProcess(t.Context()), sampled...)); diff != "" ||
				answers(t, kept) != asked {
				t.Errorf("%d questions, at first %d, and then (-first +again):\n%s", answers(t, kept), asked, diff)
			}
		}
		if diff := cmp.Diff(one, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%d shards (-one +these):\n%s", count, diff)
		}
	}
	c := &classifier.Classifier{Weights: one.Classifier.Weights, Intercept: one.Classifier.Intercept, Threshold: one.Classifier.Threshold}
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, score := range scores {
		if (score >= c.Threshold) == (d.Y[i] > 0) {
			right++
		}
		scores[i] = 0
		if score >= c.Threshold {
			scores[i] = 1
		}
	}
	r, err := model.NewRequirement(model.DemographicParity.For("71", 0.02), d, model.Decisions)
	if err != nil {
		t.Fatal(err)
	}
	const tolerance = 3e-3 // as another start of the search leads to
	accuracy, j := float64(right)/float64(d.Rows()), r.Judge(scores)
	if accuracy != one.Certificate.Train.Accuracy || accuracy < want.Certificate.Train.Accuracy-tolerance {
		t.Errorf("accuracy %v, reported %v, of all rows %v", accuracy,
			one.Certificate.Train.Accuracy, want.Certificate.Train.Accuracy)
	}
	if reported := *one.Certificate.Requirements[0].Train; j.Excess > 0 || math.Abs(j.Achieved-reported) > 1e-12 {
		t.Errorf("rates differ by %v, reported %v", j.Achieved, reported)
	}
}

// inProcess is the program.
func inProcess(ctx context.Context) func(args []string, stdout, stderr *bytes.Buffer) int {
	return func(args []string, stdout, stderr *bytes.Buffer) int { return run(ctx, args, nil, stdout, stderr) }
}

// TestFailures runs the program on what it cannot train on.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	pattern, err := rows.Write(dir, census.Train(), 3)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "part-00001.fpk")
	intact, err := os.ReadFile(damaged)
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Clone(intact)
	wrong[len(wrong)/2] ^= 1
	const parity = "--constraint demographic-parity:group=71,bound=0.01 "
	for _, test := range []struct {
		content []byte // of a shard
		flags   string
		code    int
		says    string
	}{
		{wrong, parity + "--data " + pattern, 1, damaged + ": is damaged"},
		{intact[:len(intact)/2], parity + "--data " + pattern, 1, damaged + ": is damaged"},
		{intact, parity + "--on scores --max-passes 3 --data " + pattern, 3, "not reached: demographic-parity"},
		{intact, parity + "--data " + filepath.Join(dir, "none-*"), 1, "no file matches"},
		{intact, "--data " + pattern, 2, "no --constraint"},
		{intact, parity + "--shards 0", 2, "fairtrain-beam: --shards is 0, must be from 1 to 1000"},
		{intact, parity + "--validation 0.5 --data " + pattern, 2, "unknown flag --validation"},
	} {
		if err := os.WriteFile(damaged, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		path := filepath.Join(t.TempDir(), "model.json")
		args := append([]string{"fairtrain-beam", "train", "--model", path}, strings.Fields(test.flags)...)
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != test.code ||
			!strings.Contains(stderr.String(), test.says) {
			t.Errorf("%v: code %d, want %d and %q:\n%s", test.flags, code, test.code, test.says, &stderr)
		}
		if _, err := os.Stat(path); test.code != 3 && err == nil {
			t.Error(fmt.Sprint(test.flags, ": a model was written"))
		}
	}
}
