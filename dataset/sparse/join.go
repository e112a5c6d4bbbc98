package sparse

import (
	"cmp"
	"fmt"
)

// Joiner makes a matrix of the rows of builders, one builder after the other. The zero value is ready for use.
type Joiner struct {
	Cols int // number of columns, at least Width of each builder; 0 means the largest Width

	width           int
	labels          []int8
	entries, values ends
	idx             indices
	val             []float64
}

// Append appends the rows of a builder, which is empty afterwards and keeps its memory. Then the given share of all rows
// is there, more or less, from 0 to 1: so much room is made for the others. 0 means that nobody knows.
func (j *Joiner) Append(b *Builder, share float64) {
	j.width = max(j.width, b.width)
	switch cols := max(j.Cols, j.width); {
	case j.idx == nil:
		j.idx = newIndices(cols, 0)
	case !j.idx.fit(cols):
		wider := newIndices(cols, j.idx.len())
		wider.set(0, j.idx)
		j.idx = wider
	}
	j.idx = j.idx.append(b.idx, share)
	j.val = append(grow(j.val, len(b.val), share), b.val...)
	j.labels = append(grow(j.labels, len(b.labels), share), b.labels...)
	j.entries.append(b.ends, len(b.ends), share)
	j.values.append(b.valueEnds, len(b.ends), share)
	b.clear()
}

// Finish returns the matrix and the labels. The joiner is empty afterwards.
func (j *Joiner) Finish() (*Matrix, []int8) {
	if j.idx == nil {
		j.Append(new(Builder), 1)
	}
	cols := cmp.Or(j.Cols, j.width)
	if cols < j.width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, j.width))
	}
	p := Parts{Rows: len(j.labels), Cols: cols, Values: j.val}
	p.PerRow, p.Ptr = j.entries.parts()
	if len(j.val) < j.idx.len() {
		p.ValuesPerRow, p.ValuePtr = j.values.parts()
	}
	m, labels := matrixOf(p, j.idx), j.labels
	*j = Joiner{Cols: j.Cols}
	return m, labels
}

// grow makes room for n elements more and for those that follow, where the given share of all will be there; see
// Joiner.Append.
func grow[S ~[]T, T any](s S, n int, share float64) S {
	need := len(s) + n
	if need <= cap(s) {
		return s
	}
	room := max(need, 2*len(s))
	if share > 0 {
		const most = 64 // times as many: the first ones may not be like the others
		room = int(float64(need) * min(max(1.05/share, 1), most))
	}
	return append(make(S, 0, room), s...)
}

// matrixOf returns the matrix of the given parts and indices, which must fit.
func matrixOf(p Parts, idx indices) *Matrix {
	idx.into(&p)
	p.Ptr, p.PerRow = withoutPtr(p.Ptr, p.PerRow)
	p.ValuePtr, p.ValuesPerRow = withoutPtr(p.ValuePtr, p.ValuesPerRow)
	m, err := Over(p)
	if err != nil {
		panic("sparse: " + err.Error())
	}
	return m
}

// withoutPtr drops row pointers if every row has the same number of entries, and returns this number.
func withoutPtr(ptr []int, perRow int) ([]int, int) {
	switch len(ptr) {
	case 0:
		return nil, perRow
	case 1:
		return nil, 0
	}
	for i, at := range ptr {
		if at != i*ptr[1] {
			return ptr, 0
		}
	}
	return nil, ptr[1]
}

// indices are the column indices of a matrix that is being made.
type indices interface {
	len() int
	set(at int, from indices)
	append(from []uint32, share float64) indices // see grow
	fit(cols int) bool                           // reports whether they can be those of so many columns
	part(from, to int) indices
	fill(f *Filler, b *fillerBlock, begin, n int, noGaps bool, ones []uint32) // see Filler.Put
	complete(f *Filler, b *fillerBlock, begin int, ones indices)              // see Filler.complete
	into(p *Parts)
}

type indicesOf[I index] []I

// newIndices chooses the width of the indices.
func newIndices(cols, entries int) indices {
	switch {
	case cols <= 1<<8:
		return make(indicesOf[uint8], entries)
	case cols <= 1<<16:
		return make(indicesOf[uint16], entries)
	default:
		return make(indicesOf[uint32], entries)
	}
}

func (x indicesOf[I]) len() int { return len(x) }

func (x indicesOf[I]) set(at int, from indices) {
	switch from := from.(type) {
	case indicesOf[uint8]:
		convert(x[at:], from)
	case indicesOf[uint16]:
		convert(x[at:], from)
	case indicesOf[uint32]:
		convert(x[at:], from)
	}
}

func (x indicesOf[I]) append(from []uint32, share float64) indices {
	n := len(x)
	x = grow(x, len(from), share)[:n+len(from)]
	convert(x[n:], indicesOf[uint32](from))
	return x
}

func (x indicesOf[I]) fit(cols int) bool { return uint64(cols) <= uint64(^I(0))+1 }

func (x indicesOf[I]) part(from, to int) indices { return x[from:to] }

func convert[I, J index](to indicesOf[I], from indicesOf[J]) {
	if same, ok := any(from).(indicesOf[I]); ok {
		copy(to, same) // much faster
		return
	}
	to = to[:len(from)]
	for k, j := range from {
		to[k] = I(j)
	}
}

func (x indicesOf[I]) into(p *Parts) {
	switch x := any(x).(type) {
	case indicesOf[uint8]:
		p.Narrow = x
	case indicesOf[uint16]:
		p.Medium = x
	case indicesOf[uint32]:
		p.Wide = x
	}
}
