package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
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

// TestFileAppears has somebody else write to the place of an output while the command works.
func TestFileAppears(t *testing.T) {
	t.Chdir(t.TempDir())
	prepare(t)
	defer func() { atomicfile.Fault = nil }()
	const train = "train --data rows --constraint none --quiet --model "
	for _, test := range []struct {
		args, out, appears string
		replaced           bool
	}{
		{args: train + "a.json", out: "a.json", appears: "precious"},
		{args: train + "a.json --report a.md", out: "a.md", appears: "precious"},
		{args: train + "a.json --l2 0.1", out: "a.json", appears: "trained.json", replaced: true}, // by a model
		{args: train + "a.json --force", out: "a.json", appears: "precious", replaced: true},
		{args: "data pack --label y --out a.fpk in.csv", out: "a.fpk", appears: "precious"},
		{args: "data pack --label y --out a.fpk --force in.csv", out: "a.fpk", appears: "precious", replaced: true},
		{args: "predict --model trained.json --data rows --out a.csv", out: "a.csv", appears: "precious"},
	} {
		for _, name := range []string{"a.json", "a.md", test.out, test.out + ".new"} {
			os.Remove(name)
		}
		appears, err := os.ReadFile(test.appears)
		if err != nil {
			appears = []byte(test.appears)
		}
		atomicfile.Fault = func(step string) error {
			if step == "rename" {
				return os.WriteFile(test.out, appears, 0o644)
			}
			return nil
		}
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"fairtrain"}, strings.Fields(test.args)...), nil,
			&bytes.Buffer{}, &stderr)
		atomicfile.Fault = nil
		is, err := os.ReadFile(test.out)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := os.ReadFile(test.out + ".new")
		said := strings.Contains(stderr.String(), test.out+" appeared during the run") &&
			strings.Contains(stderr.String(), test.out+".new\n  hint: --force")
		if test.replaced && (code != 0 || bytes.Equal(is, appears) || kept != nil) ||
			!test.replaced && (code != command.ExitFailure || !bytes.Equal(is, appears) || len(kept) == 0 || !said) {
			t.Errorf("%s: code %d, %s is %.20q, kept %.20q, stderr %q", test.args, code, test.out, is, kept, &stderr)
		}
		if left := names(t, atomicfile.Prefix); left != nil {
			t.Errorf("%s leaves %q", test.args, left)
		}
	}
}

// names are the names in the working folder that begin with prefix.
func names(t *testing.T, prefix string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			list = append(list, e.Name())
		}
	}
	return list
}
