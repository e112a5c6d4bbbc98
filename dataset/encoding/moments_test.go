package encoding

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// TestMoments compares with rational numbers, in whatever parts values are added up.
func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 1e6, -1e9}).Draw(t, "offset")
		value := rapid.OneOf(rapid.Float64Range(-100, 100), rapid.SampledFrom([]float64{0, 0.1, 1, 1e5}))
		values := rapid.SliceOfN(value, 1, 50).Draw(t, "values")
		for k := range values {
			values[k] += offset
		}
		var m moments
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		for _, v := range values[:cut] {
			m.Add([]float64{v, math.NaN()})
		}
		m.Add(values[cut:])
		sum, squares, count := new(big.Rat), new(big.Rat), len(values)
		for _, v := range values {
			x := new(big.Rat).SetFloat64(v)
			sum.Add(sum, x)
			squares.Add(squares, x.Mul(x, x))
		}
		n := big.NewRat(int64(count), 1)
		mean := sum.Quo(sum, n)
		variance := squares.Sub(squares.Quo(squares, n), new(big.Rat).Mul(mean, mean))
		wantMean, _ := mean.Float64()
		wantVariance, _ := variance.Float64()
		if m.Count != count || !scalar.EqualWithinRel(m.Mean(), wantMean, 1e-15) && math.Abs(wantMean) > 1e-12 {
			t.Fatalf("%d values of mean %v, want %d of %v", m.Count, m.Mean(), count, wantMean)
		}
		const least = 1e-100 // below it squares are 0 in floating point, and none in fractions
		if want := math.Sqrt(wantVariance); (m.SD() < least) != (want < least) || want > 1e-2 &&
			!scalar.EqualWithinRel(m.SD(), want, 1e-11) {
			t.Fatalf("standard deviation %v, want %v", m.SD(), want)
		}
	})
}

// TestInfiniteMoments: an infinite value leaves no mean.
func TestInfiniteMoments(t *testing.T) {
	var m moments
	m.Add([]float64{1, math.Inf(-1)})
	if !math.IsNaN(m.SD()) {
		t.Errorf("with an infinite value: mean %v, SD %v", m.Mean(), m.SD())
	}
}
