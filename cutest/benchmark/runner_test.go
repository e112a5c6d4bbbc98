package benchmark

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// small is an experiment of a fraction of a second.
func small(t *testing.T) *Runner {
	t.Helper()
	return &Runner{
		Preset: loadPreset(t, "paper-cutest-1e-2"), Problems: load(t, circle, plane),
		Candidates: 5, Jobs: 1, Dir: t.TempDir(),
	}
}

func runAll(t *testing.T, r *Runner) *Table {
	t.Helper()
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	table, err := LoadTable(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var (
	ignoreTimes = cmp.Options{cmpopts.IgnoreFields(Cell{}, "Seconds", "Seal"), cmpopts.IgnoreFields(Trial{}, "Seconds")}
	tables      = cmp.Options{ignoreTimes, cmpopts.IgnoreUnexported(Instance{}), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()}
)

// TestJobs runs an experiment by one worker and by four.
func TestJobs(t *testing.T) {
	one := small(t)
	four := *one
	four.Jobs, four.Dir = 4, t.TempDir()
	want := runAll(t, one)
	if want.Problems != 2 || len(want.Methods) != 4 {
		t.Fatalf("%d problems, %d methods, want 2 and 4", want.Problems, len(want.Methods))
	}
	if diff := cmp.Diff(want, runAll(t, &four), tables); diff != "" {
		t.Errorf("1 worker (-) and 4 (+) differ:\n%s", diff)
	}
}

// TestLinear checks that all methods share the win on a problem where every point has
// the same stationarity, 3/4 here, and that they used up the same samples.
func TestLinear(t *testing.T) {
	r := small(t)
	r.Problems = r.Problems[1:]
	table := runAll(t, r)
	for i, s := range table.Methods {
		if s.Wins != 1 || s.Stationarity != 0.75 {
			t.Errorf("%s has %d wins and stationarity %v, want 1 and 0.75", s.Name, s.Wins, s.Stationarity)
		}
		for _, trial := range table.Rows[0].Cells[i].Trials {
			if trial.Status == "budget" && (trial.Samples < 3000 || trial.Samples > 3000+5*3*20) {
				t.Errorf("%s with batches of %d used %d samples, want 3000 or a step more", s.Name, trial.Batch, trial.Samples)
			}
		}
	}
}

// TestResume interrupts an experiment at every result and lets it go on; results that are
// there must not be computed again, and the end must be as if nothing had happened.
func TestResume(t *testing.T) {
	whole := small(t)
	want := runAll(t, whole)
	broken := *whole
	broken.Dir = t.TempDir()
	for done := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		broken.Report = func(p Progress) {
			if p.CellsDone > done {
				cancel()
			}
		}
		err := broken.Run(ctx)
		cancel()
		if done < 7 && !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d results: %v, want an interruption", done, err)
		}
		files, err := filepath.Glob(filepath.Join(broken.Dir, cellsDir, "*"))
		if err != nil || len(files) != done+1 {
			t.Fatalf("after %d interruptions there are %v (%v)", done+1, files, err)
		}
	}
	broken.Report = func(p Progress) { t.Errorf("a finished experiment does runs: %+v", p) }
	if diff := cmp.Diff(want, runAll(t, &broken), tables); diff != "" {
		t.Errorf("whole (-) and interrupted (+) differ:\n%s", diff)
	}
}

// TestOtherSettings runs another experiment into a folder: nothing of the first may
// remain.
func TestOtherSettings(t *testing.T) {
	r := small(t)
	runAll(t, r)
	r.Preset.Seed++
	mixed := runAll(t, r)
	r.Dir = t.TempDir()
	if diff := cmp.Diff(runAll(t, r), mixed, tables); diff != "" {
		t.Errorf("in a new folder (-) and in a used one (+):\n%s", diff)
	}
}
