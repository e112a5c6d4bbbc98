package collection

import (
	"math"
	"math/cmplx"
)

const hsBook = "W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes, " +
	"Lecture Notes in Economics and Mathematical Systems 187, Springer 1981, problem "

// hockSchittkowski returns the problems of the book that have equality constraints only and
// no bounds, and two more that CUTEst has in this form.
func hockSchittkowski() []*Problem {
	return []*Problem{{
		Name: "HS6", Source: hsBook + "6",
		start: []float64{-1.2, 1}, Solution: []float64{1, 1},
		objective:   first(1, func(x *vars) complex128 { return square(1 - x[0]) }),
		constraints: first(2, func(x *vars) complex128 { return 10 * (x[1] - x[0]*x[0]) }),
	}, {
		Name: "HS7", Source: hsBook + "7",
		start: []float64{2, 2}, Optimum: -math.Sqrt(3), Solution: []float64{0, math.Sqrt(3)},
		objective:   first(2, func(x *vars) complex128 { return cmplx.Log(1+x[0]*x[0]) - x[1] }),
		constraints: first(2, func(x *vars) complex128 { return square(1+x[0]*x[0]) + x[1]*x[1] - 4 }),
	}, {
		Name: "HS9", Source: hsBook + "9",
		start: []float64{0, 0}, Optimum: -0.5, Solution: []float64{-3, -4},
		objective:   first(2, func(x *vars) complex128 { return cmplx.Sin(math.Pi/12*x[0]) * cmplx.Cos(math.Pi/16*x[1]) }),
		constraints: first(2, func(x *vars) complex128 { return 4*x[0] - 3*x[1] }),
	}, {
		Name: "HS26", Source: hsBook + "26",
		start: []float64{-2.6, 2, 2}, Solution: periodic(3, 1),
		objective:   first(3, func(x *vars) complex128 { return square(x[0]-x[1]) + fourth(x[1]-x[2]) }),
		constraints: first(3, func(x *vars) complex128 { return (1+x[1]*x[1])*x[0] + fourth(x[2]) - 3 }),
	}, {
		Name: "HS27", Source: hsBook + "27",
		start: periodic(3, 2), Optimum: 0.04, Solution: []float64{-1, 1, 0},
		objective:   first(2, func(x *vars) complex128 { return 0.01*square(x[0]-1) + square(x[1]-x[0]*x[0]) }),
		constraints: first(3, func(x *vars) complex128 { return x[0] + x[2]*x[2] + 1 }),
	}, {
		Name: "HS28", Source: hsBook + "28",
		start: []float64{-4, 1, 1}, Solution: []float64{0.5, -0.5, 0.5},
		objective:   first(3, func(x *vars) complex128 { return square(x[0]+x[1]) + square(x[1]+x[2]) }),
		constraints: first(3, func(x *vars) complex128 { return x[0] + 2*x[1] + 3*x[2] - 1 }),
	}, {
		Name: "HS39", Source: hsBook + "39",
		start: periodic(4, 2), Optimum: -1, Solution: []float64{1, 1, 0, 0},
		objective: first(1, func(x *vars) complex128 { return -x[0] }),
		constraints: first(4,
			func(x *vars) complex128 { return x[1] - cube(x[0]) - x[2]*x[2] },
			func(x *vars) complex128 { return x[0]*x[0] - x[1] - x[3]*x[3] },
		),
	}, {
		Name: "HS40", Source: hsBook + "40",
		start: periodic(4, 0.8), Optimum: -0.25,
		Solution:  []float64{math.Exp2(-1. / 3), math.Exp2(-1. / 2), math.Exp2(-11. / 12), math.Exp2(-1. / 4)},
		objective: first(4, func(x *vars) complex128 { return -x[0] * x[1] * x[2] * x[3] }),
		constraints: first(4,
			func(x *vars) complex128 { return cube(x[0]) + x[1]*x[1] - 1 },
			func(x *vars) complex128 { return x[0]*x[0]*x[3] - x[2] },
			func(x *vars) complex128 { return x[3]*x[3] - x[1] },
		),
	}, {
		Name: "HS42", Source: hsBook + "42",
		start: periodic(4, 1), Optimum: 28 - 10*math.Sqrt2,
		Solution:  []float64{2, 2, 0.6 * math.Sqrt2, 0.8 * math.Sqrt2},
		objective: first(4, func(x *vars) complex128 { return square(x[0]-1) + square(x[1]-2) + square(x[2]-3) + square(x[3]-4) }),
		constraints: first(4,
			func(x *vars) complex128 { return x[0] - 2 },
			func(x *vars) complex128 { return x[2]*x[2] + x[3]*x[3] - 2 },
		),
	}, {
		Name: "HS46", Source: hsBook + "46",
		start: []float64{math.Sqrt2 / 2, 1.75, 0.5, 2, 2}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0]*x[0]*x[3] + cmplx.Sin(x[3]-x[4]) - 1 },
			func(x *vars) complex128 { return x[1] + fourth(x[2])*x[3]*x[3] - 2 },
		),
	}, {
		Name: "HS47", Source: hsBook + "47",
		start: []float64{2, math.Sqrt2, -1, 2 - math.Sqrt2, 0.5}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + cube(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1]*x[1] + cube(x[2]) - 3 },
			func(x *vars) complex128 { return x[1] - x[2]*x[2] + x[3] - 1 },
			func(x *vars) complex128 { return x[0]*x[4] - 1 },
		),
	}, {
		Name: "HS48", Source: hsBook + "48",
		start: []float64{3, 5, -3, 2, -2}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 { return square(x[0]-1) + square(x[1]-x[2]) + square(x[3]-x[4]) }),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1] + x[2] + x[3] + x[4] - 5 },
			func(x *vars) complex128 { return x[2] - 2*(x[3]+x[4]) + 3 },
		),
	}, {
		Name: "HS49", Source: hsBook + "49",
		start: []float64{10, 7, 2, -3, 0.8}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1] + x[2] + 4*x[3] - 7 },
			func(x *vars) complex128 { return x[2] + 5*x[4] - 6 },
		),
	}, {
		Name: "HS50", Source: hsBook + "50",
		start: []float64{35, -31, 11, 5, -5}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + square(x[1]-x[2]) + fourth(x[2]-x[3]) + square(x[3]-x[4])
		}),
		constraints: windows(5, 3, 1, func(x *vars) complex128 { return x[0] + 2*x[1] + 3*x[2] - 6 }),
	}, {
		Name: "HS51", Source: hsBook + "51",
		start: []float64{2.5, 0.5, 2, -1, 0.5}, Solution: periodic(5, 1),
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + square(x[1]+x[2]-2) + square(x[3]-1) + square(x[4]-1)
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + 3*x[1] - 4 },
			func(x *vars) complex128 { return x[2] + x[3] - 2*x[4] },
			func(x *vars) complex128 { return x[1] - x[4] },
		),
	}, {
		Name: "HS52", Source: hsBook + "52",
		start: periodic(5, 2), Optimum: 1859. / 349,
		Solution: []float64{-33. / 349, 11. / 349, 180. / 349, -158. / 349, 11. / 349},
		objective: first(5, func(x *vars) complex128 {
			return square(4*x[0]-x[1]) + square(x[1]+x[2]-2) + square(x[3]-1) + square(x[4]-1)
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + 3*x[1] },
			func(x *vars) complex128 { return x[2] + x[3] - 2*x[4] },
			func(x *vars) complex128 { return x[1] - x[4] },
		),
	}, {
		// The start is feasible; the book misprints the decimal points of its last four
		// elements, which CUTEst rounds to eight digits.
		Name: "HS56", Source: hsBook + "56",
		start: []float64{1, 1, 1, 0.50973968, 0.50973968, 0.50973968, 0.98511078}, Optimum: -3.456,
		Solution:  []float64{2.4, 1.2, 1.2, math.Asin(math.Sqrt(4. / 7)), math.Asin(math.Sqrt(2. / 7)), math.Asin(math.Sqrt(2. / 7)), math.Pi / 2},
		objective: first(3, func(x *vars) complex128 { return -x[0] * x[1] * x[2] }),
		constraints: first(7,
			func(x *vars) complex128 { return x[0] - 4.2*square(cmplx.Sin(x[3])) },
			func(x *vars) complex128 { return x[1] - 4.2*square(cmplx.Sin(x[4])) },
			func(x *vars) complex128 { return x[2] - 4.2*square(cmplx.Sin(x[5])) },
			func(x *vars) complex128 { return x[0] + 2*x[1] + 2*x[2] - 7.2*square(cmplx.Sin(x[6])) },
		),
	}, {
		Name: "HS61", Source: hsBook + "61",
		start: periodic(3, 0), Optimum: -143.6461421978,
		Solution:  []float64{5.3267701355639279, -2.1189986322189762, 3.2104642253505502},
		objective: first(3, func(x *vars) complex128 { return (4*x[0]-33)*x[0] + (2*x[1]+16)*x[1] + (2*x[2]-24)*x[2] }),
		constraints: first(3,
			func(x *vars) complex128 { return 3*x[0] - 2*x[1]*x[1] - 7 },
			func(x *vars) complex128 { return 4*x[0] - x[2]*x[2] - 11 },
		),
	}, {
		Name: "HS77", Source: hsBook + "77",
		start: periodic(5, 2), Optimum: 0.24150512879018,
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-1) + square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0]*x[0]*x[3] + cmplx.Sin(x[3]-x[4]) - 2*math.Sqrt2 },
			func(x *vars) complex128 { return x[1] + fourth(x[2])*x[3]*x[3] - 8 - math.Sqrt2 },
		),
	}, {
		Name: "HS78", Source: hsBook + "78",
		start: []float64{-2, 1.5, 2, -1, -1}, Optimum: -2.91970040896368,
		objective: first(5, func(x *vars) complex128 { return x[0] * x[1] * x[2] * x[3] * x[4] }),
		constraints: first(5,
			func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + x[3]*x[3] + x[4]*x[4] - 10 },
			func(x *vars) complex128 { return x[1]*x[2] - 5*x[3]*x[4] },
			func(x *vars) complex128 { return cube(x[0]) + cube(x[1]) + 1 },
		),
	}, {
		Name: "HS79", Source: hsBook + "79",
		start: periodic(5, 2), Optimum: 0.078776820871057,
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-1) + square(x[0]-x[1]) + square(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1]*x[1] + cube(x[2]) - 2 - 3*math.Sqrt2 },
			func(x *vars) complex128 { return x[1] - x[2]*x[2] + x[3] + 2 - 2*math.Sqrt2 },
			func(x *vars) complex128 { return x[0]*x[4] - 2 },
		),
	}, {
		// CUTEst's variant of problem 100, of T. Plantenga: the constraints that are active at
		// the solution are equations, the others absent.
		Name: "HS100LNP", Source: hsBook + "100, two constraints as equations",
		start: []float64{1, 2, 0, 4, 0, 1, 1}, Optimum: 680.630057374402,
		objective: first(7, func(x *vars) complex128 {
			return square(x[0]-10) + 5*square(x[1]-12) + fourth(x[2]) + 3*square(x[3]-11) +
				10*square(cube(x[4])) + 7*x[5]*x[5] + fourth(x[6]) - 4*x[5]*x[6] - 10*x[5] - 8*x[6]
		}),
		constraints: first(7,
			func(x *vars) complex128 { return 127 - 2*x[0]*x[0] - 3*fourth(x[1]) - x[2] - 4*x[3]*x[3] - 5*x[4] },
			func(x *vars) complex128 {
				return -4*x[0]*x[0] - x[1]*x[1] + 3*x[0]*x[1] - 2*x[2]*x[2] - 5*x[5] + 11*x[6]
			},
		),
	}, {
		// CUTEst's variant of problem 111 without its bounds, which do not bind: the equilibrium
		// of ten chemical compounds of three elements, in the logarithms of their amounts.
		Name: "HS111LNP", Source: hsBook + "111, without bounds",
		start: periodic(10, -2.3), Optimum: -47.7610908593659,
		Solution: []float64{
			-3.2023115885512019, -1.9123665970810175, -0.24442674775037682, -6.5611772716583046, -0.72309796329530407,
			-7.2742322801881265, -3.5972374223278014, -4.0203167306911203, -3.2883768813602248, -2.3343717392206242,
		},
		objective: first(10, func(x *vars) complex128 {
			free := [...]complex128{-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179}
			var energy, total complex128
			for j := range free {
				amount := cmplx.Exp(x[j])
				energy += amount * (free[j] + x[j])
				total += amount
			}
			return energy - total*cmplx.Log(total)
		}),
		constraints: []element{
			{func(x *vars) complex128 {
				return cmplx.Exp(x[0]) + 2*cmplx.Exp(x[1]) + 2*cmplx.Exp(x[2]) + cmplx.Exp(x[3]) + cmplx.Exp(x[4]) - 2
			}, []int{0, 1, 2, 5, 9}},
			{func(x *vars) complex128 {
				return cmplx.Exp(x[0]) + 2*cmplx.Exp(x[1]) + cmplx.Exp(x[2]) + cmplx.Exp(x[3]) - 1
			}, []int{3, 4, 5, 6}},
			{func(x *vars) complex128 {
				return cmplx.Exp(x[0]) + cmplx.Exp(x[1]) + cmplx.Exp(x[2]) + 2*cmplx.Exp(x[3]) + cmplx.Exp(x[4]) - 1
			}, []int{2, 6, 7, 8, 9}},
		},
	}}
}
