package workers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/jobs"
)

func TestMain(m *testing.M) {
	jobs.Register(marking{})
	flag.Parse()
	beam.Init()
	Quiet()
	os.Exit(m.Run())
}

// marking leaves a mark in a folder whenever it begins a part, which is a text.
type marking struct{ Marks string }

// Files in the folder of marks: the part that held names does not end while it is there, unless it
// is stopped. What panics- is about does so, once.
const held, stopped, panics = "held", "stopped", "panics-"

func (m marking) Do(ctx context.Context, part any) (any, error) {
	f, err := os.CreateTemp(m.Marks, part.(string)+".*")
	if err != nil {
		return nil, err
	}
	f.Close()
	for {
		text, err := os.ReadFile(filepath.Join(m.Marks, held))
		if string(text) != part {
			break
		}
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), os.WriteFile(filepath.Join(m.Marks, stopped), nil, 0o600))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	if os.Remove(filepath.Join(m.Marks, panics+part.(string))) == nil {
		panic("a worker that fails")
	}
	if part == "failing" {
		return nil, errors.New("it has failed")
	}
	return "done " + part.(string), nil
}

// marks returns how often a part was begun.
func (m marking) marks(t *testing.T, part string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.Marks, part+".*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func leave(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// do does parts and returns their outcomes.
func (m marking) do(ctx context.Context, e *Executor, parts ...any) ([]any, error) {
	outcomes := make([]any, len(parts))
	return outcomes, e.Do(ctx, m, parts, func(k int, outcome any) error {
		outcomes[k] = outcome
		return nil
	})
}

// TestDo does parts with one pipeline, and leaves nothing in the shared folder.
func TestDo(t *testing.T) {
	m, shared := marking{t.TempDir()}, t.TempDir()
	e := New(shared, "")
	got, err := m.do(t.Context(), e, "a", "b", "c")
	if diff := cmp.Diff([]any{"done a", "done b", "done c"}, got); diff != "" || err != nil || e.Pipelines() != 1 {
		t.Errorf("%d pipelines, error %v (-want +got):\n%s", e.Pipelines(), err, diff)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if left, err := filepath.Glob(filepath.Join(shared, "*")); err == nil && len(left) == 0 {
			return
		}
	}
	t.Error("files are left")
}

// TestTogether has calls at once, which few pipelines do.
func TestTogether(t *testing.T) {
	m, e := marking{t.TempDir()}, New(t.TempDir(), "")
	const calls = 20
	var all sync.WaitGroup
	for k := range calls {
		all.Go(func() {
			part := fmt.Sprint("part", k%15)
			if got, err := m.do(t.Context(), e, part); err != nil || got[0] != "done "+part {
				t.Errorf("%s: %v, error %v", part, got, err)
			}
		})
	}
	all.Wait()
	if n := e.Pipelines(); n > calls/2 {
		t.Errorf("%d pipelines for %d calls at once", n, calls)
	}
}

// TestFailedWorkers has a worker fail. The pipeline fails with it. The next one does again what was
// being done, and nothing else.
func TestFailedWorkers(t *testing.T) {
	m := marking{t.TempDir()}
	leave(t, filepath.Join(m.Marks, panics+"b"), "")
	e := New(t.TempDir(), "")
	got, err := m.do(t.Context(), e, "a", "b", "c")
	if diff := cmp.Diff([]any{"done a", "done b", "done c"}, got); diff != "" || err != nil {
		t.Fatalf("error %v (-want +got):\n%s", err, diff)
	}
	for part, want := range map[string]int{"a": 1, "b": 2, "c": 1} {
		if n := m.marks(t, part); n != want {
			t.Errorf("%s was begun %d times, want %d", part, n, want)
		}
	}
}

// TestFaults has a part that cannot be done. No further pipeline is started, and the fault does not
// stay.
func TestFaults(t *testing.T) {
	m, kept := marking{t.TempDir()}, t.TempDir()
	e := New(t.TempDir(), kept)
	if _, err := m.do(t.Context(), e, "a", "failing"); err == nil ||
		err.Error() != "it has failed" || e.Pipelines() != 1 {
		t.Errorf("error %v after %d pipelines", err, e.Pipelines())
	}
	if _, err := m.do(t.Context(), e, "failing"); err == nil || m.marks(t, "failing") != 2 {
		t.Errorf("error %v, begun %d times", err, m.marks(t, "failing"))
	}
}

// TestKept finds outcomes of an earlier executor, but not damaged ones.
func TestKept(t *testing.T) {
	m, kept := marking{t.TempDir()}, t.TempDir()
	for _, test := range []struct{ damage, begun int }{{0, 1}, {0, 1}, {1, 2}} {
		files, err := filepath.Glob(filepath.Join(kept, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files[:test.damage] {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			leave(t, path, string(text[:len(text)-1]))
		}
		if got, err := m.do(t.Context(), New(t.TempDir(), kept), "a"); err != nil ||
			got[0] != "done a" || m.marks(t, "a") != test.begun {
			t.Errorf("%v, begun %d times, want %d: %v", got, m.marks(t, "a"), test.begun, err)
		}
	}
}

// TestStop interrupts the driver while a worker does a part, and the worker ends.
func TestStop(t *testing.T) {
	m := marking{t.TempDir()}
	leave(t, filepath.Join(m.Marks, held), "b")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := m.do(ctx, New(t.TempDir(), ""), "a", "b", "c")
		ended <- err
	}()
	for m.marks(t, "b") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(m.Marks, stopped)); err == nil {
			return
		}
	}
	t.Error("the worker goes on")
}

// TestNoFolder has a shared folder that can't be made.
func TestNoFolder(t *testing.T) {
	if _, err := (marking{t.TempDir()}).do(t.Context(), New("/dev/null/x", ""), "a"); err == nil ||
		!strings.Contains(err.Error(), "/dev/null") {
		t.Errorf("error %v", err)
	}
}
