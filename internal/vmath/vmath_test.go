package vmath

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Reference values carry at least 40 bits more than the kernels, so that the comparison
// adds nothing to their errors.
const precision = 100

func newFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Add(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Quo(x, y) }

// bigExp returns e^x by halving x until it is small and squaring its power series.
func bigExp(x *big.Float) *big.Float {
	const halvings = 24
	y := new(big.Float).SetMantExp(x, -halvings)
	y.SetPrec(precision + 2*halvings)
	sum, term := new(big.Float).Copy(y).SetInt64(1), new(big.Float).Copy(y).SetInt64(1)
	for k := int64(1); k < 24; k++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return new(big.Float).SetPrec(precision).Set(sum)
}

// bigLog1p returns log(1+v): one step y + 2(w−e^y)/(w+e^y), w = 1+v, which triples the
// number of correct digits, from the value of math.Log1p.
func bigLog1p(v *big.Float) *big.Float {
	start, _ := v.Float64()
	if start < 1e-8 { // 1+v would lose v; the first term left out is v⁵/5
		v2 := mul(v, v)
		return add(v, add(quo(v2, newFloat(-2)), add(quo(mul(v2, v), newFloat(3)), quo(mul(v2, v2), newFloat(-4)))))
	}
	w := add(newFloat(1), v)
	y := newFloat(math.Log1p(start))
	e := bigExp(y)
	difference := new(big.Float).SetPrec(precision).Sub(w, e)
	return add(y, quo(add(difference, difference), add(w, e)))
}

var log2 = bigLog1p(newFloat(1))

// reference holds the exact functions of a margin.
type reference struct{ sigmoid, complement, slope, ell *big.Float }

func exact(t float64) reference {
	one := newFloat(1)
	u := bigExp(newFloat(-min(math.Abs(t), 1e5))) // beyond, 1+u is 1 in any precision
	w := add(one, u)
	r := reference{slope: quo(u, mul(w, w)), ell: bigLog1p(u), sigmoid: quo(one, w), complement: quo(u, w)}
	if t < 0 {
		r.sigmoid, r.complement = r.complement, r.sigmoid
		r.ell = add(r.ell, newFloat(-t))
	}
	return r
}

// robust returns φ_α(ℓ) and its derivative in t.
func (r reference) robust(alpha float64) (value, slope *big.Float) {
	value, slope = r.ell, new(big.Float).Neg(r.complement)
	if math.IsInf(alpha, 1) {
		return value, slope
	}
	ratio := quo(r.ell, newFloat(alpha))
	return mul(newFloat(alpha), bigLog1p(ratio)), quo(slope, add(newFloat(1), ratio))
}

// worst keeps the largest relative error seen and its argument.
type worst struct{ err, at float64 }

// see compares got with want at t, forgiving an absolute error of 4e-308.
func (w *worst) see(got float64, want *big.Float, t float64) {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		*w = worst{math.Inf(1), t}
		return
	}
	difference := new(big.Float).SetPrec(precision).Sub(newFloat(got), want)
	absolute, _ := difference.Float64()
	if math.Abs(absolute) <= 4e-308 {
		return
	}
	err, _ := quo(difference, want).Float64()
	if err = math.Abs(err); err > w.err {
		*w = worst{err, t}
	}
}

// margins returns dense sweeps of the ranges where the kernels change their ways and
// random values of every magnitude that a margin may have.
func margins() []float64 {
	var t []float64
	for x := -40.0; x <= 40; x += 0.0373 {
		t = append(t, x)
	}
	for x := 700.0; x <= 720; x += 0.37 {
		t = append(t, x, -x)
	}
	for j := range expSteps + 1 { // where the rounding of k changes
		x := (float64(j) + 0.5) * math.Ln2 / expSteps
		t = append(t, math.Nextafter(x, 0), x, math.Nextafter(x, 1), -x)
	}
	for j := 1; j <= logSteps; j++ { // where 1+u crosses a node
		x := -math.Log(float64(j) / logSteps)
		t = append(t, math.Nextafter(x, 0), x, math.Nextafter(x, 10), -x)
	}
	t = append(t, 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e308, -1e308)
	r := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		t = append(t, (2*r.Float64()-1)*math.Pow(10, -20+22*r.Float64()))
		t = append(t, (2*r.Float64()-1)*math.Pow(10, -308+616*r.Float64()))
	}
	return t
}

func TestErrors(t *testing.T) {
	at := margins()
	n := len(at)
	want := make([]reference, n)
	for k, tk := range at {
		want[k] = exact(tk)
	}
	check := func(kernel string, bound float64, got []float64, want func(k int) *big.Float) {
		t.Helper()
		var w worst
		for k, tk := range at {
			w.see(got[k], want(k), tk)
		}
		t.Logf("%s: relative error at most %.2g, at %v", kernel, w.err, w.at)
		if !(w.err <= bound) {
			t.Errorf("%s: relative error %.3g at %v, want at most %g", kernel, w.err, w.at, bound)
		}
	}
	value, slope := make([]float64, n), make([]float64, n)
	Sigmoid(value, at)
	check("Sigmoid", 5e-16, value, func(k int) *big.Float { return want[k].sigmoid })
	SigmoidSlope(value, slope, at)
	check("SigmoidSlope, value", 6e-16, value, func(k int) *big.Float { return want[k].sigmoid })
	check("SigmoidSlope, slope", 1e-15, slope, func(k int) *big.Float { return want[k].slope })
	for _, alpha := range []float64{2, 1.3, 1e6, math.Inf(1)} {
		RobustSlope(value, slope, at, alpha)
		check(fmt.Sprintf("RobustSlope(%g), ell", alpha), 8.5e-16, value, func(k int) *big.Float { return want[k].ell })
		Robust(value, alpha)
		robust := make([][2]*big.Float, n)
		for k, r := range want {
			robust[k][0], robust[k][1] = r.robust(alpha)
		}
		check(fmt.Sprintf("Robust(%g)", alpha), 1.7e-15, value, func(k int) *big.Float { return robust[k][0] })
		check(fmt.Sprintf("RobustSlope(%g), slope", alpha), 1.8e-15, slope,
			func(k int) *big.Float { return robust[k][1] })
	}
}

// The tables have the values nearest to 2^(j/64), 1/c and log c.
func TestTables(t *testing.T) {
	nearest := func(x *big.Float) float64 {
		f, _ := x.Float64()
		return f
	}
	for j, bits := range expTable {
		x := mul(quo(newFloat(float64(j)), newFloat(expSteps)), log2)
		if got, want := math.Float64frombits(bits+uint64(j)<<52/expSteps), nearest(bigExp(x)); got != want {
			t.Errorf("expTable[%d] stands for %x, want %x", j, got, want)
		}
	}
	for j, c := range logTable {
		v := newFloat(float64(j) / logSteps)
		if want := nearest(quo(newFloat(1), add(newFloat(1), v))); c.inverse != want {
			t.Errorf("logTable[%d].inverse is %x, want %x", j, c.inverse, want)
		}
		if want := nearest(bigLog1p(v)); c.log != want {
			t.Errorf("logTable[%d].log is %x, want %x", j, c.log, want)
		}
	}
}

func TestNaN(t *testing.T) {
	nan := []float64{math.NaN()}
	a, b := make([]float64, 1), make([]float64, 1)
	check := func(name string) {
		t.Helper()
		if !math.IsNaN(a[0]) || !math.IsNaN(b[0]) {
			t.Errorf("%s of NaN: %v, %v", name, a[0], b[0])
		}
	}
	Sigmoid(a, nan)
	Sigmoid(b, nan)
	check("Sigmoid")
	SigmoidSlope(a, b, nan)
	check("SigmoidSlope")
	for _, alpha := range []float64{2, math.Inf(1)} {
		RobustSlope(a, b, nan, alpha)
		Robust(a, alpha)
		check("Robust")
	}
}

// normalMargins are normal numbers of standard deviation 3.
func normalMargins(n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	t := make([]float64, n)
	for k := range t {
		t[k] = 3 * r.NormFloat64()
	}
	return t
}

// BenchmarkRobust compares loss and slope of a block with package math in the same run.
func BenchmarkRobust(b *testing.B) {
	const rows, alpha = 256, 2.0
	t, loss, slope := normalMargins(rows), make([]float64, rows), make([]float64, rows)
	b.Run("kernel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			RobustSlope(loss, slope, t, alpha)
			Robust(loss, alpha)
		}
		perMargin(b, rows)
	})
	b.Run("math", func(b *testing.B) {
		for b.Loop() {
			for k, tk := range t {
				u := math.Exp(-math.Abs(tk))
				ell, sigma := math.Log1p(u), u/(1+u)
				if tk < 0 {
					ell, sigma = ell-tk, 1/(1+u)
				}
				loss[k] = alpha * math.Log1p(ell/alpha)
				slope[k] = -sigma / (1 + ell/alpha)
			}
		}
		perMargin(b, rows)
	})
}

func BenchmarkSigmoid(b *testing.B) {
	const rows = 256
	t, value, slope := normalMargins(rows), make([]float64, rows), make([]float64, rows)
	b.Run("kernel", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			SigmoidSlope(value, slope, t)
		}
		perMargin(b, rows)
	})
	b.Run("math", func(b *testing.B) {
		for b.Loop() {
			for k, tk := range t {
				value[k] = 1 / (1 + math.Exp(-tk))
				slope[k] = value[k] * (1 - value[k])
			}
		}
		perMargin(b, rows)
	})
}

func perMargin(b *testing.B, rows int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/margin")
}

// The sum doesn't depend on where the numbers lie in memory, which gonum's does.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		x := make([]float64, n)
		want := 0.0
		for i := range x {
			x[i] = r.NormFloat64()
			want += x[i]
		}
		got := Sum(x)
		if d := got - want; d > 1e-13 || d < -1e-13 {
			t.Errorf("sum of %d numbers is %v, want %v", n, got, want)
		}
		for offset := range 4 {
			moved := make([]float64, n+offset)[offset:]
			copy(moved, x)
			if s := Sum(moved); s != got {
				t.Errorf("sum of %d numbers is %v at offset %d, %v at 0", n, s, offset, got)
			}
		}
	}
}

// TestRobustBounds maximises the derivatives of h on a fine grid of q = σ(−t), over every
// order of magnitude of q and of 1−q, in the form that RobustBounds derives, whose first
// derivative finite differences confirm.
func TestRobustBounds(t *testing.T) {
	for _, alpha := range []float64{1e-3, 0.1, 0.5, 1, 2, 5, 100, 1e6, math.Inf(1)} {
		h1, h2, h3 := RobustBounds(alpha)
		var sup1, sup2, sup3 float64
		for margin := -60.0; margin <= 60; margin += 1e-3 {
			d1, d2, d3 := lossDerivatives(margin, alpha)
			sup1, sup2, sup3 = max(sup1, math.Abs(d1)), max(sup2, math.Abs(d2)), max(sup3, math.Abs(d3))
		}
		t.Logf("α = %g: sup|h′| = %.4g ≤ %.4g, sup|h″| = %.4g ≤ %.4g, sup|h‴| = %.4g ≤ %.4g", alpha,
			sup1, h1, sup2, h2, sup3, h3)
		const rounding = 1 + 1e-12
		if !(sup1 <= h1*rounding && sup2 <= h2*rounding && sup3 <= h3*rounding) {
			t.Errorf("α = %g: suprema %v, %v, %v exceed bounds %v, %v, %v", alpha, sup1, sup2, sup3, h1, h2, h3)
		}
		if sup1 < 0.999*h1 {
			t.Errorf("α = %g: sup|h′| = %v, but h₁ = %v is said to be attained", alpha, sup1, h1)
		}
	}
}

func TestLossDerivatives(t *testing.T) {
	const step = 1e-4
	for _, alpha := range []float64{0.5, 2, math.Inf(1)} {
		for margin := -8.0; margin <= 8; margin += 0.37 {
			h := func(t float64) float64 { return RobustOf(math.Log1p(math.Exp(-t)), alpha) }
			d1, d2, d3 := lossDerivatives(margin, alpha)
			up1, up2, _ := lossDerivatives(margin+step, alpha)
			down1, down2, _ := lossDerivatives(margin-step, alpha)
			for order, pair := range [][2]float64{
				{d1, (h(margin+step) - h(margin-step)) / (2 * step)},
				{d2, (up1 - down1) / (2 * step)},
				{d3, (up2 - down2) / (2 * step)},
			} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-7) {
					t.Errorf("α = %g, t = %g: derivative %d is %v, finite difference %v", alpha,
						margin, order+1, pair[0], pair[1])
				}
			}
		}
	}
}

// lossDerivatives are h′, h″ and h‴ as in the comment of RobustBounds.
func lossDerivatives(t, alpha float64) (d1, d2, d3 float64) {
	q := 1 / (1 + math.Exp(t))
	y := 1 + (math.Log1p(math.Exp(-math.Abs(t)))+max(-t, 0))/alpha
	p := 1 / (1 + math.Exp(-t)) // 1−q
	return -q / y,
		q*p/y - q*q/(y*y)/alpha,
		-q*p*(p-q)/y + 3/alpha*q*q*p/(y*y) - 2/(alpha*alpha)*q*q*q/(y*y*y)
}

// TestSigmoidBounds does the same for the derivatives of σ.
func TestSigmoidBounds(t *testing.T) {
	var sup1, sup2, sup3 float64
	for s := 0.0; s <= 1; s += 1e-6 {
		d := s * (1 - s)
		sup1, sup2, sup3 = max(sup1, d), max(sup2, math.Abs(d*(1-2*s))), max(sup3, math.Abs(d*(1-6*d)))
	}
	for _, c := range []struct{ got, want float64 }{{sup1, 0.25}, {sup2, 1 / (6 * math.Sqrt(3))}, {sup3, 0.125}} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("supremum %v, want %v", c.got, c.want)
		}
	}
}
