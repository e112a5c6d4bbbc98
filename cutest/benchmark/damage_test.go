package benchmark

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/experiment"
)

// TestDamaged continues an experiment with damaged files. The run names their cells, and
// does only these cells again.
func TestDamaged(t *testing.T) {
	r := small(t)
	want := runAll(t, r)
	for name, damage := range map[string]func(string) []byte{
		"torn":        func(text string) []byte { return []byte(text[:len(text)/2]) },
		"another key": func(text string) []byte { return []byte(replaced(t, text, `"feasibility": `, `"other": `)) },
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
