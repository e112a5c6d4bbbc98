package main

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// plane is a problem with a linear constraint.
const plane = `NAME          PLANE
VARIABLES
    X1
    X2
GROUPS
 N  OBJ       X1        1.0
 E  CON       X1        1.0            X2        2.0
ENDATA
`

// TestKilledBenchmark kills an experiment at random moments, starts it again until it
// gets to its end, and expects the results of an uninterrupted experiment.
func TestKilledBenchmark(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plane.SIF"), []byte(plane), 0o644); err != nil {
		t.Fatal(err)
	}
	start := func(out string) *exec.Cmd {
		cmd := exec.Command(program, "cutest", "run", "--sif", "plane.SIF", "--candidates", "60", "--out", out)
		cmd.Args[0] = "fairtrain" // what TestMain goes by
		cmd.Dir = dir
		return cmd
	}
	begin := time.Now()
	if out, err := start("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	duration := time.Since(begin)

	r := rand.New(rand.NewPCG(1, 1))
	kills := killUntilDone(t, r, duration, func() *exec.Cmd { return start("killed") })
	if diff := cmp.Diff(benchmarkRows(t, dir, "whole"), benchmarkRows(t, dir, "killed")); diff != "" {
		t.Errorf("after %d kills (-whole +killed):\n%s", kills, diff)
	}
}

// benchmarkRows reads the per-problem results of an experiment without their times.
func benchmarkRows(t *testing.T, dir, out string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, out, "problems.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, line := range lines {
		rows = append(rows, fmt.Sprint(line[:len(line)-1]))
	}
	return rows
}
