package linalg

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// BFGS is the inverse of the limited-memory BFGS matrix B (Nocedal 1980), by the two-loop
// recursion. Without pairs B is diagonal, with entries that learn the units of the
// variables.
type BFGS struct {
	s, y     [][]float64 // pairs, the oldest at first
	rho      []float64   // 1/sᵀy
	pairs    int
	diagonal []float64 // of B without pairs

	// For each of the vectors of Solve.
	alpha        [][]float64
	add, product []float64
}

// NewBFGS returns the matrix I of vectors of n entries. Memory is the number of pairs it remembers,
// vectors the largest number of vectors that Solve is given.
func NewBFGS(n, memory, vectors int) *BFGS {
	b := &BFGS{
		rho: make([]float64, memory), diagonal: make([]float64, n),
		add: make([]float64, vectors), product: make([]float64, vectors),
	}
	floats.AddConst(1, b.diagonal)
	for range vectors {
		b.alpha = append(b.alpha, make([]float64, memory))
	}
	for range memory {
		b.s, b.y = append(b.s, make([]float64, n)), append(b.y, make([]float64, n))
	}
	return b
}

// Forget drops the pairs and reports whether there were any. The diagonal stays.
func (b *BFGS) Forget() bool {
	had := b.pairs > 0
	b.pairs = 0
	return had
}

// Scale multiplies the diagonal.
func (b *BFGS) Scale(a float64) { floats.Scale(a, b.diagonal) }

// Update takes in a step s, the change y of the gradient along it and bs = Bs. Where the
// curvature sᵀy is small beside sᵀBs, or negative, Powell's damping mixes y with Bs
// (Nocedal, Wright 2006, procedure 18.2). The first pair is not damped, because B is
// arbitrary without pairs. Update overwrites change.
func (b *BFGS) Update(step, change, bs []float64) {
	const (
		least      = 0.2   // of sᵀBs
		negligible = 1e-10 // cosine of the angle between s and y, where rounding decides
	)
	var sy, ss, yy, sbs float64
	for lo, hi := range Parts(len(step)) {
		s, y := step[lo:hi], change[lo:hi]
		sy, ss, yy, sbs = sy+floats.Dot(s, y), ss+floats.Dot(s, s), yy+floats.Dot(y, y), sbs+floats.Dot(s, bs[lo:hi])
	}
	if sy < least*sbs && b.pairs > 0 {
		theta := (1 - least) * sbs / (sbs - sy)
		floats.Scale(theta, change)
		floats.AddScaled(change, 1-theta, bs)
		sy, yy = floats.Dot(step, change), floats.Dot(change, change)
	}
	if !(sy > negligible*math.Sqrt(ss)*math.Sqrt(yy)) || math.IsInf(sy, 0) {
		return
	}
	k := b.pairs
	if k == len(b.s) { // the oldest makes room
		k--
		for _, vectors := range [][][]float64{b.s, b.y} {
			oldest := vectors[0]
			copy(vectors, vectors[1:])
			vectors[k] = oldest
		}
		copy(b.rho, b.rho[1:])
	}
	copy(b.s[k], step)
	copy(b.y[k], change)
	b.rho[k] = 1 / sy
	b.pairs = k + 1
	b.scale(step, change, sy)
}

// scale multiplies the diagonal D by yᵀD⁻¹y/sᵀy and replaces it with the diagonal of its
// BFGS update (Gilbert, Lemaréchal 1989).
func (b *BFGS) scale(step, change []float64, sy float64) {
	const least = 1e-12 // of the entry before; only rounding comes near
	ydy, sds := 0.0, 0.0
	for i, d := range b.diagonal {
		ydy += change[i] * change[i] / d
		sds += float64(step[i] * step[i] * d)
	}
	factor := ydy / sy
	for i, d := range b.diagonal {
		kept := max(1-d*step[i]*step[i]/sds, least)
		b.diagonal[i] = float64(factor*d*kept) + change[i]*change[i]/sy
	}
}

// Solve replaces each of the vectors g by B⁻¹g.
func (b *BFGS) Solve(g ...[]float64) {
	if b.pairs == 0 {
		b.sweep(g, nil, nil, true)
		return
	}
	var last []float64
	for k := b.pairs - 1; k >= 0; k-- {
		b.sweep(g, last, b.s[k], false)
		for v := range g {
			b.alpha[v][k] = b.rho[k] * b.product[v]
			b.add[v] = -b.alpha[v][k]
		}
		last = b.y[k]
	}
	for k := range b.pairs {
		b.sweep(g, last, b.y[k], k == 0)
		for v := range g {
			b.add[v] = b.alpha[v][k] - b.rho[k]*b.product[v]
		}
		last = b.s[k]
	}
	b.sweep(g, last, nil, false)
}

// sweep adds multiples of last to the vectors, divides them by the diagonal if so told, and
// takes their products with next.
func (b *BFGS) sweep(g [][]float64, last, next []float64, divide bool) {
	clear(b.product)
	for lo, hi := range Parts(len(b.diagonal)) {
		for v := range g {
			part := g[v][lo:hi]
			if last != nil {
				floats.AddScaled(part, b.add[v], last[lo:hi])
			}
			if divide {
				floats.Div(part, b.diagonal[lo:hi])
			}
			if next != nil {
				b.product[v] += floats.Dot(next[lo:hi], part)
			}
		}
	}
}
