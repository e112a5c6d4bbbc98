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
	late        []int // first rows of the blocks that were given up in this batch, whose rows are still to be evaluated
	left        int   // draws until the oldest block is given up
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

// Begin begins a batch: rows that were drawn before are evaluated.
func (w *Window) Begin() {
	for len(w.late) > 0 {
		first := w.late[0]
		w.late = slices.DeleteFunc(w.late, func(k int) bool { return k == first })
		if !w.holds(first) {
			w.done(first, w.end(first))
		}
	}
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
		first := row - row%w.block
		if !w.holds(first) {
			w.need(first, w.end(first))
		}
		*at = first
	}
	return *at + r.IntN(w.end(*at)-*at)
}

// Close gives all blocks up. The next draw chooses others.
func (w *Window) Close() {
	for k := range w.first {
		w.giveUp(k)
	}
	w.Begin()
}

// giveUp gives a block up.
func (w *Window) giveUp(k int) {
	if first := w.first[k]; first >= 0 {
		w.first[k] = -1
		w.late = append(w.late, first)
	}
}

// holds reports whether a block is needed already, by another choice.
func (w *Window) holds(first int) bool {
	return slices.Contains(w.first[:], first) || slices.Contains(w.late, first)
}

// end returns the end of a block.
func (w *Window) end(first int) int { return min(first+w.block, w.rows) }
