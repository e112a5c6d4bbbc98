package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// single returns problems that stand alone.
func single() []*Problem {
	return []*Problem{
		{
			Name: "BYRDSPHR", Source: "R. Byrd, private communication 1992, in CUTEst", m: 2,
			start:    []float64{5, 0.0001, -0.0001},
			Optimum:  -0.5 - math.Sqrt(17.5),
			Solution: []float64{0.5, math.Sqrt(4.375), math.Sqrt(4.375)},
			objective: func(x []float64) float64 {
				return -x[0] - x[1] - x[2]
			},
			gradient: func(dst, _ []float64) {
				set(dst, -1, -1, -1)
			},
			constraint: func(dst, x []float64) {
				rest := x[1]*x[1] + x[2]*x[2] - 9
				set(dst, x[0]*x[0]+rest, square(x[0]-1)+rest)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					2*x[0], 2*x[1], 2*x[2],
					2*(x[0]-1), 2*x[1], 2*x[2],
				)
			},
		},
		DIXCHLNG(),
		ELEC(50),
		{
			Name: "FLT", m: 2,
			Source: "R. Fletcher, S. Leyffer and Ph. L. Toint, On the global convergence of a " +
				"filter-SQP algorithm, SIAM Journal on Optimization 13 (2002)",
			start:    []float64{1, 0},
			Solution: []float64{0, 1}, // the Jacobian is zero there
			objective: func(x []float64) float64 {
				return square(x[1] - 1)
			},
			gradient: func(dst, x []float64) {
				set(dst, 0, 2*(x[1]-1))
			},
			constraint: func(dst, x []float64) {
				set(dst, x[0]*x[0], cube(x[0]))
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					2*x[0], 0,
					3*x[0]*x[0], 0,
				)
			},
		},
		GENHS28(10),
		{
			Name: "MARATOS", m: 1,
			Source: "A. A. Brown and M. C. Bartholomew-Biggs, Some effective methods for unconstrained " +
				"optimization based on the solution of ordinary differential equations, report 178, " +
				"Numerical Optimisation Centre, Hatfield Polytechnic 1987",
			start:    []float64{1.1, 0.1},
			Optimum:  -1,
			Solution: []float64{1, 0},
			objective: func(x []float64) float64 {
				return 1e-6*(x[0]*x[0]+x[1]*x[1]-1) - x[0]
			},
			gradient: func(dst, x []float64) {
				set(dst, 2e-6*x[0]-1, 2e-6*x[1])
			},
			constraint: circle,
			jacobian:   circleJacobian,
		},
		{
			// The first constraint has x₃² as in CUTEst, where HS79, with the same constraints otherwise, has x₃³.
			Name: "MWRIGHT", m: 3,
			Source: "M. H. Wright, Numerical methods for nonlinearly constrained optimization, " +
				"thesis, Stanford University 1976, problem 4, start D",
			start:   []float64{-1, 2, 1, -2, -2},
			Optimum: 24.9788095317603,
			objective: func(x []float64) float64 {
				return x[0]*x[0] + square(x[0]-x[1]) + cube(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
			},
			gradient: func(dst, x []float64) {
				d1, d2 := 2*(x[0]-x[1]), 3*square(x[1]-x[2])
				d3, d4 := 4*cube(x[2]-x[3]), 4*cube(x[3]-x[4])
				set(dst, 2*x[0]+d1, d2-d1, d3-d2, d4-d3, -d4)
			},
			constraint: func(dst, x []float64) {
				set(
					dst,
					x[0]+x[1]*x[1]+x[2]*x[2]-2-3*math.Sqrt2,
					x[1]-x[2]*x[2]+x[3]+2-2*math.Sqrt2,
					x[0]*x[4]-2,
				)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(
					dst,
					1, 2*x[1], 2*x[2], 0, 0,
					0, 1, -2*x[2], 1, 0,
					x[4], 0, 0, 0, x[0],
				)
			},
		},
		{
			// The Jacobian vanishes at the start.
			Name: "S316-322", m: 1,
			Source: "K. Schittkowski, More Test Examples for Nonlinear Programming Codes, Lecture " +
				"Notes in Economics and Mathematical Systems 282, Springer 1987, problem 316",
			start:    []float64{0, 0},
			Optimum:  2 * square(20-math.Sqrt(50)),
			Solution: []float64{math.Sqrt(50), -math.Sqrt(50)},
			objective: func(x []float64) float64 {
				return square(x[0]-20) + square(x[1]+20)
			},
			gradient: func(dst, x []float64) {
				set(dst, 2*(x[0]-20), 2*(x[1]+20))
			},
			constraint: func(dst, x []float64) {
				set(dst, 0.01*(x[0]*x[0]+x[1]*x[1])-1)
			},
			jacobian: func(dst blas64.General, x []float64) {
				setRows(dst, 0.02*x[0], 0.02*x[1])
			},
		},
	}
}

// GENHS28 extends HS28 to n ≥ 3 variables.
func GENHS28(n int) *Problem {
	start := constant(n, 1)
	start[0] = -4
	return &Problem{
		Name: "GENHS28", Source: hsBook + "28, extended by N. I. M. Gould", Optimum: atSize(n, 10, 0.92717369376639),
		m:     n - 2,
		start: start,
		objective: func(x []float64) float64 {
			f := 0.0
			for i := range len(x) - 1 {
				f += square(x[i] + x[i+1])
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := range len(x) - 1 {
				d := 2 * (x[i] + x[i+1])
				dst[i] += d
				dst[i+1] += d
			}
		},
		constraint: func(dst, x []float64) {
			for k := range dst {
				dst[k] = x[k] + 2*x[k+1] + 3*x[k+2] - 1
			}
		},
		jacobian: func(dst blas64.General, _ []float64) {
			zero(dst)
			for k := range dst.Rows {
				set(row(dst, k)[k:k+3], 1, 2, 3)
			}
		},
	}
}

// DIXCHLNG is a challenge problem of L. C. W. Dixon: a sum of overlapping functions of
// Wood, with products of the variables fixed. The global optimum is 0, of all ones.
func DIXCHLNG() *Problem {
	return &Problem{
		Name: "DIXCHLNG", Source: "L. C. W. Dixon, personal communication 1991, in CUTEst", Optimum: 2471.89781091884,
		m:     5,
		start: []float64{-2, -1. / 2, 3, 1. / 3, -4, -1. / 4, 5, 1. / 5, -6, -1. / 6},
		objective: func(x []float64) float64 {
			f := 0.0
			for i := range len(x) - 3 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				f += 100*square(b-a*a) + square(a-1) + 90*square(d-c*c) + square(c-1) +
					10.1*(square(b-1)+square(d-1)) + 19.8*(b-1)*(d-1)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := range len(x) - 3 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				ab, cd := 200*(b-a*a), 180*(d-c*c)
				dst[i] += 2*(a-1) - 2*a*ab
				dst[i+1] += ab + 20.2*(b-1) + 19.8*(d-1)
				dst[i+2] += 2*(c-1) - 2*c*cd
				dst[i+3] += cd + 20.2*(d-1) + 19.8*(b-1)
			}
		},
		constraint: func(dst, x []float64) {
			product := 1.0
			for k := range dst {
				product *= x[2*k] * x[2*k+1]
				dst[k] = product - 1
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for k := range dst.Rows {
				dc := row(dst, k)[:2*k+2]
				product := 1.0
				for j := range dc { // of those before
					dc[j] = product
					product *= x[j]
				}
				product = 1
				for j := len(dc) - 1; j >= 0; j-- { // of those behind
					dc[j] *= product
					product *= x[j]
				}
			}
		},
	}
}

// ELEC places electrons ≥ 2 on the unit sphere so that their potential energy is least.
// Solutions come as orbits of rotations.
func ELEC(electrons int) *Problem {
	start := make([]float64, 3*electrons)
	for i := range electrons {
		u := float64(i+1) / float64(electrons)
		sinTheta, cosTheta := math.Sincos(2 * math.Pi * u)
		sinPhi, cosPhi := math.Sincos(math.Pi * (u - 1/float64(electrons)))
		set(start[3*i:], cosTheta*sinPhi, sinTheta*sinPhi, cosPhi)
	}
	return &Problem{
		Name: "ELEC", Optimum: atSize(electrons, 50, 1055.18), // the best known, to six digits
		Source: "E. D. Dolan and J. J. Moré, Benchmarking optimization software with COPS, report " +
			"ANL/MCS-246, Argonne National Laboratory 2000, problem 2",
		m:     electrons,
		start: start,
		objective: func(x []float64) float64 {
			f := 0.0
			for i := 0; i < len(x); i += 3 {
				for j := i + 3; j < len(x); j += 3 {
					dx, dy, dz := x[i]-x[j], x[i+1]-x[j+1], x[i+2]-x[j+2]
					f += 1 / math.Sqrt(dx*dx+dy*dy+dz*dz)
				}
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := 0; i < len(x); i += 3 {
				for j := i + 3; j < len(x); j += 3 {
					dx, dy, dz := x[i]-x[j], x[i+1]-x[j+1], x[i+2]-x[j+2]
					square := dx*dx + dy*dy + dz*dz
					force := 1 / (square * math.Sqrt(square))
					dst[i] -= force * dx
					dst[i+1] -= force * dy
					dst[i+2] -= force * dz
					dst[j] += force * dx
					dst[j+1] += force * dy
					dst[j+2] += force * dz
				}
			}
		},
		constraint: func(dst, x []float64) {
			for k := range dst {
				p := x[3*k:][:3]
				dst[k] = p[0]*p[0] + p[1]*p[1] + p[2]*p[2] - 1
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for k := range dst.Rows {
				p := x[3*k:][:3]
				set(row(dst, k)[3*k:], 2*p[0], 2*p[1], 2*p[2])
			}
		},
	}
}
