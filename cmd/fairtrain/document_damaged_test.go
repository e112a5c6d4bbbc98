package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// TestReportOfDamagedFiles damages every input of a report in many ways: there is an error
// that names a file, or a whole report, and never a part of one.
func TestReportOfDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 80, 7)
	writeHired(t, file("fresh.csv"), 60, 8)
	do(t, "train", "--data", file("train.csv"), "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.5", "--model", file("m.json"), "--quiet")
	test, _ := do(t, "certify", "--model", file("m.json"), "--data", file("fresh.csv"),
		"--constraint", "demographic-parity:group=sex,bound=0.9", "--json", "--ledger", file("ledger"))
	card := "title = \"Hired\"\nlimits = [\"one\", \"two\"]\n"
	for name, text := range map[string]string{"test.json": test, "card.toml": card} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := file("out.html")
	build := func() (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{
			"fairtrain", "report", "--model", file("m.json"), "--data", file("train.csv"), "--certificate", file("test.json"),
			"--card", file("card.toml"), "--out", out, "--quiet",
		}, nil, &stdout, &stderr)
		return code, stderr.String()
	}
	if code, talk := build(); code != 0 {
		t.Fatalf("code %d: %s", code, talk)
	}
	r := rand.New(rand.NewPCG(9, 9))
	for _, name := range []string{"m.json", "card.toml", "train.csv", "test.json"} {
		whole, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		const times = 30
		for range times {
			if err := os.WriteFile(file(name), damaged(r, whole), 0o644); err != nil {
				t.Fatal(err)
			}
			os.Remove(out)
			code, talk := build()
			page, err := os.ReadFile(out)
			switch {
			case code == 0 && (err != nil || !bytes.HasSuffix(page, []byte("</html>\n"))):
				t.Errorf("%s: no error, and no whole page (%v)", name, err)
			case code != 0 && (err == nil || !strings.HasPrefix(talk, "fairtrain: ") || len(talk) < 30):
				t.Errorf("%s: code %d, a file is written %v, and the error is %q", name, code, err == nil, talk)
			}
			if code != 0 {
				failed++
			}
		}
		if failed < times/4 {
			t.Errorf("%s: only %d of %d damages were noticed", name, failed, times)
		}
		if err := os.WriteFile(file(name), whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(file(atomicfile.Prefix + "*")); err != nil || len(left) > 0 {
		t.Errorf("left over are %v (%v)", left, err)
	}
}

// damaged cuts a text short, takes a part out, or puts something else in its place.
func damaged(r *rand.Rand, text []byte) []byte {
	from := r.IntN(len(text))
	to := min(from+1+r.IntN(12), len(text))
	switch r.IntN(4) {
	case 0:
		return text[:from]
	case 1:
		return slices.Concat(text[:from], text[to:])
	case 2:
		return slices.Concat(text[:from], []byte("null"), text[to:])
	}
	return slices.Concat(text[:from], []byte("1e999"), text[to:])
}
