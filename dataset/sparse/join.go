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
	rows, entries, width, binary := make([]int, len(parts)+1), make([]int, len(parts)+1), 0, true
	for k, b := range parts {
		rows[k+1], entries[k+1] = rows[k]+len(b.labels), entries[k]+b.Entries()
		width = max(width, b.width)
		binary = binary && b.val == nil
	}
	if cols = cmp.Or(cols, width); cols < width {
		panic(fmt.Sprintf("sparse: %d columns for rows that use %d", cols, width))
	}
	labels := make([]int8, rows[len(parts)])
	ptr := make([]int, len(labels)+1)
	var val []float64
	if !binary {
		val = make([]float64, entries[len(parts)])
	}
	idx := newIndices(cols, entries[len(parts)])
	parallel.Do(runtime.GOMAXPROCS(0), len(parts), func(k int) {
		b, first := parts[k], entries[k]
		copy(labels[rows[k]:], b.labels)
		for i, end := range b.ptr {
			ptr[rows[k]+i+1] = first + end
		}
		if b.packed != nil {
			idx.set(first, b.packed)
		} else {
			idx.set(first, indicesOf[uint32](b.idx))
		}
		if b.val != nil {
			copy(val[first:], b.val)
		} else if val != nil {
			for e := range b.Entries() {
				val[first+e] = 1
			}
		}
		*b = Builder{}
	})
	return matrixOf(Parts{Rows: len(labels), Cols: cols, Ptr: ptr, Values: val}, idx), labels
}

// matrixOf returns the matrix of the given parts and indices, which must fit.
func matrixOf(p Parts, idx indices) *Matrix {
	idx.into(&p)
	m, err := Over(p)
	if err != nil {
		panic("sparse: " + err.Error())
	}
	return m
}

// indices are the column indices of a matrix that is being made.
type indices interface {
	len() int
	set(at int, from indices)
	part(from, to int) indices
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
