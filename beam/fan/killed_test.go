//go:build linux

package fan

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/beam/internal/processes"
)

// TestKilledWorker kills a worker in the middle of a part.
func TestKilledWorker(t *testing.T) { processes.Kill(t, killWorker) }

// killWorker kills a worker, and reports whether the job ends. What is told is as without the kill, and
// what had an outcome is not done again.
func killWorker(t *testing.T) (ended bool) {
	marks, shared := t.TempDir(), t.TempDir()
	const during = "b-1"
	if err := os.WriteFile(filepath.Join(marks, held), []byte(during), 0o600); err != nil {
		t.Fatal(err)
	}
	orders := []order{{"a", 0, marks}, {"b", 3, marks}, {"c", 2, marks}}
	worker := processes.Workers(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	f, got := New(shared), told{}
	done := make(chan error, 1)
	go func() { done <- f.Do(ctx, list(t, orders...), got.done) }()
	for orders[0].marks(t, during) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if err := syscall.Kill(worker(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	finished := outcomes(t, shared)
	if len(finished) == 0 {
		t.Error("nothing was done before the kill")
	}
	if err := os.Remove(filepath.Join(marks, held)); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil && ctx.Err() != nil {
		return false // the error may be a call's of the next job, which no longer had the time
	} else if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted(orders...), got); diff != "" || f.Jobs() != 2 {
		t.Errorf("%d jobs told (-want +got):\n%s", f.Jobs(), diff)
	}
	if n := orders[0].marks(t, during); n != 2 {
		t.Errorf("%s was begun %d times, want 2", during, n)
	}
	for what := range finished {
		if n := orders[0].marks(t, what); n != 1 {
			t.Errorf("%s was done before the kill, and begun %d times", what, n)
		}
	}
	return true
}

// outcomes returns what has an outcome in the shared folder, as marks call it.
func outcomes(t *testing.T, shared string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(shared, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	finished := map[string]bool{}
	for _, path := range files {
		cell, rest, _ := strings.Cut(filepath.Base(path), ".")
		switch {
		case rest == "whole":
			finished[cell] = true
		case strings.HasPrefix(rest, "part-0000"):
			finished[cell+"-"+strings.TrimPrefix(rest, "part-0000")] = true
		}
	}
	return finished
}
