package encoding

import "math"

// Moments are a number of values, their sum and the sum of their squares. Sums have about 106 binary
// digits, and values are added in the order of the rows. So the mean and the standard deviation have the
// digits of a float64, whatever the number of processors. The zero value has no values.
type Moments struct {
	Count        int
	Least, Most  float64 // of the values
	Sum, Squares Sum
}

// Sum is the sum of two numbers, of which Low is what rounding took from High.
type Sum struct{ High, Low float64 }

func (s *Sum) add(v float64) {
	high := s.High + v
	added := high - s.High
	s.Low += (s.High - (high - added)) + (v - added)
	s.High = high
}

// addProduct adds the product of two numbers.
func (s *Sum) addProduct(a, b float64) {
	p := float64(a * b)
	s.add(p)
	s.Low += math.FMA(a, b, -p)
}

// Add adds values. NaN stands for none.
func (m *Moments) Add(values []float64) {
	sum, squares, count := m.Sum, m.Squares, m.Count // in registers
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
	m.Sum, m.Squares, m.Count = sum, squares, count
}

// Merge adds other values.
func (m *Moments) Merge(other *Moments) {
	switch {
	case other.Count == 0:
		return
	case m.Count == 0:
		*m = *other
		return
	}
	m.Count += other.Count
	m.Least, m.Most = min(m.Least, other.Least), max(m.Most, other.Most)
	m.Sum.add(other.Sum.High)
	m.Sum.Low += other.Sum.Low
	m.Squares.add(other.Squares.High)
	m.Squares.Low += other.Squares.Low
}

// Mean returns the mean, NaN if a value is infinite.
func (m *Moments) Mean() float64 { return (m.Sum.High + m.Sum.Low) / float64(m.Count) }

// SD returns the standard deviation, which is that of a population. It is 0 for equal values, and NaN if a value is
// infinite.
func (m *Moments) SD() float64 {
	if m.Least == m.Most && !math.IsInf(m.Least, 0) {
		return 0
	}
	// With n values x, the variance is (n Σx² − (Σx)²) / n².
	n := float64(m.Count)
	sum := m.Sum.High + m.Sum.Low
	rest := m.Sum.Low - (sum - m.Sum.High)
	var spread Sum
	spread.addProduct(n, m.Squares.High)
	spread.addProduct(n, m.Squares.Low)
	spread.addProduct(-sum, sum)
	spread.addProduct(-2*sum, rest)
	return max(math.Sqrt(max(spread.High+spread.Low, 0))/n, math.SmallestNonzeroFloat64) // the squares of tiny numbers are 0
}
