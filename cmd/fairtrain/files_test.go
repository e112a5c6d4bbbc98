package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
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
	code := run(t.Context(), []string{"fairtrain", "data", "pack", "--out", "in.csv", "--force", "-"}, in, &stdout, &stderr)
	if want := "fairtrain: --out in.csv is also an input\n"; code != command.ExitUsage || stderr.String() != want {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
	if got, err := os.ReadFile("in.csv"); err != nil || string(got) != rows {
		t.Errorf("the file is %q (%v)", got, err)
	}
}
