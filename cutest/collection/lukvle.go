package collection

import "math/cmplx"

const luksanVlcek = "L. Lukšan and J. Vlček, Sparse and partially separable test problems for " +
	"unconstrained and equality constrained optimization, report V-767, Institute of Computer " +
	"Science, Academy of Sciences of the Czech Republic 1999, problem "

func chained() []*Problem {
	return []*Problem{LUKVLE1(100), LUKVLE3(100), LUKVLE4C(100), LUKVLE7(100), LUKVLE10(100)}
}

// LUKVLE1 is the chained Rosenbrock function with trigonometric-exponential constraints,
// n ≥ 3.
func LUKVLE1(n int) *Problem {
	return &Problem{
		Name: "LUKVLE1", Source: luksanVlcek + "5.1", Optimum: atSize(n, 100, 6.23245863243799),
		start:     periodic(n, -1.2, 1),
		objective: windows(n, 2, 1, func(x *vars) complex128 { return 100*square(x[0]*x[0]-x[1]) + square(x[0]-1) }),
		constraints: windows(n, 3, 1, func(x *vars) complex128 {
			return x[1]*(3*x[1]*x[1]+4) + 2*x[2] + cmplx.Sin(x[1]-x[2])*cmplx.Sin(x[1]+x[2]) - x[0]*cmplx.Exp(x[0]-x[1]) - 8
		}),
	}
}

// LUKVLE3 is the chained Powell singular function with two trigonometric-exponential
// constraints, n ≥ 4 even.
func LUKVLE3(n int) *Problem {
	return &Problem{
		Name: "LUKVLE3", Source: luksanVlcek + "5.3", Optimum: atSize(n, 100, 27.5865837567047),
		start: periodic(n, 3, -1, 0, 1),
		objective: windows(n, 4, 2, func(x *vars) complex128 {
			return square(x[0]+10*x[1]) + 5*square(x[2]-x[3]) + fourth(x[1]-2*x[2]) + 10*fourth(x[0]-x[3])
		}),
		constraints: []element{
			{func(x *vars) complex128 { return 3*cube(x[0]) + 2*x[1] + cmplx.Sin(x[0]-x[1])*cmplx.Sin(x[0]+x[1]) - 5 }, span(0, 2)},
			{func(x *vars) complex128 { return 4*x[0] - x[0]*cmplx.Exp(x[0]-x[1]) - 3 }, span(n-2, 2)},
		},
	}
}

// LUKVLE4C is the chained Cragg–Levy function with tridiagonal constraints, n ≥ 4 even,
// as CUTEst corrected it in 2024.
func LUKVLE4C(n int) *Problem {
	return &Problem{
		Name: "LUKVLE4C", Source: luksanVlcek + "5.4", Optimum: atSize(n, 100, 454.713333948139),
		start: periodic(n, 1, 2, 2, 2),
		objective: windows(n, 4, 2, func(x *vars) complex128 {
			return fourth(cmplx.Exp(x[0])-x[1]) + 100*square(cube(x[1]-x[2])) +
				fourth(cmplx.Tan(x[2]-x[3])+x[2]-x[3]) + fourth(x[0]*x[0]) + square(x[3]-1)
		}),
		constraints: windows(n, 3, 1, func(x *vars) complex128 { return 8*x[1]*(x[1]*x[1]-x[0]) + 6*x[1] - 4*x[2]*x[2] - 2 }),
	}
}

// LUKVLE7 is the trigonometric tridiagonal function with four five-diagonal constraints,
// n ≥ 4.
func LUKVLE7(n int) *Problem {
	p := &Problem{
		Name: "LUKVLE7", Source: luksanVlcek + "5.7", Optimum: atSize(n, 100, 56.88321728716),
		start: periodic(n, 1),
		constraints: []element{
			{func(x *vars) complex128 { return 4*(x[0]-x[1]*x[1]) + x[1] - x[2]*x[2] }, span(0, 3)},
			{func(x *vars) complex128 { return 8*x[1]*(x[1]*x[1]-x[0]) - 2 + 6*x[1] - 4*x[2]*x[2] + x[2] - x[3]*x[3] }, span(0, 4)},
			{func(x *vars) complex128 { return 8*x[2]*(x[2]*x[2]-x[1]) - 2 + 6*x[2] - 4*x[3]*x[3] + x[1]*x[1] - x[0] }, span(n-4, 4)},
			{func(x *vars) complex128 { return 8*x[2]*(x[2]*x[2]-x[1]) + 2*x[2] + x[1]*x[1] - x[0] }, span(n-3, 3)},
		},
	}
	// f = Σ i (1 − cos x_i + sin x_{i−1} − sin x_{i+1}) with x₀ = x_{n+1} = 0, collected.
	for j := range n {
		i, sines := complex(float64(j+1), 0), complex128(2)
		if j == n-1 {
			sines = 1 - i
		}
		p.objective = append(p.objective, element{func(x *vars) complex128 {
			return i*(1-cmplx.Cos(x[0])) + sines*cmplx.Sin(x[0])
		}, []int{j}})
	}
	return p
}

// LUKVLE10 is the generalised Brown function with Broyden tridiagonal constraints, n ≥ 4
// even. The objective has derivatives where no variable is zero.
func LUKVLE10(n int) *Problem {
	return &Problem{
		Name: "LUKVLE10", Source: luksanVlcek + "5.10", Optimum: atSize(n, 100, 34.92440338126),
		start: periodic(n, -1, 1),
		objective: windows(n, 2, 2, func(x *vars) complex128 {
			a, b := x[0]*x[0], x[1]*x[1]
			return cmplx.Pow(a, b+1) + cmplx.Pow(b, a+1)
		}),
		constraints: windows(n, 3, 1, func(x *vars) complex128 { return x[1]*(3-2*x[1]) - x[0] - 2*x[2] + 1 }),
	}
}
