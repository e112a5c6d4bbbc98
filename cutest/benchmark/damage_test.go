package benchmark

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/seal/sealtest"
	"github.com/fairtrain/fairtrain/results"
)

// TestMutations damages the files of an experiment, one at a time. The folder must then be
// refused or give the same table.
func TestMutations(t *testing.T) {
	const mutations = 5000
	r := small(t)
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
	files, err := filepath.Glob(filepath.Join(r.Dir, cellsDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, filepath.Join(r.Dir, manifestFile))
	random := rand.New(rand.NewPCG(4, 14))
	refused := 0
	for range mutations {
		path := files[random.IntN(len(files))]
		original, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := sealtest.Mutate(random, original)
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

// TestDamaged goes on with an experiment of which files are damaged. It names the cells,
// and does them and no others again.
func TestDamaged(t *testing.T) {
	r := small(t)
	want := runAll(t, r)
	for name, damage := range map[string]func(string) []byte{
		"torn":                  func(text string) []byte { return []byte(text[:len(text)/2]) },
		"another choice":        func(text string) []byte { return []byte(replaced(t, text, `"chosen": `, `"chosen": 1`)) },
		"another line ending":   func(text string) []byte { return bytes.ReplaceAll([]byte(text), []byte("\n"), []byte("\r\n")) },
		"of an earlier version": func(text string) []byte { return []byte(replaced(t, text, `"seal"`, `"other"`)) },
	} {
		path := store{r.Dir}.cellPath("CIRCLE", "fsfo")
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
		r.Report = func(Progress) { runs++ }
		if diff := cmp.Diff(want, runAll(t, r), tables); diff != "" {
			t.Errorf("%s: undamaged (-) and done again (+):\n%s", name, diff)
		}
		if len(told) != 1 || runs != r.Candidates {
			t.Errorf("%s: told %v and did %d runs, want one result and %d", name, told, runs, r.Candidates)
		}
	}
}
