package model

import (
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/dataset"
)

const (
	// windowBlocks is the number of blocks of a window.
	windowBlocks = 64
	// blockEntries is about the number of non-zeros in a block: enough that a disk reads it as
	// fast as it can, few enough that a window fits into memory.
	blockEntries = 1 << 18
)

// window draws rows of a file that memory does not hold, where rows from anywhere would each wait
// for the disk. It has some blocks of neighbouring rows, chosen at random, and draws from these.
// After as many rows as a block has, another block takes the place of the oldest one, so that each
// row that is read serves about one draw. Every row is drawn with the same probability, whichever
// blocks came before. But rows that are drawn soon after each other are often from one block, so
// that means of batches vary more if rows are sorted.
type window struct {
	rows, block int // of the population, of a block
	need, done  func(lo, hi int)
	first       [windowBlocks]int // row of each block; negative if it is still to be chosen
	oldest      int
	left        int // draws until the oldest block is given up
}

func newWindow(rows, block int, need, done func(lo, hi int)) *window {
	w := &window{rows: rows, block: block, need: need, done: done, left: block}
	for k := range w.first {
		w.first[k] = -1
	}
	return w
}

// draw returns a row.
func (w *window) draw(r *rand.Rand) int {
	if w.left--; w.left < 0 {
		if first := w.first[w.oldest]; first >= 0 {
			w.done(first, min(first+w.block, w.rows))
		}
		w.first[w.oldest], w.left = -1, w.block-1
		w.oldest = (w.oldest + 1) % windowBlocks
	}
	at := &w.first[r.IntN(windowBlocks)]
	if *at < 0 {
		row := r.IntN(w.rows) // so that a last block of fewer rows is chosen less often
		*at = row - row%w.block
		w.need(*at, min(*at+w.block, w.rows))
	}
	return *at + r.IntN(min(w.block, w.rows-*at))
}

// close gives all blocks up.
func (w *window) close() {
	for k, first := range w.first {
		if first >= 0 {
			w.done(first, min(first+w.block, w.rows))
		}
		w.first[k] = -1
	}
}

// windows are those of a stream of random numbers, so that equal streams draw equal rows.
type windows struct {
	objective, constraint *window
	cells                 []*window // of members
}

// windowsOf returns the windows of a stream.
func (p *Fair) windowsOf(r *rand.Rand) *windows {
	if w := p.windows[r]; w != nil {
		return w
	}
	entries := func(rows, nonZeros int) int { return max(1, blockEntries*rows/max(1, nonZeros)) }
	block, blockS := entries(len(p.labels), p.d.NNZ()), entries(p.population, p.s.NNZ())
	w := &windows{
		objective:  newWindow(len(p.labels), block, p.mapped.Need, p.mapped.Done),
		constraint: newWindow(p.population, blockS, p.mappedS.Need, p.mappedS.Done),
	}
	for k := range p.sampling.cells {
		c := &p.sampling.cells[k]
		rows := func(do func(lo, hi int)) func(lo, hi int) {
			return func(lo, hi int) { do(int(c.mark[lo/c.every]), int(c.mark[(hi-1)/c.every])) }
		}
		w.cells = append(w.cells, newWindow(c.rows, blockS, rows(p.mappedS.Need), rows(p.mappedS.Done)))
	}
	if p.windows == nil {
		p.windows = map[*rand.Rand]*windows{}
	}
	p.windows[r] = w
	return w
}

// closeWindows gives all windows up. An exact pass reads all of the file, which takes their place in
// memory.
func (p *Fair) closeWindows() {
	for _, w := range p.windows {
		for _, one := range append(w.cells, w.objective, w.constraint) {
			one.close()
		}
	}
	clear(p.windows)
}

// mapped is the file of a data set. Nothing is to be said of rows that lie in none.
func mapped(d *dataset.Dataset) *dataset.Mapped {
	if d.Mapped == nil {
		nothing := func(int, int) {}
		return &dataset.Mapped{Need: nothing, Done: nothing}
	}
	return d.Mapped
}
