package packed

import (
	"iter"
	"os"
	"sync"
)

// pages are those of a mapped file of which rows are drawn. Of pages that are used in any order, Linux
// does not notice which ones are in use: where memory is short, it gives up what it read first. So it
// is told what is in use no more.
type pages struct {
	hints
	size int64 // of the file
	mu   sync.Mutex
	used map[int64]int // how many parts in use have bytes of a page, by its number
}

// hints to the system are about bytes from lo, where a page begins, to hi.
type hints interface {
	atRandom(on bool) // pages are used in any order
	cool()            // whatever was read is in use no more
	fetch(lo, hi int64)
	drop(lo, hi int64)
}

func newPages(h hints, size int64) *pages { return &pages{hints: h, size: size, used: map[int64]int{}} }

var pageSize = int64(os.Getpagesize())

// sampled says whether parts are used in any order from now on.
func (p *pages) sampled(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.atRandom(on)
	if on {
		p.cool()
	}
}

// need has the system read the bytes from lo to hi, which are in use until they are done with.
func (p *pages) need(lo, hi int64) {
	if lo == hi {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range pagesOf(lo, hi) {
		p.used[k]++
	}
	p.fetch(lo-lo%pageSize, hi)
}

// done gives the memory of pages back that are in use for nothing else.
func (p *pages) done(lo, hi int64) {
	if lo == hi {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	free := lo / pageSize // the first page of those to drop, up to k
	for k := range pagesOf(lo, hi) {
		if p.used[k]--; p.used[k] == 0 {
			delete(p.used, k)
			continue
		}
		p.dropPages(free, k)
		free = k + 1
	}
	p.dropPages(free, (hi+pageSize-1)/pageSize)
}

// pagesOf are the numbers of the pages that have bytes from lo to hi.
func pagesOf(lo, hi int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for k := lo / pageSize; k*pageSize < hi && yield(k); k++ {
		}
	}
}

// dropPages drops the pages lo to hi−1.
func (p *pages) dropPages(lo, hi int64) {
	if lo < hi {
		p.drop(lo*pageSize, min(hi*pageSize, p.size))
	}
}
