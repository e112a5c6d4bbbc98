package spool

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// unnamed makes a file without a name in a folder, so that a program that is killed leaves none.
func unnamed(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), dir), nil
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENOSPC), errors.Is(err, unix.ENOENT):
		return nil, &os.PathError{Op: "create a file in", Path: dir, Err: err}
	}
	return removed(dir) // the file system knows no such files
}
