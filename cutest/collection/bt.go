package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

const btPaper = "P. T. Boggs and J. W. Tolle, A strategy for global convergence in a sequential " +
	"quadratic programming algorithm, SIAM Journal on Numerical Analysis 26 (1989), problem "

// boggsTolle returns problems 1 to 12 of the paper, at their first start; problem 13 is
// unbounded below without a bound. The corrections are CUTEst's, by Ph. L. Toint.
func boggsTolle() []*Problem {
	return []*Problem{
		{
			Name: "BT1", Source: btPaper + "1", m: 1,
			start:    []float64{0.08, 0.06},
			Optimum:  -1,
			Solution: []float64{1, 0},
			objective: func(x []float64) float64 {
				return 100*(x[0]*x[0]+x[1]*x[1]) - x[0] - 100
			},
			gradient: func(dst, x []float64) {
				set(dst, 200*x[0]-1, 200*x[1])
			},
			constraint: circle,
			jacobian:   circleJacobian,
		},
		{
			Name: "BT2", Source: btPaper + "2", m: 1,
			start:   constant(3, 10),
			Optimum: 0.032568200393257,
			objective: func(x []float64) float64 {
				return square(x[0]-1) + square(x[0]-x[1]) + fourth(x[1]-x[2])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]-x[1]), 4*cube(x[1]-x[2])
				set(dst, 2*(x[0]-1)+d1, d2-d1, -d2)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]*(1+x[1]*x[1])+fourth(x[2])-8.2426407)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, 1+x[1]*x[1], 2*x[0]*x[1], 4*cube(x[2]))
			},
		},
		{
			Name: "BT3", Source: btPaper + "3", m: 3,
			start:      constant(5, 20),
			Optimum:    176. / 43,
			Solution:   []float64{-33. / 43, 11. / 43, 27. / 43, -5. / 43, 11. / 43},
			objective:  linearLeastSquares,
			gradient:   linearLeastSquaresGradient,
			constraint: threePlanes,
			jacobian:   threePlanesJacobian,
		},
		{
			// The paper cubes x₃ in the first constraint; the start is its solution.
			Name: "BT4", Source: btPaper + "4, corrected", m: 2,
			start:   []float64{4.0382, -2.9470, -0.09115},
			Optimum: -45.510550739890625,
			objective: func(x []float64) float64 {
				return x[0] - x[1] + cube(x[1])
			},
			gradient: func(dst, x []float64) {
				set(dst, 1, 3*x[1]*x[1]-1, 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]*x[0]+x[1]*x[1]+x[2]*x[2]-25, x[0]+x[1]+x[2]-1)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					2*x[0], 2*x[1], 2*x[2],
					1, 1, 1,
				)
			},
		},
		{
			// The paper has −x₃² in the first constraint.
			Name: "BT5", Source: btPaper + "5, corrected", m: 2,
			start:   constant(3, 2),
			Optimum: 961.71517213005,
			objective: func(x []float64) float64 {
				return 1000 - x[0]*(x[0]+x[1]+x[2]) - 2*x[1]*x[1] - x[2]*x[2]
			},
			gradient: func(dst, x []float64) {
				set(dst, -2*x[0]-x[1]-x[2], -x[0]-4*x[1], -x[0]-2*x[2])
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]*x[0]+x[1]*x[1]+x[2]*x[2]-25, 8*x[0]+14*x[1]+7*x[2]-56)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					2*x[0], 2*x[1], 2*x[2],
					8, 14, 7,
				)
			},
		},
		{
			// CUTEst has x₂² in the second constraint, where the paper's solution suggests x₄²
			// as in HS77, and the constants of the constraints are HS77's.
			Name: "BT6", Source: btPaper + "6", m: 2,
			start:     constant(5, 2),
			Optimum:   0.2770447887678662,
			objective: sumOfPowers,
			gradient:  sumOfPowersGradient,
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]*x[0]*x[3]+math.Sin(x[3]-x[4])-2*math.Sqrt2,
					x[1]+fourth(x[2])*x[1]*x[1]-8-math.Sqrt2,
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				cos := math.Cos(x[3] - x[4])
				setRows(
					dst,
					2*x[0]*x[3], 0, 0, x[0]*x[0]+cos, -cos,
					0, 1+2*fourth(x[2])*x[1], 4*cube(x[2])*x[1]*x[1], 0, 0,
				)
			},
		},
		{
			Name: "BT7", Source: btPaper + "7", m: 3,
			start:    []float64{-2, 1, 1, 1, 1},
			Optimum:  306.5,
			Solution: []float64{0.5, 2, 0, 1.5 * math.Sqrt2, 0},
			objective: func(x []float64) float64 {
				return 100*square(x[1]-x[0]*x[0]) + square(x[0]-1)
			},
			gradient: func(dst, x []float64) {
				d := 200 * (x[1] - x[0]*x[0])
				set(dst, 2*(x[0]-1)-2*d*x[0], d, 0, 0, 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]*x[1]-x[2]*x[2]-1, x[0]+x[1]*x[1]-x[3]*x[3], x[0]+x[4]*x[4]-0.5)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					x[1], x[0], -2*x[2], 0, 0,
					1, 2*x[1], 0, -2*x[3], 0,
					1, 0, 0, 0, 2*x[4],
				)
			},
		},
		{
			Name: "BT8", Source: btPaper + "8", m: 2,
			start:    []float64{1, 1, 1, 0, 0},
			Optimum:  1,
			Solution: []float64{1, 0, 0, 0, 0},
			objective: func(x []float64) float64 {
				return x[0]*x[0] + x[1]*x[1] + x[2]*x[2]
			},
			gradient: func(dst, x []float64) {
				set(dst, 2*x[0], 2*x[1], 2*x[2], 0, 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[1]*x[1]-x[3]*x[3]-1, x[0]*x[0]+x[1]*x[1]-x[4]*x[4]-1)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 2*x[1], 0, -2*x[3], 0,
					2*x[0], 2*x[1], 0, 0, -2*x[4],
				)
			},
		},
		{
			// The paper has +x₂ in the second constraint. The corrected problem is HS39.
			Name: "BT9", Source: btPaper + "9, corrected", m: 2,
			start:      constant(4, 2),
			Optimum:    -1,
			Solution:   []float64{1, 1, 0, 0},
			objective:  minusFirst,
			gradient:   minusFirstGradient,
			constraint: cubicParabola,
			jacobian:   cubicParabolaJacobian,
		},
		{
			// The paper has +x₂ in the second constraint.
			Name: "BT10", Source: btPaper + "10, corrected", m: 2,
			start:     constant(2, 2),
			Optimum:   -1,
			Solution:  []float64{1, 1},
			objective: minusFirst,
			gradient:  minusFirstGradient,
			constraint: func(dst, x []float64) {
				set(dst, x[1]-cube(x[0]), x[0]*x[0]-x[1])
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					-3*x[0]*x[0], 1,
					2*x[0], -1,
				)
			},
		},
		{
			Name: "BT11", Source: btPaper + "11", m: 3,
			start:     constant(5, 2),
			Optimum:   0.8248917782876659,
			objective: chainOfPowers,
			gradient:  chainOfPowersGradient,
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]+x[1]*x[1]+cube(x[2])+2-3*math.Sqrt2,
					x[1]-x[2]*x[2]+x[3]+2-2*math.Sqrt2,
					x[0]-x[4]-2,
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 2*x[1], 3*x[2]*x[2], 0, 0,
					0, 1, -2*x[2], 1, 0,
					1, 0, 0, 0, -1,
				)
			},
		},
		{
			Name: "BT12", Source: btPaper + "12", m: 3,
			start:    []float64{15.811, 1.5811, 0, 15.083, 3.7164},
			Optimum:  625. / 101,
			Solution: []float64{2500. / 101, 25. / 101, 0, 5. / 101 * math.Sqrt(239824), math.Sqrt(2298. / 101)},
			objective: func(x []float64) float64 {
				return 0.01*x[0]*x[0] + x[1]*x[1]
			},
			gradient: func(dst, x []float64) {
				set(dst, 0.02*x[0], 2*x[1], 0, 0, 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[1]-x[2]*x[2]-25, x[0]*x[0]+x[1]*x[1]-x[3]*x[3]-25, x[0]-x[4]*x[4]-2)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 1, -2*x[2], 0, 0,
					2*x[0], 2*x[1], 0, -2*x[3], 0,
					1, 0, 0, 0, -2*x[4],
				)
			},
		},
	}
}

// circle is x₁² + x₂² = 1, of BT1 and MARATOS.
func circle(dst, x []float64) { dst[0] = x[0]*x[0] + x[1]*x[1] - 1 }

func circleJacobian(dst blas64.General, x []float64) { setRows(dst, 2*x[0], 2*x[1]) }
