package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

const hsBook = "W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes, " +
	"Lecture Notes in Economics and Mathematical Systems 187, Springer 1981, problem "

// hockSchittkowskiTo42 returns the first problems of the book that have equality
// constraints only and no bounds, all of at most four variables.
func hockSchittkowskiTo42() []*Problem {
	return []*Problem{
		{
			Name: "HS6", Source: hsBook + "6", m: 1,
			start:    []float64{-1.2, 1},
			Solution: []float64{1, 1},
			objective: func(x []float64) float64 {
				return square(1 - x[0])
			},
			gradient: func(dst, x []float64) {
				set(dst, -2*(1-x[0]), 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, 10*(x[1]-x[0]*x[0]))
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, -20*x[0], 10)
			},
		},
		{
			Name: "HS7", Source: hsBook + "7", m: 1,
			start:    []float64{2, 2},
			Optimum:  -math.Sqrt(3),
			Solution: []float64{0, math.Sqrt(3)},
			objective: func(x []float64) float64 {
				return math.Log(1+x[0]*x[0]) - x[1]
			},
			gradient: func(dst, x []float64) {
				set(dst, 2*x[0]/(1+x[0]*x[0]), -1)
			},
			constraint: func(dst, x []float64) {
				set(dst, square(1+x[0]*x[0])+x[1]*x[1]-4)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, 4*x[0]*(1+x[0]*x[0]), 2*x[1])
			},
		},
		{
			Name: "HS9", Source: hsBook + "9", m: 1,
			start:    []float64{0, 0},
			Optimum:  -0.5,
			Solution: []float64{-3, -4},
			objective: func(x []float64) float64 {
				return math.Sin(math.Pi/12*x[0]) * math.Cos(math.Pi/16*x[1])
			},
			gradient: func(dst, x []float64) {
				sin1, cos1 := math.Sincos(math.Pi / 12 * x[0])
				sin2, cos2 := math.Sincos(math.Pi / 16 * x[1])
				set(dst, math.Pi/12*cos1*cos2, -math.Pi/16*sin1*sin2)
			},
			constraint: func(dst, x []float64) {
				set(dst, 4*x[0]-3*x[1])
			},
			jacobian: func(dst blas64.General, _ []float64) {
				setRows(dst, 4, -3)
			},
		},
		{
			Name: "HS26", Source: hsBook + "26", m: 1,
			start:    []float64{-2.6, 2, 2},
			Solution: constant(3, 1),
			objective: func(x []float64) float64 {
				return square(x[0]-x[1]) + fourth(x[1]-x[2])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]-x[1]), 4*cube(x[1]-x[2])
				set(dst, d1, d2-d1, -d2)
			},
			constraint: func(dst, x []float64) {
				set(dst, (1+x[1]*x[1])*x[0]+fourth(x[2])-3)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, 1+x[1]*x[1], 2*x[0]*x[1], 4*cube(x[2]))
			},
		},
		{
			Name: "HS27", Source: hsBook + "27", m: 1,
			start:    constant(3, 2),
			Optimum:  0.04,
			Solution: []float64{-1, 1, 0},
			objective: func(x []float64) float64 {
				return 0.01*square(x[0]-1) + square(x[1]-x[0]*x[0])
			},
			gradient: func(dst, x []float64) {
				d := 2 * (x[1] - x[0]*x[0])
				set(dst, 0.02*(x[0]-1)-2*d*x[0], d, 0)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[2]*x[2]+1)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, 1, 0, 2*x[2])
			},
		},
		{
			Name: "HS28", Source: hsBook + "28", m: 1,
			start:    []float64{-4, 1, 1},
			Solution: []float64{0.5, -0.5, 0.5},
			objective: func(x []float64) float64 {
				return square(x[0]+x[1]) + square(x[1]+x[2])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]+x[1]), 2*(x[1]+x[2])
				set(dst, d1, d1+d2, d2)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+2*x[1]+3*x[2]-1)
			},
			jacobian: func(dst blas64.General, _ []float64) {
				setRows(dst, 1, 2, 3)
			},
		},
		{
			Name: "HS39", Source: hsBook + "39", m: 2,
			start:      constant(4, 2),
			Optimum:    -1,
			Solution:   []float64{1, 1, 0, 0},
			objective:  minusFirst,
			gradient:   minusFirstGradient,
			constraint: cubicParabola,
			jacobian:   cubicParabolaJacobian,
		},
		{
			Name: "HS40", Source: hsBook + "40", m: 3,
			start:    constant(4, 0.8),
			Optimum:  -0.25,
			Solution: []float64{math.Exp2(-1. / 3), math.Exp2(-1. / 2), math.Exp2(-11. / 12), math.Exp2(-1. / 4)},
			objective: func(x []float64) float64 {
				return -x[0] * x[1] * x[2] * x[3]
			},
			gradient: func(dst, x []float64) {
				set(dst, -x[1]*x[2]*x[3], -x[0]*x[2]*x[3], -x[0]*x[1]*x[3], -x[0]*x[1]*x[2])
			},
			constraint: func(dst, x []float64) {
				set(dst, cube(x[0])+x[1]*x[1]-1, x[0]*x[0]*x[3]-x[2], x[3]*x[3]-x[1])
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					3*x[0]*x[0], 2*x[1], 0, 0,
					2*x[0]*x[3], 0, -1, x[0]*x[0],
					0, -1, 0, 2*x[3],
				)
			},
		},
		{
			Name: "HS42", Source: hsBook + "42", m: 2,
			start:    constant(4, 1),
			Optimum:  28 - 10*math.Sqrt2,
			Solution: []float64{2, 2, 0.6 * math.Sqrt2, 0.8 * math.Sqrt2},
			objective: func(x []float64) float64 {
				return square(x[0]-1) + square(x[1]-2) + square(x[2]-3) + square(x[3]-4)
			},
			gradient: func(dst, x []float64) {
				set(dst, 2*(x[0]-1), 2*(x[1]-2), 2*(x[2]-3), 2*(x[3]-4))
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]-2, x[2]*x[2]+x[3]*x[3]-2)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 0, 0, 0,
					0, 0, 2*x[2], 2*x[3],
				)
			},
		},
	}
}
