package solver

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// FSFO is the stochastic first-order method with Fletcher's augmented Lagrangian as
// merit function (Cui, Shi, Wang, Xiao, Algorithm 1). With x₁ and ρ₀ given, iteration
// k = 1, 2, … is
//
//	∇̃f_k, ∇̃c_k, c̃_k ← fresh batch means at x_k      if (k−1) mod τ = 0   (eq. spider0)
//	                   ← truncated SPIDER recursion   otherwise            (eq. spider-k)
//	s̃_k = −P_Ṽ ∇̃f_k − w ∇̃c_k c̃_k                                          (eq. s_k)
//	ρ_k = max{(4L_λ² + 2w²L_c² + 2)/(w χ_k), ρ_{k−1}}                      (eq. rho-update)
//	η_k = c_η / (4 L_{ρ_k})                                              (eq. eta-update)
//	x_{k+1} = x_k + η_k s̃_k
//
// where c_η is 1 in the paper's theory, and tuned in its experiments. Rule selects the batch
// sizes: given sizes as in the experiments ("fixed"), or the sizes of Corollary
// estimator-error ("theory"). Normal selects the normal step: the paper's step above, or a
// step of ours that does not depend on the units of c (docs/gauss-newton.md). The paper's
// problem has no bounds x_j ≥ 0; an active set keeps them (direction.go). Settings.Output =
// Random returns the x_R of the theorem.
type FSFO struct {
	Rule string  // Fixed or Theory
	Tau  int     // τ, epoch length
	W    float64 // w, weight of the normal step
	// Normal is the normal step: GradientNormal, −w ∇̃c c̃ (eq. s_k), or GaussNewton,
	// −(w/η) ∇̃c (∇̃cᵀ∇̃c + δI)⁻¹c̃, which removes the share w of the linearised violation in
	// a step. δ is Damping times the square of ‖∇̃c‖_F.
	Normal  string
	Damping float64
	Rho0    float64 // ρ₀
	CEta    float64 // c_η, scales the step size of the theory

	// Ours, for comparisons with every method at its best: a positive Eta replaces
	// c_η/(4L_k), and both decrease like k^(−Decay) from iteration DecayAfter on.
	Eta, Decay float64
	DecayAfter int

	// Batch sizes of the rule Fixed, at a refresh and in the recursion. A recursion batch of 0
	// stands for the refresh batch.
	BatchF, BatchC, BatchJ       int
	RecurseF, RecurseC, RecurseJ int

	EpsBar float64 // ε̄, the estimators' root mean squared error aimed at by the rule Theory

	// Truncate projects the estimates onto the balls of radius G, M and L_c.
	Truncate bool
	// Source says where the unknown constants come from: from "bounds" on the data, completed by
	// estimates where the step size needs more, or from an "estimate" by samples at the start.
	Source string
	// Constants are the constants of the paper's assumptions, for the problem as the method
	// sees it, with slacks and scales. Zero means unknown.
	Constants problem.Constants

	p          problem.Problem
	known      problem.Constants // Constants completed from Source
	smoothness smoothness
	estimate   *spider
	direction  *direction
	previous   []float64 // x_{k−1}
	moved      float64   // ‖x_k − x_{k−1}‖
	rho        float64
	badEvents  int
}

// The batch rules.
const (
	Fixed  = "fixed"
	Theory = "theory"
)

// The normal steps.
const (
	GradientNormal = "gradient"
	GaussNewton    = "gauss-newton"
)

// The choices of Source.
const (
	FromBounds   = "bounds"
	FromEstimate = "estimate"
)

// DefaultFSFO returns the epochs of the paper's experiments with fixed batches, and the
// step size of its theory.
func DefaultFSFO() *FSFO {
	return &FSFO{
		Rule: Fixed, Tau: 2, W: 0.9, Normal: GradientNormal, Rho0: 0.5, CEta: 1, DecayAfter: 1,
		BatchF: 16, BatchC: 64, BatchJ: 64, EpsBar: 0.1,
		Source: FromBounds,
	}
}

// Name returns "fsfo".
func (*FSFO) Name() string { return "fsfo" }

// Params lists the options.
func (s *FSFO) Params() []Param {
	return []Param{
		{Name: "rule", Doc: "batch sizes: the sizes below, as in the paper's experiments, or the sizes of its theory", Value: &s.Rule, Choices: []string{Fixed, Theory}},
		{Name: "tau", Doc: "epoch length τ between refreshes", Value: &s.Tau, Min: 1, Max: inf},
		{Name: "w", Doc: "weight w of the normal step (eq. s_k)", Value: &s.W, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "normal", Doc: "normal step: −w∇c c, or −(w/η) times the Gauss–Newton step for c = 0, which needs eta", Value: &s.Normal, Choices: []string{GradientNormal, GaussNewton}},
		{Name: "damping", Doc: "damping δ of the Gauss–Newton step, in units of ‖∇c‖²", Value: &s.Damping, Min: 0, Max: inf},
		{Name: "rho0", Doc: "initial merit parameter ρ₀ (eq. rho-update)", Value: &s.Rho0, Min: 0, MinOpen: true, Max: inf},
		{Name: "c_eta", Doc: "factor c_η of the step size c_η/(4L_k) (eq. eta-update)", Value: &s.CEta, Min: 0, MinOpen: true, Max: inf},
		{Name: "eta", Doc: "step size η that replaces c_η/(4L_k); 0 for none", Value: &s.Eta, Min: 0, Max: inf},
		{Name: "decay", Doc: "exponent p of the step size η max{1, k/k₀}^(−p)", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "decay_after", Doc: "iteration k₀ from which on the step size decreases", Value: &s.DecayAfter, Min: 1, Max: inf},
		{Name: "batch_f", Doc: "refresh batch for ∇f (this and the next five: rule fixed)", Value: &s.BatchF, Min: 1, Max: inf},
		{Name: "batch_c", Doc: "refresh batch for c", Value: &s.BatchC, Min: 1, Max: inf},
		{Name: "batch_j", Doc: "refresh batch for ∇c", Value: &s.BatchJ, Min: 1, Max: inf},
		{Name: "recurse_f", Doc: "recursion batch for ∇f; 0 for the refresh batch", Value: &s.RecurseF, Min: 0, Max: inf},
		{Name: "recurse_c", Doc: "recursion batch for c; 0 for the refresh batch", Value: &s.RecurseC, Min: 0, Max: inf},
		{Name: "recurse_j", Doc: "recursion batch for ∇c; 0 for the refresh batch", Value: &s.RecurseJ, Min: 0, Max: inf},
		{Name: "eps_bar", Doc: "root mean squared estimator error ε̄ (rule theory)", Value: &s.EpsBar, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "truncate", Doc: "project the estimates onto balls of radius G, M and L_c", Value: &s.Truncate},
		{Name: "constants", Doc: "source of the constants below that are 0: bounds from the data, completed by estimates, or estimates", Value: &s.Source, Choices: []string{FromBounds, FromEstimate}},
		{Name: "g", Doc: "bound G of ‖∇f‖", Value: &s.Constants.G, Min: 0, Max: inf},
		{Name: "m", Doc: "bound M of ‖c‖", Value: &s.Constants.M, Min: 0, Max: inf},
		{Name: "l_f", Doc: "Lipschitz constant L_f of ∇F", Value: &s.Constants.Lf, Min: 0, Max: inf},
		{Name: "l_c", Doc: "Lipschitz constant L_c of C", Value: &s.Constants.Lc, Min: 0, Max: inf},
		{Name: "l_j", Doc: "Lipschitz constant L_J of ∇C", Value: &s.Constants.LJ, Min: 0, Max: inf},
		{Name: "l_hf", Doc: "Lipschitz constant L_h^f of ∇²f", Value: &s.Constants.Lhf, Min: 0, Max: inf},
		{Name: "l_hc", Doc: "Lipschitz constant L_h^c of ∇²c", Value: &s.Constants.Lhc, Min: 0, Max: inf},
		{Name: "sigma_f", Doc: "standard deviation σ_f of ∇F", Value: &s.Constants.SigmaF, Min: 0, Max: inf},
		{Name: "sigma_c", Doc: "standard deviation σ_c of C", Value: &s.Constants.SigmaC, Min: 0, Max: inf},
		{Name: "sigma_j", Doc: "standard deviation σ_J of ∇C", Value: &s.Constants.SigmaJ, Min: 0, Max: inf},
		{Name: "nu", Doc: "lower bound ν of the singular values of ∇c", Value: &s.Constants.Nu, Min: 0, Max: inf},
	}
}

// Step does iteration k of Algorithm 1. η_k comes before s̃_k, because it says which variables the
// step would carry to their bounds. They are fixed, and s̃_k is computed again (direction.finish).
func (s *FSFO) Step(it *Iterate) error {
	k := it.K + 1
	if (k-1)%s.Tau == 0 {
		s.estimate.refresh(it.X, s.refreshBatches()) // eq. spider0
	} else {
		s.estimate.update(it.X, s.previous, s.recursionBatches()) // eq. spider-k
	}
	s.direction.start(it.X)
	eta := s.stepSize(k)                             // eq. eta-update with eq. rho-update
	s.direction.finish(it.X, s.normalStep(eta), eta) // eq. s_k

	copy(s.previous, it.X)
	s.direction.move(it.X, eta) // x_{k+1} = x_k + η_k s̃_k
	s.moved = distance(it.X, s.previous)
	copy(it.Y, s.direction.lambda)
	it.Diag.Eta, it.Diag.Rho, it.Diag.Direction = eta, s.rho, s.moved/eta
	it.Diag.SigmaMin, it.Diag.BadEvents = s.direction.space.MuMin, float64(s.badEvents)
	return nil
}

// normalStep is the second part of eq. s_k, or the Gauss–Newton step in its place.
func (s *FSFO) normalStep(eta float64) normalStep {
	if s.Normal == GaussNewton {
		jacobian := blas64.Nrm2(linalg.Vector(s.direction.free.Data))
		return normalStep{w: s.W / eta, newton: true, damping: s.Damping * square(jacobian)}
	}
	return normalStep{w: s.W}
}

// stepSize is η_k = c_η/(4L_k) with L_k = L_{ρ_k} (eq. eta-update), or the given step size.
// Both decay.
func (s *FSFO) stepSize(k int) float64 {
	decay := decay(k, s.DecayAfter, s.Decay)
	if s.Eta > 0 {
		return s.Eta * decay
	}
	s.updateRho(s.direction.space.MuMin)
	return s.CEta * decay / (4 * s.smoothness.at(s.rho))
}

// updateRho is
//
//	ρ_k = max{(4L_λ² + 2w²L_c² + 2)/(w χ_k), ρ_{k−1}}                      (eq. rho-update)
//	χ_k = μ_min(∇̃c_k)²  in the good event μ_min(∇̃c_k) ≥ ν/2, otherwise 2ν²
func (s *FSFO) updateRho(muMin float64) {
	c := s.known
	chi := muMin * muMin
	if !(muMin >= c.Nu/2) {
		chi = 2 * c.Nu * c.Nu
		s.badEvents++
	}
	lambda := s.smoothness.lambda
	s.rho = max(s.rho, (float64(4*lambda*lambda)+float64(2*s.W*s.W*c.Lc*c.Lc)+2)/(s.W*chi))
}

// refreshBatches are the batch sizes at k = q(k), given or by eq. batch-b0.
func (s *FSFO) refreshBatches() batchSizes {
	if s.Rule == Fixed {
		return batchSizes{s.BatchF, s.BatchC, s.BatchJ}
	}
	_, m := s.p.Dims()
	size := func(variance float64) int { return ceil(2 * float64(variance) / (s.EpsBar * s.EpsBar)) }
	c := s.known
	return batchSizes{
		f: size(c.SigmaF * c.SigmaF),
		c: size(c.SigmaC * c.SigmaC),
		j: size(float64(m) * c.SigmaJ * c.SigmaJ),
	}
}

// recursionBatches are the batch sizes at k > q(k), given or by eq. batch-bk.
func (s *FSFO) recursionBatches() batchSizes {
	if s.Rule == Fixed {
		return s.refreshBatches().or(s.RecurseF, s.RecurseC, s.RecurseJ)
	}
	_, m := s.p.Dims()
	size := func(lipschitz float64) int {
		drift := lipschitz * s.moved / s.EpsBar
		return ceil(2 * float64(s.Tau) * drift * drift)
	}
	c := s.known
	return batchSizes{f: size(c.Lf), c: size(c.Lc), j: size(math.Sqrt(float64(m)) * c.LJ)}
}

// Init allocates the method's memory.
func (s *FSFO) Init(p problem.Problem, streams Streams, _ *Iterate) error {
	n, _ := p.Dims()
	s.p = p
	if err := s.completeConstants(streams); err != nil {
		return err
	}
	c := s.known
	balls := unbounded
	if s.Truncate {
		balls = radii{f: c.G, c: c.M, j: c.Lc}
		if !(min(c.G, c.M, c.Lc) > 0) {
			return fmt.Errorf("truncation needs G, M and L_c (%v, %v, %v), which the problem can't bound", c.G, c.M, c.Lc)
		}
	}
	if s.Normal == GaussNewton && s.Eta == 0 {
		return errors.New("the step size rule is for the gradient step; normal = gauss-newton needs eta")
	}
	if s.Eta == 0 && !(c.Nu > 0 && c.Lf > 0 && c.Lc > 0) {
		return fmt.Errorf("the step size needs L_f, L_c and ν (%v, %v, %v), of which one is 0: give them or eta", c.Lf, c.Lc, c.Nu)
	}
	if s.smoothness = newSmoothness(c); s.Eta == 0 && math.IsInf(s.smoothness.lambda*s.smoothness.lambda, 1) {
		return fmt.Errorf("the step size is 0 for L_f, L_c and ν of %.3g, %.3g and %.3g: give other constants or eta",
			c.Lf, c.Lc, c.Nu)
	}
	s.estimate = newSpider(p, streams, balls)
	s.direction = newDirection(p, s.estimate.values)
	s.previous = make([]float64, n)
	s.rho, s.badEvents, s.moved = s.Rho0, 0, 0
	return nil
}

// completeConstants takes the constants that are needed and unknown from Source. This takes
// passes over the data, so it is not done without need.
func (s *FSFO) completeConstants(streams Streams) error {
	s.known = s.Constants
	c := s.Constants
	used := []float64{c.G, c.M, c.Lf, c.Lc, c.LJ, c.Lhf, c.Lhc, c.Nu}
	if s.Rule == Theory {
		used = append(used, c.SigmaF, c.SigmaC, c.SigmaJ)
	}
	needed := s.Rule == Theory || s.Truncate || s.Eta == 0
	if !needed || !slices.Contains(used, 0) {
		return nil
	}
	if s.Source == FromBounds {
		s.known = c.Or(problem.Bounds(s.p))
		if s.Eta > 0 || min(s.known.Lf, s.known.Lc, s.known.Nu) > 0 {
			return nil
		}
	}
	estimated, err := EstimateConstants(s.p, streams.Aux)
	s.known = s.known.Or(estimated)
	return err
}

// Known returns the constants in use, after Init.
func (s *FSFO) Known() problem.Constants { return s.known }

// ceil is max{1, ⌈x⌉}, within what a batch can hold.
func ceil(x float64) int { return int(min(max(1, math.Ceil(x)), math.MaxInt32)) }

// decay is max{1, k/k₀}^(−p).
func decay(k, k0 int, p float64) float64 {
	if p == 0 || k <= k0 {
		return 1
	}
	return math.Pow(float64(k)/float64(k0), -p)
}

// distance is ‖x − y‖.
func distance(x, y []float64) float64 { return floats.Distance(x, y, 2) }

// smoothness has the Lipschitz constants that the paper derives from the constants of its
// assumptions (Proposition le:lambda).
type smoothness struct {
	lambda  float64 // L_λ, of the multiplier mapping λ(x)
	base    float64 // the part of L_ρ that does not depend on ρ
	penalty float64 // L_c² + M L_J, the factor of ρ in L_ρ
}

func newSmoothness(c problem.Constants) smoothness {
	nu2 := c.Nu * c.Nu
	nu4, nu6 := nu2*nu2, nu2*nu2*nu2
	lc2, lj2 := float64(c.Lc*c.Lc), float64(c.LJ*c.LJ)
	lambda := (2*c.G*lc2*c.LJ/nu2 + float64(c.G*c.LJ) + float64(c.Lc*c.Lf)) / nu2
	lambda1 := 8*c.G*lj2*lc2*c.Lc/nu6 +
		2*c.Lc*(float64(2*c.LJ*c.Lc*c.Lf)+float64(3*c.G*lj2)+float64(c.G*c.Lc*c.Lhc))/nu4 +
		(float64(2*c.LJ*c.Lf)+float64(c.Lhc*c.G)+float64(c.Lc*c.Lhf))/nu2
	return smoothness{
		lambda:  lambda,
		base:    c.Lf + float64(2*lambda*c.Lc) + float64(c.M*lambda1) + c.G*c.Lc*c.LJ/nu2,
		penalty: lc2 + float64(c.M*c.LJ),
	}
}

// at returns L_ρ, the Lipschitz constant of ∇ₓ𝓛(x, ρ) for Fletcher's augmented
// Lagrangian 𝓛 (eq. ALM).
func (s smoothness) at(rho float64) float64 { return s.base + float64(rho*s.penalty) }
