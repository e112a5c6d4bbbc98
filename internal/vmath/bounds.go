package vmath

import "math"

// RobustBounds bounds the first three derivatives of h(t) = φ_α(ℓ(t)), ℓ = log(1+e^(−t)).
//
// With q = σ(−t), ℓ = −log(1−q), and y = 1+ℓ/α one has ℓ′ = −q, q′ = −q(1−q) and
//
//	h′ = −q/y
//	h″ = q(1−q)/y − (q/y)²/α
//	h‴ = −q(1−q)(1−2q)/y + (3/α) (q/y)(q(1−q)/y) − (2/α²)(q/y)³.
//
// q/y is largest where its derivative in q vanishes, y = q/(α(1−q)), that is e^ℓ = 1+α+ℓ;
// there it is α(1−q) = α e^(−ℓ). Call it h₁. From ℓ ≥ q follows q(1−q)/y ≤ α q(1−q)/(α+q),
// largest at q = √(α²+α) − α; call it g. The two terms of h″ have opposite signs, as have
// the last two of h‴, and q(1−q)|1−2q| ≤ 1/(6√3). Hence
//
//	h₂ = max{g, h₁²/α},   h₃ = 1/(6√3) + max{3 g h₁/α, 2 h₁³/α²}.
//
// The limits for α = ∞ are those of the logistic loss: 1, 1/4, 1/(6√3). They bound those of
// all α, for large ones to within 1/α.
func RobustBounds(alpha float64) (h1, h2, h3 float64) {
	third := 1 / (6 * math.Sqrt(3))
	if alpha > 1e16 {
		return 1, 0.25, third
	}
	// Newton's iteration for e^ℓ − ℓ = 1+α, a convex function, from above its root.
	ell := math.Log1p(2*alpha) + 1
	for range 60 {
		ell -= (math.Expm1(ell) - ell - alpha) / math.Expm1(ell)
	}
	h1 = float64(alpha * math.Exp(-ell))
	q := alpha / (math.Sqrt(float64(alpha*alpha)+alpha) + alpha)
	g := alpha * q * (1 - q) / (alpha + q)
	return h1, max(g, h1*h1/alpha), third + max(3*g*h1/alpha, 2*h1*h1*h1/(alpha*alpha))
}

// RobustOf returns φ_α(ell).
func RobustOf(ell, alpha float64) float64 {
	if math.IsInf(alpha, 1) {
		return ell
	}
	return alpha * math.Log1p(ell/alpha)
}
