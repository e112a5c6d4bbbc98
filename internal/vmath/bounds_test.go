package vmath

import (
	"math"
	"testing"
)

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
		t.Logf("α = %g: sup|h′| = %.4g ≤ %.4g, sup|h″| = %.4g ≤ %.4g, sup|h‴| = %.4g ≤ %.4g", alpha, sup1, h1, sup2, h2, sup3, h3)
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
					t.Errorf("α = %g, t = %g: derivative %d is %v, finite difference %v", alpha, margin, order+1, pair[0], pair[1])
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
