package memory

import "unsafe"

// Make is make for slices that may be large and hold no pointers. The system gives memory when it
// is written for the first time, by pages, usually of 4 kB: for vectors of millions of numbers this
// takes longer than to compute with them. So Make asks for large pages.
func Make[T any](n int) []T {
	const large = 4 << 20 // bytes: of less, whole large pages are too few
	x := make([]T, n)
	if size := n * int(unsafe.Sizeof(*new(T))); size >= large {
		askForLargePages(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), size))
	}
	return x
}
