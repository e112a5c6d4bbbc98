package folderlock

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), holdHere+"="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if _, err := Acquire(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", cmd.Process.Pid)) {
		t.Errorf("while another process holds it: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	lock, err := Acquire(dir)
	if err != nil {
		t.Fatalf("after the death of its holder: %v", err)
	}
	lock.Release()
}
