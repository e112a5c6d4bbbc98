//go:build unix && !solaris && !aix

package folderlock

import (
	"errors"
	"os"
	"syscall"
)

// open opens the file at path and locks it. Some file systems of networks have no locks:
// there it is only opened.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, errHeld
	}
	return f, nil
}

// remove removes the file while it is locked, so that nobody else's is removed.
func remove(f *os.File) {
	os.Remove(f.Name())
	f.Close()
}
