package sparse

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Join returns the rows of several builders, one builder after the other, as Finish does for
// one builder. If cols is 0, the number of columns is the largest Width. The builders are
// empty afterwards.
func Join(parts []*Builder, cols int) (*Matrix, []int8) {
	rows, entries, values, width := make([]int, len(parts)+1), make([]int, len(parts)+1), make([]int, len(parts)+1), 0
	for k, b := range parts {
		rows[k+1], entries[k+1], values[k+1] = rows[k]+len(b.labels), entries[k]+b.Entries(), values[k]+len(b.val)
		width = max(width, b.width)
	}
	if cols = cmp.Or(cols, width); cols < width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, width))
	}
	total := func(before []int) int { return before[len(parts)] }
	labels := make([]int8, total(rows))
	p := Parts{Rows: len(labels), Cols: cols, Ptr: make([]int, len(labels)+1), Values: make([]float64, total(values))}
	if n := total(values); n > 0 && n < total(entries) {
		p.ValuePtr = make([]int, len(labels)+1)
	}
	idx := newIndices(cols, total(entries))
	parallel.Do(runtime.GOMAXPROCS(0), len(parts), func(k int) {
		b, first := parts[k], rows[k]+1
		copy(labels[rows[k]:], b.labels)
		for i, end := range b.ends {
			p.Ptr[first+i] = entries[k] + end
		}
		if p.ValuePtr != nil {
			for i := range b.ends {
				p.ValuePtr[first+i] = values[k]
			}
			for i, end := range b.valueEnds {
				p.ValuePtr[first+i] += end
			}
		}
		if b.packed != nil {
			idx.set(entries[k], b.packed)
		} else {
			idx.set(entries[k], indicesOf[uint32](b.idx))
		}
		copy(p.Values[values[k]:], b.val)
		*b = Builder{}
	})
	return matrixOf(p, idx), labels
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
