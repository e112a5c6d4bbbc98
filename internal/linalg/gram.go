package linalg

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Gram does with the Gram matrix JJᵀ (m×m) what RangeSpace does with the Jacobian J, where
// J itself is not available. It sees singular values of J down to 1e-6 of the largest one,
// and treats smaller ones as 0.
type Gram struct {
	MuMin float64 // smallest singular value of J, after Decompose
	Norm  float64 // Frobenius norm of J

	vectors  blas64.Symmetric // the eigenvectors, in columns, after Decompose
	values   []float64        // ascending
	rotated  []float64
	work     []float64
	positive int // the first eigenvalue that is not treated as 0
}

// NewGram allocates the memory for m×m matrices.
func NewGram(m int) *Gram {
	g := &Gram{
		vectors: symmetric(m),
		values:  make([]float64, m),
		rotated: make([]float64, m),
	}
	size := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, g.vectors, g.values, size, -1)
	g.work = make([]float64, int(size[0]))
	return g
}

// Decompose prepares for the matrix a, row-major. Non-finite entries make MuMin NaN, and the
// solutions 0.
func (g *Gram) Decompose(a []float64) {
	const negligible = 1e-12 // of the largest eigenvalue
	m := g.vectors.N
	copy(g.vectors.Data, a)
	g.Norm = 0
	for i := range m {
		g.Norm += max(0, a[i*m+i])
	}
	g.Norm = math.Sqrt(g.Norm)
	if !Finite(a) || !lapack64.Syev(lapack.EVCompute, g.vectors, g.values, g.work, len(g.work)) {
		g.MuMin = math.NaN()
		return
	}
	g.positive = 0
	for g.positive < m && !(g.values[g.positive] > negligible*g.values[m-1]) {
		g.positive++
	}
	g.MuMin = 0
	if g.positive == 0 {
		g.MuMin = math.Sqrt(g.values[0])
	}
}

// Solve replaces b (length m) by (JJᵀ)†b or, for a damping δ > 0, by (JJᵀ + δI)⁻¹b.
func (g *Gram) Solve(b []float64, damping float64) {
	if math.IsNaN(g.MuMin) {
		clear(b)
		return
	}
	first := g.positive
	if damping > 0 {
		first = 0
	}
	q := blas64.General{Rows: len(b), Cols: len(b), Stride: g.vectors.Stride, Data: g.vectors.Data}
	blas64.Gemv(blas.Trans, 1, q, Vector(b), 0, Vector(g.rotated))
	clear(g.rotated[:first])
	for i := first; i < len(b); i++ {
		g.rotated[i] /= max(0, g.values[i]) + damping
	}
	blas64.Gemv(blas.NoTrans, 1, q, Vector(g.rotated), 0, Vector(b))
}
