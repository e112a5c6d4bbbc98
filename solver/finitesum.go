package solver

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// FiniteSum is a method for finite data, and what training runs by default. It alternates
// full passes with epochs of cheap steps:
//
//	full pass   f, c, ∇f, ∇c at x, exactly: certifies x, accepts or rejects the epoch
//	epoch       a first step with these exact values, then steps with small batches,
//	            until the estimates are no longer good enough
//
// From the paper are the direction s̃ (eq. s_k, direction.go) and, within an epoch, the
// SPIDER recursion without truncation (eq. spider-k, spider.go). Ours are
//
//   - The step size η. Let λ be the multiplier of the epoch's first step. The epoch is
//     accepted if it decreased f + λᵀc + (ρ/2)‖c‖², and η then grows. Otherwise the method
//     returns to where the epoch began, and halves η. For every ρ, the first step is a direction
//     of descent of this function, as long as λ is for the variables that are free in the step.
//     Fletcher's augmented Lagrangian, with λ(x) in place of λ, would not do. Where scores
//     saturate, ∇c nearly vanishes and λ(x) has no bound. So its value can be as low as one
//     likes far from any solution.
//   - The end. If the estimates are not good enough for a second step, batches are of no use,
//     and the method is a gradient method. With Patience, Step returns ErrStalled after so
//     many such epochs in a row. Then a method that knows the curvature can go on.
//   - The length of epochs. A full pass shows the estimators' error. From it follows how far
//     x may drift until the error is no longer small against the direction. The epoch ends
//     where (L²/b) Σ‖x_p − x_{p−1}‖² = θ²‖s̃‖², with the measured L²/b.
//   - The normal step. w is lowered so that η w ∇c c̃ never exceeds a Gauss–Newton step. If
//     constraints are many and alike, the condition of ∇c makes such steps too slow. The
//     first step of an epoch knows c exactly, and then goes further. Its normal part d
//     minimises (ρ/2)‖c + Jd‖² + ‖d‖²/(4η). This decreases the function above if its
//     curvature, without the curvature of ‖c‖², is at most 1/η.
//
// The paper's theorem is about ρ_k and η_k of eq. rho-update and eq. eta-update, so it says
// nothing about this method. What holds is the certificate: the values of a full pass are
// exact, and so is the residual computed from them (docs/finite-sum.md).
type FiniteSum struct {
	Tau  int     // longest epoch; 0 for √N
	W    float64 // w, largest weight of the normal step
	Rho0 float64 // least ρ
	Eta  float64 // first η; 0 for 1 over the curvature of a sample

	// Batches between full passes; 0 for √N.
	RecurseF, RecurseC, RecurseJ int

	// Patience is how many epochs of a single step in a row end the run; with 0 they never do.
	// It is for callers that have another method to go on with. People have no such option.
	Patience int

	p         problem.Problem
	estimate  *spider
	direction *direction
	previous  []float64 // point before the last step

	batches batchSizes // of the steps between full passes
	longest int        // number of steps of an epoch
	rho     float64

	eta, growth float64
	w           float64
	damped      bool // epochs begin with a damped Gauss–Newton step

	length   int     // steps since the full pass
	drift    float64 // Σ‖x_p − x_{p−1}‖² over them
	ended    bool    // the next step is a full pass
	variance float64 // squared estimator error per unit of drift, the paper's L²/b

	trial, accepted *certificate
	lambda          []float64 // λ of the epoch
	rejections      int       // in a row
	singles         int       // epochs of a single step, in a row
}

// certificate is a point with its exact values.
type certificate struct {
	x      []float64
	values *problem.Values
	lambda []float64 // λ(x)
}

func newCertificate(n, m int) *certificate {
	return &certificate{x: make([]float64, n), values: problem.NewValues(n, m), lambda: make([]float64, m)}
}

// merit is the augmented Lagrangian at the point.
func (c *certificate) merit(lambda []float64, rho float64) float64 {
	v := c.values.Constraint
	return c.values.Objective + floats.Dot(lambda, v) + rho/2*floats.Dot(v, v)
}

const (
	errorShare    = 0.5  // θ: estimator error tolerated, relative to the direction
	firstGrowth   = 1.5  // of η after an accepted epoch; a rejection halves the excess over 1
	leastGrowth   = 1.02 // keeps η able to recover
	slowCondition = 10   // condition of JJᵀ above which −w ∇c c is too slow
	firstRho      = 10   // ρ in units of 1/η₀, the curvature of f
	roundoff      = 1e-14
	maxRejections = 60 // η has then shrunk by 2⁶⁰
	probeBatch    = 1024
)

// DefaultFiniteSum returns options that leave every choice to the data.
func DefaultFiniteSum() *FiniteSum { return &FiniteSum{W: 0.9, Rho0: 0.5} }

// Name returns "finite-sum".
func (*FiniteSum) Name() string { return "finite-sum" }

// Params lists the options.
func (s *FiniteSum) Params() []Param {
	return []Param{
		{Name: "tau", Doc: "longest epoch τ between full passes; 0 for the root of the rows", Value: &s.Tau, Min: 0, Max: inf},
		{Name: "w", Doc: "largest weight w of the normal step (eq. s_k)", Value: &s.W, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "rho0", Doc: "least penalty ρ of the merit function", Value: &s.Rho0, Min: 0, MinOpen: true, Max: inf},
		{Name: "eta", Doc: "first step size η; 0 for 1 over the curvature of a sample", Value: &s.Eta, Min: 0, Max: inf},
		{Name: "recurse_f", Doc: "batch for ∇f between full passes; 0 for the root of the rows", Value: &s.RecurseF, Min: 0, Max: inf},
		{Name: "recurse_c", Doc: "batch for c; 0 as for recurse_f", Value: &s.RecurseC, Min: 0, Max: inf},
		{Name: "recurse_j", Doc: "batch for ∇c; 0 as for recurse_f", Value: &s.RecurseJ, Min: 0, Max: inf},
	}
}

// errInfinite is the error of methods that pass over all data.
var errInfinite = errors.New("full passes need finite data; fsfo takes samples of any population")

// Init allocates the method's memory and, unless Eta is given, looks at the curvature.
func (s *FiniteSum) Init(p problem.Problem, streams Streams, it *Iterate) error {
	n, m := p.Dims()
	objective, constraint := p.Populations()
	if objective == 0 || constraint == 0 {
		return errInfinite
	}
	s.p = p
	s.lambda = make([]float64, m)
	s.trial, s.accepted = newCertificate(n, m), newCertificate(n, m)

	root := func(population int) int { return ceil(math.Sqrt(float64(population))) }
	s.batches = batchSizes{root(objective), root(constraint), root(constraint)}.or(s.RecurseF, s.RecurseC, s.RecurseJ)
	s.estimate = newSpider(p, streams, unbounded)
	s.direction, s.previous = newDirection(p, s.estimate.values), make([]float64, n)
	if s.longest = s.Tau; s.longest == 0 {
		s.longest = root(objective)
	}
	if s.eta = s.Eta; s.eta == 0 {
		s.eta = 1 / s.probe(streams, it.X)
	}
	s.growth, s.w, s.damped = firstGrowth, s.W, false
	s.rho = max(s.Rho0, firstRho/s.eta)
	s.length, s.drift, s.ended, s.rejections, s.singles = 0, 0, true, 0, 0
	// Until an error has been measured, suppose L = 1/η.
	s.variance = 1 / (s.eta * s.eta * float64(min(s.batches.f, s.batches.c, s.batches.j)))
	return nil
}

// probe estimates the curvature of f at x from a sample, at least 1e-6.
func (s *FiniteSum) probe(streams Streams, x []float64) float64 {
	objective, _ := s.p.Populations()
	var b problem.Batch
	s.p.DrawObjective(&b, min(probeBatch, objective), streams.Objective)
	v := make([]float64, len(x))
	for i := range v {
		v[i] = streams.Aux.NormFloat64()
	}
	return max(1e-6, newCurvature(s.p, &b).steepest(v, x))
}

// Step is a full pass or a step of an epoch.
func (s *FiniteSum) Step(it *Iterate) error {
	switch {
	case s.ended:
		return s.fullPass(it)
	case s.length == 0 && s.Patience > 0 && s.singles >= s.Patience:
		return ErrStalled
	case s.length == 0:
		s.beginEpoch(it)
	default:
		s.continueEpoch(it)
	}
	return nil
}

// beginEpoch steps from the point of the full pass, where the estimates are exact.
func (s *FiniteSum) beginEpoch(it *Iterate) {
	normal := normalStep{w: s.w}
	if s.damped {
		normal = normalStep{w: 1 / s.eta, newton: true, damping: 1 / (2 * s.eta * s.rho)}
	}
	s.direction.start(it.X)
	s.move(it, normal)
	copy(s.lambda, s.direction.lambda)
}

// continueEpoch steps with estimates brought to x.
func (s *FiniteSum) continueEpoch(it *Iterate) {
	s.estimate.update(it.X, s.previous, s.batches)
	s.direction.start(it.X)
	s.move(it, normalStep{w: s.w})
}

// move takes a step along the direction, and ends the epoch if it is long enough.
func (s *FiniteSum) move(it *Iterate, normal normalStep) {
	s.direction.finish(it.X, normal, s.eta)
	copy(s.previous, it.X)
	s.direction.move(it.X, s.eta)
	moved := distance(it.X, s.previous)
	copy(it.Y, s.direction.lambda)
	it.Diag.Eta, it.Diag.Rho, it.Diag.Direction = s.eta, s.rho, moved/s.eta
	it.Diag.SigmaMin = s.direction.space.MuMin

	s.length++
	s.drift += moved * moved
	tolerated := errorShare * moved / s.eta
	s.ended = s.length >= s.longest || s.variance*s.drift > tolerated*tolerated
}

// fullPass evaluates everything at x, exactly, and judges the epoch that led there. The
// start is accepted as it is.
func (s *FiniteSum) fullPass(it *Iterate) error {
	t := s.trial
	s.p.Evaluate(t.values, it.X, nil)
	copy(t.x, it.X)
	it.Exact = t.values
	if s.length > 1 {
		s.measureError(it.X)
	}
	s.estimate.refreshExact(t.values)
	s.direction.start(it.X)
	copy(t.lambda, s.direction.lambda)
	copy(it.Y, t.lambda)

	start := s.length == 0
	if s.length == 1 {
		s.singles++
	} else {
		s.singles = 0
	}
	s.length, s.drift, s.ended = 0, 0, false
	if start {
		s.accept()
		return nil
	}
	before, after := s.accepted.merit(s.lambda, s.rho), t.merit(s.lambda, s.rho)
	if after <= before+float64(roundoff*math.Abs(before)) {
		s.eta *= s.growth
		s.accept()
		return nil
	}
	return s.reject(it)
}

// measureError brings the estimates to x and compares them with the exact values there.
func (s *FiniteSum) measureError(x []float64) {
	s.estimate.update(x, s.previous, s.batches)
	if miss := floats.Distance(s.estimate.values.Gradient, s.trial.values.Gradient, 2); s.drift > 0 {
		s.variance = miss * miss / s.drift
	}
}

// accept makes the point of the full pass the point to return to, and suits the normal step
// to the Jacobian there.
func (s *FiniteSum) accept() {
	normJ, muMin := blas64.Nrm2(linalg.Vector(s.direction.free.Data)), s.direction.space.MuMin
	s.w = min(s.W, 1/(s.eta*normJ*normJ))
	s.damped = square(normJ) > slowCondition*square(muMin)
	s.trial, s.accepted = s.accepted, s.trial
	s.rejections = 0
}

// reject returns to the accepted point, whose exact values are at hand.
func (s *FiniteSum) reject(it *Iterate) error {
	s.rejections++
	if s.rejections > maxRejections {
		return ErrDiverged
	}
	s.eta /= 2
	s.growth = max(leastGrowth, 1+(s.growth-1)/2)
	copy(it.X, s.accepted.x)
	copy(it.Y, s.accepted.lambda)
	it.Exact = s.accepted.values
	s.estimate.refreshExact(s.accepted.values)
	return nil
}

func square(x float64) float64 { return float64(x * x) }
