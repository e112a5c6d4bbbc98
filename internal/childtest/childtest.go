// Package childtest runs the test binary a second time, for tests of what a program leaves
// when it is killed.
package childtest

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
)

// Start runs the test binary with one more environment variable, KEY=value, by which its
// TestMain knows what to do. It returns when the child has written a line.
func Start(t *testing.T, variable string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program)
	child.Env = append(os.Environ(), variable)
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return child
}

// Kill kills a child and waits for its end.
func Kill(t *testing.T, child *exec.Cmd) {
	t.Helper()
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // "signal: killed"
}
