package model

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/problem"
)

// Bounds returns constants of the paper's Assumptions 1–3 that hold for every x, from the
// norms of the rows. ν is left unknown: no bound on the data keeps ∇c from vanishing
// (problem.Standard provides one through the slacks).
//
// Derivation. Write t for a margin, a for a row (with a 1 appended if there is an
// intercept), u = ‖a‖, and consider scalar functions of t.
//
// Objective: h(t) = φ_α(ℓ(t)), ℓ(t) = log(1+e^(−t)). With q = σ(−t) ∈ (0, 1) one has
// ℓ′ = −q, q′ = −q(1−q), and with r = 1/(1+ℓ/α) ∈ (0, 1], r′ = r²q/α:
//
//	h′  = −q r                                      |h′|  ≤ 1
//	h″  = q(1−q) r − q² r²/α                        |h″|  ≤ max{1/4, 1/α}
//	h‴  = −q(1−q)(1−2q) r + 3 q²(1−q) r²/α − 2 q³ r³/α²
//	                                                |h‴|  ≤ 1/(6√3) + 4/(9α) + 2/α²
//
// where q(1−q) ≤ 1/4, q(1−q)|1−2q| ≤ 1/(6√3) and q²(1−q) ≤ 4/27. As ∇F = h′(t) b a,
//
//	G    = mean u            ‖E ∇F‖ ≤ E‖∇F‖
//	L_f  = sup|h″| (mean u⁴)^½   E‖∇F(x)−∇F(y)‖² ≤ sup|h″|² E[u²(aᵀ(x−y))²]
//	L_hf = sup|h‴| mean u³
//	σ_f  = (mean u²)^½
//
// An L2 term λ adds λ to L_f; G leaves its gradient λx out, which no constant bounds. Row
// weights multiply u in all means.
//
// Constraints: σ ∈ (0, 1), σ′ ≤ 1/4, |σ″| ≤ 1/(6√3), |σ‴| ≤ 1/8. Row i contributes the
// m-vector w_i σ(a_iᵀx), so with W = ‖w_i‖₂ and means over S
//
//	M    = mean W + ‖b‖          L_c = (mean (W u)²)^½ / 4
//	L_J  = (mean (W u²)²)^½ /(6√3)   L_hc = mean W u³ / 8
//	σ_c  = (mean W²)^½ / 2       σ_J = (mean (W u)²)^½ / 4
//
// (a variable in an interval of length W has standard deviation at most W/2).
func (p *Fair) Bounds() problem.Constants {
	alpha := p.options.Alpha
	second := max(0.25, 1/alpha)
	third := 1/(6*math.Sqrt(3)) + 4/(9*alpha) + 2/(alpha*alpha)
	var c problem.Constants

	var u1, u2, u3, u4 float64 // means of weight·‖a‖^k, the weight squared in u2 and u4
	rows := float64(len(p.sign))
	for i := range p.sign {
		w := 1.0
		if p.weight != nil {
			w = p.weight[i]
		}
		u := p.norm(p.d, i)
		u1 += w * u / rows
		u2 += w * w * u * u / rows
		u3 += w * u * u * u / rows
		u4 += w * w * u * u * u * u / rows
	}
	c.G = u1
	c.Lf = second*math.Sqrt(u4) + p.options.L2
	c.Lhf = third * u3
	c.SigmaF = math.Sqrt(u2)

	var w1, w2, wu2, wu4, wu3 float64
	rows = float64(p.cells.population)
	for i := range p.cells.population {
		square := 0.0
		for j := range p.m {
			w := p.cells.weight(i, j)
			square += w * w
		}
		u := p.norm(p.s, i)
		w1 += math.Sqrt(square) / rows
		w2 += square / rows
		wu2 += square * u * u / rows
		wu3 += math.Sqrt(square) * u * u * u / rows
		wu4 += square * u * u * u * u / rows
	}
	constant := 0.0
	for _, b := range p.cells.constant {
		constant += b * b
	}
	c.M = w1 + math.Sqrt(constant)
	c.Lc = math.Sqrt(wu2) / 4
	c.LJ = math.Sqrt(wu4) / (6 * math.Sqrt(3))
	c.Lhc = wu3 / 8
	c.SigmaC = math.Sqrt(w2) / 2
	c.SigmaJ = math.Sqrt(wu2) / 4
	return c
}

// norm is the length of row i, the intercept's 1 included.
func (p *Fair) norm(a *dataset.Matrix, i int) float64 {
	u := a.RowNorm2(i)
	if p.options.Intercept {
		u = math.Hypot(u, 1)
	}
	return u
}
