package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// childFolder is the environment variable that makes the test binary a program to be killed, which
// keeps its answers in that folder.
const childFolder = "FAIRTRAIN_BEAM_CHILD"

// resumable are the flags of a run that is killed and goes on.
var resumable = []string{"--constraint", "demographic-parity:group=71,bound=0.01", "--on", "scores", "--shards", "3"}

// child is that program.
func child(dir string) int {
	args := append([]string{"fairtrain-beam", "train", "--model", filepath.Join(dir, "model"), "--resume", dir}, resumable...)
	return run(context.Background(), args, nil, os.Stdout, os.Stderr)
}

// answers returns the number of answers that are kept in a folder.
func answers(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "result-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestKilledDriver kills the program while it trains, and goes on with another one.
func TestKilledDriver(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	want := command(t, inProcess(t.Context()), append(resumable, "--resume", whole)...)
	all := answers(t, whole)

	const enough = 5 // of some fifty
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); answers(t, dir) < enough; {
		if time.Since(began) > time.Minute {
			t.Fatal("no answers are kept")
		}
		time.Sleep(time.Millisecond)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // "signal: killed"
	if n := answers(t, dir); n >= all {
		t.Fatalf("the program had asked %d questions of %d before it was killed", n, all)
	}
	got := command(t, inProcess(t.Context()), append(resumable, "--resume", dir)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a run that goes on (-whole +goes on):\n%s", diff)
	}
	if n := answers(t, dir); n != all {
		t.Errorf("%d answers are kept, %d of a whole run", n, all)
	}
}
