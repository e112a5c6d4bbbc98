package encoding

import (
	"iter"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// columnCount is what rows tell about a column. It is empty for a column that is dropped.
type columnCount struct {
	Missing int
	Levels  map[string]int // rows with each level of a category
	moments moments        // of the numbers that are not missing; empty for Bins
	Values  []float64      // the numbers that are not missing, ascending, for Bins
}

// countColumn counts the given rows by their value of a column; nil means all rows.
func countColumn(t *tabular.Table, spec tabular.ColumnSpec, rows []int) (count columnCount) {
	c := t.Column(spec.Name)
	switch spec.As {
	case tabular.Drop:
		return count
	case tabular.OneHot:
		count.Levels, count.Missing = byLevel(c, rows)
		return count
	}
	rowCount, values := t.Rows, c.Numbers
	if rows != nil {
		rowCount = len(rows)
	}
	if spec.As == tabular.Bins || rows != nil {
		values = c.Present(rows)
	}
	if spec.As == tabular.Bins {
		slices.Sort(values)
		count.Values, count.Missing = values, rowCount-len(values)
		return count
	}
	count.moments.Add(values)
	count.Missing = rowCount - count.moments.Count
	return count
}

// byLevel counts the given rows by level, and those without one; nil means all rows. Levels without
// a row are left out.
func byLevel(c *tabular.Column, rows []int) (levels map[string]int, missing int) {
	count := c.Count(rows)
	levels = map[string]int{}
	for k, level := range c.Levels {
		if n := count[1+k]; n > 0 {
			levels[level] = n
		}
	}
	return levels, count[0]
}

// present returns the number of rows whose value is not missing.
func (c *columnCount) present() int {
	n := c.moments.Count
	for _, times := range c.runs() {
		n += times
	}
	return n
}

// rows returns the number of rows of a category.
func (c *columnCount) rows() int {
	n := c.Missing
	for _, times := range c.Levels {
		n += times
	}
	return n
}

// runs returns every value once, ascending, and in how many rows it is.
func (c *columnCount) runs() iter.Seq2[float64, int] {
	return func(yield func(float64, int) bool) {
		for k := 0; k < len(c.Values); {
			v, n := c.Values[k], 0
			for ; k < len(c.Values) && c.Values[k] == v; k++ {
				n++
			}
			if !yield(v+0, n) { // −0 is 0
				return
			}
		}
	}
}

// moments are a number of values, their sum and the sum of their squares. Sums have about 106
// binary digits, and values are added in the order of the rows. So the mean and the standard
// deviation have the digits of a float64, whatever the number of processors. The zero value has no
// values.
type moments struct {
	Count        int
	Least, Most  float64 // of the values
	sum, squares twofold
}

// twofold is the sum of two numbers, of which low is what rounding took from high.
type twofold struct{ high, low float64 }

func (s *twofold) add(v float64) {
	high := s.high + v
	added := high - s.high
	s.low += (s.high - (high - added)) + (v - added)
	s.high = high
}

// addProduct adds the product of two numbers.
func (s *twofold) addProduct(a, b float64) {
	p := float64(a * b)
	s.add(p)
	s.low += math.FMA(a, b, -p)
}

// Add adds values. NaN stands for none.
func (m *moments) Add(values []float64) {
	sum, squares, count := m.sum, m.squares, m.Count // in registers
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if count == 0 {
			m.Least, m.Most = v, v
		}
		if v < m.Least {
			m.Least = v
		}
		if v > m.Most {
			m.Most = v
		}
		count++
		sum.add(v)
		squares.addProduct(v, v)
	}
	m.sum, m.squares, m.Count = sum, squares, count
}

// Mean returns the mean, NaN if a value is infinite.
func (m *moments) Mean() float64 { return (m.sum.high + m.sum.low) / float64(m.Count) }

// SD returns the standard deviation, which is that of a population. It is 0 for equal values, and
// NaN if a value is infinite.
func (m *moments) SD() float64 {
	if m.Least == m.Most && !math.IsInf(m.Least, 0) {
		return 0
	}
	// With n values x, the variance is (n Σx² − (Σx)²) / n².
	n := float64(m.Count)
	sum := m.sum.high + m.sum.low
	rest := m.sum.low - (sum - m.sum.high)
	var spread twofold
	spread.addProduct(n, m.squares.high)
	spread.addProduct(n, m.squares.low)
	spread.addProduct(-sum, sum)
	spread.addProduct(-2*sum, rest)
	// the squares of tiny numbers are 0
	return max(math.Sqrt(max(spread.high+spread.low, 0))/n, math.SmallestNonzeroFloat64)
}
