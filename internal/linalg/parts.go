package linalg

import "iter"

// Parts cuts n variables into parts, [lo, hi), of which some vectors stay in the cache. Where there
// are many variables, everything waits for memory: what goes through several vectors then does so
// a part at a time.
func Parts(n int) iter.Seq2[int, int] {
	const size = 4096
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n; lo += size {
			if !yield(lo, min(lo+size, n)) {
				return
			}
		}
	}
}
