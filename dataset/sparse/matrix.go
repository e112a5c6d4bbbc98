// Package sparse has the matrix of labelled rows and its products. A Builder collects rows; a
// Joiner puts the rows of several builders together; Over makes a matrix of memory that somebody
// else keeps.
//
// A Matrix is stored by rows (CSR), as two lists: the columns of the entries that are 1, and the
// columns and values of the others. Column indices take one, two or four bytes, as few as the
// number of columns allows, and pointers to the rows are not stored where every row has as many
// entries. So the one-hot data of this field stays in the cache. Results have the same bits for any
// number of processors and for any range or list of rows that a row is part of.
package sparse

import (
	"fmt"
	"iter"
	"math"
	"sync"
)

// Matrix is an immutable sparse matrix. Any number of goroutines may use it at once.
type Matrix struct {
	rows, cols int
	store      store
	columns    func() []Column
}

// store is a csr of one of the index types.
type store interface {
	nnz() int
	binary() bool
	row(i int, yield func(col int, value float64) bool)
	// Products are of as many rows as dst or coef has: the listed ones, nil meaning those from lo on.
	mul(dst, x []float64, lo int, rows []int)
	addTrans(dst, coef []float64, lo int, rows []int)
	check(lo, hi, cols int) error
	measure(rows int, columns []Column)
	renumbered(position []uint32, rows, cols int) *Matrix
}

// Dims returns the number of rows and of columns.
func (m *Matrix) Dims() (rows, cols int) { return m.rows, m.cols }

// NNZ returns the number of non-zero entries.
func (m *Matrix) NNZ() int { return m.store.nnz() }

// Binary reports whether every non-zero is exactly 1.
func (m *Matrix) Binary() bool { return m.store.binary() }

// Row yields the non-zeros of row i as pairs of a column, counted from 0, and its value.
// Columns ascend.
func (m *Matrix) Row(i int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) { m.store.row(i, yield) }
}

// RowNorm2 returns ‖a_i‖₂.
func (m *Matrix) RowNorm2(i int) float64 {
	var sum float64
	for _, v := range m.Row(i) {
		sum += v * v
	}
	return math.Sqrt(sum)
}

// MulRange stores the products of rows lo to hi−1 with x: dst[k] = a_{lo+k}·x. It needs
// len(x) ≥ cols and len(dst) ≥ hi−lo.
func (m *Matrix) MulRange(dst, x []float64, lo, hi int) {
	m.checkRange(lo, hi, len(dst), len(x))
	m.store.mul(dst[:hi-lo], x[:m.cols], lo, nil)
}

// MulRows stores the products of the listed rows with x: dst[k] = a_{rows[k]}·x. It needs
// len(x) ≥ cols and len(dst) ≥ len(rows).
func (m *Matrix) MulRows(dst, x []float64, rows []int) {
	m.checkLengths(len(rows), len(dst), len(x))
	m.store.mul(dst[:len(rows)], x[:m.cols], 0, rows)
}

// AddTransRange adds a combination of rows lo to hi−1: dst += Σ_k coef[k] a_{lo+k}. It needs
// len(dst) ≥ cols and len(coef) ≥ hi−lo. Equal arguments give equal bits. Two calls for the
// halves of a range may round differently.
func (m *Matrix) AddTransRange(dst, coef []float64, lo, hi int) {
	m.checkRange(lo, hi, len(coef), len(dst))
	m.store.addTrans(dst[:m.cols], coef[:hi-lo], lo, nil)
}

// AddTransRows adds a combination of the listed rows: dst += Σ_k coef[k] a_{rows[k]}. It
// needs len(dst) ≥ cols and len(coef) ≥ len(rows).
func (m *Matrix) AddTransRows(dst, coef []float64, rows []int) {
	m.checkLengths(len(rows), len(coef), len(dst))
	m.store.addTrans(dst[:m.cols], coef[:len(rows)], 0, rows)
}

func (m *Matrix) checkRange(lo, hi, perRow, perCol int) {
	m.checkRows(lo, hi)
	m.checkLengths(hi-lo, perRow, perCol)
}

func (m *Matrix) checkRows(lo, hi int) {
	if lo < 0 || hi < lo || hi > m.rows {
		panic(fmt.Sprintf("sparse: rows %d to %d of a matrix with %d rows", lo, hi, m.rows))
	}
}

func (m *Matrix) checkLengths(rows, perRow, perCol int) {
	if perRow < rows || perCol < m.cols {
		panic(fmt.Sprintf("sparse: vectors of length %d and %d for %d rows and %d columns",
			perRow, perCol, rows, m.cols))
	}
}

// Parts are the memory that a Matrix consists of, for callers who have it outside the
// heap. The indices of Ones and Valued have the same width.
type Parts struct {
	Rows, Cols int
	Ones       Columns   // of the entries that are 1
	Valued     Columns   // of the other entries
	Values     []float64 // of the entries of Valued
}

// Columns are the column indices of some entries of each row, which ascend. Row i has the entries
// Ptr[i] to Ptr[i+1]; without Ptr, every row has PerRow. At most one of Narrow, Medium and Wide is
// not empty.
type Columns struct {
	Ptr    []int
	PerRow int
	Narrow []uint8
	Medium []uint16
	Wide   []uint32
}

// Len returns the number of entries.
func (c *Columns) Len() int { return len(c.Narrow) + len(c.Medium) + len(c.Wide) }

// check returns an error about sizes that contradict each other.
func (c *Columns) check(rows int) error {
	n := c.Len()
	switch {
	case n != max(len(c.Narrow), len(c.Medium), len(c.Wide)):
		return fmt.Errorf("there are column indices of two widths")
	case c.Ptr != nil && (len(c.Ptr) != rows+1 || c.Ptr[0] != 0 || c.Ptr[rows] != n):
		return fmt.Errorf("the row pointers are not those of %d rows and %d entries", rows, n)
	case c.Ptr == nil && (c.PerRow < 0 || c.PerRow == 0 && n != 0 || c.PerRow > 0 && (n/c.PerRow != rows || n%c.PerRow != 0)):
		return fmt.Errorf("%d entries are not those of %d rows of %d each", n, rows, c.PerRow)
	}
	return nil
}

// Over returns the matrix that consists of the given parts. It keeps them. An error says which
// sizes contradict each other. The caller answers for the contents: column indices ascend and are
// below Cols, none is there twice in a row, pointers ascend, and no value is 0 or 1. See CheckRows.
func Over(p Parts) (*Matrix, error) {
	if p.Rows < 0 || p.Cols < 0 || p.Cols > math.MaxInt32+1 {
		return nil, fmt.Errorf("%d rows and %d columns are no sizes", p.Rows, p.Cols)
	}
	for _, c := range []*Columns{&p.Ones, &p.Valued} {
		if err := c.check(p.Rows); err != nil {
			return nil, err
		}
	}
	if n := p.Valued.Len(); len(p.Values) != n {
		return nil, fmt.Errorf("%d values for %d entries", len(p.Values), n)
	}
	m := &Matrix{rows: p.Rows, cols: p.Cols}
	wide, medium := len(p.Ones.Wide)+len(p.Valued.Wide), len(p.Ones.Medium)+len(p.Valued.Medium)
	switch narrowest := len(p.Ones.Narrow) + len(p.Valued.Narrow); {
	case wide > 0 && medium+narrowest > 0 || medium > 0 && narrowest > 0:
		return nil, fmt.Errorf("there are column indices of two widths")
	case wide > 0:
		m.store = csr[uint32]{listOf(&p.Ones, p.Ones.Wide), listOf(&p.Valued, p.Valued.Wide), p.Values}
	case medium > 0:
		m.store = csr[uint16]{listOf(&p.Ones, p.Ones.Medium), listOf(&p.Valued, p.Valued.Medium), p.Values}
	default:
		m.store = csr[uint8]{listOf(&p.Ones, p.Ones.Narrow), listOf(&p.Valued, p.Valued.Narrow), p.Values}
	}
	m.columns = sync.OnceValue(m.measureColumns)
	return m, nil
}

// CheckRows returns an error about the first invalid row from lo to hi−1. A row is invalid if its
// column indices do not ascend, if an index is too large or there twice, or if a value is 0, 1 or
// not finite. The row pointers must be right.
func (m *Matrix) CheckRows(lo, hi int) error {
	m.checkRows(lo, hi)
	return m.store.check(lo, hi, m.cols)
}

func (c csr[I]) check(lo, hi, cols int) error {
	for i := lo; i < hi; i++ {
		valued, val, ones := c.entriesOf(i)
		for _, idx := range [][]I{valued, ones} {
			last := -1
			for _, j := range idx {
				if int(j) <= last || int(j) >= cols {
					return fmt.Errorf("row %d: column %d after column %d, of %d columns", i+1, int(j)+1, last+1, cols)
				}
				last = int(j)
			}
		}
		if j, twice := common(valued, ones); twice {
			return fmt.Errorf("row %d: column %d has a value and is 1", i+1, int(j)+1)
		}
		for _, v := range val {
			if v == 0 || v == 1 || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("row %d: the value %v, expected a finite number other than 0 and 1", i+1, v)
			}
		}
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
