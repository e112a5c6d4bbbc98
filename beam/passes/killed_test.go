//go:build linux

package passes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/beam/internal/processes"
)

// TestKilledWorker kills a worker that has evaluated some shards of a pass and waits for another.
func TestKilledWorker(t *testing.T) { processes.Kill(t, killWorker) }

// killWorker kills a worker, and reports whether the pass ends.
func killWorker(t *testing.T) (ended bool) {
	list, p, state := written(t, 3)
	fair := state()
	n, _ := fair.Dims()
	x := make([]float64, n)
	x[3] = 1
	want := fair.Objective(x, nil)
	x[3] = 0
	fair.Objective(x, nil) // whose values it knows now

	first := processes.Workers(t)
	held, aside := list[2].Path, filepath.Join(t.TempDir(), "aside")
	if err := os.Rename(held, aside); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(held, 0o600); err != nil { // no worker gets beyond it
		t.Fatal(err)
	}
	jobs := p.Jobs()
	done := make(chan float64, 1)
	go func() {
		x[3] = 1
		done <- fair.Objective(x, nil)
	}()
	worker := inPass(t, first)
	if err := os.Rename(aside, held); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(worker, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case f := <-done:
		if f != want || fair.Err() != nil {
			t.Errorf("f is %v, want %v: %v", f, want, fair.Err())
		}
	case <-time.After(10 * time.Second):
		return false
	}
	if more := p.Jobs() - jobs; more != 2 {
		t.Errorf("%d jobs, expected one that failed and another one", more)
	}
	return true
}

// inPass returns the number of a worker when it has a shard in memory.
func inPass(t *testing.T, worker func() int) int {
	t.Helper()
	for range 6000 {
		time.Sleep(10 * time.Millisecond)
		pid := worker()
		mapped, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
		if strings.Contains(string(mapped), ".fpk") {
			return pid
		}
	}
	t.Fatal("no worker has opened a shard")
	return 0
}
