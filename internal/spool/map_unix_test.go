//go:build unix

package spool

import (
	"os"
	"slices"
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

// TestNoRoomToGrow: where files can't grow, slices stay in memory and no file stays open.
func TestNoRoomToGrow(t *testing.T) {
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	f := New(t.TempDir())
	defer f.Close()
	begin := open()
	known := append(Grow(f, []byte(nil), small+1), 1)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	less := limit
	less.Cur = uint64(small + page)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &less); err != nil {
		t.Fatal(err)
	}
	known = append(Grow(f, known, 2*small), 2)
	fresh := append(Grow(f, []byte(nil), 2*small), 3)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(known, []byte{1, 2}) || !slices.Equal(fresh, []byte{3}) || f.Err() == nil {
		t.Errorf("%v and %v, error %v", known, fresh, f.Err())
	}
	if n := open(); n != begin {
		t.Errorf("%d files are open, %d were before", n, begin)
	}
}
