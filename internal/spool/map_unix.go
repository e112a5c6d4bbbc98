//go:build unix

package spool

import (
	"os"

	"golang.org/x/sys/unix"
)

const canMap = true

func mapFile(f *os.File, bytes int) ([]byte, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return data, os.NewSyscallError("mmap", err)
}

func unmap(data []byte) {
	if data != nil {
		_ = unix.Munmap(data)
	}
}

// release takes pages out of the memory of the program. They stay in the cache of the system,
// or go to the file.
func release(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }
