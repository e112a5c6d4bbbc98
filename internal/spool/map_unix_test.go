//go:build unix

package spool

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTooManyFiles: the error says what to do.
func TestTooManyFiles(t *testing.T) {
	f := New(t.TempDir())
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	Grow(f, []byte(nil), small+1)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := f.Err(); err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("error %v", err)
	}
}
