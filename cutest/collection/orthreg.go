package collection

import "math"

const gulliksson = "M. Gulliksson, Algorithms for nonlinear least squares with applications to " +
	"orthogonal regression, report UMINF-178.90, University of Umeå 1990"

// circleNumber is π with the digits that CUTEst's data has.
const circleNumber = 3.1415926535

func orthogonal() []*Problem {
	return []*Problem{ORTHREGA(3), ORTHREGB(), ORTHREGD(50), ORTHRGDM(50)}
}

// ORTHREGA fits an ellipse yᵀHy − 2gᵀy = 1 to 4^levels points in the plane, levels ≥ 1.
func ORTHREGA(levels int) *Problem {
	a, b := 9.0, 6.0
	points := [][]float64{{0.5, 0.5}}
	for range levels {
		var finer [][]float64
		for _, p := range points {
			for _, d := range [][]float64{{a, a}, {b, -b}, {-a, -a}, {-b, b}} {
				finer = append(finer, []float64{p[0] + d[0], p[1] + d[1]})
			}
		}
		points = finer
		a, b = a/circleNumber, b/circleNumber
	}
	// The SIF file knows a better optimum, 350.29936756.
	optimum := atSize(levels, 3, 414.528969474667)
	return fit("ORTHREGA", optimum, points, []float64{1, 0, 1, 0, 0}, func(x *vars) complex128 {
		h11, h12, h22, g1, g2, y1, y2 := x[0], x[1], x[2], x[3], x[4], x[5], x[6]
		return y1*(h11*y1-2*g1) + y2*(h22*y2-2*g2) + 2*h12*y1*y2 - 1
	})
}

// ORTHREGB fits an ellipsoid to six points in space, which lie on one.
func ORTHREGB() *Problem {
	const centre, a, b, c = 0.5, 9, 6, 7
	points := [][]float64{
		{centre + a, centre + a, centre},
		{centre + b, centre - b, centre},
		{centre - a, centre - a, centre},
		{centre - b, centre + b, centre},
		{centre, centre, centre + c},
		{centre, centre, centre - c},
	}
	return fit("ORTHREGB", 0, points, []float64{1, 0, 0, 1, 0, 1, 0, 0, 0}, func(x *vars) complex128 {
		h11, h12, h13, h22, h23, h33, g1, g2, g3 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]
		y1, y2, y3 := x[9], x[10], x[11]
		return y1*(h11*y1-2*g1) + y2*(h22*y2-2*g2) + y3*(h33*y3-2*g3) + 2*(h12*y1*y2+h13*y1*y3+h23*y2*y3) - 1
	})
}

// ORTHREGD fits a cardioid to points ≥ 1 points in the plane.
func ORTHREGD(points int) *Problem {
	return cardioidFit("ORTHREGD", points, 1, atSize(points, 50, 15.5904218327191))
}

// ORTHRGDM is ORTHREGD with data that keeps points away from the centre of the cardioid,
// where the Jacobian is singular; modified by T. Plantenga.
func ORTHRGDM(points int) *Problem { return cardioidFit("ORTHRGDM", points, 0.25, math.NaN()) }

// cardioidFit fits the cardioid t² = t (1 + z₃²)² with t = ‖y − (z₁, z₂)‖². The data is a
// perturbed cardioid, or with dent < 1 a curve between one and a circle.
func cardioidFit(name string, points int, dent, optimum float64) *Problem {
	data := make([][]float64, points)
	for i := range data {
		theta := float64(i) * (2 * circleNumber / float64(points))
		sin, cos := math.Sincos(theta)
		radius := (1 + 1.7*1.7 + dent*cos) * (1 + 0.2*math.Cos(237.1531*theta))
		data[i] = []float64{radius * cos, radius * sin}
	}
	return fit(name, optimum, data, []float64{1, 0, 1}, func(x *vars) complex128 {
		t := square(x[3]-x[0]) + square(x[4]-x[1])
		return t * (t - square(1+x[2]*x[2]))
	})
}

// fit moves points p_i as little as possible for them to lie on a curve or surface:
//
//	minimise Σ ‖y_i − p_i‖² subject to shape(z, y_i) = 0.
//
// The variables are z and the points y_i, which start at p_i.
func fit(name string, optimum float64, points [][]float64, z []float64, shape formula) *Problem {
	p := &Problem{Name: name, Source: gulliksson, Optimum: optimum, start: z}
	for _, point := range points {
		y := span(len(p.start), len(point))
		p.constraints = append(p.constraints, element{shape, append(span(0, len(z)), y...)})
		for k, coordinate := range point {
			given := complex(coordinate, 0)
			p.objective = append(p.objective, element{func(x *vars) complex128 { return square(x[0] - given) }, y[k : k+1]})
		}
		p.start = append(p.start, point...)
	}
	return p
}
