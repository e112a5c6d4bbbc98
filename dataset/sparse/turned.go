package sparse

import (
	"slices"
	"sync"
)

// Turned is some neighbouring rows of a matrix, ordered by column. Where a vector of all columns
// is beyond the cache, products with one row after the other wait for memory at every entry. Here
// the entries follow each other as in the vector, and what is accessed at random is a number for
// each of some thousand rows. Products have the bits of those with one row after the other.
type Turned struct{ Parts []TurnedPart }

// TurnedPart is the rows Lo to Hi−1, at most TurnedRows.
type TurnedPart struct {
	Lo, Hi int
	// The entries are ordered by column, and by row in each of them. A group of columns ends where
	// ends says; columns and places are short, as most of the time goes into reading them.
	ends   []int
	value  []float64
	column []uint16 // of its group
	place  []uint16 // it belongs to the sum place%4 of dot, of row place/4
}

// turnedEntry is an entry on its way to its place.
type turnedEntry struct {
	value  float64
	column uint32
	place  uint16
}

const (
	// TurnedRows is how many rows have sums that stay in the second-level cache.
	TurnedRows = 1 << 14
	// manyColumns is about where a vector of them does not.
	manyColumns = 1 << 17
	// group is how many columns are a group: vectors of them stay in the first-level cache.
	group = 1 << 12
)

// turnings are the rows that were turned, by the first and the last, and their parts.
type turnings struct {
	sync.Mutex
	of    map[[2]int]*Turned
	parts map[[2]int]TurnedPart
}

// Turned returns rows lo to hi−1 by column, nil where that would not be faster: where columns are
// few, or where entries are few beside them. The rows are turned at the first call, which takes
// as long as some products.
func (m *Matrix) Turned(lo, hi int) *Turned {
	if m.cols < manyColumns || lo == hi {
		return nil
	}
	m.turned.Lock()
	defer m.turned.Unlock()
	t, known := m.turned.of[[2]int{lo, hi}]
	if known {
		return t
	}
	if m.turned.of == nil {
		m.turned.of = map[[2]int]*Turned{}
	}
	const few = 4 // columns for an entry of a part
	if few*m.NNZ()/m.rows*min(hi-lo, TurnedRows) >= m.cols {
		t = &Turned{m.turnedParts(lo, hi)}
	}
	m.turned.of[[2]int{lo, hi}] = t
	return t
}

// turnedParts returns parts of the rows lo to hi−1, in memory that is shared with others who have the
// same parts.
func (m *Matrix) turnedParts(lo, hi int) []TurnedPart {
	if m.turned.parts == nil {
		m.turned.parts = map[[2]int]TurnedPart{}
	}
	var parts []TurnedPart
	var space []turnedEntry
	for from := lo; from < hi; from += TurnedRows {
		to := min(from+TurnedRows, hi)
		p, known := m.turned.parts[[2]int{from, to}]
		if !known {
			space = slices.Grow(space, m.store.entries(from, to))
			p = m.store.turned(from, to, m.cols, space[:cap(space)])
			m.turned.parts[[2]int{from, to}] = p
		}
		parts = append(parts, p)
	}
	return parts
}

func (c csr[I]) entries(lo, hi int) int {
	first, _ := c.of(lo)
	_, last := c.of(hi - 1)
	return last - first
}

// turned orders rows by column, those of a column as they were: first by groups of columns, into
// space, then each group. So writes go to places that are in the cache.
func (c csr[I]) turned(lo, hi, columns int, space []turnedEntry) TurnedPart {
	first, _ := c.of(lo)
	last := first + c.entries(lo, hi)
	ends := make([]int, (columns-1)/group+2)
	for _, j := range c.idx[first:last] {
		ends[int(j)/group+1]++
	}
	for g := range len(ends) - 1 {
		ends[g+1] += ends[g]
	}
	for i := lo; i < hi; i++ {
		from, to := c.of(i)
		for k, j := range c.idx[from:to] {
			value := 1.0
			if c.val != nil {
				value = c.val[from+k]
			}
			g := int(j) / group
			space[ends[g]] = turnedEntry{value, uint32(j), uint16(4*(i-lo) + c.sumOf(k, to-from))}
			ends[g]++ // from the first place of the group to the last
		}
	}
	size := last - first
	part := TurnedPart{lo, hi, ends[:len(ends)-1], make([]float64, size), make([]uint16, size), make([]uint16, size)}
	from, next := 0, make([]int32, group+1)
	for _, to := range part.ends {
		clear(next)
		for _, e := range space[from:to] {
			next[e.column%group+1]++
		}
		for k, before := range next[:group] {
			next[k+1] += before
		}
		for _, e := range space[from:to] {
			k := e.column % group
			at := from + int(next[k])
			part.value[at], part.column[at], part.place[at] = e.value, uint16(k), e.place
			next[k]++
		}
		from = to
	}
	return part
}

// sumOf returns which of the sums of dot has entry k of n.
func (c csr[I]) sumOf(k, n int) int {
	whole := n &^ 3
	switch {
	case k < whole:
		return k % 4
	case c.val != nil:
		return 0
	case n-whole == 1:
		return 2
	}
	return k - whole
}

// Mul stores the products of the rows with x, see Matrix.MulRange. It overwrites sums.
func (p *TurnedPart) Mul(dst, x []float64, sums *[4 * TurnedRows]float64) {
	dst = dst[:p.Hi-p.Lo]
	clear(sums[:4*len(dst)])
	from := 0
	for g, to := range p.ends {
		x, column, place := x[g*group:], p.column[from:to], p.place[from:to]
		for k, v := range p.value[from:to] {
			sums[place[k]] += float64(v * x[column[k]])
		}
		from = to
	}
	for k := range dst {
		s := (*[4]float64)(sums[4*k:])
		dst[k] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

// AddTrans adds combinations of the rows, see Matrix.AddTransRange, a group of columns at a time,
// whose entries stay in the cache.
func (p *TurnedPart) AddTrans(combinations []combination) {
	from := 0
	for g, to := range p.ends {
		column, place := p.column[from:to], p.place[from:to]
		for _, c := range combinations {
			dst := c.dst[g*group:]
			for k, v := range p.value[from:to] {
				dst[column[k]] += float64(c.coef[place[k]/4] * v)
			}
		}
		from = to
	}
}
