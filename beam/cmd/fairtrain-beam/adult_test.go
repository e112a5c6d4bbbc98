package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// plain builds fairtrain, and returns what runs it and gives its exit code and what it prints.
func plain(t *testing.T) func(args ...string) (code int, stdout []byte) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "fairtrain")
	build := exec.Command("go", "build", "-o", program, "./cmd/fairtrain")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(args ...string) (int, []byte) {
		t.Helper()
		run := exec.CommandContext(t.Context(), program, args...)
		stdout, err := run.Output()
		if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
			t.Fatal(err)
		}
		return run.ProcessState.ExitCode(), stdout
	}
}

// packedAdult packs rows of Adult whole, like those of a packed file if one is named, and in so
// many shards each.
func packedAdult(t *testing.T, fairtrain func(args ...string) (int, []byte), source, like string, counts ...int) (whole string, patterns []string) {
	t.Helper()
	pack := func(from, to string, flags ...string) {
		t.Helper()
		if code, _ := fairtrain(slices.Concat([]string{"data", "pack", "--quiet", "--out", to},
			flags, []string{from})...); code != 0 {
			t.Fatalf("%s is not packed: code %d", from, code)
		}
	}
	dir := t.TempDir()
	source = datatest.Path(t, source)
	whole = filepath.Join(dir, "whole.fpk")
	if like == "" {
		pack(source, whole, "--schema", "adult", "--group", "sex")
	} else {
		pack(source, whole, "--like", like)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(strings.TrimSpace(string(text)) + "\n"))
	for _, count := range counts {
		const leaf = 2048 // rows, whose sums are not cut
		leaves := (len(lines) + leaf - 1) / leaf
		size := (leaves + count - 1) / count * leaf
		for k, part := range slices.Collect(slices.Chunk(lines, size)) {
			some := filepath.Join(dir, "some.data")
			if err := os.WriteFile(some, []byte(strings.Join(part, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			pack(some, filepath.Join(dir, fmt.Sprintf("of-%d-%02d.fpk", count, k)), "--like", whole)
		}
		patterns = append(patterns, filepath.Join(dir, fmt.Sprintf("of-%d-*.fpk", count)))
	}
	return whole, patterns
}

// reported is a report without what names files and without times.
func reported(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	delete(report, "seconds")
	delete(report, "model")
	delete(report["train"].(map[string]any), "name")
	if g, ok := report["guarantee"].(map[string]any); ok {
		delete(g, "data")
		delete(g, "statement")
	}
	return report
}

// asPlain runs the plain program with some flags and this one with others. Report, certificate,
// guarantee and exit code are to be the same, and the classifier. It returns the report.
func asPlain(t *testing.T, fairtrain func(args ...string) (int, []byte), flags, plainly, here []string) map[string]any {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.json")
	args := slices.Concat([]string{"train", "--json", "--quiet", "--model", model}, flags)
	wantCode, text := fairtrain(append(args, plainly...)...)
	want, wantReport := result(t, text, model), reported(t, text)
	var stdout, stderr bytes.Buffer
	if code := inProcess(t.Context())(slices.Concat([]string{"fairtrain-beam"}, args, here),
		&stdout, &stderr); code != wantCode {
		t.Fatalf("%q: code %d, of the plain program %d: %s", here, code, wantCode, &stderr)
	}
	if diff := cmp.Diff(wantReport, reported(t, stdout.Bytes())); diff != "" {
		t.Errorf("report with %q (-plain +Beam):\n%s", here, diff)
	}
	if diff := cmp.Diff(want.Classifier, result(t, stdout.Bytes(), model).Classifier,
		cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("classifier with %q (-plain +Beam):\n%s", here, diff)
	}
	return wantReport
}

// adult trains on Adult whole with the plain program, and in 3 shards with this one.
func adult(t *testing.T, flags, onRunner []string) {
	fairtrain := plain(t)
	whole, patterns := packedAdult(t, fairtrain, "adult/adult.data", "", 3)
	// nothing to be cross-validated, which draws from the rows that are here
	flags = append(flags, "--l2", "1e-4", "--aim", "training", "--constraint", "demographic-parity:group=sex,bound=0.02")
	for _, pattern := range patterns {
		asPlain(t, fairtrain, flags, []string{"--data", whole}, append(onRunner, "--data", pattern))
	}
}

// TestAdult has a constraint on decisions, which is kept, and one that is not reached.
func TestAdult(t *testing.T) {
	for name, flags := range map[string][]string{
		"kept":        {"--loss", "logistic", "--tol", "0.1"},
		"not reached": {"--loss", "logistic", "--max-passes", "3"},
	} {
		t.Run(name, func(t *testing.T) { adult(t, flags, nil) })
	}
}
