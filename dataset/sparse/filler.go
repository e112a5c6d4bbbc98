package sparse

import "slices"

// Filler collects the rows of a matrix in the memory of the matrix. Rows come in blocks of a fixed
// number of rows; each block can be filled by a goroutine of its own. It suits rows that mostly have
// the largest number of entries: otherwise blocks are moved in the end.
type Filler struct {
	cols, perBlock, perRow int
	ends                   []int // of row i−1; within its block, until Finish
	idx                    indices
	val                    []float64 // nil if all values are 1
	notOnes                []bool    // for each block
}

// NewFiller returns a filler for so many rows and columns, and blocks of so many rows. A row has at
// most perRow entries. If binary, all their values are 1.
func NewFiller(rows, cols, perBlock, perRow int, binary bool) *Filler {
	f := &Filler{cols: cols, perBlock: perBlock, perRow: perRow, ends: make([]int, rows+1)}
	f.idx = newIndices(cols, rows*perRow)
	f.notOnes = make([]bool, (rows+perBlock-1)/perBlock)
	if !binary {
		f.val = make([]float64, rows*perRow)
	}
	return f
}

// Blocks returns the number of blocks.
func (f *Filler) Blocks() int { return len(f.notOnes) }

// Block returns the first row of block k, and the row behind its last one.
func (f *Filler) Block(k int) (first, last int) {
	return k * f.perBlock, min((k+1)*f.perBlock, len(f.ends)-1)
}

// Put stores the rows from row first on, all of one block, whose earlier rows are there already. It
// trusts its arguments: ends are those of the rows in cols, which ascend in each row, and no value
// is 0.
func (f *Filler) Put(first int, ends []int, cols []uint32, vals []float64) {
	block := first / f.perBlock
	before := 0 // entries of the block
	if first > block*f.perBlock {
		before = f.ends[first]
	}
	for k, end := range ends {
		f.ends[first+k+1] = before + end
	}
	at := block*f.perBlock*f.perRow + before
	f.idx.set(at, indicesOf[uint32](cols))
	if f.val != nil {
		copy(f.val[at:], vals)
		f.notOnes[block] = f.notOnes[block] || slices.ContainsFunc(vals, func(v float64) bool { return v != 1 })
	}
}

// Finish returns the matrix.
func (f *Filler) Finish() *Matrix {
	if !slices.Contains(f.notOnes, true) {
		f.val = nil
	}
	total := 0
	for k := range f.Blocks() {
		first, last := f.Block(k)
		from, n := first*f.perRow, f.ends[last]
		if from != total {
			f.idx.set(total, f.idx.part(from, from+n))
			if f.val != nil {
				copy(f.val[total:], f.val[from:from+n])
			}
		}
		for i := first + 1; i <= last; i++ {
			f.ends[i] += total
		}
		total += n
	}
	f.fit(total)
	return matrixOf(Parts{Rows: len(f.ends) - 1, Cols: f.cols, Ptr: f.ends, Values: f.val}, f.idx)
}

// fit gives the memory back that the given number of entries does not need, if that is much.
func (f *Filler) fit(entries int) {
	room := f.idx.len()
	f.idx = f.idx.part(0, entries)
	if f.val != nil {
		f.val = f.val[:entries]
	}
	if entries < room-room/8 {
		all := f.idx
		f.idx, f.val = newIndices(f.cols, entries), slices.Clone(f.val)
		f.idx.set(0, all)
	}
}
