package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/ledger"
)

// meanwhile is standard input that others are quicker than: they act before there is any of it.
type meanwhile struct {
	act  func()
	once sync.Once
	io.Reader
}

func (m *meanwhile) Read(b []byte) (int, error) {
	m.once.Do(m.act)
	return m.Reader.Read(b)
}

// certifySlowly tests model.json on the rows of a file, while others act.
func certifySlowly(t *testing.T, rows string, act func(), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	text, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	var out, talk bytes.Buffer
	words := append([]string{"fairtrain", "certify", "--data", "-", "--constraint", wide}, args...)
	code = run(t.Context(), words, &meanwhile{act: act, Reader: bytes.NewReader(text)}, &out, &talk)
	return code, out.String(), talk.String()
}

const wide = "demographic-parity:group=sex,bound=0.9"

func hiredFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for k, name := range []string{"seen.csv", "fresh.csv", "other.csv"} {
		writeHired(t, name, 400, uint64(k+1))
	}
	do(t, "train", "--data", "seen.csv", "--constraint", wide, "--quiet")
}

// TestModelChangesMeanwhile: a test keeps what others have written to the model file since it was
// read: their tests, and the model that they have trained, which has not passed this test.
func TestModelChangesMeanwhile(t *testing.T) {
	hiredFolder(t)
	code, stdout, stderr := certifySlowly(t, "fresh.csv",
		func() { do(t, "certify", "--data", "other.csv", "--constraint", wide) })
	if m, err := classifier.Load("model.json"); err != nil || code != 0 || stderr != "" || len(m.Tests) != 2 {
		t.Errorf("code %d, %s%s, %d of two tests are in the model file (%v)", code, stdout, stderr, len(m.Tests), err)
	}

	var newer []byte
	code, stdout, stderr = certifySlowly(t, "fresh.csv", func() {
		do(t, "train", "--data", "other.csv", "--constraint", "none", "--force", "--quiet")
		var err error
		if newer, err = os.ReadFile("model.json"); err != nil {
			t.Error(err)
		}
	}, "--reuse")
	const remark = "fairtrain: the test is in the ledger, but not in the model file: model.json has another model by now\n"
	if code != 0 || !strings.Contains(stdout, "Guaranteed") || stderr != remark {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if text, err := os.ReadFile("model.json"); err != nil || !bytes.Equal(text, newer) {
		t.Errorf("the newer model is gone (%v)", err)
	}

	code, _, stderr = certifySlowly(t, "fresh.csv", func() {
		if err := os.Remove("model.json"); err != nil {
			t.Error(err)
		}
	}, "--reuse")
	if _, err := os.Stat("model.json"); code != command.ExitFailure && !os.IsNotExist(err) ||
		!strings.Contains(stderr, "not in the model file") {
		t.Errorf("a model that was removed is there again (%v): %s", err, stderr)
	}
}

// TestSameRowsMeanwhile: of several tests of the same rows at the same time one is the first. The
// others are done at the confidence of further tests, or refused, whichever ledgers they use if the
// model is the same one.
func TestSameRowsMeanwhile(t *testing.T) {
	hiredFolder(t)
	certified := func(args ...string) { do(t, append([]string{"certify", "--constraint", wide}, args...)...) }
	// --data - is no file, so that nothing but the rows is the same.
	code, stdout, stderr := certifySlowly(t, "fresh.csv",
		func() { certified("--data", "fresh.csv", "--ledger", "a") }, "--ledger", "a")
	if code != command.ExitFailure || !strings.Contains(stderr, "these rows were tested before") || stdout != "" {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = certifySlowly(t, "fresh.csv",
		func() { certified("--data", "fresh.csv", "--ledger", "b", "--reuse") }, "--ledger", "a", "--reuse", "--json")
	if code != 0 || !strings.Contains(stdout, `"earlier_tests":2,"tested_at":0.996875`) {
		t.Errorf("code %d, %s%s", code, stdout, stderr)
	}
}

// TestInterruptedTest interrupts train --certify while it waits to do its test. There is a model
// then, without a test, if it was asked for.
func TestInterruptedTest(t *testing.T) {
	hiredFolder(t)
	release, err := ledger.In("book").Lock(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for flag, saved := range map[string]bool{"--save-on-interrupt": true, "--force": false} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel) // training takes a tenth of it; where it takes longer, it is interrupted
		var out, talk bytes.Buffer
		args := "fairtrain train --data other.csv --constraint " + wide +
			" --certify fresh.csv --model new.json --ledger book " + flag
		code := run(ctx, strings.Fields(args), nil, &out, &talk)
		m, err := classifier.Load("new.json")
		if code != command.ExitInterrupted || (err == nil) != saved ||
			!strings.Contains(talk.String(), "fairtrain: interrupted") {
			t.Errorf("%s: code %d, %v, %s%s", flag, code, err, &out, &talk)
		}
		if saved && err == nil && (m.Training.Status != "interrupted" || len(m.Tests) > 0 ||
			strings.Contains(out.String(), "uaranteed")) {
			t.Errorf("%s: %s, %d tests, %s", flag, m.Training.Status, len(m.Tests), &out)
		}
		os.Remove("new.json")
	}
	if len(bookEntries(t)) > 0 {
		t.Error("a test without an outcome is in the ledger")
	}
}
