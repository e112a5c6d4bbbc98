package packed

import (
	"math/rand/v2"
	"testing"
)

// told is what a system knows of a file.
type told struct {
	t        *testing.T
	size     int64
	use      []int  // of each byte
	resident []bool // pages
}

func newTold(t *testing.T, size int) *told {
	return &told{t, int64(size), make([]int, size), make([]bool, int64(size)/pageSize+1)}
}

func (h *told) atRandom(bool) {}

func (h *told) cool() {}

func (h *told) fetch(lo, hi int64) {
	if lo%pageSize != 0 || lo < 0 || hi <= lo || hi > h.size {
		h.t.Fatalf("bytes %d to %d of %d are fetched", lo, hi, h.size)
	}
	for k := range pagesOf(lo, hi) {
		h.resident[k] = true
	}
}

func (h *told) drop(lo, hi int64) {
	if lo%pageSize != 0 || lo < 0 || hi <= lo || hi > h.size {
		h.t.Fatalf("bytes %d to %d of %d are dropped", lo, hi, h.size)
	}
	for k := range pagesOf(lo, hi) {
		h.resident[k] = false
	}
}

// TestPagesInUse uses parts of a file, some of them of the same pages, and is done with them in another order: pages
// stay as long as one of the parts is in use, and no longer.
func TestPagesInUse(t *testing.T) {
	const pages = 20
	size := pages*pageSize - 100
	h := newTold(t, int(size))
	p := newPages(h, size)
	r := rand.New(rand.NewPCG(1, 2))
	var parts [][2]int64
	count := func(part [2]int64, by int) {
		for k := part[0]; k < part[1]; k++ {
			h.use[k] += by
		}
	}
	for step := range 2000 {
		if len(parts) < 8 && step < 1900 {
			lo := r.Int64N(size)
			part := [2]int64{lo, lo + r.Int64N(min(size-lo, 3*pageSize)+1)}
			p.need(part[0], part[1])
			count(part, 1)
			parts = append(parts, part)
		} else if len(parts) > 0 {
			k := r.IntN(len(parts))
			p.done(parts[k][0], parts[k][1])
			count(parts[k], -1)
			parts = append(parts[:k], parts[k+1:]...)
		}
		for k, resident := range h.resident {
			used := false
			for _, n := range h.use[int64(k)*pageSize : min(int64(k+1)*pageSize, size)] {
				used = used || n > 0
			}
			if used != resident {
				t.Fatalf("step %d: page %d is in memory: %t, in use: %t", step, k, resident, used)
			}
		}
	}
	if len(parts) > 0 || len(p.used) > 0 {
		t.Errorf("%d parts and %d pages are in use at the end", len(parts), len(p.used))
	}
}
