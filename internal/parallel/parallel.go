// Package parallel shares work out among goroutines.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Do calls do with every number from 0 to n−1, from so many workers at a time, and returns
// when all calls have.
func Do(workers, n int, do func(k int)) {
	if workers == 1 {
		for k := range n {
			do(k)
		}
		return
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(workers, n) {
		running.Go(func() {
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				do(int(k))
			}
		})
	}
	running.Wait()
}
