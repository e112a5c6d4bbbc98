package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

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
		m:     n - 2,
		start: periodic(n, -1.2, 1),
		objective: func(x []float64) float64 {
			f := 0.0
			for i := range len(x) - 1 {
				f += 100*square(x[i]*x[i]-x[i+1]) + square(x[i]-1)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := range len(x) - 1 {
				d := 200 * (x[i]*x[i] - x[i+1])
				dst[i] += 2*d*x[i] + 2*(x[i]-1)
				dst[i+1] -= d
			}
		},
		constraint: func(dst, x []float64) {
			for k := range dst {
				u, v, w := x[k], x[k+1], x[k+2]
				dst[k] = v*(3*v*v+4) + 2*w + math.Sin(v-w)*math.Sin(v+w) - u*math.Exp(u-v) - 8
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for k := range dst.Rows {
				u, v, w := x[k], x[k+1], x[k+2]
				e := math.Exp(u - v)
				set(
					row(dst, k)[k:k+3],
					-(1+u)*e,
					9*v*v+4+math.Sin(2*v)+u*e,
					2-math.Sin(2*w),
				)
			}
		},
	}
}

// LUKVLE3 is the chained Powell singular function with two trigonometric-exponential
// constraints, n ≥ 4 even.
func LUKVLE3(n int) *Problem {
	return &Problem{
		Name: "LUKVLE3", Source: luksanVlcek + "5.3", Optimum: atSize(n, 100, 27.5865837567047),
		m:     2,
		start: periodic(n, 3, -1, 0, 1),
		objective: func(x []float64) float64 {
			f := 0.0
			for i := 0; i+3 < len(x); i += 2 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				f += square(a+10*b) + 5*square(c-d) + fourth(b-2*c) + 10*fourth(a-d)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := 0; i+3 < len(x); i += 2 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				ab, cd, bc, ad := 2*(a+10*b), 10*(c-d), 4*cube(b-2*c), 40*cube(a-d)
				dst[i] += ab + ad
				dst[i+1] += 10*ab + bc
				dst[i+2] += cd - 2*bc
				dst[i+3] -= cd + ad
			}
		},
		constraint: func(dst, x []float64) {
			y, z := x[len(x)-2], x[len(x)-1]
			set(
				dst,
				3*cube(x[0])+2*x[1]+math.Sin(x[0]-x[1])*math.Sin(x[0]+x[1])-5,
				4*y-y*math.Exp(y-z)-3,
			)
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			set(row(dst, 0)[:2], 9*x[0]*x[0]+math.Sin(2*x[0]), 2-math.Sin(2*x[1]))
			y, z := x[len(x)-2], x[len(x)-1]
			e := math.Exp(y - z)
			set(row(dst, 1)[len(x)-2:], 4-(1+y)*e, y*e)
		},
	}
}

// LUKVLE4C is the chained Cragg–Levy function with tridiagonal constraints, n ≥ 4 even,
// as CUTEst corrected it in 2024.
func LUKVLE4C(n int) *Problem {
	return &Problem{
		Name: "LUKVLE4C", Source: luksanVlcek + "5.4", Optimum: atSize(n, 100, 454.713333948139),
		m:     n - 2,
		start: periodic(n, 1, 2, 2, 2),
		objective: func(x []float64) float64 {
			f := 0.0
			for i := 0; i+3 < len(x); i += 2 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				f += fourth(math.Exp(a)-b) + 100*square(cube(b-c)) + fourth(math.Tan(c-d)+c-d) +
					fourth(a*a) + square(d-1)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			clear(dst)
			for i := 0; i+3 < len(x); i += 2 {
				a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
				e, tan := math.Exp(a), math.Tan(c-d)
				ab, bc := 4*cube(e-b), 600*fourth(b-c)*(b-c)
				cd := 4 * cube(tan+c-d) * (2 + tan*tan)
				dst[i] += ab*e + 8*fourth(a)*cube(a)
				dst[i+1] += bc - ab
				dst[i+2] += cd - bc
				dst[i+3] += 2*(d-1) - cd
			}
		},
		constraint: func(dst, x []float64) {
			for k := range dst {
				u, v, w := x[k], x[k+1], x[k+2]
				dst[k] = 8*v*(v*v-u) + 6*v - 4*w*w - 2
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for k := range dst.Rows {
				u, v, w := x[k], x[k+1], x[k+2]
				set(row(dst, k)[k:k+3], -8*v, 8*(3*v*v-u)+6, -8*w)
			}
		},
	}
}

// LUKVLE7 is the trigonometric tridiagonal function with four five-diagonal constraints,
// n ≥ 4.
func LUKVLE7(n int) *Problem {
	// f = Σ i (1 − cos x_i + sin x_{i−1} − sin x_{i+1}) with x₀ = x_{n+1} = 0, collected.
	last := float64(n - 1)
	return &Problem{
		Name: "LUKVLE7", Source: luksanVlcek + "5.7", Optimum: atSize(n, 100, 56.88321728716),
		m:     4,
		start: constant(n, 1),
		objective: func(x []float64) float64 {
			f := 0.0
			for i, xi := range x {
				sin, cos := math.Sincos(xi)
				f += float64(i+1)*(1-cos) + 2*sin
			}
			return f - (last+2)*math.Sin(x[n-1])
		},
		gradient: func(dst, x []float64) {
			for i, xi := range x {
				sin, cos := math.Sincos(xi)
				dst[i] = float64(i+1)*sin + 2*cos
			}
			dst[n-1] -= (last + 2) * math.Cos(x[n-1])
		},
		constraint: func(dst, x []float64) {
			w, y, z := x[n-3], x[n-2], x[n-1]
			set(
				dst,
				4*(x[0]-x[1]*x[1])+x[1]-x[2]*x[2],
				8*x[1]*(x[1]*x[1]-x[0])-2+6*x[1]-4*x[2]*x[2]+x[2]-x[3]*x[3],
				8*y*(y*y-w)-2+6*y-4*z*z+w*w-x[n-4],
				8*z*(z*z-y)+2*z+y*y-w,
			)
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			w, y, z := x[n-3], x[n-2], x[n-1]
			set(row(dst, 0)[:3], 4, 1-8*x[1], -2*x[2])
			set(row(dst, 1)[:4], -8*x[1], 8*(3*x[1]*x[1]-x[0])+6, 1-8*x[2], -2*x[3])
			set(row(dst, 2)[n-4:], -1, 2*w-8*y, 8*(3*y*y-w)+6, -8*z)
			set(row(dst, 3)[n-3:], -1, 2*y-8*z, 8*(3*z*z-y)+2)
		},
	}
}

// LUKVLE10 is the generalised Brown function with Broyden tridiagonal constraints, n ≥ 4
// even. The objective has derivatives where no variable is zero.
func LUKVLE10(n int) *Problem {
	return &Problem{
		Name: "LUKVLE10", Source: luksanVlcek + "5.10", Optimum: atSize(n, 100, 34.92440338126),
		m:     n - 2,
		start: periodic(n, -1, 1),
		objective: func(x []float64) float64 {
			f := 0.0
			for i := 0; i < len(x); i += 2 {
				a, b := x[i]*x[i], x[i+1]*x[i+1]
				f += math.Pow(a, b+1) + math.Pow(b, a+1)
			}
			return f
		},
		gradient: func(dst, x []float64) {
			for i := 0; i < len(x); i += 2 {
				a, b := x[i]*x[i], x[i+1]*x[i+1]
				p, q := math.Pow(a, b+1), math.Pow(b, a+1)
				dst[i] = 2 * (p*(b+1)/x[i] + q*math.Log(b)*x[i])
				dst[i+1] = 2 * (q*(a+1)/x[i+1] + p*math.Log(a)*x[i+1])
			}
		},
		constraint: func(dst, x []float64) {
			for k := range dst {
				dst[k] = x[k+1]*(3-2*x[k+1]) - x[k] - 2*x[k+2] + 1
			}
		},
		jacobian: func(dst blas64.General, x []float64) {
			zero(dst)
			for k := range dst.Rows {
				set(row(dst, k)[k:k+3], -1, 3-4*x[k+1], -2)
			}
		},
	}
}

// periodic returns n elements that repeat values.
func periodic(n int, values ...float64) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = values[j%len(values)]
	}
	return x
}
