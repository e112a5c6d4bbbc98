package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// Builder collects labelled rows one by one. The zero value is ready for use.
type Builder struct {
	labels []int8
	ptr    []int // ptr[i] is the end of row i; its start is ptr[i-1], or 0
	idx    []uint32
	val    []float64 // nil while every value is 1
	packed indices   // instead of idx, see Pack
	width  int       // one more than the largest column seen

	Bounded bool    // the rows may take no more than the budget of memory
	Lacking float64 // bytes that a bounded builder would need; the rows are incomplete then
}

// Grow makes room for so many entries in all.
func (b *Builder) Grow(entries int) { b.idx = slices.Grow(b.idx, entries) }

// grows reports whether there is memory for twice the entries: the old entries, the new ones,
// and the matrix that Finish makes. A builder that isn't bounded leaves this question to its
// caller.
func (b *Builder) grows() bool {
	const perEntry, perRow = 3 * (4 + 8), 3 * (8 + 1)
	need := 2 * (perEntry*float64(len(b.idx)) + perRow*float64(len(b.ptr)))
	if !b.Bounded || memory.Fits(need) {
		return true
	}
	b.Lacking = need
	return false
}

// Add appends a row with the given label, 0-based columns in ascending order and their
// values; nil values mean that all are 1. Zeros are not stored. The slices are copied.
// It panics if the lengths differ or the columns do not ascend.
func (b *Builder) Add(label int8, cols []int, vals []float64) {
	if vals != nil && len(vals) != len(cols) {
		panic(fmt.Sprintf("sparse: %d values for %d columns", len(vals), len(cols)))
	}
	last := -1
	for k, j := range cols {
		if j <= last || j > math.MaxInt32 {
			panic(fmt.Sprintf("sparse: column %d after column %d", j, last))
		}
		last = j
		v := 1.0
		if vals != nil {
			v = vals[k]
		}
		b.Push(uint32(j), v)
	}
	b.EndRow(label)
}

// Append appends a row as Add does, but faster: it trusts its arguments.
func (b *Builder) Append(label int8, cols []uint32, vals []float64) {
	if n := len(cols); n > 0 {
		b.width = max(b.width, int(cols[n-1])+1)
	}
	if !b.reserve(len(cols)) {
		return
	}
	if vals == nil {
		b.idx = append(b.idx, cols...)
		if b.val != nil {
			b.fillOnes()
		}
	}
	for k, v := range vals {
		if v == 0 {
			continue
		}
		if v != 1 && b.val == nil {
			b.val = make([]float64, 0, cap(b.idx))
			b.fillOnes()
		}
		b.idx = append(b.idx, cols[k])
		if b.val != nil {
			b.val = append(b.val, v)
		}
	}
	b.EndRow(label)
}

// Room returns memory where the columns of the next row can be written, for Extend.
func (b *Builder) Room() []uint32 { return b.idx[len(b.idx):cap(b.idx)] }

// Extend appends a row as Append does, whose n columns are already in Room. No values mean that all
// are 1; none is 0. Columns that are not there because their value is 0 are below width.
func (b *Builder) Extend(label int8, n, width int, vals []float64) {
	b.width = max(b.width, width)
	if len(vals) > 0 && b.val == nil {
		b.val = make([]float64, 0, cap(b.idx))
		b.fillOnes()
	}
	b.idx = b.idx[:len(b.idx)+n]
	if b.val != nil {
		b.val = append(b.val, vals...)
		b.fillOnes()
	}
	b.EndRow(label)
}

// reserve makes room for more entries, if there is memory.
func (b *Builder) reserve(entries int) bool {
	if cap(b.idx)-len(b.idx) >= entries {
		return true
	}
	if !b.grows() {
		return false
	}
	b.idx = slices.Grow(b.idx, max(1<<12, len(b.idx), entries)) // append grows by a quarter only
	return true
}

// fillOnes appends the value 1 for every entry without a value.
func (b *Builder) fillOnes() {
	for len(b.val) < len(b.idx) {
		b.val = append(b.val, 1)
	}
}

// Push appends an entry to the row under construction.
func (b *Builder) Push(col uint32, value float64) {
	b.width = max(b.width, int(col)+1)
	if value == 0 {
		return
	}
	if value != 1 && b.val == nil {
		b.val = make([]float64, 0, cap(b.idx))
		b.fillOnes()
	}
	if !b.reserve(1) {
		return
	}
	b.idx = append(b.idx, col)
	if b.val != nil {
		b.val = append(b.val, value)
	}
}

// EndRow completes the row under construction.
func (b *Builder) EndRow(label int8) {
	if len(b.ptr) == cap(b.ptr) && !b.grows() {
		return
	}
	b.ptr = append(b.ptr, len(b.idx))
	b.labels = append(b.labels, label)
}

// Rows returns the number of rows added so far.
func (b *Builder) Rows() int { return len(b.labels) }

// Entries returns the number of entries pushed so far.
func (b *Builder) Entries() int {
	if b.packed != nil {
		return b.packed.len()
	}
	return len(b.idx)
}

// Width returns the smallest number of columns that holds every row added so far.
func (b *Builder) Width() int { return b.width }

// Pack returns the rows in little memory, to be joined with others. The builder is empty
// afterwards and has its memory for other rows.
func (b *Builder) Pack() *Builder {
	p := &Builder{
		labels: slices.Clone(b.labels), ptr: slices.Clone(b.ptr), val: b.val,
		width: b.width, packed: newIndices(b.width, len(b.idx)),
	}
	p.packed.set(0, indicesOf[uint32](b.idx))
	*b = Builder{labels: b.labels[:0], ptr: b.ptr[:0], idx: b.idx[:0], Bounded: b.Bounded}
	return p
}

// Finish returns the rows as a matrix with the given number of columns, at least Width,
// and their labels. The builder is empty afterwards.
func (b *Builder) Finish(cols int) (*Matrix, []int8) {
	if cols < b.width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, b.width))
	}
	return Join([]*Builder{b}, cols)
}
