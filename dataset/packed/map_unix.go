//go:build unix

package packed

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapped is a file in memory. The system reads its bytes when they are used.
type mapped struct {
	data []byte
	path string
	file *os.File // open while pages are used in any order: many files may be mapped
}

// mapFile maps a file, which may be closed then.
func mapFile(f *os.File, size int64) (*mapped, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	switch {
	case errors.Is(err, unix.ENOMEM):
		return nil, fmt.Errorf("the file is to be mapped into memory: %w (limits of address space, such as those of ulimit -v, count all of it; ulimit -d and control groups limit what is used)", err)
	case err != nil:
		return nil, os.NewSyscallError("mmap", err)
	}
	return &mapped{data: data, path: f.Name()}, nil
}

func (m *mapped) release() { _ = unix.Munmap(m.data) }

// atRandom says whether pages are used in any order. Then the system is to read only those that are
// asked for: what it reads around a page otherwise, megabytes on some machines, would take the place
// of what is in use. This is a hint, as are the others: nothing depends on it.
func (m *mapped) atRandom(on bool) {
	advice := unix.MADV_NORMAL
	switch {
	case on:
		advice = unix.MADV_RANDOM
		if m.file == nil {
			m.file, _ = os.Open(m.path)
		}
	case m.file != nil:
		_ = m.file.Close()
		m.file = nil
	}
	_ = unix.Madvise(m.data, advice)
}

// cool says that what is in memory may be taken first.
func (m *mapped) cool() { cool(m.data) }

// fetch has the system read the bytes from lo, where a page begins, to hi at once.
func (m *mapped) fetch(lo, hi int64) { _ = unix.Madvise(m.data[lo:hi], unix.MADV_WILLNEED) }

// drop gives the memory of such bytes back.
func (m *mapped) drop(lo, hi int64) {
	_ = unix.Madvise(m.data[lo:hi], unix.MADV_DONTNEED)
	if m.file != nil {
		dropCached(m.file, lo, hi-lo)
	}
}
