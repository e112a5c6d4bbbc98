package decide

import (
	"iter"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

// Many is the number of rows from which on nothing is kept for each of them: margins are computed
// wherever they are needed, and of the points of a line, and of thresholds, those of a fine grid
// are compared, not all.
const Many = 1 << 20

// Margins are those of the rows of a data set under a linear classifier.
type Margins struct {
	kept []float64 // nil for Many rows, and for a sample

	d         *dataset.Dataset
	weights   []float64 // nil if all are 0
	intercept float64
}

// NewMargins returns the margins of rows.
func NewMargins(d *dataset.Dataset, weights []float64, intercept float64) Margins {
	m := Margins{d: d, weights: weights, intercept: intercept}
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 0 }) {
		m.weights = nil
	}
	if n := d.Rows(); n < Many && d.SampleOf == 0 {
		m.kept = m.Range(make([]float64, n), 0, n)
	}
	return m
}

// Minus returns the margins under the weights of m minus those of n, of the same rows.
func (m Margins) Minus(n Margins) Margins {
	difference := Margins{d: m.d, intercept: m.intercept - n.intercept}
	if m.kept != nil {
		difference.kept = floats.SubTo(make([]float64, len(m.kept)), m.kept, n.kept)
		return difference
	}
	difference.weights = make([]float64, m.d.Features())
	copy(difference.weights, m.weights)
	if n.weights != nil {
		floats.Sub(difference.weights, n.weights)
	}
	return difference
}

// linear returns the classifier.
func (m Margins) linear() Linear { return Linear{m.weights, m.intercept} }

// Rows returns the number of rows.
func (m Margins) Rows() int {
	if m.kept != nil {
		return len(m.kept)
	}
	return m.d.Rows()
}

// Decisions returns 1 for the rows with margins of at least centre and 0 for all others; nil if
// nothing is kept for rows.
func (m Margins) Decisions(centre float64) []float64 {
	if m.kept == nil {
		return nil
	}
	return Decisions(make([]float64, len(m.kept)), m.kept, centre)
}

// Decisions stores 1 in dst for values of at least threshold, and 0 for all others. It returns dst.
func Decisions(dst, values []float64, threshold float64) []float64 {
	for k, v := range values {
		dst[k] = 0
		if v >= threshold {
			dst[k] = 1
		}
	}
	return dst
}

// Range returns the margins of rows lo to hi−1, for which it may use the buffer.
func (m Margins) Range(buffer []float64, lo, hi int) []float64 {
	if m.kept != nil {
		return m.kept[lo:hi]
	}
	t := buffer[:hi-lo]
	if m.weights == nil {
		clear(t)
	} else {
		m.d.X.MulRange(t, m.weights, lo, hi)
	}
	floats.AddConst(m.intercept, t)
	return t
}

// blockRows is the number of rows that All yields at a time.
const blockRows = 1 << 10

// All yields the margins of all rows in blocks, with the number of the first row.
func (m Margins) All() iter.Seq2[int, []float64] { return m.between(0, m.Rows()) }

// between yields the margins of rows lo to hi−1.
func (m Margins) between(lo, hi int) iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		buffer := make([]float64, blockRows)
		for ; lo < hi; lo += blockRows {
			if !yield(lo, m.Range(buffer, lo, min(lo+blockRows, hi))) {
				return
			}
		}
	}
}

// Parts is the number of parts of Many rows that are looked at side by side.
const Parts = 4

// InParts does work for the parts of so many rows, lo to hi−1. The parts depend on the number of
// rows only. Fewer than Many rows are part 0.
func InParts(rows int, work func(part, lo, hi int)) {
	if rows < Many {
		work(0, 0, rows)
		return
	}
	parallel.Do(runtime.GOMAXPROCS(0), Parts, func(k int) { work(k, rows*k/Parts, rows*(k+1)/Parts) })
}
