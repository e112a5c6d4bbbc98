package linalg

import "gonum.org/v1/gonum/floats"

// Bidiagonal is the factors of a symmetric positive definite tridiagonal matrix, L·D·Lᵀ, with L of
// unit diagonal. Nothing takes longer than a few passes over the vector.
type Bidiagonal struct {
	d, l []float64 // l[j] couples j−1 and j
}

// NewBidiagonal returns the factors of the identity, of n rows.
func NewBidiagonal(n int) *Bidiagonal {
	b := &Bidiagonal{make([]float64, n), make([]float64, n)}
	for j := range n {
		b.d[j] = 1
	}
	return b
}

// Factorise factorises the matrix with the given diagonal and, at j, the entry that couples j−1 and
// j.
func (b *Bidiagonal) Factorise(diagonal, coupling []float64) {
	copy(b.d, diagonal)
	clear(b.l)
	for j := range b.d {
		if j > 0 && coupling[j] != 0 {
			b.l[j] = coupling[j] / b.d[j-1]
			b.d[j] -= float64(b.l[j] * coupling[j])
		}
	}
}

// Solve stores the solution x of L·D·Lᵀx = v in dst, which may be v.
func (b *Bidiagonal) Solve(dst, v []float64) {
	copy(dst, v)
	b.forward(dst)
	floats.Div(dst, b.d)
	b.backward(dst)
}

// forward multiplies v by L⁻¹.
func (b *Bidiagonal) forward(v []float64) {
	for j := 1; j < len(v); j++ {
		v[j] -= float64(b.l[j] * v[j-1])
	}
}

// backward multiplies v by L⁻ᵀ.
func (b *Bidiagonal) backward(v []float64) {
	for j := len(v) - 1; j > 0; j-- {
		v[j-1] -= float64(b.l[j] * v[j])
	}
}
