package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/results/resultstest"
)

var sampleSpec = map[string]any{"budget": 400, "methods": []string{"fsfo", "sgd"}}

func create(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Create(dir, Comparison, sampleSpec, NewMeta([]string{"fairtrain", "compare"}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func finished(s *Store, cell string) bool {
	_, ok := s.Run(cell)
	return ok
}

func TestMain(m *testing.M) {
	atomicfile.Unsynced = true
	m.Run()
}

func sampleRuns(t *testing.T) []Run {
	t.Helper()
	var runs []Run
	for _, label := range []string{"fsfo", "sgd"} {
		for seed := range uint64(3) {
			runs = append(runs, sampleRun(t, label, seed, 2))
		}
	}
	return runs
}

func save(t *testing.T, s *Store, runs ...Run) {
	t.Helper()
	for _, r := range runs {
		if err := s.Save(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WriteTable(); err != nil {
		t.Fatal(err)
	}
}

func TestStoreRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	s := create(t, dir)
	runs := sampleRuns(t)
	runs[5].Status, runs[5].Error, runs[5].Points = Failed, "disk \"x\"\non fire", nil
	save(t, s, runs...)
	reference := Reference{Objective: 0.32, Constraint: []float64{0, -1}, Multiplier: []float64{2, 0}, Residual: 1e-9, Method: "alm"}
	if err := s.SaveReference(reference); err != nil {
		t.Fatal(err)
	}

	opened, err := Open(dir, Comparison)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(runs, opened.Runs(), sameBits); diff != "" {
		t.Errorf("runs: %s", diff)
	}
	if diff := cmp.Diff(&reference, opened.Reference()); diff != "" {
		t.Errorf("reference: %s", diff)
	}
	for _, r := range runs {
		if !finished(opened, r.Cell) {
			t.Errorf("%s is not finished", r.Cell)
		}
	}
	if finished(opened, "other") {
		t.Error("a run that was never saved is finished")
	}
	meta, err := opened.readMeta()
	sessions := meta.Sessions
	if err != nil || len(sessions) != 1 || sessions[0].Version == "" || sessions[0].CPU == "" {
		t.Errorf("sessions %+v, %v; want this process", sessions, err)
	}
}

// TestOrderOfSaving shows that neither the order of runs nor the number of goroutines nor
// timings change the files.
func TestOrderOfSaving(t *testing.T) {
	runs := sampleRuns(t)
	one, two := t.TempDir(), t.TempDir()
	save(t, create(t, one), runs...)

	s := create(t, two)
	var wg sync.WaitGroup
	for _, r := range slices.Backward(runs) {
		wg.Go(func() {
			r.Seconds *= 2
			r.Points = slices.Clone(r.Points)
			for i := range r.Points {
				r.Points[i].Seconds += 0.1
			}
			if err := s.Save(r); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := s.WriteTable(); err != nil {
		t.Fatal(err)
	}
	expectDifferences(t, one, two)

	changed := runs[2]
	changed.Points = slices.Clone(changed.Points)
	changed.Points[1].Objective += 1e-16
	save(t, s, changed)
	expectDifferences(t, one, two,
		"trajectory/"+changed.Cell+".csv differs")
}

func expectDifferences(t *testing.T, a, b string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, resultstest.Differences(t, a, b)); diff != "" {
		t.Errorf("differences: %s", diff)
	}
}

var errFull = fmt.Errorf("write: %w", syscall.ENOSPC)

// TestKilledAnywhere stops a comparison before every single write of a file, resumes it,
// and expects the files of an uninterrupted one. A stop leaves a half-written temporary
// file, as a kill does.
func TestKilledAnywhere(t *testing.T) {
	runs := sampleRuns(t)
	want := t.TempDir()
	save(t, create(t, want), runs...)

	for writes := 0; ; writes++ {
		dir := t.TempDir()
		killed := false
		s := create(t, dir)
		left := writes
		s.write = func(path string, data []byte) error {
			if left == 0 {
				killed = true
				half := filepath.Join(filepath.Dir(path), atomicfile.Prefix+filepath.Base(path)+"-123")
				if err := os.WriteFile(half, data[:len(data)/2], 0o600); err != nil {
					t.Fatal(err)
				}
				return errFull
			}
			left--
			return atomicfile.WriteFile(path, data)
		}
		var saved []string
		for _, r := range runs {
			if err := s.Save(r); err != nil {
				break
			}
			saved = append(saved, r.Cell)
		}
		_ = s.WriteTable() // fails if killed

		resumed := create(t, dir)
		for _, cell := range saved {
			if !finished(resumed, cell) {
				t.Fatalf("%s was saved before a kill at write %d, and is lost", cell, writes)
			}
		}
		for _, r := range runs {
			if !finished(resumed, r.Cell) {
				save(t, resumed, r)
			}
		}
		save(t, resumed)
		expectDifferences(t, want, dir)
		expectNoHiddenFiles(t, dir)
		if !killed {
			if writes != 2*len(runs)+1 {
				t.Errorf("%d writes for %d runs, want two a run and the table", writes, len(runs))
			}
			return
		}
	}
}

func expectNoHiddenFiles(t *testing.T, dir string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if strings.HasPrefix(d.Name(), ".") && path != "." {
			t.Errorf("%s is left behind", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s := create(t, dir)
	runs := sampleRuns(t)
	save(t, s, runs[0])
	s.write = func(string, []byte) error { return errFull }
	err := s.Save(runs[1])
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), runs[1].Cell) ||
		!strings.Contains(err.Error(), "stored") {
		t.Errorf("error %v, want one of a full disk that says what is stored", err)
	}
	opened, err := Open(dir, Comparison)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(runs[:1], opened.Runs(), sameBits); diff != "" {
		t.Error(diff)
	}
}

// TestSessions expects provenance of every process that has worked on the folder.
func TestSessions(t *testing.T) {
	dir := t.TempDir()
	runs := sampleRuns(t)
	save(t, create(t, dir), runs[0])
	save(t, create(t, dir), runs[1], runs[2])
	s, err := Open(dir, Comparison)
	if err != nil {
		t.Fatal(err)
	}
	if meta, err := s.readMeta(); err != nil || len(meta.Sessions) != 2 {
		t.Errorf("%d sessions, %v; want 2", len(meta.Sessions), err)
	}
}

func TestDamagedFiles(t *testing.T) {
	run := sampleRun(t, "fsfo", 1, 1)
	record, points := runPath(run.Cell), pointsPath(run.Cell)
	edit := func(old, replacement string) func(string) string {
		return func(text string) string {
			if !strings.Contains(text, old) {
				t.Fatalf("%q is not in the file", old)
			}
			return strings.Replace(text, old, replacement, 1)
		}
	}
	cut := func(text string) string { return text[:strings.LastIndexByte(text[:len(text)-1], '\n')+1] }
	for _, test := range []struct {
		name, file string
		damage     func(string) string
		want       []string // parts of the error
	}{
		{"trajectory without its last line", points, cut, []string{points, "3 points of 4"}},
		{"torn trajectory", points, func(s string) string { return s[:len(s)-20] }, []string{points, "does not end with a line"}},
		{"foreign trajectory", points, func(string) string { return "x,y\n1,2\n" }, []string{points, "header"}},
		{"torn record", record, cut, []string{record, "unexpected EOF"}},
		{"empty record", record, func(string) string { return "" }, []string{record, "EOF"}},
		{"unknown key", record, edit(`"method"`, `"methode"`), []string{record, `unknown field "methode"`}},
		{"wrong type", record, edit(`"seed": 1`, `"seed": "one"`), []string{record, "seed"}},
		{"no trajectory", points, nil, []string{points, "damaged: "}},
		{"tail", record, func(s string) string { return s + "{}" }, []string{record, "follows"}},
	} {
		dir := t.TempDir()
		save(t, create(t, dir), run)
		path := filepath.Join(dir, test.file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if test.damage == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, []byte(test.damage(string(data))), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(dir, Comparison)
		for _, part := range test.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %v, want one with %q", test.name, err, part)
			}
		}
		s := create(t, dir)
		if finished(s, run.Cell) || len(s.Damage()) != 1 || s.Damage()[0].Error() != err.Error() {
			t.Errorf("%s: the run is finished or its damage not told: %v", test.name, s.Damage())
		}
		save(t, s, run)
		if _, err := Open(dir, Comparison); err != nil {
			t.Errorf("%s: after redoing the run: %v", test.name, err)
		}
	}
}

// TestBegunFolder resumes after a kill between the first files of a folder.
func TestBegunFolder(t *testing.T) {
	dir := t.TempDir()
	create(t, dir)
	if err := os.Remove(filepath.Join(dir, metaFile)); err != nil {
		t.Fatal(err)
	}
	create(t, dir)
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	save(t, create(t, dir), sampleRuns(t)...)
	figure := filepath.Join(dir, "figure.svg")
	if err := os.WriteFile(figure, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Discard(dir, Comparison); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "figure.svg" {
		t.Errorf("after Discard the folder holds %v, %v; want the figure only", entries, err)
	}
	if err := Discard(filepath.Join(t.TempDir(), "none"), Comparison); err != nil {
		t.Errorf("discarding nothing: %v", err)
	}
}
