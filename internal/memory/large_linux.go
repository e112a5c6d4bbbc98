package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// askForLargePages asks for them in the part of b that consists of such pages. It is advice: a
// system without large pages goes on with others.
func askForLargePages(b []byte) {
	const page = 2 << 20
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % page)
	_ = unix.Madvise(b[skip:skip+(len(b)-skip)/page*page], unix.MADV_HUGEPAGE)
}
