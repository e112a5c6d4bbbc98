package sparse

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Filler collects the rows of a matrix in the memory of the matrix. Rows come in blocks of a fixed
// number of rows; each block can be filled by a goroutine of its own. It suits rows that mostly have
// the largest number of entries and of values: otherwise blocks are moved in the end. The columns of
// values are not stored for every row unless a row has a gap among them.
type Filler struct {
	rows, cols, perBlock int
	perRow               int
	numbers              indices // columns that have values
	val                  []float64
	ones                 indices        // columns of the other entries, of blocks without a gap
	all                  func() indices // columns of all entries, of the other blocks; made by the first call
	gaps                 atomic.Bool    // there are such blocks
	blocks               []fillerBlock
}

// fillerBlock says where the rows of a block end, from where the block begins.
type fillerBlock struct {
	entries, values ends
	shared          bool // the columns of values are not among the entries
}

// NewFiller returns a filler for so many rows and columns, and blocks of so many rows. A row has at
// most perRow entries. Those of the given columns, which ascend, may have any value; the others are 1.
func NewFiller(rows, cols, perBlock, perRow int, numbers []uint32) *Filler {
	others := perRow - len(numbers)
	f := &Filler{
		rows: rows, cols: cols, perBlock: perBlock, perRow: perRow, numbers: newIndices(cols, len(numbers)),
		val: make([]float64, rows*len(numbers)), ones: newIndices(cols, rows*others),
		all:    sync.OnceValue(func() indices { return newIndices(cols, rows*perRow) }),
		blocks: make([]fillerBlock, (rows+perBlock-1)/perBlock),
	}
	f.numbers.set(0, indicesOf[uint32](numbers))
	for k := range f.blocks {
		f.blocks[k] = fillerBlock{ends{most: others}, ends{most: len(numbers)}, true}
	}
	return f
}

// Blocks returns the number of blocks.
func (f *Filler) Blocks() int { return len(f.blocks) }

// Block returns the first row of block k, and the row behind its last one.
func (f *Filler) Block(k int) (first, last int) { return k * f.perBlock, min((k+1)*f.perBlock, f.rows) }

// NoColumn stands for no column.
const NoColumn = math.MaxUint32

// Numbers returns memory for the values of the next n rows of block k: one for each column that has
// values, row by row.
func (f *Filler) Numbers(k, n int) []float64 {
	begin := k * f.perBlock * f.numbers.len()
	return f.val[begin+f.blocks[k].values.last():][:n*f.numbers.len()]
}

// Put stores the next n rows of block k, whose values are in Numbers; those that are 0 are left out. If
// noGaps, none is 0 or 1. ones has the same number of slots for each row, with the other columns that
// are 1, or NoColumn. Put trusts its arguments: columns ascend in each row.
func (f *Filler) Put(k, n int, noGaps bool, ones []uint32) {
	b := f.blocks[k] // a copy: neighbours share a cache line
	if !noGaps {
		f.gaps.Store(true)
	}
	if b.shared && f.gaps.Load() {
		f.complete(&b, k)
	}
	idx := f.ones
	if !b.shared {
		idx = f.all()
	}
	idx.fill(f, &b, k, n, noGaps, ones)
	f.blocks[k] = b
}

// complete moves the entries of block k to where the columns of values are among them.
func (f *Filler) complete(b *fillerBlock, k int) { f.all().complete(f, b, k, f.ones) }

func (x indicesOf[I]) complete(f *Filler, b *fillerBlock, block int, ones indices) {
	idx, own, numbers := x[block*f.perBlock*f.perRow:], ones.(indicesOf[I])[block*f.perBlock*b.entries.most:], f.numbers.(indicesOf[I])
	entries := ends{most: f.perRow}
	at, from := 0, 0
	for i := range b.entries.rows {
		to := b.entries.of(i)
		at += copy(idx[at:], numbers)
		at += copy(idx[at:], own[from:to])
		entries.add(at)
		from = to
	}
	b.entries, b.shared = entries, false
}

func (x indicesOf[I]) fill(f *Filler, b *fillerBlock, block, n int, noGaps bool, ones []uint32) {
	val, slots := f.Numbers(block, n), len(ones)/n
	idx := x[block*f.perBlock*b.entries.most:]
	at, values, kept := b.entries.last(), b.values.last(), 0
	if noGaps && b.shared && slots == b.entries.most && put(idx[at:], ones) {
		b.entries.addFull(n)
		b.values.addFull(n)
		return
	}
	numbers := f.numbers.(indicesOf[I])
	alsoOnes := make([]I, 0, len(numbers)) // of the row
	for k := range n {
		own := ones[k*slots : (k+1)*slots]
		if noGaps {
			kept += len(numbers)
			if !b.shared {
				at += copy(idx[at:], numbers)
			}
		} else {
			for slot, v := range val[k*len(numbers) : (k+1)*len(numbers)] {
				switch v {
				case 0:
				case 1:
					alsoOnes = append(alsoOnes, numbers[slot])
				default:
					idx[at], val[kept] = numbers[slot], v
					at, kept = at+1, kept+1
				}
			}
		}
		next := 0 // of alsoOnes
		for _, j := range own {
			if j == NoColumn {
				continue
			}
			for ; next < len(alsoOnes) && uint32(alsoOnes[next]) < j; next++ {
				idx[at] = alsoOnes[next]
				at++
			}
			idx[at] = I(j)
			at++
		}
		at += copy(idx[at:], alsoOnes[next:])
		alsoOnes = alsoOnes[:0]
		b.entries.add(at)
		b.values.add(values + kept)
	}
}

// put stores columns, unless one is NoColumn.
func put[I index](to indicesOf[I], columns []uint32) (ok bool) {
	to = to[:len(columns)]
	most := uint32(0)
	for k, j := range columns {
		to[k] = I(j)
		most = max(most, j)
	}
	return most != NoColumn
}

// Finish returns the matrix.
func (f *Filler) Finish() *Matrix {
	p := Parts{Rows: f.rows, Cols: f.cols, ValuesPerRow: f.numbers.len(), PerRow: f.perRow - f.numbers.len()}
	idx := f.ones
	switch {
	case f.gaps.Load():
		parallel.Do(runtime.GOMAXPROCS(0), len(f.blocks), func(k int) {
			if b := &f.blocks[k]; b.shared {
				f.complete(b, k)
			}
		})
		idx, p.PerRow = f.all(), f.perRow
	case p.ValuesPerRow > 0:
		columns := make(indicesOf[uint32], p.ValuesPerRow)
		columns.set(0, f.numbers)
		p.Shared = columns
	}
	entries, ptr := f.close(
		func(b *fillerBlock) *ends { return &b.entries },
		func(to, from, n int) { idx.set(to, idx.part(from, from+n)) })
	if ptr != nil {
		p.Ptr, p.PerRow = ptr, 0
	}
	values, ptr := f.close(
		func(b *fillerBlock) *ends { return &b.values },
		func(to, from, n int) { copy(f.val[to:], f.val[from:from+n]) })
	if ptr != nil {
		p.ValuePtr, p.ValuesPerRow = ptr, 0
	}
	p.Values = clipped(f.val[:values])
	if unused := idx.len() - entries; isMuch(unused, idx.len()) {
		kept := newIndices(f.cols, entries)
		kept.set(0, idx.part(0, entries))
		return matrixOf(p, kept)
	}
	return matrixOf(p, idx.part(0, entries))
}

// close moves blocks to where those before them end. It returns the end of all, and pointers to the
// rows, unless every row has the largest number.
func (f *Filler) close(of func(*fillerBlock) *ends, move func(to, from, n int)) (total int, ptr []int) {
	full := true
	for k := range f.blocks {
		full = full && of(&f.blocks[k]).ptr == nil
		total += of(&f.blocks[k]).last()
	}
	if full {
		return total, nil
	}
	total, ptr = 0, make([]int, 1, f.rows+1)
	for k := range f.blocks {
		e := of(&f.blocks[k])
		if from := k * f.perBlock * e.most; from != total {
			move(total, from, e.last())
		}
		for i := range e.rows {
			ptr = append(ptr, total+e.of(i))
		}
		total += e.last()
	}
	return total, ptr
}

// clipped returns a slice, or a copy of it if it has much memory that it does not use.
func clipped[T any](s []T) []T {
	if isMuch(cap(s)-len(s), cap(s)) {
		return slices.Clone(s)
	}
	return s
}

// isMuch reports whether it is worth a copy not to keep unused memory.
func isMuch(unused, all int) bool { return unused > all/8 }
