package dataset

import (
	"math/rand/v2"
	"slices"
)

const (
	// windowBlocks is the number of blocks of a window.
	windowBlocks = 64
	// blockEntries is about the number of non-zeros in a block: enough that a disk reads it as
	// fast as it can, few enough that a window fits into memory.
	blockEntries = 1 << 18
)

// Window draws rows of a file that memory does not hold, where rows from anywhere would each wait
// for the disk. It has some blocks of neighbouring rows, chosen at random, and draws from these.
// After as many rows as a block has, another block takes the place of the oldest one, so that each
// row that is read serves about one draw. Every row is drawn with the same probability, whichever
// blocks came before. But rows that are drawn soon after each other are often from one block, so
// that means of batches vary more if rows are sorted.
type Window struct {
	rows, block int // of the population, of a block
	need, done  func(lo, hi int)
	first       [windowBlocks]int // row of each block; negative if it is still to be chosen
	oldest      int
	left        int // draws until the oldest block is given up
}

// WindowBlock returns the number of rows of a block, of so many rows with so many non-zeros.
func WindowBlock(rows, nonZeros int) int { return max(1, blockEntries*rows/max(1, nonZeros)) }

// NewWindow returns a window for rows 0 to rows−1 with so many rows in a block. It tells a file which
// it needs (Mapped).
func NewWindow(rows, block int, need, done func(lo, hi int)) *Window {
	w := &Window{rows: rows, block: block, need: need, done: done, left: block}
	for k := range w.first {
		w.first[k] = -1
	}
	return w
}

// Draw returns a row.
func (w *Window) Draw(r *rand.Rand) int {
	if w.left--; w.left < 0 {
		w.giveUp(w.oldest)
		w.left = w.block - 1
		w.oldest = (w.oldest + 1) % windowBlocks
	}
	at := &w.first[r.IntN(windowBlocks)]
	if *at < 0 {
		row := r.IntN(w.rows) // so that a last block of fewer rows is chosen less often
		w.tell(w.need, row-row%w.block)
		*at = row - row%w.block
	}
	return *at + r.IntN(min(w.block, w.rows-*at))
}

// Close gives all blocks up. The next draw chooses others.
func (w *Window) Close() {
	for k := range w.first {
		w.giveUp(k)
	}
}

// giveUp gives a block up.
func (w *Window) giveUp(k int) {
	if first := w.first[k]; first >= 0 {
		w.first[k] = -1
		w.tell(w.done, first)
	}
}

// tell says something of a block, unless it is in the window by another choice, too.
func (w *Window) tell(file func(lo, hi int), first int) {
	if !slices.Contains(w.first[:], first) {
		file(first, min(first+w.block, w.rows))
	}
}
