package model

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/problem"
)

// Bounds returns constants of the paper's Assumptions 1–3, from the norms of the rows.
// They hold for every x, except for G with an L2 term. ν stays unknown: no property of
// the data prevents ∇c from vanishing.
//
// Derivation. Let a be a row of D (a 1 appended if there is an intercept), t = b aᵀx its
// margin and p its weight, scaled to mean 1. Then F = p h(t) with h = φ_α∘ℓ, and
//
//	∇F = p h′(t) b a,   ∇²F = p h″(t) a aᵀ,
//
// so that with sup|h′| ≤ h₁, sup|h″| ≤ h₂, sup|h‴| ≤ h₃ (see vmath.RobustBounds)
//
//	‖∇f‖ ≤ E‖∇F‖                            G     = h₁ mean p‖a‖
//	‖∇F(x)−∇F(y)‖ ≤ p h₂‖a‖²‖x−y‖           L_f   = h₂ (mean p²‖a‖⁴)^½
//	‖∇²F(x)−∇²F(y)‖ ≤ p h₃‖a‖³‖x−y‖         L_h^f = h₃ mean p‖a‖³
//	E‖∇F−∇f‖² ≤ E‖∇F‖²                      σ_f   = h₁ (mean p²‖a‖²)^½
//
// An L2 term adds λ to L_f and, in the sublevel set f(x) ≤ f(0) = φ_α(log 2), where λ‖x‖²/2
// ≤ f(0), adds λ‖x‖ ≤ (2λ f(0))^½ to G.
//
// Let w be the m weights of a row of S. Then C = w σ(aᵀx) + b, whose Jacobian w σ′ aᵀ has
// rank one and norm |σ′|‖w‖‖a‖. With 0 < σ < 1, σ′ = σ(1−σ) ≤ 1/4, |σ″| = |σ′(1−2σ)| ≤
// 1/(6√3) and |σ‴| = |σ′(1−6σ′)| ≤ 1/8,
//
//	c_j lies between b_j + mean min(w_j, 0) and b_j + mean max(w_j, 0)    M
//	L_c = (mean ‖w‖²‖a‖²)^½ / 4        L_J   = (mean ‖w‖²‖a‖⁴)^½ / (6√3)
//	L_h^c = mean ‖w‖‖a‖³ / 8
//	σ_c = (mean ‖w‖²)^½                σ_J   = L_c
//
// where again a second moment bounds the variance. For the weights of tempered constraints
// it is a/T. A base ℓ, which is a mean and thus between 0 and 1, adds its slopes to L_c.
func (p *Fair) Bounds() problem.Constants {
	h1, h2, h3 := vmath.RobustBounds(p.options.Alpha)
	var c problem.Constants

	n := float64(len(p.labels))
	for i := range p.labels {
		weight := 1.0
		if p.weights != nil {
			weight = p.weights[i] / p.meanWeight
		}
		a := p.norm(p.d, i)
		c.G += weight * h1 * a / n
		c.Lf += square(weight*h2*a*a) / n
		c.Lhf += weight * h3 * a * a * a / n
		c.SigmaF += square(weight*h1*a) / n
	}
	c.Lf, c.SigmaF = math.Sqrt(c.Lf), math.Sqrt(c.SigmaF)
	if lambda := p.penalty.Largest(); lambda > 0 {
		c.Lf += lambda
		c.G += math.Sqrt(2 * lambda * vmath.RobustOf(math.Ln2, p.options.Alpha))
	}

	n = float64(p.population)
	lowest, highest := make([]float64, p.m), make([]float64, p.m)
	slopes := 0.0
	for j, r := range p.constraints {
		lowest[j], highest[j] = r.Constant+min(r.Slope, 0), r.Constant+max(r.Slope, 0)
		slopes += float64(r.Slope * r.Slope)
	}
	sharp := 1 / p.options.Temperature
	for i := range p.population {
		var squares, slope, curvature, third float64 // Σ_j w_j² times 1, 1/T², 1/T⁴, 1/T⁶
		for j, r := range p.constraints {
			w, t := r.Of(i), 1.0
			if r.Tempered {
				t = sharp * sharp
			}
			squares += float64(w * w)
			slope += float64(w * w * t)
			curvature += float64(w * w * t * t)
			third += float64(w * w * t * t * t)
			lowest[j] += min(w, 0) / n
			highest[j] += max(w, 0) / n
		}
		a := p.norm(p.s, i)
		c.Lc += slope * square(a/4) / n
		c.LJ += curvature * square(a*a/(6*math.Sqrt(3))) / n
		c.Lhc += math.Sqrt(third) * a * a * a / 8 / n
		c.SigmaC += squares / n
	}
	for j := range p.m {
		c.M += square(max(-lowest[j], highest[j]))
	}
	c.M, c.Lc, c.LJ, c.SigmaC = math.Sqrt(c.M), math.Sqrt(c.Lc), math.Sqrt(c.LJ), math.Sqrt(c.SigmaC)
	c.SigmaJ = c.Lc
	c.Lc = math.Hypot(c.Lc, math.Sqrt(slopes))
	return c
}

// norm is the length of row i of D or S, the intercept's 1 included.
func (p *Fair) norm(a *sparse.Matrix, i int) float64 {
	norm := a.RowNorm2(i)
	if p.options.Intercept {
		norm = math.Hypot(norm, 1)
	}
	return norm
}

func square(x float64) float64 { return x * x }
