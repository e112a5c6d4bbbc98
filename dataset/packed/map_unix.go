//go:build unix

package packed

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the bytes of a file. The system reads them when they are used. release gives
// them back.
func mapFile(f *os.File) (data []byte, release func(), err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < prefixSize {
		return nil, nil, errors.New("is no packed file, or only its beginning")
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}

// willNeed has the system begin to read the bytes from lo to hi of a mapped file. Its own guess,
// what lies near a byte that is used, may be much more.
func willNeed(data []byte, lo, hi int64) {
	lo -= lo % int64(os.Getpagesize())
	_ = unix.Madvise(data[lo:hi], unix.MADV_WILLNEED) // a hint: nothing depends on it
}
