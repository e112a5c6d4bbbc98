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
	m.store.measure(m.rows, columns)
	return columns
}

func (c csr[I]) measure(rows int, columns []Column) {
	if c.binary() {
		count := make([]int, len(columns))
		for _, j := range c.ones.idx {
			count[j]++
		}
		for j, n := range count {
			columns[j] = Column{Entries: n, Sum: float64(n), Squares: float64(n)}
		}
		return
	}
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

// SelectColumns returns the matrix of the given columns, which ascend. All other columns must
// be empty. Of the rows it has nothing of its own but the indices.
func (m *Matrix) SelectColumns(columns []int) *Matrix {
	position := make([]uint32, m.cols)
	for k, j := range columns {
		if j < m.cols {
			position[j] = uint32(k)
		}
	}
	selected := m.store.renumbered(position, m.rows, len(columns))
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

func (c csr[I]) renumbered(position []uint32, rows, cols int) *Matrix {
	p := Parts{Rows: rows, Cols: cols, Values: c.val}
	for _, l := range []struct {
		from *list[I]
		to   *Columns
	}{{&c.ones, &p.Ones}, {&c.valued, &p.Valued}} {
		l.to.reserve(len(l.from.idx), 0, cols)
		var part [1 << 10]uint32
		for from := range slices.Chunk(l.from.idx, len(part)) {
			for k, j := range from {
				part[k] = position[j]
			}
			l.to.append(part[:len(from)], nil, cols)
		}
		l.to.Ptr, l.to.PerRow = l.from.ptr, l.from.perRow
	}
	m, err := Over(p)
	if err != nil {
		panic("sparse: " + err.Error())
	}
	return m
}
