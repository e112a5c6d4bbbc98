package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
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

// TestModelChangesMeanwhile: a test keeps what others have written to the model file since it was read:
// their tests, and the model that they have trained, which has not passed this test.
func TestModelChangesMeanwhile(t *testing.T) {
	hiredFolder(t)
	code, stdout, stderr := certifySlowly(t, "fresh.csv", func() { do(t, "certify", "--data", "other.csv", "--constraint", wide) })
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
	if _, err := os.Stat("model.json"); code != command.ExitFailure && !os.IsNotExist(err) || !strings.Contains(stderr, "not in the model file") {
		t.Errorf("a model that was removed is there again (%v): %s", err, stderr)
	}
}
