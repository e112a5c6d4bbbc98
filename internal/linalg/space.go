package linalg

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Space says how vectors are multiplied. In the space of all variables, that is u·v.
//
// In a row space, the vectors are combinations u = Aᵀa of the N rows of a matrix A. They are stored
// twice: as their coefficients a and as their products with the rows, AAᵀa. Then u·v is the product
// of the coefficients of u and the products of v, and whatever is linear is done to both. Half of
// each of the Parts of a stored vector is coefficients, and the other half is products.
type Space struct{ OfRows bool }

// Dot is u·v, of two vectors or of one of their Parts.
func (s Space) Dot(u, v []float64) float64 {
	if !s.OfRows {
		return floats.Dot(u, v)
	}
	sum := 0.0
	for lo, hi := range Parts(len(u)) {
		middle := (lo + hi) / 2
		sum += floats.Dot(u[lo:middle], v[middle:hi])
	}
	return sum
}

// Norm is the root of v·v.
func (s Space) Norm(v []float64) float64 {
	if !s.OfRows {
		return floats.Norm(v, 2)
	}
	return math.Sqrt(max(0, s.Dot(v, v))) // rounding may leave less than 0
}

// Join stores a vector of a row space, given its coefficients and products.
func Join(dst, coefficients, products []float64) {
	for lo, hi := range Parts(len(dst)) {
		middle := (lo + hi) / 2
		copy(dst[lo:middle], coefficients[lo/2:])
		copy(dst[middle:hi], products[lo/2:])
	}
}

// Split is the inverse of Join. Either half may be nil.
func Split(coefficients, products, v []float64) {
	for lo, hi := range Parts(len(v)) {
		middle := (lo + hi) / 2
		if coefficients != nil {
			copy(coefficients[lo/2:], v[lo:middle])
		}
		if products != nil {
			copy(products[lo/2:], v[middle:hi])
		}
	}
}
