package sparse

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// Parts are the memory that a Matrix consists of, for callers who keep it elsewhere than on
// the heap. Exactly one of Narrow, Medium and Wide has the column indices, unless there are
// none.
type Parts struct {
	Rows, Cols int

	// PerRow is the number of non-zeros of every row if Ptr is nil. Otherwise row i has the
	// entries Ptr[i] to Ptr[i+1].
	PerRow int
	Ptr    []int

	Narrow []uint8
	Medium []uint16
	Wide   []uint32

	Values []float64 // nil if all are 1
}

// Over returns the matrix that consists of the given parts. It keeps them. An error says which
// sizes contradict each other. The caller answers for the contents: column indices ascend in
// each row and are below Cols, Ptr ascends from 0 to the number of entries, and no value is 0.
// See CheckRows.
func Over(p Parts) (*Matrix, error) {
	entries := len(p.Narrow) + len(p.Medium) + len(p.Wide)
	switch {
	case p.Rows < 0 || p.Cols < 0 || p.Cols > math.MaxInt32+1 || p.PerRow < 0:
		return nil, fmt.Errorf("%d rows, %d columns and %d entries a row are no sizes", p.Rows, p.Cols, p.PerRow)
	case entries != max(len(p.Narrow), len(p.Medium), len(p.Wide)):
		return nil, errors.New("there are column indices of two widths")
	case p.Ptr != nil && (len(p.Ptr) != p.Rows+1 || p.Ptr[0] != 0 || p.Ptr[p.Rows] != entries):
		return nil, fmt.Errorf("the row pointers are not those of %d rows and %d entries", p.Rows, entries)
	case p.Ptr == nil && p.PerRow == 0 && entries != 0,
		p.Ptr == nil && p.PerRow > 0 && (entries/p.PerRow != p.Rows || entries%p.PerRow != 0):
		return nil, fmt.Errorf("%d entries are not those of %d rows of %d each", entries, p.Rows, p.PerRow)
	case p.Values != nil && len(p.Values) != entries:
		return nil, fmt.Errorf("there are %d values for %d entries", len(p.Values), entries)
	}
	m := &Matrix{rows: p.Rows, cols: p.Cols}
	r := rows{p.Ptr, p.PerRow}
	switch {
	case p.Wide != nil:
		m.store = csr[uint32]{r, p.Wide, p.Values}
	case p.Medium != nil:
		m.store = csr[uint16]{r, p.Medium, p.Values}
	case p.Cols <= 1<<8 && p.Ptr != nil:
		m.store = narrow{csr[uint8]{r, p.Narrow, p.Values}}
	case p.Cols <= 1<<8:
		m.store = uniform{csr[uint8]{r, p.Narrow, p.Values}}
	default:
		m.store = csr[uint8]{r, p.Narrow, p.Values}
	}
	m.columns = sync.OnceValue(m.measureColumns)
	return m, nil
}

// Identity returns the matrix with a 1 in row i and column i, and nothing else.
func Identity(n int) *Matrix {
	columns := make([]uint32, n)
	for i := range columns {
		columns[i] = uint32(i)
	}
	return matrixOf(Parts{Rows: n, Cols: n, PerRow: 1}, indicesOf[uint32](columns))
}

// CheckRows returns an error about the first invalid row from lo to hi−1. A row is invalid if
// its column indices do not ascend, if an index is too large, or if a value is 0 or not
// finite. The row pointers must be right.
func (m *Matrix) CheckRows(lo, hi int) error {
	if lo < 0 || hi < lo || hi > m.rows {
		panic(fmt.Sprintf("sparse: rows %d to %d of a matrix with %d rows", lo, hi, m.rows))
	}
	return m.store.check(lo, hi, m.cols)
}

func (c csr[I]) check(lo, hi, cols int) error {
	for i := lo; i < hi; i++ {
		from, to := c.of(i)
		last := -1
		for _, j := range c.idx[from:to] {
			if int(j) <= last || int(j) >= cols {
				return fmt.Errorf("row %d: column %d after column %d, of %d columns", i+1, int(j)+1, last+1, cols)
			}
			last = int(j)
		}
	}
	if c.val == nil || lo == hi {
		return nil
	}
	from, _ := c.of(lo)
	_, to := c.of(hi - 1)
	for _, v := range c.val[from:to] {
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("rows %d to %d: the value %v, expected a finite number other than 0", lo+1, hi, v)
		}
	}
	return nil
}
