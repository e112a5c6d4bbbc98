package sparse

import (
	"cmp"
	"fmt"
	"slices"
)

// Builder collects labelled rows one by one. The zero value is ready for use.
type Builder struct {
	labels       []int8
	ones, valued []uint32 // columns
	val          []float64
	// Where the rows end: among the ones and among those with values.
	oneEnds, valueEnds []int
	width              int // one more than the largest column seen
}

// Add appends a row with the given label, 0-based columns in ascending order and their values; nil
// values mean that all are 1. Zeros are not stored. The slices are copied. It panics if the lengths
// differ or the columns do not ascend.
func (b *Builder) Add(label int8, cols []int, vals []float64) {
	if vals != nil && len(vals) != len(cols) {
		panic(fmt.Sprintf("sparse: %d values for %d columns", len(vals), len(cols)))
	}
	for k, j := range cols {
		if k > 0 && j <= cols[k-1] || j < 0 {
			panic(fmt.Sprintf("sparse: columns %d do not ascend", cols))
		}
		v := 1.0
		if vals != nil {
			v = vals[k]
		}
		b.Push(uint32(j), v)
	}
	b.EndRow(label)
}

// Push appends an entry to the row under construction. Columns that have a value other than 0 and 1
// ascend, and so do those that are 1.
func (b *Builder) Push(col uint32, value float64) {
	switch {
	case value == 1:
		b.ones = append(b.ones, col)
	case value != 0:
		b.valued, b.val = append(b.valued, col), append(b.val, value)
	}
	b.width = max(b.width, int(col)+1)
}

// PushOnes appends entries that are 1.
func (b *Builder) PushOnes(cols ...uint32) { b.ones = append(b.ones, cols...) }

// EndRow completes the row under construction.
func (b *Builder) EndRow(label int8) {
	if n := len(b.ones); n > 0 {
		b.width = max(b.width, int(b.ones[n-1])+1)
	}
	b.oneEnds, b.valueEnds = append(b.oneEnds, len(b.ones)), append(b.valueEnds, len(b.val))
	b.labels = append(b.labels, label)
}

// Rows returns the number of rows added so far.
func (b *Builder) Rows() int { return len(b.labels) }

// Entries returns the number of entries so far, those of the row under construction included.
func (b *Builder) Entries() int { return len(b.ones) + len(b.val) }

// Width returns the smallest number of columns that holds every entry added so far.
func (b *Builder) Width() int { return b.width }

// clear removes all rows. Their memory is kept.
func (b *Builder) clear() {
	*b = Builder{
		labels: b.labels[:0], ones: b.ones[:0], valued: b.valued[:0], val: b.val[:0],
		oneEnds: b.oneEnds[:0], valueEnds: b.valueEnds[:0],
	}
}

// Finish returns the rows as a matrix with the given number of columns, at least Width, and their
// labels. The builder is empty afterwards, and keeps its memory.
func (b *Builder) Finish(cols int) (*Matrix, []int8) {
	j := Joiner{Cols: cols}
	j.Append(b)
	return j.Finish()
}

// Joiner makes a matrix of the rows of builders, one builder after the other.
type Joiner struct {
	Cols int // number of columns, at least Width of each builder; 0 means the largest Width
	Rows int // that are expected, for which room is made; 0: unknown

	width        int
	labels       []int8
	ones, valued Columns
	val          []float64
}

// Append appends the rows of a builder, which is empty afterwards and keeps its memory.
func (j *Joiner) Append(b *Builder) {
	j.width = max(j.width, b.width)
	cols := max(j.Cols, j.width)
	if n := b.Rows(); len(j.labels) == 0 && n > 0 && j.Rows > n {
		j.labels = make([]int8, 0, j.Rows)
		room := func(entries int) int { return int(1.02 * float64(entries) / float64(n) * float64(j.Rows)) }
		j.ones.reserve(room(len(b.ones)), j.Rows, cols)
		j.valued.reserve(room(len(b.val)), j.Rows, cols)
		j.val = make([]float64, 0, room(len(b.val)))
	}
	j.ones.append(b.ones, b.oneEnds, cols)
	j.valued.append(b.valued, b.valueEnds, cols)
	j.val = append(j.val, b.val...)
	j.labels = append(j.labels, b.labels...)
	b.clear()
}

// Finish returns the matrix and the labels. The joiner is empty afterwards.
func (j *Joiner) Finish() (*Matrix, []int8) {
	cols := cmp.Or(j.Cols, j.width)
	if cols < j.width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, j.width))
	}
	j.ones.dropPtr()
	j.valued.dropPtr()
	m, err := Over(Parts{Rows: len(j.labels), Cols: cols, Ones: j.ones, Valued: j.valued, Values: j.val})
	if err != nil {
		panic("sparse: " + err.Error())
	}
	labels := j.labels
	*j = Joiner{Cols: j.Cols, Rows: j.Rows}
	return m, labels
}

// reserve makes room in empty columns.
func (c *Columns) reserve(entries, rows, cols int) {
	c.Ptr = make([]int, 0, rows+1)
	switch {
	case cols <= 1<<8:
		c.Narrow = make([]uint8, 0, entries)
	case cols <= 1<<16:
		c.Medium = make([]uint16, 0, entries)
	default:
		c.Wide = make([]uint32, 0, entries)
	}
}

// append appends the entries of rows that end at the given entries. Afterwards indices have the
// width that so many columns need.
func (c *Columns) append(idx []uint32, ends []int, cols int) {
	before := c.Len()
	if len(c.Ptr) == 0 {
		c.Ptr = append(c.Ptr, 0)
	}
	c.Ptr = slices.Grow(c.Ptr, len(ends))
	for _, end := range ends {
		c.Ptr = append(c.Ptr, before+end)
	}
	switch {
	case cols <= 1<<8:
		c.Narrow = converted(c.Narrow, idx)
	case cols <= 1<<16:
		if c.Narrow != nil {
			c.Medium, c.Narrow = converted(c.Medium, c.Narrow), nil
		}
		c.Medium = converted(c.Medium, idx)
	default:
		if c.Narrow != nil || c.Medium != nil {
			c.Wide = converted(converted(c.Wide, c.Narrow), c.Medium)
			c.Narrow, c.Medium = nil, nil
		}
		c.Wide = converted(c.Wide, idx)
	}
}

// converted appends indices of another width.
func converted[I, J index](to []I, from []J) []I {
	n := len(to)
	to = slices.Grow(to, len(from))[:n+len(from)]
	for k, j := range from {
		to[n+k] = I(j)
	}
	return to
}

// dropPtr drops pointers if every row has as many entries.
func (c *Columns) dropPtr() {
	if len(c.Ptr) < 2 {
		c.Ptr, c.PerRow = nil, 0
		return
	}
	perRow := c.Ptr[1]
	for i, at := range c.Ptr {
		if at != i*perRow {
			return
		}
	}
	c.Ptr, c.PerRow = nil, perRow
}
