package folderlock

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		if _, err := Acquire(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) {
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
	if _, err := Acquire(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", child.Process.Pid)) {
		t.Errorf("while another process holds it: %v", err)
	}
	childtest.Kill(t, child)
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatalf("after the death of its holder: %v", err)
	}
	lock.Release()
}
