package collection

import "math/cmplx"

const colemanLiao = "T. F. Coleman and A. Liao, An efficient trust region method for unconstrained " +
	"discrete-time optimal control problems, report CTC93TR144, Cornell University 1993, problem "

// control returns problems of discrete-time optimal control. The optima agree to only
// four digits with the values that the SIF files quote; the points here satisfy the
// optimality conditions up to rounding.
func control() []*Problem {
	return []*Problem{DTOC1L(10), DTOC1NB(10), DTOC1NC(10), DTOC6(101)}
}

// DTOC1L has linear transitions, periods ≥ 2.
func DTOC1L(periods int) *Problem {
	return quarticControl("DTOC1L", periods, 0, atSize(periods, 10, 0.073594538938136))
}

// DTOC1NB has slightly bilinear transitions, periods ≥ 2.
func DTOC1NB(periods int) *Problem {
	return quarticControl("DTOC1NB", periods, 0.05, atSize(periods, 10, 0.098483463281493))
}

// DTOC1NC has bilinear transitions, periods ≥ 2.
func DTOC1NC(periods int) *Problem {
	return quarticControl("DTOC1NC", periods, 0.5, atSize(periods, 10, 0.312306714761889))
}

// quarticControl steers four states y with two controls x,
//
//	minimise Σ_t ‖x_t + ½‖₄⁴ + Σ_t ‖y_t + ¼‖₄⁴
//	subject to y_{t+1} = A y_t + B x_t + (y_tᵀC x_t) e,  y₁ = 0,
//
// with A tridiagonal (−¼, ½, ¼), B_ij = (i−j)/6, C_ij = μ(i+j)/6 and e all ones. The
// variables are x₁, x₂, ..., then y₂, y₃, ...
func quarticControl(name string, periods int, mu complex128, optimum float64) *Problem {
	const controls, states = 2, 4
	stages := periods - 1
	head := stages * controls
	p := &Problem{
		Name: name, Source: colemanLiao + "1", Optimum: optimum,
		start:     make([]float64, stages*(controls+states)),
		objective: first(0, func(*vars) complex128 { return states * fourth(0.25) }), // of y₁
	}
	for k := range p.start {
		offset := complex128(0.5)
		if k >= head {
			offset = 0.25
		}
		p.objective = append(p.objective, element{func(x *vars) complex128 { return fourth(x[0] + offset) }, []int{k}})
	}
	sixth := func(i int) complex128 { return complex(float64(i)/(states+controls), 0) }
	for t := range stages {
		for i := range states {
			var a [states + 2]complex128 // row i of A, with a column more on each side
			a[i], a[i+1], a[i+2] = -0.25, 0.5, 0.25
			variables := append(span(controls*t, controls), head+states*t+i)
			if t > 0 {
				variables = append(variables, span(head+states*(t-1), states)...)
			}
			p.constraints = append(p.constraints, element{func(x *vars) complex128 {
				c := sixth(i)*x[0] + sixth(i-1)*x[1] - x[2]
				for k, y := range x[3 : 3+states] {
					c += y * (a[k+1] + mu*(sixth(k+2)*x[0]+sixth(k+3)*x[1]))
				}
				return c
			}, variables})
		}
	}
	return p
}

// DTOC6 steers one state y with one control x, periods ≥ 2:
//
//	minimise ½ Σ_t (y_t + exp x_t)² + x_t² subject to y_{t+1} = y_t + exp x_t,  y₁ = 0.
//
// The variables are x₁, x₂, ..., then y₂, y₃, ...
func DTOC6(periods int) *Problem {
	stages := periods - 1
	p := &Problem{
		Name: "DTOC6", Source: colemanLiao + "6", Optimum: atSize(periods, 101, 727.9813165829007),
		start: make([]float64, 2*stages),
	}
	for t := range stages {
		var from []int // y_t
		if t > 0 {
			from = span(stages+t-1, 1)
		}
		p.objective = append(p.objective, element{func(x *vars) complex128 {
			return 0.5 * (square(x[1]+cmplx.Exp(x[0])) + x[0]*x[0])
		}, append([]int{t}, from...)})
		p.constraints = append(p.constraints, element{func(x *vars) complex128 {
			return x[2] + cmplx.Exp(x[0]) - x[1]
		}, append([]int{t, stages + t}, from...)})
	}
	return p
}
