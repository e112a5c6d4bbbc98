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
	mixed  bool // the rows have entries with values and others
	// The entries are ordered by column, and by row in each of them. A group of columns ends where
	// ends says; columns and places are short, as most of the time goes into reading them.
	ends   []int
	value  []float64
	column []uint16 // of its group; plus group for an entry without a value if the rows are mixed
	place  []uint16 // it belongs to the sum place%4 of dot, of row place/4
}

// turnedEntry is an entry on its way to its place.
type turnedEntry struct {
	value         float64
	column, place uint16 // see TurnedPart
}

// turnedSums are those of dot for each row: four over its entries with values, or without if there
// are no others, and behind those of all rows four over the others.
type turnedSums [2 * 4 * TurnedRows]float64

const (
	// TurnedRows is how many rows have sums that stay in the second-level cache: half a megabyte, and as much
	// again for the ones of mixed rows.
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
	return last - first + len(c.shared)*(hi-lo)
}

// turned orders rows by column, those of a column as they were: first by groups of columns, into
// space, then each group. So writes go to places that are in the cache.
func (c csr[I]) turned(lo, hi, columns int, space []turnedEntry) TurnedPart {
	first, _ := c.of(lo)
	_, last := c.of(hi - 1)
	ends := make([]int, (columns-1)/group+2)
	for _, j := range c.idx[first:last] {
		ends[int(j)/group+1]++
	}
	for _, j := range c.shared {
		ends[int(j)/group+1] += hi - lo
	}
	for g := range len(ends) - 1 {
		ends[g+1] += ends[g]
	}
	mixed, markOfOnes := c.hasBoth(), 0
	if mixed {
		markOfOnes = group
	}
	for i := lo; i < hi; i++ {
		idx, val, ones := c.entriesOf(i)
		for k, j := range idx {
			g := int(j) / group
			space[ends[g]] = turnedEntry{val[k], uint16(int(j) % group), uint16(4*(i-lo) + sumOfValue(k, len(idx)))}
			ends[g]++ // from the first place of the group to the last
		}
		for k, j := range ones {
			g := int(j) / group
			space[ends[g]] = turnedEntry{1, uint16(int(j)%group + markOfOnes), uint16(4*(i-lo) + sumOfOne(k, len(ones)))}
			ends[g]++
		}
	}
	size := c.entries(lo, hi)
	part := TurnedPart{lo, hi, mixed, ends[:len(ends)-1], make([]float64, size), make([]uint16, size), make([]uint16, size)}
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
			part.value[at], part.column[at], part.place[at] = e.value, e.column, e.place
			next[k]++
		}
		from = to
	}
	return part
}

// sumOfValue returns which of the sums of dot has entry k of n with values.
func sumOfValue(k, n int) int {
	if k < n&^3 {
		return k % 4
	}
	return 0
}

// sumOfOne returns which of the sums of dot has entry k of n that are 1.
func sumOfOne(k, n int) int {
	whole := n &^ 3
	if k == whole && n-whole == 1 {
		return 2
	}
	return k % 4
}

// mul stores the products of the rows with x, see Matrix.MulRange. It overwrites sums.
func (p *TurnedPart) mul(dst, x []float64, sums *turnedSums) {
	dst = dst[:p.Hi-p.Lo]
	const ofOnes = len(sums) / 2
	clear(sums[:4*len(dst)])
	if p.mixed {
		clear(sums[ofOnes:][:4*len(dst)])
	}
	from := 0
	for g, to := range p.ends {
		x, column, place := x[g*group:], p.column[from:to], p.place[from:to]
		for k, v := range p.value[from:to] {
			j := int(column[k])
			sums[int(place[k])+j/group*ofOnes] += float64(v * x[j%group])
		}
		from = to
	}
	for k := range dst {
		s := (*[4]float64)(sums[4*k:])
		dst[k] = (s[0] + s[1]) + (s[2] + s[3])
		if p.mixed {
			s := (*[4]float64)(sums[ofOnes+4*k:])
			dst[k] += (s[0] + s[1]) + (s[2] + s[3])
		}
	}
}

// addTrans adds combinations of the rows, see Matrix.AddTransRange, a group of columns at a time,
// whose entries stay in the cache.
func (p *TurnedPart) addTrans(combinations []combination) {
	from := 0
	for g, to := range p.ends {
		column, place := p.column[from:to], p.place[from:to]
		for _, c := range combinations {
			dst := c.dst[g*group:]
			for k, v := range p.value[from:to] {
				dst[column[k]%group] += float64(c.coef[place[k]/4] * v)
			}
		}
		from = to
	}
}
