package memory

import (
	"testing"

	"golang.org/x/sys/unix"
)

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
