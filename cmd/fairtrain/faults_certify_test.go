package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/ledger"
)

// TestCertifyFaults makes the k-th step of writing fail, for all k, of a test of a model. A
// test that has an outcome is in the ledger, and is not done again; one that has none may be
// there, as its rows may have been seen. That the model file could not be told of a test is
// said, and the file is what it was.
func TestCertifyFaults(t *testing.T) {
	const args = "certify --model trained.json --data fresh --constraint demographic-parity:group=1,bound=0.9 --confidence 0.5 --ledger book"
	faults := eachFault(t, args, func(step int, failed string, before map[string]string, code int, stderr string) {
		entries := bookEntries(t)
		switch {
		case !strings.Contains(stderr, "no space left"):
			t.Errorf("step %d, %s: stderr %q", step, failed, stderr)
		case code == command.ExitFailure && strings.Contains(stderr, "no outcome"): // nor an entry, unless the last step failed
			if len(entries) > 0 && failed != "sync folder" {
				t.Errorf("step %d, %s: a test without an outcome is in the ledger", step, failed)
			}
		case code == command.ExitFailure || !strings.Contains(stderr, "not in the model file") || len(entries) != 1:
			t.Errorf("step %d, %s: code %d, %d entries, stderr %q", step, failed, code, len(entries), stderr)
		}
		left := readTree(t)
		maps.DeleteFunc(left, func(name, _ string) bool { return strings.HasSuffix(name, ".use.json") })
		if model := left["trained.json"]; model != before["trained.json"] { // the last step has failed
			if _, err := classifier.Load("trained.json"); err != nil || failed != "sync folder" {
				t.Errorf("step %d, %s: the model is another: %v", step, failed, err)
			}
			left["trained.json"] = before["trained.json"]
		}
		for _, fault := range torn(timelessTree(left), timelessTree(before), timelessTree(before)) {
			t.Errorf("step %d, %s: %s", step, failed, fault)
		}
		code, stderr = runFaulty(t, args, nil)
		if refused := strings.Contains(stderr, "tested before"); refused != (len(entries) > 0) ||
			len(bookEntries(t)) != 1 {
			t.Errorf("again after a fault in step %d with %d entries: code %d, stderr %q", step,
				len(entries), code, stderr)
		}
	})
	if faults < 10 {
		t.Errorf("%d steps for two files: some are not asked about", faults)
	}
	t.Logf("%d calls failed", faults)
}

// TestTrainCertifyFaults does the same to train --certify. No model is written of which the
// test is not in the ledger. One that was tested is kept where it can't be written.
func TestTrainCertifyFaults(t *testing.T) {
	const args = "train --data rows --certify fresh --constraint demographic-parity:group=1,bound=0.9 --confidence 0.5 --ledger book --model model.json --quiet"
	faults := eachFault(t, args, func(step int, failed string, before map[string]string, code int, stderr string) {
		if code != command.ExitFailure || !strings.Contains(stderr, "no space left") {
			t.Errorf("step %d, %s: code %d, stderr %q", step, failed, code, stderr)
		}
		left := readTree(t)
		tests := slices.DeleteFunc(bookEntries(t), func(e ledger.Entry) bool { return e.Use != ledger.Testing })
		if _, written := left["model.json"]; written {
			if m, err := classifier.Load("model.json"); err != nil || len(m.Tests) != 1 || len(tests) != 1 {
				t.Errorf("step %d, %s: a model with %d tests in the ledger: %v", step, failed, len(tests), err)
			}
			delete(left, "model.json")
		}
		for name := range left {
			if !strings.Contains(name, "fairtrain-model-") {
				continue
			}
			if m, err := classifier.Load(name); err != nil || len(m.Tests) != 1 ||
				len(tests) != 1 || !strings.Contains(stderr, "the model is in "+name) {
				t.Errorf("step %d, %s: %s is kept, with %d tests in the ledger: %v; stderr %q",
					step, failed, name, len(tests), err, stderr)
			}
			delete(left, name)
		}
		maps.DeleteFunc(left, func(name, _ string) bool { return strings.HasSuffix(name, ".use.json") })
		for _, fault := range torn(timelessTree(left), timelessTree(before), timelessTree(before)) {
			t.Errorf("step %d, %s: %s", step, failed, fault)
		}
	})
	if faults < 15 {
		t.Errorf("%d steps for three files: some are not asked about", faults)
	}
	t.Logf("%d calls failed", faults)
}

// eachFault runs a command with its k-th step of writing failing, for all k, each time in the
// folder as it was before, and returns how many steps there are.
func eachFault(t *testing.T, args string, check func(step int, failed string, before map[string]string, code int, stderr string)) int {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // where outputs are kept that can't be written
	prepare(t)
	before := readTree(t).of(args)
	for step := 1; ; step++ {
		restore(t, before)
		fault, failed := nthFault(step)
		code, stderr := runFaulty(t, args, fault)
		if *failed == "" {
			return step - 1
		}
		check(step, *failed, before, code, stderr)
	}
}

func bookEntries(t *testing.T) []ledger.Entry {
	t.Helper()
	entries, err := ledger.In("book").Entries()
	if err != nil {
		t.Error(err)
	}
	return entries
}
