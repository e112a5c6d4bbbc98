package results

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMoreSeeds continues an experiment from more seeds, and from nothing else.
func TestMoreSeeds(t *testing.T) {
	spec := func(seeds, budget int) any {
		return map[string]any{"run": map[string]any{"seeds": seeds, "budget": budget}}
	}
	dir := t.TempDir()
	for _, test := range []struct {
		seeds, budget int
		want          string
	}{
		{5, 400, ""},
		{7, 400, ""},
		{7, 400, ""},
		{5, 400, "another experiment"},
		{9, 800, "another experiment"},
	} {
		s, err := Create(dir, Comparison, spec(test.seeds, test.budget), NewMeta(nil))
		if _, ok := errors.AsType[*Conflict](err); ok != (test.want != "") || ok &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%d seeds, budget %d: error %v, want %q", test.seeds, test.budget, err, test.want)
		}
		if err != nil {
			continue
		}
		if test.seeds == 5 {
			save(t, s, sampleRuns(t)...)
		}
		if len(s.Runs()) != len(sampleRuns(t)) {
			t.Errorf("%d seeds: %d runs are left, want %d", test.seeds, len(s.Runs()), len(sampleRuns(t)))
		}
	}
	if _, err := Open(dir, Comparison); err != nil {
		t.Error(err)
	}
}

func TestForeignFolders(t *testing.T) {
	meta := NewMeta(nil)
	expect := func(err error, part string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want one with %q", err, part)
		}
	}
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	_, err := Open(t.TempDir(), Comparison)
	expect(err, "not a folder of results")
	_, err = Open(filepath.Join(t.TempDir(), "none"), Comparison)
	expect(err, "not a folder of results")

	thesis := t.TempDir()
	write(thesis, "thesis.tex", "")
	_, err = Create(thesis, Comparison, sampleSpec, meta)
	expect(err, "holds thesis.tex")
	expect(Discard(thesis, Comparison), "holds thesis.tex")

	later := t.TempDir()
	write(later, metaFile, `{"format": "fairtrain-results/9"}`)
	_, err = Create(later, Comparison, sampleSpec, meta)
	expect(err, "fairtrain-results/9")
	_, err = Open(later, Comparison)
	expect(err, "fairtrain-results/9")

	other := t.TempDir()
	create(t, other)
	_, err = Create(other, Comparison, map[string]any{"budget": 800}, meta)
	expect(err, "another experiment")

	_, err = Create(t.TempDir(), Comparison, math.Inf(1), meta)
	expect(err, "unsupported value")
}

// TestOtherData: rows that have changed under the same name don't continue a comparison. A
// benchmark does again what another file changes.
func TestOtherData(t *testing.T) {
	then, now := DataFile{Name: "rows.csv", SHA256: "5e1f", Rows: 3}, DataFile{Name: "rows.csv", SHA256: "77aa", Rows: 4}
	for kind, want := range map[*Kind]string{&Comparison: "holds results of other rows", &Tuning: "other rows", &Benchmark: ""} {
		dir := t.TempDir()
		for _, d := range []DataFile{then, then} {
			if _, err := Create(dir, *kind, sampleSpec, NewMeta(nil, d)); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Create(dir, *kind, sampleSpec, NewMeta(nil, now))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", kind.Command, err)
		}
	}
}
