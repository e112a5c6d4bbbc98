package solver

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// EstimateConstants estimates the constants of the paper's assumptions from samples
// along a short pilot path. The path starts at p's starting point and follows FSFO's
// direction. The constants are local estimates and no bounds: the maxima over the path (for ν
// the minimum) of
//
//	G, M, L_c, ν     norms and smallest singular value of batch means
//	σ_f, σ_c, σ_J    standard deviations over single samples
//	L_f              power iteration for the steepest direction v of ∇f, then the root
//	                 mean square over single samples of ‖∇F(x+hv) − ∇F(x)‖/h
//	L_c, L_J         the same differences along v and along the constraint normals
//	L_h^f, L_h^c     differences of such difference quotients between points of the path
//
// The samples are charged to p like any others. If the path diverges, because the constraints bend
// more than the objective, another one takes short steps, as the curvature of the Lagrangian tells,
// and the normal step of Gauss and Newton. It is an error if that one diverges, too.
func EstimateConstants(p problem.Problem, r *rand.Rand) (problem.Constants, error) {
	for _, short := range []bool{false, true} {
		if e := newEstimator(p, r); e.followPath(short) {
			return e.constants, nil
		}
	}
	return problem.Constants{}, errPilot
}

var errPilot = errors.New("constants = estimate: the pilot path diverges, so that nothing can be measured along it; " +
	"give the constants l_f, l_c and nu, or eta, or a starting point closer to c = 0")

func newEstimator(p problem.Problem, r *rand.Rand) *estimator {
	n, m := p.Dims()
	e := &estimator{
		p: newOracle(p), r: r, n: n, m: m,
		spider:   newSpider(p, Streams{Objective: r, Constraint: r, Jacobian: r}, unbounded),
		steepest: make([]float64, n),
	}
	e.direction = newDirection(p, e.spider.values)
	e.constants.Nu = math.Inf(1)
	for i := range e.steepest {
		e.steepest[i] = r.NormFloat64()
	}
	p.DrawObjective(&e.f, pilotBatch, r)
	p.DrawConstraint(&e.j, pilotBatch, r)
	e.curvatureF = newCurvature(p, &e.f)
	return e
}

// followPath visits the points of a path. It reports whether ‖c‖ stays within what the constraints
// are at the start and change in the first step, up to a large factor.
func (e *estimator) followPath(short bool) bool {
	const points, large = 6, 1000
	x := make([]float64, e.n)
	e.p.Start(x)
	scale := 0.0 // of c
	for k := range points {
		e.spider.refresh(x, batchSizes{pilotBatch, pilotBatch, pilotBatch})
		violation := floats.Norm(e.spider.values.Constraint, 2)
		if k > 0 && !(violation <= large*scale) {
			return false
		}
		e.visit(x)
		eta := 1 / e.constants.Lf
		normal := normalStep{w: pilotWeight}
		if short {
			eta = 0.1 / (e.constants.Lf + float64(floats.Norm(e.direction.lambda, 2)*e.constants.LJ))
			normal = normalStep{w: pilotWeight / eta, newton: true}
		}
		e.direction.finish(x, normal, eta)
		if k == 0 {
			scale = max(violation, e.constants.Lc*eta*floats.Norm(e.direction.step, 2))
		}
		e.direction.move(x, eta)
	}
	return linalg.Finite(x)
}

const (
	pilotWeight  = 0.5 // w of the pilot path
	pilotBatch   = 512
	pilotSingles = 64 // single samples per point
)

type estimator struct {
	p          *oracle
	r          *rand.Rand
	n, m       int
	spider     *spider
	direction  *direction
	steepest   []float64     // v, kept from point to point
	f, j       problem.Batch // the samples from which the curvature of f and c is estimated
	curvatureF *curvature
	constants  problem.Constants
	last       []float64 // the previous point of the path, nil at first
	lastV      []float64 // v there
	lastF      []float64 // ∇²f v there
	lastC      []float64 // the Jacobian's derivative along v there
}

// visit raises the constants to the values at x.
func (e *estimator) visit(x []float64) {
	c, v := &e.constants, e.spider.values
	c.G = max(c.G, floats.Norm(v.Gradient, 2))
	c.M = max(c.M, floats.Norm(v.Constraint, 2))
	c.Lc = max(c.Lc, floats.Norm(v.Jacobian.Data, 2))
	e.direction.start(x)
	c.Nu = min(c.Nu, e.direction.space.MuMin)

	e.curvatureF.steepest(e.steepest, x)
	normal := make([]float64, e.n)
	for i := range e.m {
		floats.Add(normal, v.Jacobian.Data[i*e.n:(i+1)*e.n])
	}
	if norm := floats.Norm(normal, 2); norm > 0 {
		floats.Scale(1/norm, normal)
	}
	e.singles(x, e.steepest)
	e.singles(x, normal)
	e.bend(x)
}

// singles raises σ and the mean-square Lipschitz constants from single samples at x and
// x + h·v.
func (e *estimator) singles(x, v []float64) {
	n, m := e.n, e.m
	y := floats.AddScaledTo(make([]float64, n), x, difference, v)
	g, c, j := make([]float64, n), make([]float64, m), problem.NewJacobian(m, n)
	gy, cy, jy := make([]float64, n), make([]float64, m), problem.NewJacobian(m, n)
	mean := e.spider.values
	var b problem.Batch
	var sf, sc, sj, lf, lc, lj float64
	for range pilotSingles {
		e.p.DrawObjective(&b, 1, e.r)
		e.p.gradient(g, x, &b)
		e.p.gradient(gy, y, &b)
		sf += square(distance(g, mean.Gradient))
		lf += square(distance(g, gy))
		e.p.DrawConstraint(&b, 1, e.r)
		e.p.constraint(c, x, &b)
		e.p.constraint(cy, y, &b)
		e.p.jacobian(j, x, &b)
		e.p.jacobian(jy, y, &b)
		sc += square(distance(c, mean.Constraint))
		sj += square(distance(j.Data, mean.Jacobian.Data))
		lc += square(distance(c, cy))
		lj += square(distance(j.Data, jy.Data))
	}
	k := &e.constants
	for _, pair := range []struct {
		constant *float64
		sum, h   float64
	}{
		{&k.SigmaF, sf, 1},
		{&k.SigmaC, sc, 1},
		{&k.SigmaJ, sj, 1},
		{&k.Lf, lf, difference},
		{&k.Lc, lc, difference},
		{&k.LJ, lj, difference},
	} {
		*pair.constant = max(*pair.constant, math.Sqrt(pair.sum/pilotSingles)/pair.h)
	}
}

// bend raises the Lipschitz constants of the Hessians. It compares the product of a Hessian
// with one vector at x and at the last point.
func (e *estimator) bend(x []float64) {
	if e.last != nil {
		if moved := distance(x, e.last); moved > 0 {
			hv, jv := e.products(x, e.lastV)
			e.constants.Lhf = max(e.constants.Lhf, distance(hv, e.lastF)/moved)
			e.constants.Lhc = max(e.constants.Lhc, distance(jv, e.lastC)/moved)
		}
	}
	e.last = append(e.last[:0], x...)
	e.lastV = append(e.lastV[:0], e.steepest...)
	e.lastF, e.lastC = e.products(x, e.steepest)
}

// products returns ∇²f(x)v and the derivative of the Jacobian along v.
func (e *estimator) products(x, v []float64) (hv, jv []float64) {
	hv = make([]float64, e.n)
	e.curvatureF.times(hv, x, v)
	y := floats.AddScaledTo(make([]float64, e.n), x, difference, v)
	j, jy := problem.NewJacobian(e.m, e.n), problem.NewJacobian(e.m, e.n)
	e.p.jacobian(j, x, &e.j)
	e.p.jacobian(jy, y, &e.j)
	floats.Sub(jy.Data, j.Data)
	floats.Scale(1/difference, jy.Data)
	return hv, jy.Data
}

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
