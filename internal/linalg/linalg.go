// Package linalg has the small dense algebra of methods and of residuals, on memory that is
// allocated once:
//
//	RangeSpace     multipliers and singular values of a Jacobian, pseudo-inverse, rangespace.go
//	LeastSquares   multipliers of equalities to full precision, leastsquares.go
//	NNLS           multipliers ≥ 0, nnls.go
//	BoxQP          a quadratic program whose variables have bounds, boxqp.go
//	BFGS           a limited-memory quasi-Newton matrix, bfgs.go
//	Parts          parts of vectors that stay in the cache, this file
//
// and views of slices and matrices for gonum/blas64, this file.
package linalg

import (
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// wellConditioned is the reciprocal condition number above which a factorisation is taken as
// it is: multipliers from normal equations (of JJᵀ) then keep at least 6 digits. Smaller ones
// may hide a rank deficiency.
const wellConditioned = 1e-10

// epsilon is the spacing of floating-point numbers at 1.
const epsilon = 0x1p-52

// Vector is x with unit stride.
func Vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}

// Row is the i-th row of a.
func Row(a blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: a.Cols, Inc: 1, Data: a.Data[i*a.Stride : i*a.Stride+a.Cols]}
}

// Column is the i-th column of a.
func Column(a blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: a.Rows, Inc: a.Stride, Data: a.Data[i:]}
}

// oneColumn is x as a matrix of one column.
func oneColumn(x []float64) blas64.General {
	return blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x}
}

// matrix allocates a rows×cols matrix.
func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// symmetric allocates an m×m matrix whose upper triangle is used.
func symmetric(m int) blas64.Symmetric {
	return blas64.Symmetric{N: m, Stride: m, Uplo: blas.Upper, Data: make([]float64, m*m)}
}

// Finite reports whether x holds neither NaN nor ±Inf.
func Finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Parts cuts n variables into parts, [lo, hi), of which some vectors stay in the cache. Where there
// are many variables, everything waits for memory: what goes through several vectors then does so
// a part at a time.
func Parts(n int) iter.Seq2[int, int] {
	const size = 4096
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n; lo += size {
			if !yield(lo, min(lo+size, n)) {
				return
			}
		}
	}
}

// Opposites stores, for every row of a, the first row up to it that is its negative, −1 if there is none; it
// is the row itself only for zeros. The two sides of a bound have opposite gradients. Sums is memory for as
// many numbers.
func Opposites(dst []int, sums []float64, a blas64.General) {
	for i := range dst {
		row := Row(a, i).Data
		dst[i], sums[i] = -1, floats.Sum(row)
		for k, sum := range sums[:i+1] {
			if sum == -sums[i] && slices.EqualFunc(row, Row(a, k).Data, func(x, y float64) bool { return x == -y }) {
				dst[i] = k
				break
			}
		}
	}
}
