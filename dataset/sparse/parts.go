package sparse

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

	// Values are those of the first entries of each row, whose other entries are 1. Columns ascend
	// among either. Every entry has a value if there are as many values; every row has ValuesPerRow
	// if ValuePtr is nil; otherwise row i has the values ValuePtr[i] to ValuePtr[i+1].
	Values       []float64
	ValuesPerRow int
	ValuePtr     []int

	// Shared are the columns of the values, if every row has values in the same ones, which ascend. The
	// numbers and indices of entries above are those of entries without values then. Nil means that
	// columns are not shared.
	Shared []uint32
}

// rows returns which of n entries or values belong to a row.
func (p *Parts) rows(ptr []int, perRow, n int, what string) (rows, error) {
	switch {
	case ptr != nil && (len(ptr) != p.Rows+1 || ptr[0] != 0 || ptr[p.Rows] != n):
		return rows{}, fmt.Errorf("the row pointers are not those of %d rows and %d %s", p.Rows, n, what)
	case ptr == nil && perRow == 0 && n != 0,
		ptr == nil && perRow > 0 && (n/perRow != p.Rows || n%perRow != 0):
		return rows{}, fmt.Errorf("%d %s are not those of %d rows of %d each", n, what, p.Rows, perRow)
	}
	return rows{ptr, perRow}, nil
}

// Over returns the matrix that consists of the given parts. It keeps them. An error says which
// sizes contradict each other. The caller answers for the contents: column indices ascend and are
// below Cols, none is there twice in a row, pointers ascend from 0 to the number of entries or
// values, and no value is 0. See CheckRows.
func Over(p Parts) (*Matrix, error) {
	entries := len(p.Narrow) + len(p.Medium) + len(p.Wide)
	if p.Rows < 0 || p.Cols < 0 || p.Cols > math.MaxInt32+1 || p.PerRow < 0 || p.ValuesPerRow < 0 {
		return nil, fmt.Errorf("%d rows, %d columns, %d entries and %d values a row are no sizes", p.Rows, p.Cols, p.PerRow, p.ValuesPerRow)
	}
	if entries != max(len(p.Narrow), len(p.Medium), len(p.Wide)) {
		return nil, errors.New("there are column indices of two widths")
	}
	perRow, err := p.rows(p.Ptr, p.PerRow, entries, "entries")
	values := perRow
	if err == nil && (len(p.Values) != entries || p.Shared != nil) {
		values, err = p.rows(p.ValuePtr, p.ValuesPerRow, len(p.Values), "values")
	}
	if err == nil && p.Shared != nil && (values.ptr != nil || values.perRow != len(p.Shared)) {
		err = fmt.Errorf("the values of a row are not those of %d columns", len(p.Shared))
	}
	if err == nil && slices.ContainsFunc(p.Shared, func(j uint32) bool { return int(j) >= p.Cols }) {
		err = fmt.Errorf("columns %d have values, of %d columns", p.Shared, p.Cols)
	}
	if err != nil {
		return nil, err
	}
	m := &Matrix{rows: p.Rows, cols: p.Cols}
	switch {
	case p.Wide != nil:
		m.store = csrOf(&p, perRow, values, p.Wide)
	case p.Medium != nil:
		m.store = csrOf(&p, perRow, values, p.Medium)
	case p.Cols <= 1<<8 && len(p.Values) > 0:
		m.store = mixed{csrOf(&p, perRow, values, p.Narrow)}
	case p.Cols <= 1<<8 && p.Ptr != nil:
		m.store = narrow{csrOf(&p, perRow, values, p.Narrow)}
	case p.Cols <= 1<<8:
		m.store = uniform{csrOf(&p, perRow, values, p.Narrow)}
	default:
		m.store = csrOf(&p, perRow, values, p.Narrow)
	}
	m.columns = sync.OnceValue(m.measureColumns)
	return m, nil
}

func csrOf[I index](p *Parts, perRow, values rows, idx []I) csr[I] {
	var shared []I
	for _, j := range p.Shared {
		shared = append(shared, I(j))
	}
	return csr[I]{perRow, values, shared, idx, p.Values}
}

// Identity returns the matrix with a 1 in row i and column i, and nothing else.
func Identity(n int) *Matrix {
	columns := make([]uint32, n)
	for i := range columns {
		columns[i] = uint32(i)
	}
	return matrixOf(Parts{Rows: n, Cols: n, PerRow: 1}, indicesOf[uint32](columns))
}

// CheckRows returns an error about the first invalid row from lo to hi−1. A row is invalid if it has
// more values than entries, if its column indices do not ascend, if an index is too large or there
// twice, if a value is 0 or not finite, or 1 unless all entries have values. The row pointers must be
// right.
func (m *Matrix) CheckRows(lo, hi int) error {
	m.checkRows(lo, hi)
	return m.store.check(lo, hi, m.cols)
}

func (c csr[I]) check(lo, hi, cols int) error {
	for i := lo; i < hi; i++ {
		first, end := c.of(i)
		from, to := c.values.of(i)
		if c.shared == nil && to-from > end-first {
			return fmt.Errorf("row %d: %d values of %d entries", i+1, to-from, end-first)
		}
		idx, val, ones := c.entriesOf(i)
		if err := checkColumns(idx, cols); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		if err := checkColumns(ones, cols); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		if j, twice := common(idx, ones); twice {
			return fmt.Errorf("row %d: column %d has a value and is 1", i+1, int(j)+1)
		}
		for _, v := range val {
			if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: the value %v, expected a finite number other than 0", i+1, v)
			}
			if v == 1 && c.hasBoth() {
				return fmt.Errorf("row %d: a value is 1, where entries without values are", i+1)
			}
		}
	}
	return nil
}

func checkColumns[I index](idx []I, cols int) error {
	last := -1
	for _, j := range idx {
		if int(j) <= last || int(j) >= cols {
			return fmt.Errorf("column %d after column %d, of %d columns", int(j)+1, last+1, cols)
		}
		last = int(j)
	}
	return nil
}

// common returns a column that is in both lists, which ascend.
func common[I index](a, b []I) (I, bool) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return a[0], true
		}
	}
	return 0, false
}
