package results

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// figures is the table of a folder, and its reference.
func figures(dir string) (string, error) {
	s, err := Open(dir, Comparison)
	if err != nil {
		return "", err
	}
	reference, err := s.Reference()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := NewTable(Summarise(s.Runs(), []float64{0.5}), Median).Write(&b, CSV); err != nil {
		return "", err
	}
	text, err := encode(reference)
	return b.String() + string(text), err
}

// TestMutations damages the files of a folder, one at a time. The folder must then be
// refused or give the same figures; and a comparison that goes on must do again what it
// does not trust, and end with the same figures.
func TestMutations(t *testing.T) {
	const mutations = 400
	dir := t.TempDir()
	s := create(t, dir)
	runs := sampleRuns(t)[:2]
	save(t, s, runs...)
	reference := Reference{Objective: 0.32, Constraint: []float64{0}, Multiplier: []float64{2}, Residual: 1e-9, Method: "alm"}
	if err := s.SaveReference(reference); err != nil {
		t.Fatal(err)
	}
	want, err := figures(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := []string{specFile, metaFile, referenceFile, tableFile}
	for _, run := range runs {
		files = append(files, runPath(run.Cell), pointsPath(run.Cell))
	}
	original := map[string][]byte{}
	for _, name := range files {
		if original[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put := func(name string, text []byte) {
		if now, err := os.ReadFile(filepath.Join(dir, name)); err == nil && bytes.Equal(now, text) {
			return // disks take their time over files that are written again
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expectFigures := func(name string, damaged []byte) (ok bool) {
		got, err := figures(dir)
		if err == nil && got != want {
			t.Fatalf("%s is now %q and the figures are\n%s, without an error", name, damaged, got)
		}
		return err == nil
	}
	r := rand.New(rand.NewPCG(4, 14))
	refused, resumed := 0, 0
	for range mutations {
		name := files[r.IntN(len(files))]
		damaged := []byte(datatest.Damage(r, string(original[name])))
		put(name, damaged)
		if !expectFigures(name, damaged) {
			refused++
		}
		again, err := Create(dir, Comparison, sampleSpec, NewMeta(nil))
		if err == nil {
			resumed++
			for _, run := range runs {
				if !finished(again, run.Cell) {
					save(t, again, run)
				}
			}
			if _, err := again.Reference(); err != nil {
				if err := again.SaveReference(reference); err != nil {
					t.Fatal(err)
				}
			}
			if !expectFigures(name, damaged) {
				t.Fatalf("%s was %q; after going on the folder is refused", name, damaged)
			}
		}
		for _, name := range files {
			put(name, original[name])
		}
	}
	if refused < mutations/2 || resumed < mutations/2 {
		t.Errorf("of %d mutations %d were refused and %d gone on with: the test tests little",
			mutations, refused, resumed)
	}
}

// TestEveryByte changes, deletes and doubles every byte of a sealed file and of what
// belongs to it.
func TestEveryByte(t *testing.T) {
	text := closeSeal([]byte(`{"a": 1, "seal": "`+blankSeal+`", "b": [2, "x"]}`), []byte("1,2\n"), []byte("3\n"))
	parts := [][]byte{text, []byte("1,2\n"), []byte("3\n")}
	if err := checkSeal(parts[0], parts[1:]...); err != nil {
		t.Fatal(err)
	}
	for k, part := range parts {
		for i := range part {
			for name, changed := range map[string][]byte{
				"flipped": append(append(bytes.Clone(part[:i]), part[i]^1), part[i+1:]...),
				"deleted": append(bytes.Clone(part[:i]), part[i+1:]...),
				"doubled": append(bytes.Clone(part[:i+1]), part[i:]...),
			} {
				if bytes.Equal(changed, part) {
					continue
				}
				damaged := append([][]byte{}, parts...)
				damaged[k] = changed
				if checkSeal(damaged[0], damaged[1:]...) == nil {
					t.Errorf("part %d, byte %d %s: not noticed", k, i, name)
				}
			}
		}
	}
	if checkSeal(text, []byte("1,2\n3\n")) == nil {
		t.Error("bytes that moved from one part to another: not noticed")
	}
}
