package encoding

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// TestMoments compares with rational numbers: sums are exact, and what is made of them is the number
// next to the exact one, in whatever parts values are added up.
func TestMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(
			rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64),
			rapid.Float64Range(-1e-300, 1e-300), rapid.Float64Range(-100, 100),
			rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 1 << 52}),
		)
		values := rapid.SliceOfN(value, 1, 50).Draw(t, "values")
		var m, second Moments
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		second.Add(values[cut:])
		for _, v := range values[:cut] {
			m.Add([]float64{v, math.NaN()})
		}
		m.Merge(&second)
		sum, squares, count := new(big.Rat), new(big.Rat), len(values)
		for _, v := range values {
			more := rapid.SampledFrom([]int{0, 0, 1, 3, block - 1, 2*block + 1}).Draw(t, "more times")
			m.addTimes(v, more)
			count += more
			x, times := new(big.Rat).SetFloat64(v), big.NewRat(int64(1+more), 1)
			sum.Add(sum, new(big.Rat).Mul(x, times))
			squares.Add(squares, x.Mul(x.Mul(x, x), times))
		}
		n := big.NewRat(int64(count), 1)
		mean := sum.Quo(sum, n)
		variance := squares.Sub(squares.Quo(squares, n), new(big.Rat).Mul(mean, mean))
		wantMean, _ := mean.Float64()
		wantVariance, _ := variance.Float64()
		wantSD, tolerance := math.Sqrt(wantVariance), 0.0
		if wantVariance < 0x1p-1022 { // which lacks digits
			root := new(big.Float).SetPrec(100).SetRat(variance)
			wantSD, _ = root.Sqrt(root).Float64()
			tolerance = float64(1e-15*wantSD) + math.SmallestNonzeroFloat64
		}
		if m.Count != count || m.Mean() != wantMean || m.SD() != wantSD && !(math.Abs(m.SD()-wantSD) <= tolerance) {
			t.Fatalf("%d values of mean %v, SD %v; want %d of %v, %v", m.Count, m.Mean(), m.SD(), count, wantMean, wantSD)
		}
	})
}

// TestManyMoments: more values than a block has, as gonum sees them.
func TestManyMoments(t *testing.T) {
	values := make([]float64, block+5)
	for k := range values {
		values[k] = 1e6 + float64(k%1000)/8
	}
	var m Moments
	m.Add(values)
	mean, sd := stat.PopMeanStdDev(values, nil)
	if !scalar.EqualWithinRel(m.Mean(), mean, 1e-12) || !scalar.EqualWithinRel(m.SD(), sd, 1e-12) {
		t.Errorf("mean %v, SD %v, want %v, %v", m.Mean(), m.SD(), mean, sd)
	}
	m.Add([]float64{math.Inf(-1)})
	if !math.IsNaN(m.Mean()) || !math.IsNaN(m.SD()) {
		t.Errorf("with an infinite value: mean %v, SD %v", m.Mean(), m.SD())
	}
}

func BenchmarkMoments(b *testing.B) {
	values := make([]float64, 1<<20)
	for k := range values {
		values[k] = math.Round(1e6*rand.NormFloat64()) / 100
	}
	b.SetBytes(int64(8 * len(values)))
	for b.Loop() {
		var m Moments
		m.Add(values)
	}
}
