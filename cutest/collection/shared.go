package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// The functions of this file belong to several problems.

// minusFirst is f = −x₁, of HS39, BT9 and BT10.
func minusFirst(x []float64) float64 { return -x[0] }

func minusFirstGradient(dst, _ []float64) {
	clear(dst)
	dst[0] = -1
}

// cubicParabola is x₂ = x₁³ + x₃², x₂ = x₁² − x₄², of HS39 and BT9.
func cubicParabola(dst, x []float64) {
	set(dst, x[1]-cube(x[0])-x[2]*x[2], x[0]*x[0]-x[1]-x[3]*x[3])
}

func cubicParabolaJacobian(dst blas64.General, x []float64) {
	setRows(
		dst,
		-3*x[0]*x[0], 1, -2*x[2], 0,
		2*x[0], -1, 0, -2*x[3],
	)
}

// sineQuarticJacobian is the Jacobian of x₁²x₄ + sin(x₄−x₅), x₂ + x₃⁴x₄², of HS46 and
// HS77.
func sineQuarticJacobian(dst blas64.General, x []float64) {
	cos := math.Cos(x[3] - x[4])
	setRows(
		dst,
		2*x[0]*x[3], 0, 0, x[0]*x[0]+cos, -cos,
		0, 1, 4*cube(x[2])*x[3]*x[3], 2*fourth(x[2])*x[3], 0,
	)
}

// sumOfPowers is f = (x₁−1)² + (x₁−x₂)² + (x₃−1)² + (x₄−1)⁴ + (x₅−1)⁶, of HS77 and BT6.
func sumOfPowers(x []float64) float64 {
	return square(x[0]-1) + square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
}

func sumOfPowersGradient(dst, x []float64) {
	d := 2 * (x[0] - x[1])
	set(dst, 2*(x[0]-1)+d, -d, 2*(x[2]-1), 4*cube(x[3]-1), 6*fourth(x[4]-1)*(x[4]-1))
}

// risingPowers is f = (x₁−x₂)² + (x₃−1)² + (x₄−1)⁴ + (x₅−1)⁶, of HS46 and HS49.
func risingPowers(x []float64) float64 {
	return square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
}

func risingPowersGradient(dst, x []float64) {
	d := 2 * (x[0] - x[1])
	set(dst, d, -d, 2*(x[2]-1), 4*cube(x[3]-1), 6*fourth(x[4]-1)*(x[4]-1))
}

// cubicProductJacobian is the Jacobian of x₁ + x₂² + x₃³, x₂ − x₃² + x₄, x₁x₅, of HS47
// and HS79.
func cubicProductJacobian(dst blas64.General, x []float64) {
	setRows(
		dst,
		1, 2*x[1], 3*x[2]*x[2], 0, 0,
		0, 1, -2*x[2], 1, 0,
		x[4], 0, 0, 0, x[0],
	)
}

// chainOfPowers is f = (x₁−1)² + (x₁−x₂)² + (x₂−x₃)² + (x₃−x₄)⁴ + (x₄−x₅)⁴, of HS79 and
// BT11.
func chainOfPowers(x []float64) float64 {
	return square(x[0]-1) + square(x[0]-x[1]) + square(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
}

func chainOfPowersGradient(dst, x []float64) {
	d1, d2 := 2*(x[0]-x[1]), 2*(x[1]-x[2])
	d3, d4 := 4*cube(x[2]-x[3]), 4*cube(x[3]-x[4])
	set(dst, 2*(x[0]-1)+d1, d2-d1, d3-d2, d4-d3, -d4)
}

// linearLeastSquares is f = (x₁−x₂)² + (x₂+x₃−2)² + (x₄−1)² + (x₅−1)², of HS51 and BT3.
func linearLeastSquares(x []float64) float64 {
	return square(x[0]-x[1]) + square(x[1]+x[2]-2) + square(x[3]-1) + square(x[4]-1)
}

func linearLeastSquaresGradient(dst, x []float64) {
	d1, d2 := 2*(x[0]-x[1]), 2*(x[1]+x[2]-2)
	set(dst, d1, d2-d1, d2, 2*(x[3]-1), 2*(x[4]-1))
}

// threePlanes is x₁ + 3x₂ = 0, x₃ + x₄ − 2x₅ = 0, x₂ − x₅ = 0, of HS52 and BT3.
func threePlanes(dst, x []float64) {
	set(dst, x[0]+3*x[1], x[2]+x[3]-2*x[4], x[1]-x[4])
}

func threePlanesJacobian(dst blas64.General, _ []float64) {
	setRows(
		dst,
		1, 3, 0, 0, 0,
		0, 0, 1, 1, -2,
		0, 1, 0, 0, -1,
	)
}
