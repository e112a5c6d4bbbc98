package model

import (
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

// blockSize is the number of rows evaluated together: enough to keep the vector kernels
// busy, few enough to stay in the first-level cache.
const blockSize = 256

// block is the scratch memory of one worker.
type block struct {
	margin, value, slope [blockSize]float64
}

func newBlock() *block { return new(block) }

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

// row is the index of the k-th row.
func (s span) row(k int) int {
	if s.rows != nil {
		return s.rows[k]
	}
	return s.lo + k
}

// margins stores a_iᵀx + intercept for the rows of s in b.margin.
func (b *block) margins(a *dataset.Matrix, x []float64, intercept float64, s span) []float64 {
	t := b.margin[:s.len()]
	if s.rows != nil {
		a.MulRows(t, x, s.rows)
	} else {
		a.MulRange(t, x, s.lo, s.hi)
	}
	if intercept != 0 {
		for k := range t {
			t[k] += intercept
		}
	}
	return t
}

// scatter adds Σ_k coef[k] a_k over the rows of s to dst, and Σ_k coef[k] to its last
// entry if there is an intercept.
func scatter(dst []float64, a *dataset.Matrix, coef []float64, s span, intercept bool) {
	if s.rows != nil {
		a.AddTransRows(dst, coef, s.rows)
	} else {
		a.AddTransRange(dst, coef, s.lo, s.hi)
	}
	if intercept {
		sum := 0.0
		for _, c := range coef {
			sum += c
		}
		dst[len(dst)-1] += sum
	}
}

// loss adds the sum of the weighted losses of the rows of s, at most blockSize, to the
// result and, unless dst is nil, their gradient to dst.
func (p *Fair) loss(b *block, dst, x []float64, s span, value bool) float64 {
	weights, intercept := p.Split(x)
	t := b.margins(p.d, weights, intercept, s)
	for k := range t {
		t[k] *= p.sign[s.row(k)]
	}
	ell, slope := b.value[:len(t)], b.slope[:len(t)]
	vmath.RobustSlope(ell, slope, t, p.options.Alpha)
	if dst != nil {
		for k := range slope {
			slope[k] *= p.sign[s.row(k)]
		}
		if p.weight != nil {
			for k := range slope {
				slope[k] *= p.weight[s.row(k)]
			}
		}
		scatter(dst, p.d, slope, s, p.options.Intercept)
	}
	if !value {
		return 0
	}
	vmath.Robust(ell, p.options.Alpha)
	sum := 0.0
	if p.weight != nil {
		for k, l := range ell {
			sum += p.weight[s.row(k)] * l
		}
		return sum
	}
	for _, l := range ell {
		sum += l
	}
	return sum
}

// scores evaluates σ and σ′ at the rows of s, at most blockSize, of S.
func (p *Fair) scores(b *block, x []float64, s span) (value, slope []float64) {
	weights, intercept := p.Split(x)
	t := b.margins(p.s, weights, intercept, s)
	value, slope = b.value[:len(t)], b.slope[:len(t)]
	vmath.SigmoidSlope(value, slope, t)
	return value, slope
}
