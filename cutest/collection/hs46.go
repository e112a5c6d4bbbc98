package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// hockSchittkowskiFrom46 returns the further problems, most of them with five variables or
// more.
func hockSchittkowskiFrom46() []*Problem {
	return []*Problem{
		{
			Name: "HS46", Source: hsBook + "46", m: 2,
			start:     []float64{math.Sqrt2 / 2, 1.75, 0.5, 2, 2},
			Solution:  constant(5, 1),
			objective: risingPowers,
			gradient:  risingPowersGradient,
			constraint: func(dst, x []float64) {
				set(dst, x[0]*x[0]*x[3]+math.Sin(x[3]-x[4])-1, x[1]+fourth(x[2])*x[3]*x[3]-2)
			},
			jacobian: sineQuarticJacobian,
		},
		{
			Name: "HS47", Source: hsBook + "47", m: 3,
			start:    []float64{2, math.Sqrt2, -1, 2 - math.Sqrt2, 0.5},
			Solution: constant(5, 1),
			objective: func(x []float64) float64 {
				return square(x[0]-x[1]) + cube(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]-x[1]), 3*square(x[1]-x[2])
				d3, d4 := 4*cube(x[2]-x[3]), 4*cube(x[3]-x[4])
				set(dst, d1, d2-d1, d3-d2, d4-d3, -d4)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[1]*x[1]+cube(x[2])-3, x[1]-x[2]*x[2]+x[3]-1, x[0]*x[4]-1)
			},
			jacobian: cubicProductJacobian,
		},
		{
			Name: "HS48", Source: hsBook + "48", m: 2,
			start:    []float64{3, 5, -3, 2, -2},
			Solution: constant(5, 1),
			objective: func(x []float64) float64 {
				return square(x[0]-1) + square(x[1]-x[2]) + square(x[3]-x[4])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[1]-x[2]), 2*(x[3]-x[4])
				set(dst, 2*(x[0]-1), d1, -d1, d2, -d2)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[1]+x[2]+x[3]+x[4]-5, x[2]-2*(x[3]+x[4])+3)
			},
			jacobian: func(dst blas64.General, _ []float64) {
				setRows(
					dst,
					1, 1, 1, 1, 1,
					0, 0, 1, -2, -2,
				)
			},
		},
		{
			Name: "HS49", Source: hsBook + "49", m: 2,
			start:     []float64{10, 7, 2, -3, 0.8},
			Solution:  constant(5, 1),
			objective: risingPowers,
			gradient:  risingPowersGradient,
			constraint: func(dst, x []float64) {
				set(dst, x[0]+x[1]+x[2]+4*x[3]-7, x[2]+5*x[4]-6)
			},
			jacobian: func(dst blas64.General, _ []float64) {
				setRows(
					dst,
					1, 1, 1, 4, 0,
					0, 0, 1, 0, 5,
				)
			},
		},
		{
			Name: "HS50", Source: hsBook + "50", m: 3,
			start:    []float64{35, -31, 11, 5, -5},
			Solution: constant(5, 1),
			objective: func(x []float64) float64 {
				return square(x[0]-x[1]) + square(x[1]-x[2]) + fourth(x[2]-x[3]) + square(x[3]-x[4])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]-x[1]), 2*(x[1]-x[2])
				d3, d4 := 4*cube(x[2]-x[3]), 2*(x[3]-x[4])
				set(dst, d1, d2-d1, d3-d2, d4-d3, -d4)
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]+2*x[1]+3*x[2]-6, x[1]+2*x[2]+3*x[3]-6, x[2]+2*x[3]+3*x[4]-6)
			},
			jacobian: func(dst blas64.General, _ []float64) {
				setRows(
					dst,
					1, 2, 3, 0, 0,
					0, 1, 2, 3, 0,
					0, 0, 1, 2, 3,
				)
			},
		},
		{
			Name: "HS51", Source: hsBook + "51", m: 3,
			start:     []float64{2.5, 0.5, 2, -1, 0.5},
			Solution:  constant(5, 1),
			objective: linearLeastSquares,
			gradient:  linearLeastSquaresGradient,
			constraint: func(dst, x []float64) {
				set(dst, x[0]+3*x[1]-4, x[2]+x[3]-2*x[4], x[1]-x[4])
			},
			jacobian: threePlanesJacobian,
		},
		{
			Name: "HS52", Source: hsBook + "52", m: 3,
			start:    constant(5, 2),
			Optimum:  1859. / 349,
			Solution: []float64{-33. / 349, 11. / 349, 180. / 349, -158. / 349, 11. / 349},
			objective: func(x []float64) float64 {
				return square(4*x[0]-x[1]) + square(x[1]+x[2]-2) + square(x[3]-1) + square(x[4]-1)
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(4*x[0]-x[1]), 2*(x[1]+x[2]-2)
				set(dst, 4*d1, d2-d1, d2, 2*(x[3]-1), 2*(x[4]-1))
			},
			constraint: threePlanes,
			jacobian:   threePlanesJacobian,
		},
		{
			// The start is feasible; the book misprints the decimal points of its last four
			// elements, which CUTEst rounds to eight digits.
			Name: "HS56", Source: hsBook + "56", m: 4,
			start:   []float64{1, 1, 1, 0.50973968, 0.50973968, 0.50973968, 0.98511078},
			Optimum: -3.456,
			Solution: []float64{
				2.4, 1.2, 1.2,
				math.Asin(math.Sqrt(4. / 7)), math.Asin(math.Sqrt(2. / 7)), math.Asin(math.Sqrt(2. / 7)), math.Pi / 2,
			},
			objective: func(x []float64) float64 {
				return -x[0] * x[1] * x[2]
			},
			gradient: func(dst, x []float64) {
				set(dst, -x[1]*x[2], -x[0]*x[2], -x[0]*x[1], 0, 0, 0, 0)
			},
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]-4.2*square(math.Sin(x[3])),
					x[1]-4.2*square(math.Sin(x[4])),
					x[2]-4.2*square(math.Sin(x[5])),
					x[0]+2*x[1]+2*x[2]-7.2*square(math.Sin(x[6])),
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 0, 0, -4.2*math.Sin(2*x[3]), 0, 0, 0,
					0, 1, 0, 0, -4.2*math.Sin(2*x[4]), 0, 0,
					0, 0, 1, 0, 0, -4.2*math.Sin(2*x[5]), 0,
					1, 2, 2, 0, 0, 0, -7.2*math.Sin(2*x[6]),
				)
			},
		},
		{
			Name: "HS61", Source: hsBook + "61", m: 2,
			start:    constant(3, 0),
			Optimum:  -143.6461421978,
			Solution: []float64{5.3267701355639279, -2.1189986322189762, 3.2104642253505502},
			objective: func(x []float64) float64 {
				return (4*x[0]-33)*x[0] + (2*x[1]+16)*x[1] + (2*x[2]-24)*x[2]
			},
			gradient: func(dst, x []float64) {
				set(dst, 8*x[0]-33, 4*x[1]+16, 4*x[2]-24)
			},
			constraint: func(dst, x []float64) {
				set(dst, 3*x[0]-2*x[1]*x[1]-7, 4*x[0]-x[2]*x[2]-11)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					3, -4*x[1], 0,
					4, 0, -2*x[2],
				)
			},
		},
		{
			Name: "HS77", Source: hsBook + "77", m: 2,
			start:     constant(5, 2),
			Optimum:   0.24150512879018,
			objective: sumOfPowers,
			gradient:  sumOfPowersGradient,
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]*x[0]*x[3]+math.Sin(x[3]-x[4])-2*math.Sqrt2,
					x[1]+fourth(x[2])*x[3]*x[3]-8-math.Sqrt2,
				)
			},
			jacobian: sineQuarticJacobian,
		},
		{
			Name: "HS78", Source: hsBook + "78", m: 3,
			start:   []float64{-2, 1.5, 2, -1, -1},
			Optimum: -2.91970040896368,
			objective: func(x []float64) float64 {
				return x[0] * x[1] * x[2] * x[3] * x[4]
			},
			gradient: func(dst, x []float64) {
				p, q := x[0]*x[1], x[3]*x[4]
				set(dst, x[1]*x[2]*q, x[0]*x[2]*q, p*q, p*x[2]*x[4], p*x[2]*x[3])
			},
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]*x[0]+x[1]*x[1]+x[2]*x[2]+x[3]*x[3]+x[4]*x[4]-10,
					x[1]*x[2]-5*x[3]*x[4],
					cube(x[0])+cube(x[1])+1,
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					2*x[0], 2*x[1], 2*x[2], 2*x[3], 2*x[4],
					0, x[2], x[1], -5*x[4], -5*x[3],
					3*x[0]*x[0], 3*x[1]*x[1], 0, 0, 0,
				)
			},
		},
		{
			Name: "HS79", Source: hsBook + "79", m: 3,
			start:     constant(5, 2),
			Optimum:   0.078776820871057,
			objective: chainOfPowers,
			gradient:  chainOfPowersGradient,
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]+x[1]*x[1]+cube(x[2])-2-3*math.Sqrt2,
					x[1]-x[2]*x[2]+x[3]+2-2*math.Sqrt2,
					x[0]*x[4]-2,
				)
			},
			jacobian: cubicProductJacobian,
		},
		{
			// CUTEst's variant of problem 100, of T. Plantenga: the constraints that are
			// active at the solution are equations, the others absent.
			Name: "HS100LNP", Source: hsBook + "100, two constraints as equations", m: 2,
			start:   []float64{1, 2, 0, 4, 0, 1, 1},
			Optimum: 680.630057374402,
			objective: func(x []float64) float64 {
				return square(x[0]-10) + 5*square(x[1]-12) + fourth(x[2]) + 3*square(x[3]-11) +
					10*square(cube(x[4])) + 7*x[5]*x[5] + fourth(x[6]) - 4*x[5]*x[6] - 10*x[5] - 8*x[6]
			},
			gradient: func(dst, x []float64) {
				set(
					dst,
					2*(x[0]-10), 10*(x[1]-12), 4*cube(x[2]), 6*(x[3]-11), 60*fourth(x[4])*x[4],
					14*x[5]-4*x[6]-10, 4*cube(x[6])-4*x[5]-8,
				)
			},
			constraint: func(dst, x []float64) {
				set(
					dst,
					127-2*x[0]*x[0]-3*fourth(x[1])-x[2]-4*x[3]*x[3]-5*x[4],
					-4*x[0]*x[0]-x[1]*x[1]+3*x[0]*x[1]-2*x[2]*x[2]-5*x[5]+11*x[6],
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					-4*x[0], -12*cube(x[1]), -1, -8*x[3], -5, 0, 0,
					3*x[1]-8*x[0], 3*x[0]-2*x[1], -4*x[2], 0, 0, -5, 11,
				)
			},
		},
		{
			// CUTEst's variant of problem 111 without its bounds, which do not bind.
			Name: "HS111LNP", Source: hsBook + "111, without bounds", m: 3,
			start:   constant(10, -2.3),
			Optimum: -47.7610908593659,
			Solution: []float64{
				-3.2023115885512019, -1.9123665970810175, -0.24442674775037682, -6.5611772716583046, -0.72309796329530407,
				-7.2742322801881265, -3.5972374223278014, -4.0203167306911203, -3.2883768813602248, -2.3343717392206242,
			},
			objective: func(x []float64) float64 {
				total, f := 0.0, 0.0
				for _, xj := range x {
					total += math.Exp(xj)
				}
				log := math.Log(total)
				for j, xj := range x {
					f += math.Exp(xj) * (freeEnergy[j] + xj - log)
				}
				return f
			},
			gradient: func(dst, x []float64) {
				total := 0.0
				for j, xj := range x {
					dst[j] = math.Exp(xj)
					total += dst[j]
				}
				log := math.Log(total)
				for j, xj := range x {
					dst[j] *= freeEnergy[j] + xj - log
				}
			},
			constraint: func(dst, x []float64) {
				set(dst, -2, -1, -1)
				for j, xj := range x {
					e := math.Exp(xj)
					for i := range atoms {
						dst[i] += atoms[i][j] * e
					}
				}
			},
			jacobian: func(dst blas64.General, x []float64) {
				for j, xj := range x {
					e := math.Exp(xj)
					for i := range atoms {
						dst.Data[i*dst.Stride+j] = atoms[i][j] * e
					}
				}
			},
		},
	}
}

// Problem 111 is the equilibrium of ten chemical compounds of three elements, in the
// logarithms of their amounts.
var (
	freeEnergy = [10]float64{-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179}
	atoms      = [3][10]float64{
		{1, 2, 2, 0, 0, 1, 0, 0, 0, 1},
		{0, 0, 0, 1, 2, 1, 1, 0, 0, 0},
		{0, 0, 1, 0, 0, 0, 1, 1, 2, 1},
	}
)
