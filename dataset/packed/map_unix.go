//go:build unix

package packed

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapped is a file in memory. The system reads its bytes when they are used.
type mapped struct{ data []byte }

// mapFile maps a file, which may be closed then.
func mapFile(f *os.File, size int64) (*mapped, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	switch {
	case errors.Is(err, unix.ENOMEM):
		return nil, fmt.Errorf("the file is to be mapped into memory: %w (limits of address space, such as those of ulimit -v, count all of it; ulimit -d and control groups limit what is used)", err)
	case err != nil:
		return nil, os.NewSyscallError("mmap", err)
	}
	return &mapped{data}, nil
}

func (m *mapped) release() { _ = unix.Munmap(m.data) }
