package sparse

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// Builder collects labelled rows one by one. The zero value is ready for use.
type Builder struct {
	labels    []int8
	ends      []int // of the entries of each row
	idx       []uint32
	valueEnds []int // of the values of each row; none while there are no values
	val       []float64
	ones      []uint32 // columns of the row under construction that are 1
	width     int      // one more than the largest column seen

	Bounded bool    // the rows may take no more than the budget of memory
	Lacking float64 // bytes that a bounded builder would need; the rows are incomplete then
}

// Grow makes room for so many entries in all.
func (b *Builder) Grow(entries int) { b.idx = slices.Grow(b.idx, entries) }

// grows reports whether there is memory for twice the entries: the old entries, the new ones,
// and the matrix that Finish makes. A builder that isn't bounded leaves this question to its
// caller.
func (b *Builder) grows() bool {
	const perEntry, perRow = 3 * (4 + 8), 3 * (2*8 + 1)
	need := 2 * (perEntry*float64(len(b.idx)) + perRow*float64(len(b.ends)))
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

// Append appends a row as Add does, but faster: it trusts its arguments, and overwrites the values.
func (b *Builder) Append(label int8, cols []uint32, vals []float64) {
	width := 0
	if n := len(cols); n > 0 {
		width = int(cols[n-1]) + 1
	}
	if b.reserve(len(cols)) {
		copy(b.Room(), cols)
		b.Extend(label, len(cols), width, vals)
	}
}

// Room returns memory where the columns of the next row can be written, for Extend.
func (b *Builder) Room() []uint32 { return b.idx[len(b.idx):cap(b.idx)] }

// Extend appends a row as Append does, whose n columns are already in Room. No values mean that all
// are 1. Columns that are not there because their value is 0 are below width. The values are
// overwritten.
func (b *Builder) Extend(label int8, n, width int, vals []float64) {
	b.width = max(b.width, width)
	if slices.ContainsFunc(vals, func(v float64) bool { return v == 0 || v == 1 }) {
		n, vals = b.separate(b.Room()[:n], vals)
	}
	b.idx = b.idx[:len(b.idx)+n]
	b.addValues(vals...)
	b.EndRow(label)
}

// addValues appends values, at first to memory for as many as there may be entries.
func (b *Builder) addValues(vals ...float64) {
	if b.val == nil && len(vals) > 0 {
		b.val = make([]float64, 0, cap(b.idx))
	}
	b.val = append(b.val, vals...)
}

// separate keeps the columns and values that are neither 0 nor 1, and moves columns that are 1 to b.ones.
// It returns how many are kept.
func (b *Builder) separate(cols []uint32, vals []float64) (int, []float64) {
	n := 0
	for k, v := range vals {
		switch v {
		case 0:
		case 1:
			b.ones = append(b.ones, cols[k])
		default:
			cols[n], vals[n] = cols[k], v
			n++
		}
	}
	return n, vals[:n]
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

// Push appends an entry to the row under construction.
func (b *Builder) Push(col uint32, value float64) {
	b.width = max(b.width, int(col)+1)
	switch {
	case value == 0 || !b.reserve(len(b.ones)+1):
	case value == 1:
		b.ones = append(b.ones, col)
	default:
		b.idx = append(b.idx, col)
		b.addValues(value)
	}
}

// EndRow completes the row under construction.
func (b *Builder) EndRow(label int8) {
	if len(b.ends) == cap(b.ends) && !b.grows() {
		return
	}
	if len(b.val) > 0 {
		for len(b.valueEnds) < len(b.ends) {
			b.valueEnds = append(b.valueEnds, 0)
		}
		b.valueEnds = append(b.valueEnds, len(b.val))
	}
	b.idx, b.ones = append(b.idx, b.ones...), b.ones[:0]
	b.ends = append(b.ends, len(b.idx))
	b.labels = append(b.labels, label)
}

// Rows returns the number of rows added so far.
func (b *Builder) Rows() int { return len(b.labels) }

// Entries returns the number of entries of the rows added so far, and of those of the row under
// construction that are not 1.
func (b *Builder) Entries() int { return len(b.idx) }

// Width returns the smallest number of columns that holds every row added so far.
func (b *Builder) Width() int { return b.width }

// clear removes all rows. Their memory is kept.
func (b *Builder) clear() {
	*b = Builder{
		labels: b.labels[:0], ends: b.ends[:0], idx: b.idx[:0], valueEnds: b.valueEnds[:0], val: b.val[:0], ones: b.ones[:0],
		Bounded: b.Bounded,
	}
}

// Finish returns the rows as a matrix with the given number of columns, at least Width,
// and their labels. The builder is empty afterwards, and keeps its memory.
func (b *Builder) Finish(cols int) (*Matrix, []int8) {
	if cols < b.width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, b.width))
	}
	j := Joiner{Cols: cols}
	j.Append(b, 1)
	return j.Finish()
}
