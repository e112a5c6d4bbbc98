package folderlock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/internal/childtest"
)

// holdHere makes the test binary lock a folder, say so and wait to be killed.
const holdHere = "FOLDERLOCK_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdHere); dir != "" {
		if _, err := Acquire(dir); err != nil {
			panic(err)
		}
		os.Stdout.WriteString("held\n")
		select {}
	}
	os.Exit(m.Run())
}

func TestRelease(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for range 2 {
		lock, err := Acquire(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Acquire(dir); err == nil || !strings.Contains(err.Error(),
			fmt.Sprintf("process %d on ", os.Getpid())) {
			t.Errorf("locked twice: %v", err)
		}
		lock.Release()
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("the folder holds %v (%v) after the lock", entries, err)
		}
	}
}

// TestKill kills a program that holds a lock, which is free then.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	child := childtest.Start(t, holdHere+"="+dir)
	if _, err := Acquire(dir); err == nil || !strings.Contains(err.Error(),
		fmt.Sprintf("process %d on ", child.Process.Pid)) {
		t.Errorf("while another process holds it: %v", err)
	}
	childtest.Kill(t, child)
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatalf("after the death of its holder: %v", err)
	}
	lock.Release()
}

// TestWait waits for a folder: until it is free, the context ends or it takes too long.
func TestWait(t *testing.T) {
	dir := t.TempDir()
	held, err := Wait(t.Context(), dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Wait(t.Context(), dir, 0); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf("%s: process %d on ", dir, os.Getpid())) {
		t.Errorf("after too long: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := Wait(ctx, dir, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end of the context: %v", err)
	}
	time.AfterFunc(10*time.Millisecond, held.Release)
	again, err := Wait(t.Context(), dir, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	if left, err := filepath.Glob(filepath.Join(dir, Name+"*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
