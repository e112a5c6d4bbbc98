package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// bfgs is the inverse of the limited-memory BFGS matrix B (Nocedal 1980), by the two-loop
// recursion. Without pairs B is diagonal, with entries that learn the units of the
// variables (scale).
type bfgs struct {
	s, y     [][]float64 // pairs, the oldest at first
	rho      []float64   // 1/sᵀy
	alpha    []float64
	pairs    int
	diagonal []float64 // of B without pairs
}

func newBFGS(n, memory int) *bfgs {
	b := &bfgs{rho: make([]float64, memory), alpha: make([]float64, memory), diagonal: make([]float64, n)}
	floats.AddConst(1, b.diagonal)
	for range memory {
		b.s, b.y = append(b.s, make([]float64, n)), append(b.y, make([]float64, n))
	}
	return b
}

// forget drops the pairs; the diagonal stays.
func (b *bfgs) forget() { b.pairs = 0 }

// update takes in a step s, the change y of the gradient along it and bs = Bs. Where the
// curvature sᵀy is small beside sᵀBs, or negative, Powell's damping mixes y with Bs
// (Nocedal, Wright 2006, procedure 18.2), except for the first pair, as B is arbitrary
// without pairs. It overwrites change.
func (b *bfgs) update(step, change, bs []float64) {
	const (
		least      = 0.2   // of sᵀBs
		negligible = 1e-10 // cosine of the angle between s and y, where rounding decides
	)
	sy, sbs := floats.Dot(step, change), floats.Dot(step, bs)
	if sy < least*sbs && b.pairs > 0 {
		theta := (1 - least) * sbs / (sbs - sy)
		floats.Scale(theta, change)
		floats.AddScaled(change, 1-theta, bs)
		sy = floats.Dot(step, change)
	}
	if !(sy > negligible*floats.Norm(step, 2)*floats.Norm(change, 2)) || math.IsInf(sy, 0) {
		return
	}
	k := b.pairs
	if k == len(b.s) { // the oldest makes room
		oldS, oldY := b.s[0], b.y[0]
		copy(b.s, b.s[1:])
		copy(b.y, b.y[1:])
		copy(b.rho, b.rho[1:])
		k--
		b.s[k], b.y[k] = oldS, oldY
	}
	copy(b.s[k], step)
	copy(b.y[k], change)
	b.rho[k] = 1 / sy
	b.pairs = k + 1
	b.scale(step, change, sy)
}

// scale multiplies the diagonal D by yᵀD⁻¹y/sᵀy and replaces it with the diagonal of its
// BFGS update (Gilbert, Lemaréchal 1989).
func (b *bfgs) scale(step, change []float64, sy float64) {
	const least = 1e-12 // of an entry before, which it is far from but for rounding
	ydy, sds := 0.0, 0.0
	for i, d := range b.diagonal {
		ydy += change[i] * change[i] / d
		sds += float64(step[i] * step[i] * d)
	}
	for i, d := range b.diagonal {
		kept := max(1-d*step[i]*step[i]/sds, least)
		b.diagonal[i] = float64(ydy/sy*d*kept) + change[i]*change[i]/sy
	}
}

// solve stores B⁻¹g in dst.
func (b *bfgs) solve(dst, g []float64) {
	copy(dst, g)
	for k := b.pairs - 1; k >= 0; k-- {
		b.alpha[k] = b.rho[k] * floats.Dot(b.s[k], dst)
		floats.AddScaled(dst, -b.alpha[k], b.y[k])
	}
	floats.Div(dst, b.diagonal)
	for k := range b.pairs {
		beta := b.rho[k] * floats.Dot(b.y[k], dst)
		floats.AddScaled(dst, b.alpha[k]-beta, b.s[k])
	}
}
