package main

import (
	"os"
	"runtime"
	"testing"
	"time"
)

// TestManyRuns trains and scores in one process, 100 times or with -long 10 000 times, and
// expects that no goroutine or open file is kept, nor memory: 2.6 kB a time, or with -long 26
// bytes, would be seen.
func TestManyRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	prepare(t)
	cycle := func() {
		for _, args := range []string{
			"train --data rows --constraint share:group=1,omega=0.4 --model model.json --quiet --force",
			"predict --data rows --model model.json --out scores.csv --force --quiet",
		} {
			if code, stderr := runFaulty(t, args, nil); code != 0 {
				t.Fatal(args, stderr)
			}
		}
	}
	for range 20 { // what is made once
		cycle()
	}
	before := measureUse(t)
	runs := 100
	if *long {
		runs = 10_000
	}
	for range runs {
		cycle()
	}
	var after use
	for range 100 { // what has ended may still be about to go
		if after = measureUse(t); after.goroutines <= before.goroutines && after.files <= before.files {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	const noise = 256 << 10 // bytes: buffers that the libraries keep
	if after.heap > before.heap+noise || after.goroutines > before.goroutines || after.files > before.files {
		t.Errorf("after %d runs %+v, before %+v", runs, after, before)
	}
	t.Logf("%d runs: %+v, before %+v", runs, after, before)
}

// use is what a process has of its system.
type use struct {
	heap       uint64 // bytes
	goroutines int
	files      int // open; 0 where the system does not tell
}

func measureUse(t *testing.T) use {
	t.Helper()
	runtime.GC()
	runtime.GC() // the first one leaves what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := use{heap: m.HeapAlloc, goroutines: runtime.NumGoroutine()}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.files = len(open)
	}
	return u
}
