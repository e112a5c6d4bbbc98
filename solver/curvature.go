package solver

import (
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// difference is the step h of difference quotients of gradients.
const difference = 1e-4

// curvature applies the Hessian of a batch's objective by differences of gradients.
type curvature struct {
	p       *oracle
	b       *problem.Batch
	y, g, u []float64
}

func newCurvature(p problem.Problem, b *problem.Batch) *curvature {
	n, _ := p.Dims()
	return &curvature{p: newOracle(p), b: b, y: make([]float64, n), g: make([]float64, n), u: make([]float64, n)}
}

// times stores ∇²f(x)v in dst.
func (c *curvature) times(dst, x, v []float64) {
	floats.AddScaledTo(c.y, x, difference, v)
	c.p.gradient(dst, c.y, c.b)
	c.p.gradient(c.g, x, c.b)
	floats.Sub(dst, c.g)
	floats.Scale(1/difference, dst)
}

// steepest turns v towards the eigenvector of the Hessian at x with the largest absolute
// eigenvalue, by power iteration. It returns an estimate of this absolute eigenvalue. In the
// end v has length 1.
func (c *curvature) steepest(v, x []float64) float64 {
	const iterations = 10
	eigenvalue := 0.0
	for range iterations {
		norm := floats.Norm(v, 2)
		if norm == 0 { // the Hessian vanishes along v
			v[0], norm = 1, 1
		}
		floats.Scale(1/norm, v)
		c.times(c.u, x, v)
		eigenvalue = floats.Norm(c.u, 2)
		copy(v, c.u)
	}
	if eigenvalue > 0 {
		floats.Scale(1/eigenvalue, v)
	}
	return eigenvalue
}
