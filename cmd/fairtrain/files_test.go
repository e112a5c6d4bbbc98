package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestStdinIsFile redirects a file to standard input and asks for it to be replaced.
func TestStdinIsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = "age,hired\n65,yes\n47,no\n"
	if err := os.WriteFile("in.csv", []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open("in.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"fairtrain", "data", "convert", "--out", "in.csv", "--force", "-"}, in, &stdout, &stderr)
	if want := "fairtrain: --out in.csv is also an input\n"; code != exitUsage || stderr.String() != want {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
	if got, err := os.ReadFile("in.csv"); err != nil || string(got) != rows {
		t.Errorf("the file is %q (%v)", got, err)
	}
}

func TestWithoutLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.MkdirAll("a/b", 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"link": "a/b", "a/new": "../fresh", "chain": "a/new", "absolute": filepath.Join(dir, "fresh"), "circle": "circle",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for path, want := range map[string]string{
		"fresh":             "fresh",
		"./a/../fresh":      "fresh",
		"link/fresh":        "a/b/fresh",
		"link/../fresh":     "a/fresh", // not ./fresh
		"link/":             "a/b",
		"a/new":             "fresh",
		"chain":             "fresh",
		"absolute":          "fresh",
		"no/such/../folder": "no/folder",
		"circle":            "circle",
	} {
		if got := withoutLinks(path); got != filepath.Join(dir, want) {
			t.Errorf("%s leads to %s, want %s", path, got, filepath.Join(dir, want))
		}
	}
}
