package benchmark

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/jobs/jobstest"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/results/resultstest"
)

func TestMain(m *testing.M) {
	atomicfile.Unsynced = true
	m.Run()
}

// smallRun is an experiment with how to run it.
type smallRun struct {
	Runner
	experiment.Settings
}

// small is an experiment of a fraction of a second.
func small(t *testing.T) *smallRun {
	t.Helper()
	return &smallRun{
		Runner{Preset: loadPreset(t, "paper-cutest-1e-2"), Problems: load(t, circle, plane), Candidates: 5},
		experiment.Settings{Jobs: 1, Dir: t.TempDir()},
	}
}

func runAll(t *testing.T, r *smallRun) *Table {
	t.Helper()
	if err := r.Run(t.Context(), r.Settings); err != nil {
		t.Fatal(err)
	}
	table, err := LoadTable(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

var (
	ignoreTimes = cmp.Options{cmpopts.IgnoreFields(results.Trial{}, "Seconds")}
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
				t.Errorf("%s with batches of %d used %d samples, want 3000 or a step more", s.Name,
					trial.Batch, trial.Samples)
			}
		}
	}
}

// TestResume interrupts an experiment at every result and lets it go on; stored results
// must not be computed again, and the final results must be as without interruption.
func TestResume(t *testing.T) {
	whole := small(t)
	want := runAll(t, whole)
	broken := *whole
	broken.Dir = t.TempDir()
	for done := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		broken.Progress = func(p experiment.Progress) {
			if p.Finished > done {
				cancel()
			}
		}
		err := broken.Run(ctx, broken.Settings)
		cancel()
		if done < 7 && !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d results: %v, want an interruption", done, err)
		}
		files, err := filepath.Glob(filepath.Join(broken.Dir, "run", "*"))
		if err != nil || len(files) != done+1 {
			t.Fatalf("after %d interruptions there are %v (%v)", done+1, files, err)
		}
	}
	broken.Progress = func(p experiment.Progress) { t.Errorf("a finished experiment does runs: %+v", p) }
	if diff := cmp.Diff(want, runAll(t, &broken), tables); diff != "" {
		t.Errorf("whole (-) and interrupted (+) differ:\n%s", diff)
	}
}

// TestOtherSettings runs another experiment into a folder. Its table has nothing of the
// first experiment, whose cells stay for a later run of it.
func TestOtherSettings(t *testing.T) {
	r := small(t)
	first := runAll(t, r)
	r.Preset.Run.FirstSeed++
	mixed := runAll(t, r)
	used := r.Dir
	r.Dir = t.TempDir()
	if diff := cmp.Diff(runAll(t, r), mixed, tables); diff != "" {
		t.Errorf("in a new folder (-) and in a used one (+):\n%s", diff)
	}
	r.Preset.Run.FirstSeed--
	r.Dir, r.Progress = used, func(p experiment.Progress) { t.Errorf("a cell that is there is done again: %+v", p) }
	if diff := cmp.Diff(first, runAll(t, r), tables); diff != "" {
		t.Errorf("at first (-) and again (+):\n%s", diff)
	}
}

// TestFolders refuses folders that hold something else.
func TestFolders(t *testing.T) {
	for name, want := range map[string]string{
		"thesis.tex": "holds thesis.tex",
		"meta.json":  "holds results of fairtrain compare, not of fairtrain cutest run",
	} {
		r := small(t)
		if err := os.WriteFile(filepath.Join(r.Dir, name),
			[]byte(`{"format": "fairtrain-results/2"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := r.Run(t.Context(), r.Settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a run into a folder with %s: %v, want %q", name, err, want)
		}
		if _, err := LoadTable(r.Dir); err == nil || name != "thesis.tex" && !strings.Contains(err.Error(), want) {
			t.Errorf("the table of a folder with %s: %v, want %q", name, err, want)
		}
		if files, err := os.ReadDir(r.Dir); err != nil || len(files) != 1 {
			t.Errorf("the folder with %s now holds %v (%v)", name, files, err)
		}
	}
}

// TestProvenance: a folder tells what made it, and from which files; every run has the
// trajectory of the candidate that was chosen.
func TestProvenance(t *testing.T) {
	r := small(t)
	r.Command = []string{"fairtrain", "cutest", "run"}
	table := runAll(t, r)
	store, err := results.Open(r.Dir, results.Benchmark)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.Dir, "meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	var meta struct{ Sessions []results.Meta }
	err = json.Unmarshal(text, &meta)
	if sessions := meta.Sessions; err != nil || len(sessions) != 1 ||
		len(sessions[0].Command) != 3 || len(sessions[0].Data) != 2 || len(sessions[0].Data[0].SHA256) != 64 {
		t.Errorf("sessions %+v (%v), want one of this command with two files", meta, err)
	}
	for i, run := range store.Runs() { // by problem and label
		cell := table.Rows[i/4].Cells[slices.IndexFunc(table.Rows[i/4].Cells,
			func(c Cell) bool { return c.Method == run.Label })]
		chosen := cell.Trials[cell.Chosen]
		if run.Problem != table.Rows[i/4].Instance.Name || run.Status != chosen.Status ||
			run.Iterations != chosen.Iterations || run.Counters.Samples() != chosen.Samples {
			t.Errorf("%s: %s after %d iterations, the trial %+v", run.Cell, run.Status, run.Iterations, chosen)
		}
		if len(run.Points) < 10 {
			t.Errorf("%s: %d points", run.Cell, len(run.Points))
		}
	}
}

// TestEncoded has other processes try the candidates.
func TestEncoded(t *testing.T) {
	builtIn, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	here := small(t)
	here.Problems = append(here.Problems, builtIn[3])
	there := *here
	there.Dir, there.Executor = t.TempDir(), jobstest.Encoded{}
	runAll(t, here)
	runAll(t, &there)
	for _, d := range resultstest.Differences(t, here.Dir, there.Dir) {
		t.Error(d)
	}
	i := here.Problems[0]
	i.file.SHA256 = "0"
	there.Dir = t.TempDir()
	if err := there.Run(t.Context(), there.Settings); err == nil ||
		!strings.HasPrefix(err.Error(), i.Source+" is another file here") {
		t.Errorf("with another file elsewhere: %v", err)
	}
}
