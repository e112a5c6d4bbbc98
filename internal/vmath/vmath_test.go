package vmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Reference values carry 120 bits more than the kernels, so that the comparison adds
// nothing to their errors.
const precision = 173

func newFloat(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Add(x, y) }
func mul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Quo(x, y) }

// bigExp returns e^x by halving x until it is small and squaring its power series.
func bigExp(x *big.Float) *big.Float {
	const halvings = 20
	y := new(big.Float).SetPrec(precision+2*halvings).SetMantExp(x, -halvings)
	sum, term := new(big.Float).Copy(y).SetInt64(1), new(big.Float).Copy(y).SetInt64(1)
	for k := int64(1); k < 40; k++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return new(big.Float).SetPrec(precision).Set(sum)
}

// bigLog1p returns log(1+v): Newton's iteration y ← y + 2(w−e^y)/(w+e^y), which triples
// the number of correct digits, from the value of math.Log1p.
func bigLog1p(v *big.Float) *big.Float {
	// Small arguments need the digits of v behind the 1.
	start, _ := v.Float64()
	if start < 1e-12 {
		v2 := mul(v, v)
		return add(v, add(quo(v2, newFloat(-2)), add(quo(mul(v2, v), newFloat(3)), quo(mul(v2, v2), newFloat(-4)))))
	}
	w := add(newFloat(1), v)
	y := newFloat(math.Log1p(start))
	for range 2 {
		e := bigExp(y)
		difference := new(big.Float).SetPrec(precision).Sub(w, e)
		y = add(y, quo(add(difference, difference), add(w, e)))
	}
	return y
}

// reference holds the exact functions of a margin.
type reference struct{ sigmoid, slope, ell, robust, robustSlope *big.Float }

func exact(t, alpha float64) reference {
	one := newFloat(1)
	u := bigExp(newFloat(-min(math.Abs(t), 1e5))) // beyond, 1+u is 1 in any precision
	w := add(one, u)
	r := reference{slope: quo(u, mul(w, w)), ell: bigLog1p(u)}
	r.sigmoid = quo(one, w)
	complement := quo(u, w)
	if t < 0 {
		r.sigmoid, complement = complement, r.sigmoid
		r.ell = add(r.ell, newFloat(-t))
	}
	r.robust, r.robustSlope = r.ell, new(big.Float).Neg(complement)
	if !math.IsInf(alpha, 1) {
		ratio := quo(r.ell, newFloat(alpha))
		r.robust = mul(newFloat(alpha), bigLog1p(ratio))
		r.robustSlope = quo(r.robustSlope, add(one, ratio))
	}
	return r
}

// worst keeps the largest relative error seen and its argument.
type worst struct{ err, at float64 }

// see compares got with want at t, forgiving an absolute error of 4e-308.
func (w *worst) see(got float64, want *big.Float, t float64) {
	difference := new(big.Float).SetPrec(precision).Sub(newFloat(got), want)
	absolute, _ := difference.Float64()
	if math.Abs(absolute) <= 4e-308 {
		return
	}
	err, _ := quo(difference, want).Float64()
	if err = math.Abs(err); err > w.err || math.IsNaN(got) {
		*w = worst{err, t}
	}
}

// margins returns dense sweeps of the ranges where the kernels change their ways and
// random values of every magnitude that a margin may have.
func margins() []float64 {
	var t []float64
	for x := -40.0; x <= 40; x += 0.0173 {
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
	for range 4000 {
		t = append(t, (2*r.Float64()-1)*math.Pow(10, -20+22*r.Float64()))
		t = append(t, (2*r.Float64()-1)*math.Pow(10, -308+616*r.Float64()))
	}
	return t
}

func TestErrors(t *testing.T) {
	at := margins()
	n := len(at)
	value, slope := make([]float64, n), make([]float64, n)
	single := make([]float64, n)
	Sigmoid(single, at)
	SigmoidSlope(value, slope, at)
	for _, alpha := range []float64{2, 1, 0.7, 13, 1e6, math.Inf(1)} {
		ell, loss, robust := make([]float64, n), make([]float64, n), make([]float64, n)
		RobustSlope(ell, robust, at, alpha)
		copy(loss, ell)
		Robust(loss, alpha)
		var sigmoid, both, derivative, logistic, robustLoss, robustSlope worst
		for k, tk := range at {
			if tk / 2 <= -alpha*0x1p1022 {
				continue
			}
			want := exact(tk, alpha)
			sigmoid.see(single[k], want.sigmoid, tk)
			both.see(value[k], want.sigmoid, tk)
			derivative.see(slope[k], want.slope, tk)
			logistic.see(ell[k], want.ell, tk)
			robustLoss.see(loss[k], want.robust, tk)
			robustSlope.see(robust[k], want.robustSlope, tk)
		}
		for _, c := range []struct {
			name  string
			worst worst
			bound float64
		}{
			{"Sigmoid", sigmoid, 5e-16},
			{"SigmoidSlope, value", both, 6e-16},
			{"SigmoidSlope, slope", derivative, 1e-15},
			{"RobustSlope, ell", logistic, 8.5e-16},
			{"RobustSlope, slope", robustSlope, 1.8e-15},
			{"Robust", robustLoss, 1.7e-15},
		} {
			t.Logf("alpha %g: %s: relative error at most %.2g, at %g", alpha, c.name, c.worst.err, c.worst.at)
			if !(c.worst.err <= c.bound) {
				t.Errorf("alpha %g: %s: relative error %.3g at %v, want at most %g", alpha, c.name, c.worst.err, c.worst.at, c.bound)
			}
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

// BenchmarkRobust compares loss and slope of a block with package math in the same run.
func BenchmarkRobust(b *testing.B) {
	const rows, alpha = 256, 2.0
	t, loss, slope := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	r := rand.New(rand.NewPCG(1, 2))
	for k := range t {
		t[k] = 3 * r.NormFloat64()
	}
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
	t, value, slope := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	r := rand.New(rand.NewPCG(1, 2))
	for k := range t {
		t[k] = 3 * r.NormFloat64()
	}
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
