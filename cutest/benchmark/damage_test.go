package benchmark

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/results"
)

// TestMutations damages the files of an experiment, one at a time. The folder must then be
// refused or give the same table.
func TestMutations(t *testing.T) {
	const mutations = 600 // one of 200 that is not noticed is met with a probability of 95 %
	r := small(t)
	r.Problems, r.Preset.Methods = r.Problems[:1], r.Preset.Methods[:2] // every file is read for every mutation
	runAll(t, r)
	figures := func() (string, error) {
		table, err := LoadTable(r.Dir)
		if err != nil {
			return "", err
		}
		var b bytes.Buffer
		if err := table.ByMethod().Write(&b, results.Text); err != nil {
			return "", err
		}
		err = table.ByProblem().Write(&b, results.CSV)
		return b.String(), err
	}
	want, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(r.Dir, "spec.json")}
	for _, pattern := range []string{"run/*.json", "trajectory/*.csv"} {
		found, err := filepath.Glob(filepath.Join(r.Dir, pattern))
		if err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		files = append(files, found...)
	}
	random := rand.New(rand.NewPCG(4, 14))
	refused := 0
	for range mutations {
		path := files[random.IntN(len(files))]
		original, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := []byte(datatest.Damage(random, string(original)))
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := figures()
		if err == nil && got != want {
			t.Fatalf("%s is now %q and the table\n%s, without an error", path, damaged, got)
		}
		if err != nil {
			refused++
		}
		if err := os.WriteFile(path, original, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if refused < mutations/2 {
		t.Errorf("of %d mutations %d were refused: the test tests little", mutations, refused)
	}
}

// TestDamaged continues an experiment with damaged files. The run names their cells, and
// does only these cells again.
func TestDamaged(t *testing.T) {
	r := small(t)
	want := runAll(t, r)
	for name, damage := range map[string]func(string) []byte{
		"torn":                func(text string) []byte { return []byte(text[:len(text)/2]) },
		"another result":      func(text string) []byte { return []byte(replaced(t, text, `"feasibility": `, `"feasibility": 1`)) },
		"another line ending": func(text string) []byte { return bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n")) },
		"without a seal":      func(text string) []byte { return []byte(replaced(t, text, `"seal"`, `"other"`)) },
	} {
		path := cellPath(t, r.Dir, "circle-fsfo")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, damage(string(text)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadTable(r.Dir); err == nil {
			t.Errorf("%s: the damaged result is in a table", name)
		}
		var told []error
		r.Damaged = func(err error) { told = append(told, err) }
		runs := 0
		r.Progress = func(experiment.Progress) { runs++ }
		if diff := cmp.Diff(want, runAll(t, r), tables); diff != "" {
			t.Errorf("%s: undamaged (-) and done again (+):\n%s", name, diff)
		}
		if len(told) != 1 || runs != r.Candidates+1 {
			t.Errorf("%s: told %v and did %d runs, want one result and %d", name, told, runs, r.Candidates+1)
		}
	}
}

// cellPath is the file of the one run whose cell begins with a name.
func cellPath(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "run", name+"-*.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("files of %s: %v (%v)", name, found, err)
	}
	return found[0]
}

// TestTornSpec goes on where a program was killed between the two files that say what the
// experiment is.
func TestTornSpec(t *testing.T) {
	r := small(t)
	want := runAll(t, r)
	if err := os.WriteFile(filepath.Join(r.Dir, "spec.json"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadTable(r.Dir); err == nil || !strings.Contains(err.Error(), "spec.json: damaged") {
		t.Errorf("the table of a folder with another spec: %v", err)
	}
	r.Progress = func(p experiment.Progress) { t.Errorf("a finished cell is done again: %+v", p) }
	if diff := cmp.Diff(want, runAll(t, r), tables); diff != "" {
		t.Errorf("before (-) and after (+):\n%s", diff)
	}
}
