package collection

import "math"

// single returns problems that stand alone.
func single() []*Problem {
	return []*Problem{
		{
			Name: "BYRDSPHR", Source: "R. Byrd, private communication 1992, in CUTEst",
			start: []float64{5, 0.0001, -0.0001}, Optimum: -0.5 - math.Sqrt(17.5),
			Solution:  []float64{0.5, math.Sqrt(4.375), math.Sqrt(4.375)},
			objective: first(3, func(x *vars) complex128 { return -x[0] - x[1] - x[2] }),
			constraints: first(3,
				func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 9 },
				func(x *vars) complex128 { return square(x[0]-1) + x[1]*x[1] + x[2]*x[2] - 9 },
			),
		},
		DIXCHLNG(),
		ELEC(50),
		{
			Name: "FLT",
			Source: "R. Fletcher, S. Leyffer and Ph. L. Toint, On the global convergence of a " +
				"filter-SQP algorithm, SIAM Journal on Optimization 13 (2002)",
			start: []float64{1, 0}, Solution: []float64{0, 1}, // the Jacobian is zero there
			objective: first(2, func(x *vars) complex128 { return square(x[1] - 1) }),
			constraints: first(1,
				func(x *vars) complex128 { return x[0] * x[0] },
				func(x *vars) complex128 { return cube(x[0]) },
			),
		},
		GENHS28(10),
		{
			Name: "MARATOS",
			Source: "A. A. Brown and M. C. Bartholomew-Biggs, Some effective methods for unconstrained " +
				"optimization based on the solution of ordinary differential equations, report 178, " +
				"Numerical Optimisation Centre, Hatfield Polytechnic 1987",
			start: []float64{1.1, 0.1}, Optimum: -1, Solution: []float64{1, 0},
			objective:   first(2, func(x *vars) complex128 { return 1e-6*(x[0]*x[0]+x[1]*x[1]-1) - x[0] }),
			constraints: first(2, func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] - 1 }),
		},
		{
			// The first constraint has x₃² as in CUTEst, where HS79, with the same constraints
			// otherwise, has x₃³.
			Name: "MWRIGHT",
			Source: "M. H. Wright, Numerical methods for nonlinearly constrained optimization, " +
				"thesis, Stanford University 1976, problem 4, start D",
			start: []float64{-1, 2, 1, -2, -2}, Optimum: 24.9788095317603,
			objective: first(5, func(x *vars) complex128 {
				return x[0]*x[0] + square(x[0]-x[1]) + cube(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
			}),
			constraints: first(5,
				func(x *vars) complex128 { return x[0] + x[1]*x[1] + x[2]*x[2] - 2 - 3*math.Sqrt2 },
				func(x *vars) complex128 { return x[1] - x[2]*x[2] + x[3] + 2 - 2*math.Sqrt2 },
				func(x *vars) complex128 { return x[0]*x[4] - 2 },
			),
		},
		{
			// The Jacobian vanishes at the start.
			Name: "S316-322",
			Source: "K. Schittkowski, More Test Examples for Nonlinear Programming Codes, Lecture " +
				"Notes in Economics and Mathematical Systems 282, Springer 1987, problem 316",
			start: []float64{0, 0}, Optimum: 2 * (20 - math.Sqrt(50)) * (20 - math.Sqrt(50)),
			Solution:    []float64{math.Sqrt(50), -math.Sqrt(50)},
			objective:   first(2, func(x *vars) complex128 { return square(x[0]-20) + square(x[1]+20) }),
			constraints: first(2, func(x *vars) complex128 { return 0.01*(x[0]*x[0]+x[1]*x[1]) - 1 }),
		},
	}
}

// GENHS28 extends HS28 to n ≥ 3 variables.
func GENHS28(n int) *Problem {
	return &Problem{
		Name: "GENHS28", Source: hsBook + "28, extended by N. I. M. Gould", Optimum: atSize(n, 10, 0.92717369376639),
		start:       append([]float64{-4}, periodic(n-1, 1)...),
		objective:   windows(n, 2, 1, func(x *vars) complex128 { return square(x[0] + x[1]) }),
		constraints: windows(n, 3, 1, func(x *vars) complex128 { return x[0] + 2*x[1] + 3*x[2] - 1 }),
	}
}

// DIXCHLNG is a challenge problem of L. C. W. Dixon: a sum of overlapping functions of
// Wood, with products of the variables fixed. The global optimum is 0, of all ones.
func DIXCHLNG() *Problem {
	p := &Problem{
		Name: "DIXCHLNG", Source: "L. C. W. Dixon, personal communication 1991, in CUTEst", Optimum: 2471.89781091884,
		start: []float64{-2, -1. / 2, 3, 1. / 3, -4, -1. / 4, 5, 1. / 5, -6, -1. / 6},
		objective: windows(10, 4, 1, func(x *vars) complex128 {
			return 100*square(x[1]-x[0]*x[0]) + square(x[0]-1) + 90*square(x[3]-x[2]*x[2]) + square(x[2]-1) +
				10.1*(square(x[1]-1)+square(x[3]-1)) + 19.8*(x[1]-1)*(x[3]-1)
		}),
	}
	for n := 2; n <= len(p.start); n += 2 {
		p.constraints = append(p.constraints, first(n, func(x *vars) complex128 {
			product := complex128(1)
			for _, factor := range x[:n] {
				product *= factor
			}
			return product - 1
		})...)
	}
	return p
}

// ELEC places electrons ≥ 2 on the unit sphere so that their potential energy is least.
// Solutions come as orbits of rotations.
func ELEC(electrons int) *Problem {
	p := &Problem{
		Name: "ELEC", Optimum: atSize(electrons, 50, 1055.18), // the best known, to six digits
		Source: "E. D. Dolan and J. J. Moré, Benchmarking optimization software with COPS, report " +
			"ANL/MCS-246, Argonne National Laboratory 2000, problem 2",
		constraints: windows(3*electrons, 3, 3, func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 1 }),
	}
	energy := func(x *vars) complex128 {
		z := square(x[0]-x[3]) + square(x[1]-x[4]) + square(x[2]-x[5])
		// Newton's step from 1/√Re z to 1/√z, exact up to step², takes a third of the time of
		// 1/cmplx.Sqrt(z).
		r := complex(1/math.Sqrt(real(z)), 0)
		return r * (1.5 - 0.5*z*r*r)
	}
	for i := range electrons {
		u := float64(i+1) / float64(electrons)
		sinTheta, cosTheta := math.Sincos(2 * math.Pi * u)
		sinPhi, cosPhi := math.Sincos(math.Pi * (u - 1/float64(electrons)))
		p.start = append(p.start, cosTheta*sinPhi, sinTheta*sinPhi, cosPhi)
		for j := range i {
			p.objective = append(p.objective, element{energy, append(span(3*j, 3), span(3*i, 3)...)})
		}
	}
	return p
}
