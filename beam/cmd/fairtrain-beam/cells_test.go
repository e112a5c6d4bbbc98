package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/program"
	"github.com/fairtrain/fairtrain/results/resultstest"
)

// few is a benchmark of two methods on problems with few variables.
const few = `
[benchmark]
noise = 1e-2
batches = [1, 10]
feasible = 1e-4
limit = 5
[run]
budget = 1000
seeds = 1
[[method]]
method = "ssqp"
axes = [[{h = 0.1}, {h = 1.0}]]
batch = {batch_f = 1, batch_c = 1}
[[method]]
method = "slqpm"
`

// times are what differs from run to run in JSON.
var times = regexp.MustCompile(`"seconds": ?(\{[^}]*\}|[^,\n}]*)`)

// cellCommands are command lines whose cells are done by workers.
func cellCommands(t *testing.T) [][]string {
	t.Helper()
	preset := filepath.Join(t.TempDir(), "few.toml")
	if err := os.WriteFile(preset, []byte(few), 0o600); err != nil {
		t.Fatal(err)
	}
	return [][]string{
		{"compare", "--smoke"},
		{"cutest", "run", "--preset", preset, "--built-in"},
		{"frontier", "--on", "scores", "--bounds", "0.05", "--tol", "1e-2"},
	}
}

// carriedOut runs a command into a folder and returns what it prints.
func carriedOut(t *testing.T, do func(args []string, stdout, stderr *bytes.Buffer) int, out string, words []string) string {
	t.Helper()
	args := slices.Concat([]string{"fairtrain-beam"}, words, []string{"--json", "--quiet", "--out", out})
	var stdout, stderr bytes.Buffer
	if code := do(args, &stdout, &stderr); code != 0 {
		t.Fatalf("%s: code %d: %s", words, code, &stderr)
	}
	return strings.ReplaceAll(times.ReplaceAllString(stdout.String(), ""), out, "OUT")
}

// inThisProcess does the cells as fairtrain does.
func inThisProcess(ctx context.Context) func(args []string, stdout, stderr *bytes.Buffer) int {
	return func(args []string, stdout, stderr *bytes.Buffer) int {
		return program.Run(ctx, args[0], args, nil, stdout, stderr, program.Workers{})
	}
}

// compareFolders compares folders of results, of whatever kind.
func compareFolders(t *testing.T, here, there string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(here, "spec.json")); err == nil {
		for _, d := range resultstest.Differences(t, here, there) {
			t.Error(d)
		}
		return
	}
	for _, name := range []string{"frontier.csv", "frontier.json", "frontier.png", "frontier.svg"} {
		var texts []string
		for _, dir := range []string{here, there} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, times.ReplaceAllString(string(text), ""))
		}
		if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
			t.Errorf("%s (-here +there):\n%s", name, diff)
		}
	}
}

// TestCells has workers do what this process does, too.
func TestCells(t *testing.T) {
	for _, words := range cellCommands(t) {
		t.Run(words[0], func(t *testing.T) {
			dir := t.TempDir()
			here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
			want := carriedOut(t, inThisProcess(t.Context()), here, words)
			if diff := cmp.Diff(want, carriedOut(t, inProcess(t.Context()), there, words)); diff != "" {
				t.Errorf("printed (-here +there):\n%s", diff)
			}
			compareFolders(t, here, there)
		})
	}
}

// TestInterruptedCells interrupts the program once some runs are there. The next one does the rest.
func TestInterruptedCells(t *testing.T) {
	words := cellCommands(t)[1]
	dir := t.TempDir()
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	want := carriedOut(t, inThisProcess(t.Context()), here, words)
	stored := func() []string {
		files, err := filepath.Glob(filepath.Join(there, "run", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		var stdout, stderr bytes.Buffer
		ended <- inProcess(ctx)(slices.Concat([]string{"fairtrain-beam"}, words,
			[]string{"--out", there}), &stdout, &stderr)
	}()
	for len(stored()) == 0 {
		select {
		case code := <-ended:
			t.Fatalf("code %d before a run was there", code)
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	const interrupted = 130
	if code := <-ended; code != interrupted {
		t.Errorf("code %d", code)
	}
	first := map[string][]byte{}
	for _, path := range stored() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first[path] = text
	}
	if diff := cmp.Diff(want, carriedOut(t, inProcess(t.Context()), there, words)); diff != "" {
		t.Errorf("printed (-whole +interrupted):\n%s", diff)
	}
	compareFolders(t, here, there)
	for path, text := range first {
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s was done again (%v)", path, err)
		}
	}
}

// TestCellFailures runs commands whose cells no worker can do.
func TestCellFailures(t *testing.T) {
	for _, test := range []struct {
		flags string
		code  int
		says  string
	}{
		{"frontier --data - --constraint demographic-parity:group=71,bound=0.01", 2, "workers cannot read standard input (-), name a file"},
		{"compare --jobs 2", 2, "unknown flag --jobs"},
		{"cutest run --shared /dev/null/x --candidates 1 --out " + t.TempDir(), 1, "/dev/null"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"fairtrain-beam"}, strings.Fields(test.flags)...)
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != test.code ||
			!strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: code %d, want %d and %q:\n%s", test.flags, code, test.code, test.says, &stderr)
		}
	}
}
