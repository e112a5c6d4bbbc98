package model

import (
	"iter"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

// blockSize is the number of rows evaluated together: enough to keep the vector kernels
// busy, few enough to stay in the first-level cache.
const blockSize = 256

// block is the scratch memory of one worker.
type block struct {
	margin, value, slope, coef [blockSize]float64
	sign                       [blockSize]float64

	// Of rows of S:
	drawn  [blockSize]int     // in a batch
	cells  [blockSize]int32   // of each
	rows   [blockSize]int     // ordered by cell
	ends   [maxCells]int      // of the cells among the ordered rows
	seen   [blockSize]float64 // margins of the ordered rows, as the cells see them
	counts [blockSize]float64 // weights of the ordered rows in a batch

	insideValue, insideSlope [blockSize]float64 // of the rows in one of overlapping cells
}

// span selects rows of a matrix: those listed, or lo to hi−1 if the list is nil.
type span struct {
	rows   []int
	lo, hi int
}

func (s span) len() int {
	if s.rows != nil {
		return len(s.rows)
	}
	return s.hi - s.lo
}

// part is rows [lo, hi) of the span.
func (s span) part(lo, hi int) span {
	if s.rows != nil {
		return span{rows: s.rows[lo:hi]}
	}
	return span{lo: s.lo + lo, hi: s.lo + hi}
}

// blocks cuts a span into parts of at most blockSize rows.
func (s span) blocks() iter.Seq[span] {
	return func(yield func(span) bool) {
		for lo := 0; lo < s.len(); lo += blockSize {
			if !yield(s.part(lo, min(lo+blockSize, s.len()))) {
				return
			}
		}
	}
}

// row returns the k-th row.
func (s span) row(k int) int {
	if s.rows != nil {
		return s.rows[k]
	}
	return s.lo + k
}

// pick stores the entries of x, which has one for each row of the matrix, that belong to s.
func pick[T int8 | float64](dst []float64, x []T, s span) []float64 {
	dst = dst[:s.len()]
	if s.rows == nil {
		for k, v := range x[s.lo:s.hi] {
			dst[k] = float64(v)
		}
		return dst
	}
	for k, i := range s.rows {
		dst[k] = float64(x[i])
	}
	return dst
}

// margins returns a_iᵀx for the rows of s, at most blockSize.
func (p *Fair) margins(b *block, a *sparse.Matrix, x []float64, s span) []float64 {
	t := b.margin[:s.len()]
	switch {
	case s.rows != nil:
		a.MulRows(t, x, s.rows)
	default:
		a.MulRange(t, x, s.lo, s.hi)
	}
	if p.intercept >= 0 {
		floats.AddConst(x[p.intercept], t)
	}
	return t
}

// temper turns margins t of S into (t − t₀)/T.
func (p *Fair) temper(t []float64) {
	if o := &p.options; o.Temperature != 1 || o.Centre != 0 {
		floats.AddConst(-o.Centre, t)
		floats.Scale(1/o.Temperature, t)
	}
}

// scatter adds Σ_k coef[k] a_k over the rows of s to dst.
func (p *Fair) scatter(dst []float64, a *sparse.Matrix, coef []float64, s span) {
	switch {
	case s.rows != nil:
		a.AddTransRows(dst, coef, s.rows)
	default:
		a.AddTransRange(dst, coef, s.lo, s.hi)
	}
	if p.intercept >= 0 {
		dst[p.intercept] += vmath.Sum(coef)
	}
}

// loss returns the sum of the weighted losses of the rows of s, at most blockSize, if
// value is true, and adds their gradient to dst unless it is nil. It takes their margins t,
// which are lost.
func (p *Fair) loss(b *block, dst, t []float64, s span, value bool) float64 {
	sign := pick(b.sign[:], p.labels, s)
	for k, y := range sign {
		t[k] *= y
	}
	ell, slope := b.value[:len(t)], b.slope[:len(t)]
	vmath.RobustSlope(ell, slope, t, p.options.Alpha)
	if dst != nil {
		for k, y := range sign {
			slope[k] *= y
		}
	}
	if value {
		vmath.Robust(ell, p.options.Alpha)
	}
	sum := 0.0
	if p.weights == nil {
		sum = vmath.Sum(ell)
	} else {
		weight := p.scaledWeights(b.coef[:], s)
		if dst != nil {
			floats.Mul(slope, weight)
		}
		sum = floats.Dot(weight, ell)
	}
	if dst != nil {
		p.scatter(dst, p.d, slope, s)
	}
	return sum
}

// scaledWeights stores the weights of rows of D, scaled to the mean 1.
func (p *statement) scaledWeights(dst []float64, s span) []float64 {
	dst = pick(dst, p.weights, s)
	for k := range dst {
		dst[k] /= p.meanWeight
	}
	return dst
}
