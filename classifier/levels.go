package classifier

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// transpose is some rows of a matrix by columns.
type transpose struct {
	ptr   []int // the entries of column j are those from ptr[j] to ptr[j+1]
	row   []int32
	value []float64
}

func newTranspose(x *sparse.Matrix, rows []int, cols int) *transpose {
	t := &transpose{ptr: make([]int, cols+1)}
	for _, i := range rows {
		for j := range x.Row(i) {
			t.ptr[j+1]++
		}
	}
	for j := range cols {
		t.ptr[j+1] += t.ptr[j]
	}
	next := slices.Clone(t.ptr)
	t.row, t.value = make([]int32, t.ptr[cols]), make([]float64, t.ptr[cols])
	for k, i := range rows {
		for j, v := range x.Row(i) {
			t.row[next[j]], t.value[next[j]] = int32(k), v
			next[j]++
		}
	}
	return t
}

// column returns the rows in which column j is not 0, and its values there.
func (t *transpose) column(j int) ([]int32, []float64) {
	return t.row[t.ptr[j]:t.ptr[j+1]], t.value[t.ptr[j]:t.ptr[j+1]]
}

// leveller divides rows by their values of a column.
type leveller struct {
	level  []int32 // of each row
	values []float64
	rank   []int32 // of each row's number among the distinct ones, if there are ranks
	ranks  int     // number of distinct numbers, 0 if the levels tell as much
}

func newLeveller(rows int) *leveller {
	return &leveller{level: make([]int32, rows), values: make([]float64, rows), rank: make([]int32, rows)}
}

// of divides the rows by the levels of a category or the parts of a number, and returns
// the number of parts.
func (l *leveller) of(c *Column, t *transpose) (count int) {
	clear(l.level)
	l.ranks = 0
	first, count := c.First, 1
	if c.number() {
		count = l.parts(t.column(first))
		first++
	}
	for j := first; j < c.End; j++ {
		rows, _ := t.column(j)
		for _, k := range rows {
			l.level[k] = int32(count)
		}
		count++
	}
	return count
}

// parts divides the rows by a number that is 0 except in the given rows. Each part but
// the last has at least a tenth of the rows, and no value is in two parts.
func (l *leveller) parts(rows []int32, values []float64) (count int) {
	if !slices.ContainsFunc(values, func(v float64) bool { return v != values[0] }) {
		for _, i := range rows { // all values are 0 or one other value: no need to sort
			l.level[i] = 1
		}
		return 2
	}
	clear(l.values)
	for k, i := range rows {
		l.values[i] = values[k]
	}
	sorted := slices.Clone(l.values)
	slices.Sort(sorted)
	var ends []float64 // the largest value of each part
	least := max(len(sorted)/proxyBins, 1)
	for from := 0; from < len(sorted); {
		to := min(from+least, len(sorted)) - 1
		end := sorted[to]
		ends = append(ends, end)
		from, _ = slices.BinarySearch(sorted, math.Nextafter(end, math.Inf(1)))
	}
	for k, v := range l.values {
		part, _ := slices.BinarySearch(ends, v)
		l.level[k] = int32(part)
	}
	if sorted = slices.Compact(sorted); len(sorted) > len(ends) {
		l.ranks = len(sorted)
		for k, v := range l.values {
			rank, _ := slices.BinarySearch(sorted, v)
			l.rank[k] = int32(rank)
		}
	}
	return len(ends)
}
