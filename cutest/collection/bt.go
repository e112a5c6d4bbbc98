package collection

import (
	"math"
	"math/cmplx"
)

const btPaper = "P. T. Boggs and J. W. Tolle, A strategy for global convergence in a sequential " +
	"quadratic programming algorithm, SIAM Journal on Numerical Analysis 26 (1989), problem "

// boggsTolle returns problems 1 to 12 of the paper, at their first start; problem 13 is
// unbounded below without a bound. The corrections are CUTEst's, by Ph. L. Toint.
func boggsTolle() []*Problem {
	return []*Problem{{
		Name: "BT1", Source: btPaper + "1",
		start: []float64{0.08, 0.06}, Optimum: -1, Solution: []float64{1, 0},
		objective:   first(2, func(x *vars) complex128 { return 100*(x[0]*x[0]+x[1]*x[1]) - x[0] - 100 }),
		constraints: first(2, func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] - 1 }),
	}, {
		Name: "BT2", Source: btPaper + "2",
		start: periodic(3, 10), Optimum: 0.032568200393257,
		objective:   first(3, func(x *vars) complex128 { return square(x[0]-1) + square(x[0]-x[1]) + fourth(x[1]-x[2]) }),
		constraints: first(3, func(x *vars) complex128 { return x[0]*(1+x[1]*x[1]) + fourth(x[2]) - 8.2426407 }),
	}, {
		Name: "BT3", Source: btPaper + "3",
		start: periodic(5, 20), Optimum: 176. / 43,
		Solution: []float64{-33. / 43, 11. / 43, 27. / 43, -5. / 43, 11. / 43},
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-x[1]) + square(x[1]+x[2]-2) + square(x[3]-1) + square(x[4]-1)
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + 3*x[1] },
			func(x *vars) complex128 { return x[2] + x[3] - 2*x[4] },
			func(x *vars) complex128 { return x[1] - x[4] },
		),
	}, {
		// The paper cubes x₃ in the first constraint; the start is its solution.
		Name: "BT4", Source: btPaper + "4, corrected",
		start: []float64{4.0382, -2.9470, -0.09115}, Optimum: -45.510550739890625,
		objective: first(2, func(x *vars) complex128 { return x[0] - x[1] + cube(x[1]) }),
		constraints: first(3,
			func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 25 },
			func(x *vars) complex128 { return x[0] + x[1] + x[2] - 1 },
		),
	}, {
		// The paper has −x₃² in the first constraint.
		Name: "BT5", Source: btPaper + "5, corrected",
		start: periodic(3, 2), Optimum: 961.71517213005,
		objective: first(3, func(x *vars) complex128 { return 1000 - x[0]*(x[0]+x[1]+x[2]) - 2*x[1]*x[1] - x[2]*x[2] }),
		constraints: first(3,
			func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] - 25 },
			func(x *vars) complex128 { return 8*x[0] + 14*x[1] + 7*x[2] - 56 },
		),
	}, {
		// CUTEst has x₂² in the second constraint, where the paper's solution suggests x₄²
		// as in HS77, and the constants of the constraints are HS77's.
		Name: "BT6", Source: btPaper + "6",
		start: periodic(5, 2), Optimum: 0.2770447887678662,
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-1) + square(x[0]-x[1]) + square(x[2]-1) + fourth(x[3]-1) + square(cube(x[4]-1))
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0]*x[0]*x[3] + cmplx.Sin(x[3]-x[4]) - 2*math.Sqrt2 },
			func(x *vars) complex128 { return x[1] + fourth(x[2])*x[1]*x[1] - 8 - math.Sqrt2 },
		),
	}, {
		Name: "BT7", Source: btPaper + "7",
		start: []float64{-2, 1, 1, 1, 1}, Optimum: 306.5, Solution: []float64{0.5, 2, 0, 1.5 * math.Sqrt2, 0},
		objective: first(2, func(x *vars) complex128 { return 100*square(x[1]-x[0]*x[0]) + square(x[0]-1) }),
		constraints: first(5,
			func(x *vars) complex128 { return x[0]*x[1] - x[2]*x[2] - 1 },
			func(x *vars) complex128 { return x[0] + x[1]*x[1] - x[3]*x[3] },
			func(x *vars) complex128 { return x[0] + x[4]*x[4] - 0.5 },
		),
	}, {
		Name: "BT8", Source: btPaper + "8",
		start: []float64{1, 1, 1, 0, 0}, Optimum: 1, Solution: []float64{1, 0, 0, 0, 0},
		objective: first(3, func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1]*x[1] - x[3]*x[3] - 1 },
			func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] - x[4]*x[4] - 1 },
		),
	}, {
		// The paper has +x₂ in the second constraint. The corrected problem is HS39.
		Name: "BT9", Source: btPaper + "9, corrected",
		start: periodic(4, 2), Optimum: -1, Solution: []float64{1, 1, 0, 0},
		objective: first(1, func(x *vars) complex128 { return -x[0] }),
		constraints: first(4,
			func(x *vars) complex128 { return x[1] - cube(x[0]) - x[2]*x[2] },
			func(x *vars) complex128 { return x[0]*x[0] - x[1] - x[3]*x[3] },
		),
	}, {
		// The paper has +x₂ in the second constraint.
		Name: "BT10", Source: btPaper + "10, corrected",
		start: periodic(2, 2), Optimum: -1, Solution: []float64{1, 1},
		objective: first(1, func(x *vars) complex128 { return -x[0] }),
		constraints: first(2,
			func(x *vars) complex128 { return x[1] - cube(x[0]) },
			func(x *vars) complex128 { return x[0]*x[0] - x[1] },
		),
	}, {
		Name: "BT11", Source: btPaper + "11",
		start: periodic(5, 2), Optimum: 0.8248917782876659,
		objective: first(5, func(x *vars) complex128 {
			return square(x[0]-1) + square(x[0]-x[1]) + square(x[1]-x[2]) + fourth(x[2]-x[3]) + fourth(x[3]-x[4])
		}),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1]*x[1] + cube(x[2]) + 2 - 3*math.Sqrt2 },
			func(x *vars) complex128 { return x[1] - x[2]*x[2] + x[3] + 2 - 2*math.Sqrt2 },
			func(x *vars) complex128 { return x[0] - x[4] - 2 },
		),
	}, {
		Name: "BT12", Source: btPaper + "12",
		start: []float64{15.811, 1.5811, 0, 15.083, 3.7164}, Optimum: 625. / 101,
		Solution:  []float64{2500. / 101, 25. / 101, 0, 5. / 101 * math.Sqrt(239824), math.Sqrt(2298. / 101)},
		objective: first(2, func(x *vars) complex128 { return 0.01*x[0]*x[0] + x[1]*x[1] }),
		constraints: first(5,
			func(x *vars) complex128 { return x[0] + x[1] - x[2]*x[2] - 25 },
			func(x *vars) complex128 { return x[0]*x[0] + x[1]*x[1] - x[3]*x[3] - 25 },
			func(x *vars) complex128 { return x[0] - x[4]*x[4] - 2 },
		),
	}}
}
