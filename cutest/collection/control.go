package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

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
func quarticControl(name string, periods int, mu, optimum float64) *Problem {
	const controls, states = 2, 4
	stages := periods - 1
	head := stages * controls
	var b, c [states][controls]float64
	for i := range states {
		for j := range controls {
			b[i][j] = float64(i-j) / (states + controls)
			c[i][j] = mu * float64(i+j+2) / (states + controls)
		}
	}
	var origin [states]float64
	stage := func(x []float64, t int) (control, from, to []float64) {
		control, from, to = x[t*controls:][:controls], origin[:], x[head+t*states:][:states]
		if t > 0 {
			from = x[head+(t-1)*states:][:states]
		}
		return control, from, to
	}
	return &Problem{
		Name: name, Source: colemanLiao + "1", Optimum: optimum,
		m:     stages * states,
		start: make([]float64, stages*(controls+states)),
		objective: func(x []float64) float64 {
			f := states * fourth(0.25)
			for _, u := range x[:head] {
				f += fourth(u + 0.5)
			}
			for _, y := range x[head:] {
				f += fourth(y + 0.25)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			for k, u := range x[:head] {
				dst[k] = 4 * cube(u+0.5)
			}
			for k, y := range x[head:] {
				dst[head+k] = 4 * cube(y+0.25)
			}
		},
		constraint: func(dst, x []float64) {
			for t := range stages {
				u, y, next := stage(x, t)
				bilinear := 0.0
				for i := range c {
					bilinear += y[i] * (c[i][0]*u[0] + c[i][1]*u[1])
				}
				ct := dst[t*states:][:states]
				for i := range ct {
					ct[i] = 0.5*y[i] + b[i][0]*u[0] + b[i][1]*u[1] + bilinear - next[i]
					if i > 0 {
						ct[i] -= 0.25 * y[i-1]
					}
					if i+1 < states {
						ct[i] += 0.25 * y[i+1]
					}
				}
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for t := range stages {
				u, y, _ := stage(x, t)
				var du [controls]float64
				var dy [states]float64
				for i := range c {
					for j := range c[i] {
						du[j] += c[i][j] * y[i]
						dy[i] += c[i][j] * u[j]
					}
				}
				for i := range states {
					dc := row(dst, t*states+i)
					dcdu, dcdy, next := stage(dc, t)
					next[i] = -1
					for j := range dcdu {
						dcdu[j] = b[i][j] + du[j]
					}
					if t == 0 {
						continue // y₁ is fixed
					}
					copy(dcdy, dy[:])
					dcdy[i] += 0.5
					if i > 0 {
						dcdy[i-1] -= 0.25
					}
					if i+1 < states {
						dcdy[i+1] += 0.25
					}
				}
			}
		},
	}
}

// DTOC6 steers one state y with one control x, periods ≥ 2:
//
//	minimise ½ Σ_t (y_t + exp x_t)² + x_t² subject to y_{t+1} = y_t + exp x_t,  y₁ = 0.
//
// The variables are x₁, x₂, ..., then y₂, y₃, ...
func DTOC6(periods int) *Problem {
	stages := periods - 1
	return &Problem{
		Name: "DTOC6", Source: colemanLiao + "6", Optimum: atSize(periods, 101, 727.9813165829007),
		m:     stages,
		start: make([]float64, 2*stages),
		objective: func(x []float64) float64 {
			u, y := x[:stages], x[stages:]
			f, from := 0.0, 0.0
			for t := range u {
				f += 0.5 * (square(from+math.Exp(u[t])) + u[t]*u[t])
				from = y[t]
			}
			return f
		},
		gradient: func(dst, x []float64) {
			u, y := x[:stages], x[stages:]
			du, dy := dst[:stages], dst[stages:]
			dy[stages-1] = 0
			from := 0.0
			for t := range u {
				e := math.Exp(u[t])
				du[t] = (from+e)*e + u[t]
				if t > 0 {
					dy[t-1] = from + e
				}
				from = y[t]
			}
		},
		constraint: func(dst, x []float64) {
			u, y := x[:stages], x[stages:]
			from := 0.0
			for t := range u {
				dst[t] = from + math.Exp(u[t]) - y[t]
				from = y[t]
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for t := range stages {
				dc := row(dst, t)
				dc[t] = math.Exp(x[t])
				dc[stages+t] = -1
				if t > 0 {
					dc[stages+t-1] = 1
				}
			}
		},
	}
}
