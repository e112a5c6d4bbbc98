package memory

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUpwards: a group has the limits of those that it is in.
func TestUpwards(t *testing.T) {
	want := []string{"/sys/a/b/max", "/sys/a/max"}
	if got := upwards("/sys", "/a/b", "max"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := upwards("/sys", "/", "max"); got != nil {
		t.Errorf("of the group at the top: %q", got)
	}
}

// TestLimitOfProcess: ulimit -d counts.
func TestLimitOfProcess(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &before); err != nil {
		t.Fatal(err)
	}
	const limit = 987654321
	if before.Cur < limit {
		t.Skip("there is such a limit")
	}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	got := available()
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &before); err != nil {
		t.Fatal(err)
	}
	if got > limit {
		t.Errorf("%d bytes are there, the limit is %d", got, limit)
	}
}
