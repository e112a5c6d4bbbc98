package benchmark

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// constants are what all methods know about a problem: estimates at its starting point
// from exact values, as in the experiments of Berahas, Curtis, Robinson and Zhou (SIOPT
// 2021). They set the units of the methods' step sizes; the candidates' step factors
// cover the errors of such estimates.
type constants struct {
	// Curvature is ‖∇²f + Σ λ_i∇²c_i‖₂ with the least-squares multiplier λ, K below.
	Curvature float64 `json:"curvature"`
	// Slope is ‖∇c‖₂.
	Slope float64 `json:"slope"`
	// Bend is the Lipschitz constant of ∇c, seen along the directions of the power
	// iterations.
	Bend float64 `json:"bend"`
}

// method returns a candidate's method for a problem with the constants.
func (k constants) method(c experiment.Candidate) (solver.Method, error) {
	m, err := c.Build()
	if err != nil {
		return nil, err
	}
	k.tell(m)
	return m, solver.Validate(m)
}

// tell gives the constants to a method. The augmented Lagrangian with penalty ρ has a
// gradient with the Lipschitz constant K + ρ‖∇c‖² about: its inverse is the unit of
// steps, at ρ = 1 for FSFO, whose normal step has a weight w < 1.
func (k constants) tell(m solver.Method) {
	square := k.Slope * k.Slope
	switch m := m.(type) {
	case *solver.FSFO:
		m.Eta /= k.Curvature + square
	case *solver.SSQP:
		m.L *= k.Curvature
		m.Gamma *= k.Bend
	case *solver.SLQPM:
		m.Eta *= m.Rho / (k.Curvature + m.Rho*square)
	case *solver.StocIALM:
		m.Lf, m.Lc = k.Curvature, k.Slope
	}
}

// estimateConstants estimates the constants of a deterministic problem at x, where its
// values are start.
func estimateConstants(p problem.Problem, x []float64, start *problem.Values) constants {
	n, m := p.Dims()
	e := &estimator{
		p: p, x: x, y: make([]float64, n), start: start,
		multiplier: kkt.NewEvaluator(p).Score(start).Multiplier,
		forward:    problem.NewValues(n, m), backward: problem.NewValues(n, m),
	}
	k := constants{
		Curvature: powerIteration(n, e.hessian),
		Slope:     math.Sqrt(powerIteration(n, e.gram)),
	}
	k.Bend = e.bend
	if !(k.Slope > 0) || math.IsInf(k.Slope, 0) {
		k.Slope = 1 // an unknown scale
	}
	if least := 1e-8 * k.Slope * k.Slope; !(k.Curvature > least) || math.IsInf(k.Curvature, 0) {
		k.Curvature = k.Slope * k.Slope // no curvature: steps in the scale of the constraints
	}
	if math.IsNaN(k.Bend) || math.IsInf(k.Bend, 0) {
		k.Bend = k.Curvature
	}
	return k
}

// estimator holds the values whose differences approximate derivatives.
type estimator struct {
	p                 problem.Problem
	x, y              []float64
	start             *problem.Values // at x
	multiplier        []float64
	forward, backward *problem.Values
	bend              float64
}

// hessian stores the product of the Lagrangian's Hessian with the unit vector v in dst.
func (e *estimator) hessian(dst, v []float64) {
	h := 1e-5 * max(1, floats.Norm(e.x, math.Inf(1)))
	e.p.Evaluate(e.forward, floats.AddScaledTo(e.y, e.x, h, v), nil)
	e.p.Evaluate(e.backward, floats.AddScaledTo(e.y, e.x, -h, v), nil)
	floats.Sub(e.forward.Gradient, e.backward.Gradient)
	difference := e.forward.Jacobian
	floats.Sub(difference.Data, e.backward.Jacobian.Data)
	copy(dst, e.forward.Gradient)
	blas64.Gemv(blas.Trans, 1, difference, linalg.Vector(e.multiplier), 1, linalg.Vector(dst))
	floats.Scale(1/(2*h), dst)
	e.bend = max(e.bend, floats.Norm(difference.Data, 2)/(2*h))
}

// gram stores the product of JᵀJ with v in dst.
func (e *estimator) gram(dst, v []float64) {
	jv := e.forward.Constraint
	blas64.Gemv(blas.NoTrans, 1, e.start.Jacobian, linalg.Vector(v), 0, linalg.Vector(jv))
	blas64.Gemv(blas.Trans, 1, e.start.Jacobian, linalg.Vector(jv), 0, linalg.Vector(dst))
}

// powerIteration estimates the largest absolute eigenvalue of a symmetric n×n matrix
// from its products with unit vectors.
func powerIteration(n int, times func(dst, v []float64)) float64 {
	const iterations = 20
	v, next := make([]float64, n), make([]float64, n)
	for i := range v { // a start that no symmetry of a problem makes orthogonal
		v[i] = 1 + 0.5*math.Sin(float64(3*i+1))
	}
	floats.Scale(1/floats.Norm(v, 2), v)
	eigenvalue := 0.0
	for range iterations {
		times(next, v)
		eigenvalue = floats.Norm(next, 2)
		if !(eigenvalue > 0) || math.IsInf(eigenvalue, 0) {
			break
		}
		floats.ScaleTo(v, 1/eigenvalue, next)
	}
	return eigenvalue
}
