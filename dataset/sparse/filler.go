package sparse

import (
	"math"
	"slices"
)

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

// NoColumn is the column of a slot that is not used.
const NoColumn = math.MaxUint32

// Put stores n rows from row first on, all of one block, whose earlier rows are there already. cols
// and vals have the same number of slots for each row. A slot that is not used, or whose value is 0,
// is left out. Put trusts its arguments: the other columns ascend in each row.
func (f *Filler) Put(first, n int, cols []uint32, vals []float64) {
	block := first / f.perBlock
	begin := block * f.perBlock * f.perRow
	before := 0 // entries of the block
	if first > block*f.perBlock {
		before = f.ends[first]
	}
	ends, val := f.ends[first+1:first+n+1], f.val
	if val != nil {
		val = val[begin:]
	}
	switch idx := f.idx.(type) {
	case indicesOf[uint8]:
		fill(ends, before, idx[begin:], val, cols, vals)
	case indicesOf[uint16]:
		fill(ends, before, idx[begin:], val, cols, vals)
	case indicesOf[uint32]:
		fill(ends, before, idx[begin:], val, cols, vals)
	}
	if val != nil && !f.notOnes[block] {
		f.notOnes[block] = slices.ContainsFunc(val[before:ends[n-1]], func(v float64) bool { return v != 1 })
	}
}

// fill stores rows from idx[at] and val[at] on, and where each of them ends.
func fill[I index](ends []int, at int, idx []I, val []float64, cols []uint32, vals []float64) {
	slots := len(cols) / len(ends)
	for k := range ends {
		own := vals[k*slots : (k+1)*slots]
		for slot, j := range cols[k*slots : (k+1)*slots] {
			if v := own[slot]; j != NoColumn && v != 0 {
				idx[at] = I(j)
				if val != nil {
					val[at] = v
				}
				at++
			}
		}
		ends[k] = at
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
