package memory

import (
	"syscall"
	"unsafe"
)

// status is MEMORYSTATUSEX of the Windows API.
type status struct {
	length                   uint32
	load                     uint32
	totalPhysical            uint64
	availablePhysical        uint64
	totalPageFile            uint64
	availablePageFile        uint64
	totalVirtual             uint64
	availableVirtual         uint64
	availableExtendedVirtual uint64
}

func available() int64 {
	s := status{length: uint32(unsafe.Sizeof(status{}))}
	query := syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := query.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0
	}
	return int64(s.totalPhysical)
}
