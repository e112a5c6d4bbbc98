package sparse

import (
	"slices"
	"sync"
)

// Column is what is known of a column of a matrix.
type Column struct {
	Entries      int // that are not 0
	Sum, Squares float64
	Other        bool // an entry is neither 0 nor 1
}

// Columns returns the columns. They are measured at the first call, and to be read only. Sums are
// added in the order of the rows.
func (m *Matrix) Columns() []Column { return m.columns() }

func (m *Matrix) measureColumns() []Column {
	columns := make([]Column, m.cols)
	if !m.Binary() {
		m.store.measure(m.rows, columns)
		return columns
	}
	ones := slices.Repeat([]float64{1}, 1<<10)
	sum := make([]float64, m.cols)
	for lo := 0; lo < m.rows; lo += len(ones) {
		m.AddTransRange(sum, ones, lo, min(lo+len(ones), m.rows))
	}
	for j, n := range sum {
		columns[j] = Column{Entries: int(n), Sum: n, Squares: n}
	}
	return columns
}

func (c csr[I]) measure(rows int, columns []Column) {
	for i := range rows {
		idx, val, ones := c.entriesOf(i)
		for k, j := range idx {
			v, to := val[k], &columns[j]
			to.Entries++
			to.Sum += v
			to.Squares += float64(v * v)
			to.Other = to.Other || v != 1
		}
		for _, j := range ones {
			to := &columns[j]
			to.Entries++
			to.Sum++
			to.Squares++
		}
	}
}

// MarkColumns sets used[j] for every column j that is not empty. It needs len(used) ≥ cols.
func (m *Matrix) MarkColumns(used []bool) { m.store.mark(used) }

func (c csr[I]) mark(used []bool) {
	for _, j := range c.shared {
		used[j] = true
	}
	for columns := range slices.Chunk(c.idx, max(1<<16, len(used))) {
		for _, j := range columns {
			used[j] = true
		}
		if !slices.Contains(used, false) {
			return
		}
	}
}

// Extremes returns the least and the largest of the non-zeros, 0 and 0 if there are none.
func (m *Matrix) Extremes() (least, most float64) { return m.store.extremes() }

func (c csr[I]) extremes() (least, most float64) {
	switch {
	case c.nnz() == 0:
		return 0, 0
	case len(c.val) < c.nnz():
		least, most = 1, 1
	default:
		least, most = c.val[0], c.val[0]
	}
	for _, v := range c.val {
		if v < least { // min and max take three times as long, for NaN
			least = v
		}
		if v > most {
			most = v
		}
	}
	return least, most
}

// SelectColumns returns the matrix of the given columns, which ascend. All other columns must
// be empty. Of the rows it has nothing of its own but the indices. The last one is kept, for
// problems of the same rows.
func (m *Matrix) SelectColumns(columns []int) *Matrix {
	m.selection.Lock()
	defer m.selection.Unlock()
	if s := &m.selection; s.matrix == nil || !slices.Equal(s.columns, columns) {
		s.matrix, s.columns = m.selectColumns(columns), slices.Clone(columns)
	}
	return m.selection.matrix
}

// selection is a part of the columns of a matrix.
type selection struct {
	sync.Mutex
	matrix  *Matrix
	columns []int
}

func (m *Matrix) selectColumns(columns []int) *Matrix {
	place := make([]uint32, m.cols)
	for k, j := range columns {
		if j < m.cols {
			place[j] = uint32(k)
		}
	}
	selected, err := Over(m.store.renumbered(place, Parts{Rows: m.rows, Cols: len(columns)}))
	if err != nil {
		panic("sparse: " + err.Error())
	}
	selected.columns = sync.OnceValue(func() []Column {
		all, chosen := m.Columns(), make([]Column, len(columns))
		for k, j := range columns {
			if j < len(all) {
				chosen[k] = all[j]
			}
		}
		return chosen
	})
	return selected
}

func (c csr[I]) renumbered(place []uint32, p Parts) Parts {
	p.Ptr, p.PerRow = c.ptr, c.perRow
	p.Values, p.ValuePtr, p.ValuesPerRow = c.val, c.values.ptr, c.values.perRow
	if c.shared != nil {
		p.Shared = make([]uint32, len(c.shared))
		for k, j := range c.shared {
			p.Shared[k] = place[j]
		}
	}
	idx := newIndices(p.Cols, len(c.idx))
	var part [1 << 10]uint32
	for lo := 0; lo < len(c.idx); lo += len(part) {
		from := c.idx[lo:min(lo+len(part), len(c.idx))]
		for k, j := range from {
			part[k] = place[j]
		}
		idx.set(lo, indicesOf[uint32](part[:len(from)]))
	}
	idx.into(&p)
	return p
}
