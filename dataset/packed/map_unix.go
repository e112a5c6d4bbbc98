//go:build unix

package packed

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the bytes of a file. The system reads them when they are used. release gives
// them back.
func mapFile(f *os.File, size int64) (data []byte, release func(), err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	switch {
	case errors.Is(err, unix.ENOMEM):
		return nil, nil, fmt.Errorf("the file is to be mapped into memory: %w (limits of address space, such as those of ulimit -v, count all of it; ulimit -d and control groups limit what is used)", err)
	case err != nil:
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}

// need has the system read the bytes from lo to hi of a mapped file at once. When it takes them
// back, it is to read only the pages that are used again: what it reads around a page otherwise,
// megabytes on some machines, would take the place of what is in use.
func need(data []byte, lo, hi int64) {
	advise(data, lo, hi, unix.MADV_RANDOM)
	advise(data, lo, hi, unix.MADV_WILLNEED)
}

// done takes back what need said.
func done(data []byte, lo, hi int64) { advise(data, lo, hi, unix.MADV_NORMAL) }

// advise gives a hint, on which nothing depends.
func advise(data []byte, lo, hi int64, advice int) {
	lo -= lo % int64(os.Getpagesize())
	_ = unix.Madvise(data[lo:hi], advice)
}
