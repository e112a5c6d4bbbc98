package encoding

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// TestMoments compares with rational numbers.
func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 1e6, -1e9}).Draw(t, "offset")
		value := rapid.OneOf(rapid.Float64Range(-100, 100), rapid.SampledFrom([]float64{0, 0.1, 1, 1e5}))
		values := rapid.SliceOfN(value, 1, 50).Draw(t, "values")
		for k := range values {
			values[k] += offset
		}
		gotMean, gotSD := moments(values)
		sum, squares := new(big.Rat), new(big.Rat)
		for _, v := range values {
			x := new(big.Rat).SetFloat64(v)
			sum.Add(sum, x)
			squares.Add(squares, x.Mul(x, x))
		}
		n := big.NewRat(int64(len(values)), 1)
		mean := sum.Quo(sum, n)
		variance := squares.Sub(squares.Quo(squares, n), new(big.Rat).Mul(mean, mean))
		wantMean, _ := mean.Float64()
		wantVariance, _ := variance.Float64()
		if !scalar.EqualWithinRel(gotMean, wantMean, 1e-15) && math.Abs(wantMean) > 1e-12 {
			t.Fatalf("mean %v, want %v", gotMean, wantMean)
		}
		// Squares of 1e18 hide a deviation of 1e-7, but values that differ have one above 0.
		if want := math.Sqrt(wantVariance); (gotSD == 0) != (variance.Sign() == 0) || want > 1e-2 &&
			!scalar.EqualWithinRel(gotSD, want, 1e-10) {
			t.Fatalf("standard deviation %v, want %v", gotSD, want)
		}
	})
}

// TestInfiniteMoments: an infinite value leaves no mean.
func TestInfiniteMoments(t *testing.T) {
	if mean, sd := moments([]float64{1, math.Inf(-1)}); !math.IsNaN(sd) {
		t.Errorf("with an infinite value: mean %v, SD %v", mean, sd)
	}
}
