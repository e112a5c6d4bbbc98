package leftovers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/childtest"
	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/internal/leftovers"
)

// workIn makes the test binary lock a folder, write half a file, and end while that is going on.
const workIn = "LEFTOVERS_WORK_IN"

func TestMain(m *testing.M) {
	dir := os.Getenv(workIn)
	if dir == "" {
		os.Exit(m.Run())
	}
	if _, err := folderlock.Acquire(dir); err != nil {
		panic(err)
	}
	p, err := atomicfile.Create(filepath.Join(dir, "file"))
	if err != nil {
		panic(err)
	}
	p.WriteString("half")
	done, err := atomicfile.Create(filepath.Join(dir, "done"))
	if err != nil {
		panic(err)
	}
	if err := done.Commit(); err != nil {
		panic(err)
	}
	leftovers.Remove()
	go atomicfile.WriteFile(filepath.Join(dir, "too late"), nil)
	os.Stdout.WriteString("removed\n")
	os.Exit(0)
}

// TestRemove: a program that ends leaves neither a lock nor half a file, and what it has written.
func TestRemove(t *testing.T) {
	dir := t.TempDir()
	if err := childtest.Start(t, workIn+"="+dir).Wait(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "done" {
		t.Errorf("left are %v (%v)", entries, err)
	}
}
