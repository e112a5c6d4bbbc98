package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/internal/jobs/jobstest"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/results/resultstest"
)

func TestMain(m *testing.M) {
	atomicfile.Unsynced = true
	m.Run()
}

// smoke is the synthetic preset at its smallest, without the costly reference.
func smoke(t *testing.T) *Preset {
	t.Helper()
	p, err := Load("synthetic")
	if err != nil {
		t.Fatal(err)
	}
	p.UseSmoke()
	p.Run.Records = 6 // a record takes longer than the steps before it
	p.Problem.Reference = 0
	return p
}

func run(t *testing.T, p *Preset, s Settings) *results.Store {
	t.Helper()
	store, err := Compare(t.Context(), p, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func same(t *testing.T, a, b string) {
	t.Helper()
	for _, d := range resultstest.Differences(t, a, b) {
		t.Error(d)
	}
}

// TestPresetsRun runs every method of every comparison for a moment, on its data.
func TestPresetsRun(t *testing.T) {
	instances := map[string]*instance{} // by problem: presets share some
	for _, name := range Presets() {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Benchmark != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if p.Problem.Data != "synthetic" {
				datatest.Path(t, p.Problem.Data)
			}
			p.Problem.Reference = 0
			problem := fmt.Sprint(p.Problem)
			if instances[problem] == nil {
				if instances[problem], err = newInstance(p.Problem); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range p.Methods {
				w, err := instances[problem].open(m.Scale)
				if err != nil {
					t.Fatal(err)
				}
				run, err := w.trace(t.Context(), m, RunSpec{Budget: 2000, Records: 3}, 1, 0)
				if err != nil || run.Status != results.Exhausted {
					t.Errorf("%s: status %q, error %v", m.Label, run.Status, err)
				}
			}
		})
	}
}

// TestWorkersDoNotChangeResults compares one worker with three.
func TestWorkersDoNotChangeResults(t *testing.T) {
	p := smoke(t)
	dir := t.TempDir()
	one, three := filepath.Join(dir, "one"), filepath.Join(dir, "three")
	store := run(t, p, Settings{Dir: one, Jobs: 1})
	run(t, p, Settings{Dir: three, Jobs: 3})
	same(t, one, three)
	if got, want := len(store.Runs()), p.Run.Seeds*len(p.Methods); got != want {
		t.Errorf("%d runs, want %d", got, want)
	}
	for _, r := range store.Runs() {
		if r.Status != results.Exhausted || r.Counters.Samples() < p.Run.Budget {
			t.Errorf("%s: %s after %d samples", r.Cell, r.Status, r.Counters.Samples())
		}
		if len(r.Points) < p.Run.Records/2 || r.Points[0].Samples != 0 {
			t.Errorf("%s: %d points, the first at %d samples", r.Cell, len(r.Points), r.Points[0].Samples)
		}
	}
}

// TestCantRun names all methods that can't run on the problem before any run is done.
func TestCantRun(t *testing.T) {
	p, err := Parse("p.toml", tiny+`
[[method]]
method = "fsfo"
options = { normal = "gauss-newton" }
[[method]]
method = "fsfo"
label = "normal"
options = { normal = "gauss-newton" }
`)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "none")
	_, err = Compare(t.Context(), p, nil, Settings{Dir: dir})
	for _, want := range []string{"fsfo, seed 1: fsfo: the step size rule is for", "\nnormal, seed 1: fsfo: the step size rule is for"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder of results (%v)", err)
	}
}

// TestMoreSeeds adds seeds to a finished comparison: only their runs are done, and the folder
// is that of all seeds at once.
func TestMoreSeeds(t *testing.T) {
	p := smoke(t)
	dir := t.TempDir()
	once, grown := filepath.Join(dir, "once"), filepath.Join(dir, "grown")
	run(t, p, Settings{Dir: once, Jobs: 2})
	fewer := *p
	fewer.Run.Seeds--
	run(t, &fewer, Settings{Dir: grown, Jobs: 2})
	done := 0
	run(t, p, Settings{Dir: grown, Jobs: 2, Progress: func(Progress) { done++ }})
	if done != len(p.Methods) {
		t.Errorf("%d runs were done for one more seed, want %d", done, len(p.Methods))
	}
	same(t, once, grown)
}

// TestResume stops an experiment after every finished run in turn and carries on.
func TestResume(t *testing.T) {
	p := smoke(t)
	dir := t.TempDir()
	whole, pieces := filepath.Join(dir, "whole"), filepath.Join(dir, "pieces")
	run(t, p, Settings{Dir: whole, Jobs: 2})
	for total := 1; ; total++ {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Compare(ctx, p, nil, Settings{Dir: pieces, Jobs: 2, Progress: func(g Progress) {
			if g.Finished >= total {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if total > p.Run.Seeds*len(p.Methods)+1 {
			t.Fatal("the experiment does not end")
		}
	}
	same(t, whole, pieces)
}

// TestLocked tests that a second program does not work in the folder of the first.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	lock, err := folderlock.Acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	_, err = Compare(t.Context(), smoke(t), nil, Settings{Dir: dir, Force: true})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("in a folder in which another program works: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestDamagedReference damages the file of the reference optimum. It is computed again.
func TestDamagedReference(t *testing.T) {
	p := smoke(t)
	p.Problem.Reference = 0.1
	dir := t.TempDir()
	want := run(t, p, Settings{Dir: dir}).Reference()
	path := filepath.Join(dir, "reference.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	var told []error
	got := run(t, p, Settings{Dir: dir, Damaged: func(err error) { told = append(told, err) }}).Reference()
	if diff := cmp.Diff(want, got); diff != "" || len(told) != 1 {
		t.Errorf("told of %v, reference (-undamaged +again)\n%s", told, diff)
	}
}

// TestOnly runs the methods one by one.
func TestOnly(t *testing.T) {
	p := smoke(t)
	p.Methods = p.Methods[:2]
	dir := t.TempDir()
	whole, pieces := filepath.Join(dir, "whole"), filepath.Join(dir, "pieces")
	run(t, p, Settings{Dir: whole, Jobs: 2})
	for _, m := range p.Methods {
		if _, err := Compare(t.Context(), p, []string{m.Label}, Settings{Dir: pieces, Jobs: 2}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, whole, pieces)
	if _, err := Compare(t.Context(), p, []string{"newton"}, Settings{Dir: pieces}); err == nil {
		t.Error("an unknown label is accepted")
	}
}

// TestReference checks that the optimum is kept and lies below what the methods reach.
func TestReference(t *testing.T) {
	p := smoke(t)
	p.Problem.Reference = 1e-5
	p.Methods = p.Methods[:1]
	store := run(t, p, Settings{Dir: t.TempDir(), Jobs: 2})
	ref := store.Reference()
	if ref == nil {
		t.Fatal("no reference")
	}
	if ref.Residual > 1e-5 || ref.Constraint[0] > 1e-5 || ref.Multiplier[0] <= 0 {
		t.Errorf("reference %+v", ref)
	}
	for _, r := range store.Runs() {
		if final := r.Final(); final.LargestConstraint() <= 0 && final.Objective < ref.Objective {
			t.Errorf("%s ends feasible at %g, below the optimum %g", r.Cell, final.Objective, ref.Objective)
		}
	}
}

// TestTune tunes a method whose default is bad. Done again, it finds all its runs.
func TestTune(t *testing.T) {
	p, err := Parse("p.toml", tiny)
	if err != nil {
		t.Fatal(err)
	}
	p.Methods[0].Options = map[string]any{"h": 1e4} // hardly moves
	p.Methods[0].Grid = map[string][]any{"h": {1e4, 3.0}, "tau0": {1.0, 3.0}, "scale": {1.0, 10.0}}
	p.Tune.Candidates, p.Tune.Seeds = 5, 2
	calls, dir := 0, t.TempDir()
	tunings, err := Tune(t.Context(), p, nil, Settings{Dir: dir, Progress: func(g Progress) {
		calls++
		if g.Finished != calls || g.Cells != 5+5 {
			t.Errorf("call %d says %d of %d", calls, g.Finished, g.Cells)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Tune(t.Context(), p, nil, Settings{Dir: dir, Progress: func(Progress) { t.Error("a run is done again") }})
	if diff := cmp.Diff(tunings, again); err != nil || diff != "" {
		t.Errorf("error %v, tunings (-first +again)\n%s", err, diff)
	}
	best := tunings[0].Candidates[0]
	if len(tunings[0].Candidates) != 5 || best.Options["h"] != 3.0 {
		t.Errorf("%d candidates, the best %+v", len(tunings[0].Candidates), best)
	}
	text, err := Tuned(p, tunings)
	if err != nil {
		t.Fatal(err)
	}
	tuned, err := Parse("p.toml", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if tuned.Methods[0].Options["h"] != 3.0 {
		t.Errorf("tuned method %+v", tuned.Methods[0])
	}
}

// TestEncoded has other processes do the runs of a comparison and of a tuning.
func TestEncoded(t *testing.T) {
	p := smoke(t)
	p.Problem.Reference = 0.1
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	run(t, p, Settings{Dir: here, Jobs: 2})
	run(t, p, Settings{Dir: there, Executor: jobstest.Encoded{}})
	same(t, here, there)

	p.Methods = p.Methods[:2]
	p.Tune.Candidates, p.Tune.Seeds = 3, 1
	var tunings [2][]Tuning
	for i, s := range []Settings{{Jobs: 2}, {Executor: jobstest.Encoded{}}} {
		s.Dir = t.TempDir()
		var err error
		if tunings[i], err = Tune(t.Context(), p, nil, s); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tunings[0], tunings[1]); diff != "" {
		t.Errorf("tunings (-here +there)\n%s", diff)
	}
}

// TestOtherData has a process do a run that finds other rows than those of the experiment.
func TestOtherData(t *testing.T) {
	in, err := newInstance(smoke(t).Problem)
	if err != nil {
		t.Fatal(err)
	}
	there, err := newJob(smoke(t), in)
	if err != nil {
		t.Fatal(err)
	}
	there.Data[0].SHA256, there.here = "0", nil
	if _, err := there.Do(t.Context(), referencePart{}); err == nil ||
		!strings.HasPrefix(err.Error(), "synthetic has other rows here") {
		t.Errorf("error %v", err)
	}
}
