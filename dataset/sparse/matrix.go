// Package sparse has the matrix of labelled rows. It collects, stores and multiplies the rows.
package sparse

import (
	"fmt"
	"iter"
	"math"
)

// Matrix is an immutable sparse matrix, stored by rows (CSR). Column indices take one, two or four
// bytes, as few as the number of columns allows. Only values other than 1 are stored, whose columns
// come first in each row; or all, in rows of old files. The columns of values are not stored for each row
// where they are the same in every row. Pointers to the rows are not stored where
// every row has the same number of non-zeros, or of values. So the one-hot data of this field stays
// in the cache.
//
// Any number of goroutines may use a Matrix at once.
type Matrix struct {
	rows, cols int
	store      store
	columns    func() []Column
	turned     turnings
	selection  selection
}

// store is a csr of one of the index types.
type store interface {
	nnz() int
	binary() bool
	row(i int, yield func(col int, value float64) bool)
	mulRange(dst, x []float64, lo int) // as many rows as dst has
	mulRows(dst, x []float64, rows []int)
	addTransRange(dst, coef []float64, lo int) // as many rows as coef has
	addTransRows(dst, coef []float64, rows []int)
	check(lo, hi, cols int) error
	measure(rows int, columns []Column)
	mark(used []bool)
	extremes() (least, most float64)
	entries(lo, hi int) int
	turned(lo, hi, columns int, space []turnedEntry) TurnedPart
	renumbered(place []uint32, p Parts) Parts
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
// len(x) ≥ cols and len(dst) ≥ hi−lo. The product of a row is the same, to the last bit,
// whichever range or list of rows it is computed in.
func (m *Matrix) MulRange(dst, x []float64, lo, hi int) {
	m.checkRange(lo, hi, len(dst), len(x))
	m.store.mulRange(dst[:hi-lo], x[:m.cols], lo)
}

// MulRows stores the products of the listed rows with x: dst[k] = a_{rows[k]}·x. It needs
// len(x) ≥ cols and len(dst) ≥ len(rows).
func (m *Matrix) MulRows(dst, x []float64, rows []int) {
	m.checkLengths(len(rows), len(dst), len(x))
	dst, x = dst[:len(rows)], x[:m.cols]
	m.store.mulRows(dst, x, rows)
}

// AddTransRange adds a combination of rows lo to hi−1: dst += Σ_k coef[k] a_{lo+k}. It needs
// len(dst) ≥ cols and len(coef) ≥ hi−lo. Equal arguments give equal bits. Two calls for the
// halves of a range may round differently.
func (m *Matrix) AddTransRange(dst, coef []float64, lo, hi int) {
	m.checkRange(lo, hi, len(coef), len(dst))
	m.store.addTransRange(dst[:m.cols], coef[:hi-lo], lo)
}

// AddTransRows adds a combination of the listed rows: dst += Σ_k coef[k] a_{rows[k]}. It
// needs len(dst) ≥ cols and len(coef) ≥ len(rows).
func (m *Matrix) AddTransRows(dst, coef []float64, rows []int) {
	m.checkLengths(len(rows), len(coef), len(dst))
	m.store.addTransRows(dst[:m.cols], coef[:len(rows)], rows)
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
