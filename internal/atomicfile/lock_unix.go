//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"syscall"
)

// lock marks an open file as being written, until it is closed or the program ends in any
// way. If the file system has no locks, nothing is swept.
func lock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// isAbandoned reports whether nobody is writing the file.
func isAbandoned(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
