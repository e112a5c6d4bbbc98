package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/results/resultstest"
)

// eightRuns is a comparison of four methods from two seeds.
const eightRuns = `
[problem]
data = "few.libsvm"
constraints = ["share:group=71,omega=0.3"]
[run]
budget = 10_000
records = 50
seeds = 2
[[method]]
method = "fsfo"
options = { rule = "fixed", eta = 1.0 }
[[method]]
method = "ssqp"
[[method]]
method = "slqpm"
[[method]]
method = "stoc-ialm"
`

// TestKilledComparison kills comparisons at random moments, starts them again until one
// gets to its end, and expects the files of an uninterrupted comparison.
func TestKilledComparison(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	few, err := fewRows("synthetic")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"few.libsvm": few, "eight.toml": []byte(eightRuns)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func(out string, jobs int) *exec.Cmd {
		cmd := exec.Command(program, "compare", "--preset", "eight.toml", "--out", out, "--jobs", fmt.Sprint(jobs))
		cmd.Args[0] = "fairtrain" // what TestMain goes by
		cmd.Dir = dir
		return cmd
	}
	whole := filepath.Join(dir, "whole")
	begin := time.Now()
	if out, err := start(whole, 2).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	duration := time.Since(begin)

	r := rand.New(rand.NewPCG(1, 1))
	for _, jobs := range []int{1, 2} {
		killed := filepath.Join(dir, fmt.Sprint("killed", jobs))
		kills := killUntilDone(t, r, duration, func() *exec.Cmd { return start(killed, jobs) })
		for _, d := range resultstest.Differences(t, whole, killed) {
			t.Errorf("%d jobs, %d kills: %s", jobs, kills, d)
		}
		t.Logf("%d jobs: killed %d times", jobs, kills)
	}
}

// killUntilDone starts a program that resumes, kills it up to 8 times, each at a random
// moment of its usual duration, and returns how often when it got to its end.
func killUntilDone(t *testing.T, r *rand.Rand, duration time.Duration, start func() *exec.Cmd) (kills int) {
	t.Helper()
	for ; ; kills++ {
		cmd := start()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var timer *time.Timer
		if kills < 8 { // then it is left alone
			timer = time.AfterFunc(time.Duration(r.Int64N(int64(duration))), func() { _ = cmd.Process.Kill() })
		}
		err := cmd.Wait()
		if timer != nil {
			timer.Stop()
		}
		if err == nil {
			return kills
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
			t.Fatalf("after %d kills: %v", kills, err)
		}
	}
}
