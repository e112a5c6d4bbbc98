package parallel

import (
	"sync/atomic"
	"testing"
)

func TestDo(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int{0, 1, 5, 1000} {
			calls := make([]atomic.Int32, n)
			Do(workers, n, func(k int) { calls[k].Add(1) })
			for k := range calls {
				if calls[k].Load() != 1 {
					t.Errorf("%d workers: %d of %d was done %d times", workers, k, n, calls[k].Load())
				}
			}
		}
	}
}
