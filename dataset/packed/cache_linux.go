package packed

import (
	"os"

	"golang.org/x/sys/unix"
)

// cool says that pages of a mapped file are the first ones to be given up.
func cool(data []byte) { _ = unix.Madvise(data, unix.MADV_COLD) }

// dropCached takes a part of a file out of the cache of the system, unless other programs have mapped it.
func dropCached(f *os.File, offset, length int64) {
	_ = unix.Fadvise(int(f.Fd()), offset, length, unix.FADV_DONTNEED)
}
