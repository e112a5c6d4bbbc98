package solver

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// finiteSum controls FSFO on finite data. A refresh is a full pass, a step of its own
// that leaves x in place; its exact values certify x and judge the epoch that led there.
//
//   - Step size: an epoch is accepted if it decreased f + λᵀc + (ρ/2)‖c‖² with λ that of
//     its first step, and η then grows. Otherwise the method returns to where it began
//     with half the step. That first step is one of descent for this function whatever ρ
//     is, as long as λ is for the variables that are free in it. Fletcher's augmented
//     Lagrangian, with λ(x) in place of λ, would not do: where scores saturate, ∇c nearly
//     vanishes, λ(x) has no bound, and its value can be as low as one likes far from any
//     solution.
//   - Epoch length: the estimators' error, seen at a refresh against the exact values,
//     tells how far x may drift before it is no longer small against the direction:
//     until (L²/b) Σ‖x_p − x_{p−1}‖² = θ²‖s̃‖², L²/b measured.
//   - Normal step: w is lowered so that η w ∇c c̃ never exceeds a Gauss–Newton step. Where
//     constraints are many and alike, the condition of ∇c makes such steps too slow. The
//     first step of an epoch, which knows c exactly, then goes further: its normal part d
//     minimises (ρ/2)‖c + Jd‖² + ‖d‖²/(4η), which decreases the function above as long as
//     its curvature but for that of ‖c‖² is at most 1/η.
type finiteSum struct {
	sizes     batchSizes // of the recursion
	maxLength int        // longest epoch

	eta, growth float64
	w           float64
	damped      bool // epochs begin with a damped Gauss–Newton step

	length   int     // steps since the refresh
	drift    float64 // Σ‖x_p − x_{p−1}‖² over them
	variance float64 // squared estimator error per unit of drift, the paper's L²/b

	trial, accepted *certificate
	lambda          []float64 // λ of the epoch
	rejections      int       // in a row
	refresh         bool      // the next step is a full pass
}

// certificate is a point with its exact values.
type certificate struct {
	x      []float64
	values *problem.Values
	lambda []float64 // λ(x)
}

// merit is the augmented Lagrangian at the point.
func (c *certificate) merit(lambda []float64, rho float64) float64 {
	v := c.values.Constraint
	return c.values.Objective + floats.Dot(lambda, v) + rho/2*floats.Dot(v, v)
}

const (
	errorShare    = 0.5  // θ: estimator error tolerated, relative to the direction
	firstGrowth   = 1.5  // of η after an accepted epoch; its excess over 1 halves at a rejection
	leastGrowth   = 1.02 // keeps η able to recover
	slowCondition = 10   // of JJᵀ, from which on −w ∇c c is too slow
	firstRho      = 10   // ρ in units of 1/η₀, the curvature of f
	roundoff      = 1e-14
	maxRejections = 60 // η has then shrunk by 2⁶⁰
	probeBatch    = 1024
)

func (s *FSFO) initFiniteSum(streams Streams, it *Iterate) {
	n, m := s.p.Dims()
	objective, constraint := s.p.Populations()
	root := func(population int) int { return ceil(math.Sqrt(float64(population))) }
	f := &finiteSum{
		sizes:     batchSizes{root(objective), root(constraint), root(constraint)},
		maxLength: s.Tau,
		eta:       s.Eta, growth: firstGrowth, w: s.W,
		trial: newCertificate(n, m), accepted: newCertificate(n, m), lambda: make([]float64, m),
		refresh: true,
	}
	override(&f.sizes.f, s.RecurseF)
	override(&f.sizes.c, s.RecurseC)
	override(&f.sizes.j, s.RecurseJ)
	if f.maxLength == 0 {
		f.maxLength = root(objective)
	}
	if f.eta == 0 {
		f.eta = 1 / s.probe(streams, it.X)
	}
	s.rho = max(s.Rho0, firstRho/f.eta)
	// Until an error has been measured, suppose L = 1/η.
	f.variance = 1 / (f.eta * f.eta * float64(min(f.sizes.f, f.sizes.c, f.sizes.j)))
	s.finite = f
}

func newCertificate(n, m int) *certificate {
	return &certificate{x: make([]float64, n), values: problem.NewValues(n, m), lambda: make([]float64, m)}
}

// override replaces size by choice if that is positive.
func override(size *int, choice int) {
	if choice > 0 {
		*size = choice
	}
}

// probe estimates the curvature of f at x from a sample, at least 1e-6.
func (s *FSFO) probe(streams Streams, x []float64) float64 {
	objective, _ := s.p.Populations()
	var b problem.Batch
	s.p.DrawObjective(&b, min(probeBatch, objective), streams.Objective)
	v := make([]float64, len(x))
	for i := range v {
		v[i] = streams.Aux.NormFloat64()
	}
	return max(1e-6, newCurvature(s.p, &b).steepest(v, x))
}

func (s *FSFO) stepFiniteSum(it *Iterate) error {
	f, e, d := s.finite, s.estimate, s.direction
	if f.refresh {
		return s.certify(it)
	}
	first := f.length == 0 // where the estimates are exact
	if !first {
		e.update(it.X, s.previous, f.sizes)
	}
	normal := normalStep{w: f.w}
	if first && f.damped {
		normal = normalStep{w: 1 / f.eta, newton: true, damping: 1 / (2 * f.eta * s.rho)}
	}
	d.start(it.X, e.gradient, e.jacobian)
	d.finish(it.X, e.gradient, e.constraint, e.jacobian, normal, f.eta)
	if first {
		copy(f.lambda, d.lambda)
	}
	s.move(it, f.eta)
	f.length++
	f.drift += s.moved * s.moved
	tolerated := errorShare * s.moved / f.eta
	f.refresh = f.length >= f.maxLength || f.variance*f.drift > tolerated*tolerated
	return nil
}

// certify does the full pass at x and accepts or rejects the epoch.
func (s *FSFO) certify(it *Iterate) error {
	f, e, d := s.finite, s.estimate, s.direction
	t := f.trial
	problem.Exact(s.p, t.values, it.X)
	copy(t.x, it.X)
	it.Exact = t.values
	if f.length > 1 {
		s.measureError(it.X)
	}
	e.refreshExact(t.values)
	d.start(t.x, e.gradient, e.jacobian)
	copy(t.lambda, d.lambda)
	copy(it.Y, t.lambda)

	first := f.length == 0
	f.length, f.drift, f.refresh = 0, 0, false
	before, after := f.accepted.merit(f.lambda, s.rho), t.merit(f.lambda, s.rho)
	if first || after <= before+float64(roundoff*math.Abs(before)) {
		f.accept(first, s.W, blas64.Nrm2(vector(d.free.Data)), d.space.muMin)
		return nil
	}
	return s.reject(it)
}

// measureError compares the estimates, brought to x, with the exact values there.
func (s *FSFO) measureError(x []float64) {
	f, e := s.finite, s.estimate
	e.update(x, s.previous, f.sizes)
	if miss := floats.Distance(e.gradient, f.trial.values.Gradient, 2); f.drift > 0 {
		f.variance = miss * miss / f.drift
	}
}

func (f *finiteSum) accept(first bool, w, normJ, muMin float64) {
	if !first {
		f.eta *= f.growth
	}
	f.w = min(w, 1/(f.eta*normJ*normJ))
	f.damped = square(normJ) > slowCondition*square(muMin)
	f.trial, f.accepted = f.accepted, f.trial
	f.rejections = 0
}

// reject returns to the accepted point, whose exact values are at hand.
func (s *FSFO) reject(it *Iterate) error {
	f := s.finite
	f.rejections++
	if f.rejections > maxRejections {
		return ErrDiverged
	}
	f.eta /= 2
	f.growth = max(leastGrowth, 1+(f.growth-1)/2)
	copy(it.X, f.accepted.x)
	copy(it.Y, f.accepted.lambda)
	it.Exact = f.accepted.values
	s.estimate.refreshExact(f.accepted.values)
	return nil
}

func square(x float64) float64 { return float64(x * x) }
