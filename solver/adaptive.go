package solver

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Adaptive is FSFO's direction with the Gauss-Newton normal step, and with an η and a w that are
// measured on the way: it has nothing to tune but the batch (docs/adaptive.md). It is ours, not
// the paper's.
//
// Every batch has two halves, each evaluated at x_k and at x_{k−1}. Their means give recursive
// estimates (STORM), and their differences say how good these are:
//
//	v ← V(x_k) + (1−a)(v − V(x_{k−1})),   a = P/(P + r),   P = s r + (u + ‖d‖²) q     (gain)
//	s ← (1−a)²s + a²,   u ← (1−a)²(u + ‖d‖²)
//
// where d = x_k − x_{k−1}, r is the variance of V(x_k) and q‖d‖² that of V(x_k) − V(x_{k−1}), so
// that P is the variance of the estimate before and s r + u q that after. The gain is Kalman's.
// With the curvature h = ‖∇²L d‖/‖d‖ of the Lagrangian and H of the constraints, both seen in
// products of the halves, the step is
//
//	η = h/(h² + νq),   w = ‖c‖²/((‖c‖ + ½H‖n‖²)² + P_c + νq_c‖n‖²),   n = J†c
//	x_{k+1} = x_k − η P_V ∇f − w n
//
// and each of its parts is at most twice as long as the step before.
type Adaptive struct {
	Batch int // of each of ∇f, c and ∇c, in two halves

	p          *oracle
	streams    Streams
	batch      problem.Batch
	direction  *direction
	values     *problem.Values    // the estimates v
	at, before [2]*problem.Values // of the halves, at x_k and x_{k−1}
	previous   []float64          // x_{k−1}
	moved      float64            // ‖x_k − x_{k−1}‖
	reach      float64            // the unit of x: max{1, ‖x_0‖}

	gradient, constraint gain    // of ∇f and ∇c together, and of c
	lagrangian, jacobian bending // h and H

	slope, other, scratch []float64 // gradients of the Lagrangian, length n
	newton                []float64 // (JJᵀ)†c
}

// window is the number of steps over which variances are averaged. It is also ν:
// what a step adds to the variance of an estimate stays there for many steps, and counts so
// often.
const window = 32

// DefaultAdaptive returns halves of two samples, the smallest that were reliable on real data.
func DefaultAdaptive() *Adaptive { return &Adaptive{Batch: 4} }

// Name returns "adaptive".
func (*Adaptive) Name() string { return "adaptive" }

// Params lists the option.
func (s *Adaptive) Params() []Param {
	return []Param{{Name: "batch", Doc: "batch for each of ∇f, c and ∇c, in two halves; an odd one is rounded down", Value: &s.Batch, Min: 2, Max: math.Inf(1)}}
}

// Init allocates the method's memory.
func (s *Adaptive) Init(p problem.Problem, streams Streams, it *Iterate) error {
	n, m := p.Dims()
	s.p, s.streams = newOracle(p), streams
	s.values = problem.NewValues(n, m)
	s.direction = newDirection(p, s.values)
	for half := range s.at {
		s.at[half], s.before[half] = problem.NewValues(n, m), problem.NewValues(n, m)
	}
	s.previous, s.newton = slices.Clone(it.X), make([]float64, m)
	s.slope, s.other, s.scratch = make([]float64, n), make([]float64, n), make([]float64, n)
	s.moved, s.reach = 0, max(1, floats.Norm(it.X, 2))
	s.gradient, s.constraint, s.lagrangian, s.jacobian = gain{}, gain{}, bending{}, bending{}
	return nil
}

// Step does one iteration.
func (s *Adaptive) Step(it *Iterate) error {
	s.sample(it.X)
	// The gains come from earlier samples only: if they depended on these, a sample that is far
	// from the others would count less, and the estimates would be biased.
	s.estimate(s.gradient.next(s.moved), s.constraint.next(s.moved))
	s.observe()

	s.direction.start(it.X)
	eta, w := s.tangential(), s.normal()
	s.direction.finish(it.X, normalStep{w: w / eta, newton: true}, eta)
	// Where finish fixed a variable, the normal step of what is left may be far longer.
	if longest, length := 2*s.far(), eta*floats.Norm(s.direction.step, 2); length > longest {
		eta *= longest / length
	}
	copy(s.previous, it.X)
	s.direction.move(it.X, eta)
	s.moved = distance(it.X, s.previous)

	copy(it.Y, s.direction.lambda)
	it.Diag.Eta, it.Diag.Direction, it.Diag.SigmaMin = eta, s.moved/eta, s.direction.space.MuMin
	return nil
}

// sample draws two halves of each batch and evaluates them here and at the point before, which
// is the same at the first step.
func (s *Adaptive) sample(x []float64) {
	for half := range s.at {
		at, was := s.at[half], s.before[half]
		s.p.DrawObjective(&s.batch, s.Batch/2, s.streams.Objective)
		s.p.gradient(at.Gradient, x, &s.batch)
		s.p.gradient(was.Gradient, s.previous, &s.batch)
		s.p.DrawConstraint(&s.batch, s.Batch/2, s.streams.Constraint)
		s.p.constraint(at.Constraint, x, &s.batch)
		s.p.constraint(was.Constraint, s.previous, &s.batch)
		s.p.DrawConstraint(&s.batch, s.Batch/2, s.streams.Jacobian)
		s.p.jacobian(at.Jacobian, x, &s.batch)
		s.p.jacobian(was.Jacobian, s.previous, &s.batch)
	}
}

// estimate brings the estimates to the present point, with the gains for ∇f and ∇c and for c.
func (s *Adaptive) estimate(gradient, constraint float64) {
	storm := func(a float64, of func(*problem.Values) []float64) {
		v := of(s.values)
		at, at2, was, was2 := of(s.at[0]), of(s.at[1]), of(s.before[0]), of(s.before[1])
		for i := range v {
			v[i] = (at[i]+at2[i])/2 + float64((1-a)*(v[i]-(was[i]+was2[i])/2))
		}
	}
	storm(gradient, func(v *problem.Values) []float64 { return v.Gradient })
	storm(gradient, func(v *problem.Values) []float64 { return v.Jacobian.Data })
	storm(constraint, func(v *problem.Values) []float64 { return v.Constraint })
}

// observe learns variances and curvatures from the two halves. Half of the difference of two
// independent halves has the variance of their mean, and the product of their changes is
// that of the exact changes, on average.
func (s *Adaptive) observe() {
	s.slopeOf(s.slope, s.at[0])
	s.slopeOf(s.other, s.at[1])
	fresh := halfDistance(s.slope, s.other)
	freshC := halfDistance(s.at[0].Constraint, s.at[1].Constraint)
	for half, change := range [][]float64{s.slope, s.other} {
		s.slopeOf(s.scratch, s.before[half])
		floats.Sub(change, s.scratch)
		at, was := s.at[half], s.before[half]
		floats.Sub(at.Constraint, was.Constraint)
		floats.Sub(at.Jacobian.Data, was.Jacobian.Data)
	}
	change, changeC := halfDistance(s.slope, s.other), halfDistance(s.at[0].Constraint, s.at[1].Constraint)
	product, productJ := floats.Dot(s.slope, s.other), floats.Dot(s.at[0].Jacobian.Data, s.at[1].Jacobian.Data)
	s.gradient.observe(fresh, change, s.moved)
	s.constraint.observe(freshC, changeC, s.moved)
	s.lagrangian.observe(product, s.moved)
	s.jacobian.observe(productJ, s.moved)
}

// slopeOf stores the gradient of the Lagrangian in dst, 0 for the variables at their bounds:
// the multipliers of bounds do not move anything.
func (s *Adaptive) slopeOf(dst []float64, v *problem.Values) {
	copy(dst, v.Gradient)
	for i, lambda := range s.direction.lambda {
		blas64.Axpy(lambda, linalg.Row(v.Jacobian, i), linalg.Vector(dst))
	}
	for k, i := range s.direction.bounds {
		if s.direction.fixed[k] {
			dst[i] = 0
		}
	}
}

// tangential returns η. It minimises (1 − ηh)²‖g‖² + νqη²‖g‖²: what is left of the gradient g
// of the Lagrangian if its curvature is h, and what the step adds to the variance of its
// estimate.
func (s *Adaptive) tangential() float64 {
	s.slopeOf(s.slope, s.values)
	length := floats.Norm(s.slope, 2)
	if length == 0 {
		return 1 // the step is normal, and its length does not depend on η
	}
	eta := s.far() / length
	if h := s.lagrangian.curvature; h > 0 {
		eta = min(eta, h/(float64(h*h)+float64(window*s.gradient.drift)))
	}
	return eta
}

// normal returns w. It minimises (1 − w)²‖c‖² + w²(H‖n‖²‖c‖ + ¼H²‖n‖⁴ + P_c + νq_c‖n‖²): a
// bound of what is left of c if its second derivatives are at most H, what the error of its
// estimate makes of the step, and what the step adds to the variance of this estimate.
func (s *Adaptive) normal() float64 {
	c := s.values.Constraint
	copy(s.newton, c)
	s.direction.space.SolveNormal(s.newton)
	n2 := floats.Dot(s.newton, c) // ‖J†c‖²
	if !(n2 > 0) {
		return 0
	}
	length := floats.Norm(c, 2)
	curved := square(length + float64(s.jacobian.curvature*n2)/2)
	w := float64(length*length) / (curved + s.constraint.variance() + float64(window*s.constraint.drift*n2))
	return min(w, s.far()/math.Sqrt(n2))
}

// far is how long a step may be: twice the one before, at first a thousandth of the unit.
func (s *Adaptive) far() float64 {
	if s.moved == 0 {
		return 1e-3 * s.reach
	}
	return min(max(2*s.moved, 1e-5*s.reach), s.reach)
}

// gain is the gain of a recursive estimate, with what is known of its variance.
type gain struct {
	fresh, drift float64 // r and q
	s, u         float64 // the variance of the estimate is s r + u q
	seen, moves  int     // observations of r and of q
}

// next returns the gain a after a move.
func (g *gain) next(moved float64) float64 {
	u := g.u + float64(moved*moved)
	p := float64(g.s*g.fresh) + float64(u*g.drift)
	a := p / (p + g.fresh)
	if !(a < 1) { // at first, without noise, and after overflow
		a = 1
	}
	kept := square(1 - a)
	g.s, g.u = float64(kept*g.s)+float64(a*a), float64(kept*u)
	return a
}

// variance is that of the estimate, in the sum over its entries.
func (g *gain) variance() float64 { return float64(g.s*g.fresh) + float64(g.u*g.drift) }

// observe averages r and q over the window.
func (g *gain) observe(fresh, change, moved float64) {
	g.seen++
	g.fresh += (fresh - g.fresh) / float64(min(g.seen, window))
	if moved > 0 {
		g.moves++
		g.drift += (change/float64(moved*moved) - g.drift) / float64(min(g.moves, window))
	}
}

// bending is a curvature ‖change‖/‖move‖, averaged over the last moves. It rises fast and falls
// by a share of 1/window a step at most.
type bending struct {
	curvature             float64
	changes, displacement float64 // averages of ‖change‖² and ‖move‖², to a common factor
}

func (b *bending) observe(change, moved float64) {
	if moved == 0 {
		return
	}
	const memory = 0.9 // some ten steps: curvatures change faster than variances
	b.changes = float64(memory*b.changes) + change
	b.displacement = float64(memory*b.displacement) + float64(moved*moved)
	b.curvature = max(math.Sqrt(max(0, b.changes)/b.displacement), (1-1./window)*b.curvature)
}

// halfDistance is ‖x − y‖²/4.
func halfDistance(x, y []float64) float64 { return float64(square(distance(x, y)) / 4) }
