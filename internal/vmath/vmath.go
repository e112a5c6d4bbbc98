// Package vmath evaluates the functions of a logistic model on blocks of margins, several
// times faster than package math value by value.
//
// Every kernel starts from u = e^(−|t|) ∈ (0, 1], which cannot overflow:
//
//	σ(t)  = 1/(1+e^(−t)) = 1/(1+u) for t ≥ 0, u/(1+u) for t < 0
//	σ′(t) = u/(1+u)²
//	ℓ(t)  = log(1+e^(−t)) = max(−t, 0) + log(1+u)
//	φ_α(ℓ) = α log(1+ℓ/α),  φ_∞(ℓ) = ℓ
//
// The loops take no branch that depends on the margins, unless they are beyond 708 in
// absolute value, so the processor works on several at once. They use no fused multiply-add,
// as it would have to be tested for at every use. They also forbid the compiler to use it: a
// product that is converted to float64 is rounded before it is added, so every processor
// gets the same bits.
//
// The primitives (explog.go) are proved to have the relative errors
//
//	e^(−a)     2.7e-16 for 0 ≤ a ≤ 708; beyond, e^(−708) = 3.3e-308 takes its place
//	log(1+v)   4.5e-16 for 0 ≤ v < 2¹⁰²³
//
// and each kernel states the relative error that follows for |t| ≤ 708, one rounding
// (2⁻⁵³ = 1.1e-16) an operation. Beyond 708 the replaced exponential adds an absolute
// error below 4e-308. A NaN gives NaN; infinite margins are outside the domain.
//
// Slices must not overlap except where a kernel says so; destinations must be at least
// as long as t.
package vmath

import "math"

// Sigmoid stores σ(t) in value, with relative error at most 5e-16.
func Sigmoid(value, t []float64) {
	value = value[:len(t)]
	expNegAbs(value, t)
	for k, u := range value {
		value[k] = ifNegative(t[k], u, 1) / (1 + u)
	}
}

// SigmoidOf returns σ(t): on every processor the same, which math.Exp is not.
func SigmoidOf(t float64) float64 {
	value := []float64{0}
	Sigmoid(value, []float64{t})
	return value[0]
}

// SigmoidSlope stores σ(t) in value and σ′(t) in slope, with relative errors at most
// 6e-16 and 1e-15.
func SigmoidSlope(value, slope, t []float64) {
	value, slope = value[:len(t)], slope[:len(t)]
	expNegAbs(slope, t)
	for k, u := range slope {
		p := 1 / (1 + u)
		value[k] = ifNegative(t[k], u, 1) * p
		slope[k] = u * p * p
	}
}

// RobustSlope stores in slope the derivative
//
//	d/dt φ_α(ℓ(t)) = −σ(−t)/(1+ℓ(t)/α)
//
// and in ell, for Robust, ℓ(t) itself, with relative errors at most 1.8e-15 and 8.5e-16.
// alpha is positive, possibly +Inf, and t > −alpha·2¹⁰²³.
func RobustSlope(ell, slope, t []float64, alpha float64) {
	ell, slope = ell[:len(t)], slope[:len(t)]
	expNegAbs(slope, t)
	log1p(ell, slope)
	inverse := 1 / alpha
	for k, u := range slope {
		tk := t[k]
		// max(−t, 0), halved first because |t|−t may overflow.
		ell[k] += 0.5*math.Abs(tk) - 0.5*tk
		slope[k] = -ifNegative(tk, 1, u) / ((1 + u) * (1 + float64(ell[k]*inverse)))
	}
}

// Robust replaces ell ≥ 0 by φ_α(ell), with relative error at most 8e-16, or 1.7e-15 in
// all after RobustSlope.
func Robust(ell []float64, alpha float64) {
	if math.IsInf(alpha, 1) {
		return
	}
	inverse := 1 / alpha
	for k := range ell {
		ell[k] *= inverse
	}
	log1p(ell, ell)
	for k := range ell {
		ell[k] *= alpha
	}
}

// ifNegative returns x if the sign bit of t is set and y otherwise, without a branch.
func ifNegative(t, x, y float64) float64 {
	mask := uint64(int64(math.Float64bits(t)) >> 63)
	ybits := math.Float64bits(y)
	return math.Float64frombits(ybits ^ (ybits^math.Float64bits(x))&mask)
}

// Sum returns the sum of x. The order of the additions depends on the length of x only.
// In gonum's floats.Sum it also depends on where x lies in memory.
func Sum(x []float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}

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
