package collection

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

const gulliksson = "M. Gulliksson, Algorithms for nonlinear least squares with applications to " +
	"orthogonal regression, report UMINF-178.90, University of Umeå 1990"

// circleNumber is π with the digits that CUTEst's data has.
const circleNumber = 3.1415926535

func orthogonal() []*Problem {
	return []*Problem{ORTHREGA(3), ORTHREGB(), ORTHREGD(50), ORTHRGDM(50)}
}

// ORTHREGA fits an ellipse to 4^levels points in the plane, levels ≥ 1.
func ORTHREGA(levels int) *Problem {
	a, b := 9.0, 6.0
	points := [][2]float64{{0.5, 0.5}}
	for range levels {
		var finer [][2]float64
		for _, p := range points {
			for _, d := range [][2]float64{{a, a}, {b, -b}, {-a, -a}, {-b, b}} {
				finer = append(finer, [2]float64{p[0] + d[0], p[1] + d[1]})
			}
		}
		points = finer
		a, b = a/circleNumber, b/circleNumber
	}
	var data []float64
	for _, p := range points {
		data = append(data, p[:]...)
	}
	p := quadricFit("ORTHREGA", 2, data)
	p.Optimum = atSize(levels, 3, 414.528969474667) // the SIF file knows a better one, 350.29936756
	return p
}

// ORTHREGB fits an ellipsoid to six points in space, which lie on one.
func ORTHREGB() *Problem {
	const centre, a, b, c = 0.5, 9, 6, 7
	return quadricFit("ORTHREGB", 3, []float64{
		centre + a, centre + a, centre,
		centre + b, centre - b, centre,
		centre - a, centre - a, centre,
		centre - b, centre + b, centre,
		centre, centre, centre + c,
		centre, centre, centre - c,
	})
}

// quadricFit moves given points p_i, of some dimension, as little as possible for them to
// lie on a quadric:
//
//	minimise Σ ‖y_i − p_i‖² subject to y_iᵀH y_i − 2 gᵀy_i = 1.
//
// The variables are the upper triangle of H row by row, g, and the points y_i.
func quadricFit(name string, dimension int, data []float64) *Problem {
	triangle := dimension * (dimension + 1) / 2
	head := triangle + dimension
	p := &Problem{
		Name: name, Source: gulliksson,
		m:     len(data) / dimension,
		start: append(make([]float64, head), data...),
	}
	for i, k := 0, 0; i < dimension; i++ { // H = I
		p.start[k] = 1
		k += dimension - i
	}
	p.objective, p.gradient = distanceTo(data, head)
	p.constraint = func(dst, x []float64) {
		h, g := x[:triangle], x[triangle:head]
		for i := range dst {
			y := x[head+i*dimension:][:dimension]
			value, k := -1.0, 0
			for a := range y {
				value += y[a] * (h[k]*y[a] - 2*g[a])
				k++
				for b := a + 1; b < len(y); b++ {
					value += 2 * h[k] * y[a] * y[b]
					k++
				}
			}
			dst[i] = value
		}
	}
	p.jacobian = func(dst blas64.General, x []float64) {
		zero(dst)
		h, g := x[:triangle], x[triangle:head]
		for i := range dst.Rows {
			y := x[head+i*dimension:][:dimension]
			dc := row(dst, i)
			dy := dc[head+i*dimension:][:dimension]
			k := 0
			for a := range y {
				dc[k] = y[a] * y[a]
				dc[triangle+a] = -2 * y[a]
				dy[a] += 2 * (h[k]*y[a] - g[a])
				k++
				for b := a + 1; b < len(y); b++ {
					dc[k] = 2 * y[a] * y[b]
					dy[a] += 2 * h[k] * y[b]
					dy[b] += 2 * h[k] * y[a]
					k++
				}
			}
		}
	}
	return p
}

// ORTHREGD fits a cardioid to points ≥ 1 points in the plane.
func ORTHREGD(points int) *Problem {
	return cardioidFit("ORTHREGD", points, 1, atSize(points, 50, 15.5904218327191))
}

// ORTHRGDM is ORTHREGD with data that keeps points away from the centre of the cardioid,
// where the Jacobian is singular; modified by T. Plantenga.
func ORTHRGDM(points int) *Problem { return cardioidFit("ORTHRGDM", points, 0.25, math.NaN()) }

// cardioidFit moves points p_i as little as possible for them to lie on a cardioid:
//
//	minimise Σ ‖y_i − p_i‖² subject to t_i² = t_i (1 + z₃²)²,  t_i = ‖y_i − (z₁, z₂)‖².
//
// The variables are z and the points y_i. The data is a perturbed cardioid, or with
// dent < 1 a curve between one and a circle.
func cardioidFit(name string, points int, dent, optimum float64) *Problem {
	const head = 3
	data := make([]float64, 2*points)
	for i := range points {
		theta := float64(i) * (2 * circleNumber / float64(points))
		sin, cos := math.Sincos(theta)
		radius := (1 + 1.7*1.7 + dent*cos) * (1 + 0.2*math.Cos(237.1531*theta))
		data[2*i], data[2*i+1] = radius*cos, radius*sin
	}
	p := &Problem{
		Name: name, Source: gulliksson, Optimum: optimum,
		m:     points,
		start: append([]float64{1, 0, 1}, data...),
	}
	p.objective, p.gradient = distanceTo(data, head)
	p.constraint = func(dst, x []float64) {
		radius := square(1 + x[2]*x[2])
		for i := range dst {
			dx, dy := x[head+2*i]-x[0], x[head+2*i+1]-x[1]
			t := dx*dx + dy*dy
			dst[i] = t * (t - radius)
		}
	}
	p.jacobian = func(dst blas64.General, x []float64) {
		zero(dst)
		s := 1 + x[2]*x[2]
		for i := range dst.Rows {
			dx, dy := x[head+2*i]-x[0], x[head+2*i+1]-x[1]
			t := dx*dx + dy*dy
			slope := 2 * (2*t - s*s)
			dc := row(dst, i)
			dc[0], dc[1], dc[2] = -slope*dx, -slope*dy, -4*t*s*x[2]
			dc[head+2*i], dc[head+2*i+1] = slope*dx, slope*dy
		}
	}
	return p
}

// distanceTo returns f = ‖y − data‖² and its gradient, where y follows the first head
// variables.
func distanceTo(data []float64, head int) (objective func(x []float64) float64, gradient func(dst, x []float64)) {
	objective = func(x []float64) float64 {
		f := 0.0
		for k, y := range x[head:] {
			f += square(y - data[k])
		}
		return f
	}
	gradient = func(dst, x []float64) {
		clear(dst[:head])
		for k, y := range x[head:] {
			dst[head+k] = 2 * (y - data[k])
		}
	}
	return objective, gradient
}
