package solver

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// FSFO is the stochastic first-order method with Fletcher's augmented Lagrangian as
// merit function (Cui, Shi, Wang, Xiao, Algorithm 1). With x₁ and ρ₀ given, iteration
// k = 1, 2, … is
//
//	∇̃f, ∇̃c, c̃ ← fresh batch means at x_k            if (k−1) mod τ = 0   (eq. spider0)
//	            ← truncated SPIDER recursion         otherwise           (eq. spider-k)
//	s̃ = −P_Ṽ ∇̃f − w ∇̃c c̃                                              (eq. s_k)
//	ρ_k = max{(4L_λ² + 2w²L_c² + 2)/(w χ_k), ρ_{k−1}}                      (eq. rho-update)
//	η_k = c_η / (4 L_{ρ_k})                                              (eq. eta-update)
//	x_{k+1} = x_k + η_k s̃
//
// where bounds x_j ≥ 0 are kept by an active set (direction.go). Rule selects the batch
// sizes: those of the paper's experiments ("fixed"), those of its theory ("theory",
// Corollary estimator-error), or, for finite data, full passes at a refresh and small
// batches between them with epochs and steps that control themselves ("finite-sum",
// finitesum.go).
type FSFO struct {
	Rule string
	Tau  int     // τ, epoch length; 0 stands for 2, the paper's, or for what finite-sum finds
	W    float64 // w, weight of the normal step
	// Normal is the normal step: GradientNormal, −w ∇̃c c̃ (eq. s_k), or GaussNewton,
	// −(w/η) ∇̃c (∇̃cᵀ∇̃c + δI)⁻¹c̃, which removes the share w of the linearised violation in
	// a step, whatever the units of c. δ is Damping times the square of ‖∇̃c‖_F.
	Normal  string
	Damping float64
	Rho0    float64 // ρ₀
	CEta    float64 // c_η, scales the step size of the theory

	// Eta, when positive, replaces c_η/(4L_k) by a step size of its own. Either decreases
	// like k^(−Decay) from iteration DecayAfter on.
	Eta, Decay float64
	DecayAfter int

	// Batch sizes at a refresh and, if positive, different ones in the recursion.
	BatchF, BatchC, BatchJ       int
	RecurseF, RecurseC, RecurseJ int

	EpsBar float64 // ε̄, the target for the estimators' root mean squared error ("theory")

	// Truncate projects the estimates onto the balls of radius G, M and L_c: "on" or
	// "off" (radii +∞).
	Truncate string
	// Source says where constants of the paper's assumptions come from that are not in
	// Constants: "bounds" on the data, or "estimate" from samples at the start.
	Source string
	// Constants are for the problem as the method sees it, with slacks and scales. Zero
	// means unknown.
	Constants problem.Constants

	p          problem.Problem
	known      problem.Constants // Constants completed from Source
	estimate   *spider
	direction  *direction
	smoothness smoothness
	previous   []float64 // x_{k−1}
	moved      float64   // ‖x_k − x_{k−1}‖
	rho        float64
	badEvents  int
	finite     *finiteSum // only for Rule "finite-sum"
}

// The batch rules.
const (
	Fixed     = "fixed"
	Theory    = "theory"
	FiniteSum = "finite-sum"
)

// The normal steps.
const (
	GradientNormal = "gradient"
	GaussNewton    = "gauss-newton"
)

// The choices of Truncate and Source.
const (
	On, Off                  = "on", "off"
	FromBounds, FromEstimate = "bounds", "estimate"
)

// DefaultFSFO returns the options that suit finite data: full passes at refreshes, the
// rest chosen from the data.
func DefaultFSFO() *FSFO {
	return &FSFO{
		Rule: FiniteSum, W: 0.9, Normal: GradientNormal, Rho0: 0.5, CEta: 1, DecayAfter: 1,
		BatchF: 16, BatchC: 64, BatchJ: 64, EpsBar: 0.1,
		Truncate: Off, Source: FromBounds,
	}
}

// Name returns "fsfo".
func (*FSFO) Name() string { return "fsfo" }

// Params lists the options.
func (s *FSFO) Params() []Param {
	inf := math.Inf(1)
	return []Param{
		{Name: "rule", Doc: "batch sizes: the paper's experiments, its theory, or full passes at refreshes", Value: &s.Rule, Choices: []string{Fixed, Theory, FiniteSum}},
		{Name: "tau", Doc: "epoch length τ between refreshes; 0: 2, or what finite-sum chooses", Value: &s.Tau, Min: 0, Max: inf},
		{Name: "w", Doc: "weight w of the normal step (eq. s_k)", Value: &s.W, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "normal", Doc: "normal step: −w∇c c, or −(w/η) times the Gauss–Newton step for c = 0", Value: &s.Normal, Choices: []string{GradientNormal, GaussNewton}},
		{Name: "damping", Doc: "damping δ of the Gauss–Newton step, in units of ‖∇c‖²", Value: &s.Damping, Min: 0, Max: inf},
		{Name: "rho0", Doc: "initial merit parameter ρ₀ (eq. rho-update)", Value: &s.Rho0, Min: 0, MinOpen: true, Max: inf},
		{Name: "c_eta", Doc: "factor c_η of the step size c_η/(4L_k) (eq. eta-update)", Value: &s.CEta, Min: 0, MinOpen: true, Max: inf},
		{Name: "eta", Doc: "step size η that replaces c_η/(4L_k); 0 for none (finite-sum: its first step size)", Value: &s.Eta, Min: 0, Max: inf},
		{Name: "decay", Doc: "exponent p of the step size η max{1, k/k₀}^(−p)", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "decay_after", Doc: "iteration k₀ from which on the step size decreases", Value: &s.DecayAfter, Min: 1, Max: inf},
		{Name: "batch_f", Doc: "refresh batch for ∇f", Value: &s.BatchF, Min: 1, Max: inf},
		{Name: "batch_c", Doc: "refresh batch for c", Value: &s.BatchC, Min: 1, Max: inf},
		{Name: "batch_j", Doc: "refresh batch for ∇c", Value: &s.BatchJ, Min: 1, Max: inf},
		{Name: "recurse_f", Doc: "recursion batch for ∇f; 0 for that of the refresh (finite-sum: about √N)", Value: &s.RecurseF, Min: 0, Max: inf},
		{Name: "recurse_c", Doc: "recursion batch for c; 0 as for recurse_f", Value: &s.RecurseC, Min: 0, Max: inf},
		{Name: "recurse_j", Doc: "recursion batch for ∇c; 0 as for recurse_f", Value: &s.RecurseJ, Min: 0, Max: inf},
		{Name: "eps_bar", Doc: "root mean squared estimator error ε̄ of the theory rule", Value: &s.EpsBar, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "truncate", Doc: "project the estimates onto balls of radius G, M and L_c", Value: &s.Truncate, Choices: []string{On, Off}},
		{Name: "constants", Doc: "source of the constants below that are 0", Value: &s.Source, Choices: []string{FromBounds, FromEstimate}},
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

// Diagnostics names η_k, ρ_k, μ_min(∇̃c), the count of bad events (μ_min < ν/2) and the
// norm of the direction.
func (*FSFO) Diagnostics() []string {
	return []string{"eta", "rho", "sigma_min", "bad_events", "direction"}
}

// Init allocates the method's memory.
func (s *FSFO) Init(p problem.Problem, streams Streams, it *Iterate) error {
	n, _ := p.Dims()
	s.p = p
	s.known = s.Constants
	switch needs := (s.Rule == Theory || s.Truncate == On || s.Rule == Fixed && s.Eta == 0) && !s.complete(); {
	case needs && s.Source == FromEstimate:
		s.known = s.known.Or(EstimateConstants(p, streams.Aux))
	case needs:
		s.known = s.known.Or(problem.Bounds(p))
	}
	radiusF, radiusC, radiusJ := math.Inf(1), math.Inf(1), math.Inf(1)
	if c := s.known; s.Truncate == On {
		radiusF, radiusC, radiusJ = c.G, c.M, c.Lc
		if !(min(radiusF, radiusC, radiusJ) > 0) {
			return fmt.Errorf("truncation needs G, M and L_c (%v, %v, %v), which the problem can't bound", c.G, c.M, c.Lc)
		}
	}
	s.estimate = newSpider(p, streams, radiusF, radiusC, radiusJ)
	s.direction = newDirection(p)
	s.smoothness = newSmoothness(s.known)
	s.previous = make([]float64, n)
	s.rho, s.badEvents, s.moved = s.Rho0, 0, 0
	if s.Rule == FiniteSum {
		s.initFiniteSum(streams, it)
		return nil
	}
	if s.Normal == GaussNewton && s.Eta == 0 {
		return errors.New("the step size rule is for the gradient step; normal = gauss-newton needs eta")
	}
	if c := s.known; s.Eta == 0 && !(c.Nu > 0 && c.Lf > 0 && c.Lc > 0) {
		return fmt.Errorf("the step size needs L_f, L_c and ν (%v, %v, %v), which the problem can't bound; give them or eta", c.Lf, c.Lc, c.Nu)
	}
	return nil
}

// complete reports whether Constants has all that the rule may use: to look for others
// takes passes over the data.
func (s *FSFO) complete() bool {
	c := s.Constants
	used := []float64{c.G, c.M, c.Lf, c.Lc, c.LJ, c.Lhf, c.Lhc, c.Nu}
	if s.Rule == Theory {
		used = append(used, c.SigmaF, c.SigmaC, c.SigmaJ)
	}
	return !slices.Contains(used, 0)
}

// Known returns the constants in use, after Init.
func (s *FSFO) Known() problem.Constants { return s.known }

// Step does one iteration of Algorithm 1.
func (s *FSFO) Step(it *Iterate) error {
	if s.Rule == FiniteSum {
		return s.stepFiniteSum(it)
	}
	k := it.K + 1
	if (k-1)%s.epoch() == 0 {
		s.estimate.refresh(it.X, s.refreshSizes())
	} else {
		s.estimate.update(it.X, s.previous, s.recursionSizes())
	}
	e, d := s.estimate, s.direction
	d.start(it.X, e.gradient, e.jacobian)
	eta := s.stepSize(k, d.space.muMin)
	normal := normalStep{w: s.W}
	if s.Normal == GaussNewton {
		normal = normalStep{w: s.W / eta, newton: true, damping: s.Damping * square(blas64.Nrm2(vector(d.free.Data)))}
	}
	d.finish(it.X, e.gradient, e.constraint, e.jacobian, normal, eta)
	s.move(it, eta)
	return nil
}

// epoch is τ.
func (s *FSFO) epoch() int {
	const papers = 2
	if s.Tau == 0 {
		return papers
	}
	return s.Tau
}

// refreshSizes are the batch sizes at k = q(k): fixed, or by eq. batch-b0.
func (s *FSFO) refreshSizes() batchSizes {
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

// recursionSizes are the batch sizes at k > q(k): fixed, or by eq. batch-bk.
func (s *FSFO) recursionSizes() batchSizes {
	if s.Rule == Fixed {
		return s.fixedRecursion()
	}
	_, m := s.p.Dims()
	size := func(lipschitz float64) int {
		drift := lipschitz * s.moved / s.EpsBar
		return ceil(2 * float64(s.epoch()) * drift * drift)
	}
	c := s.known
	return batchSizes{f: size(c.Lf), c: size(c.Lc), j: size(math.Sqrt(float64(m)) * c.LJ)}
}

func (s *FSFO) fixedRecursion() batchSizes {
	sizes := batchSizes{s.BatchF, s.BatchC, s.BatchJ}
	override(&sizes.f, s.RecurseF)
	override(&sizes.c, s.RecurseC)
	override(&sizes.j, s.RecurseJ)
	return sizes
}

// ceil is max{1, ⌈x⌉}, within what a batch can hold.
func ceil(x float64) int { return int(min(max(1, math.Ceil(x)), math.MaxInt32)) }

// stepSize updates ρ_k and returns η_k.
func (s *FSFO) stepSize(k int, muMin float64) float64 {
	decay := decay(k, s.DecayAfter, s.Decay)
	if s.Eta > 0 {
		return s.Eta * decay
	}
	rho, good := s.smoothness.meritParameter(s.known, s.W, muMin)
	if !good {
		s.badEvents++
	}
	s.rho = max(s.rho, rho)
	return s.CEta * decay / (4 * s.smoothness.at(s.rho))
}

// decay is max{1, k/k₀}^(−p).
func decay(k, k0 int, p float64) float64 {
	if p == 0 || k <= k0 {
		return 1
	}
	return math.Pow(float64(k)/float64(k0), -p)
}

// move takes the step and shows it to the driver.
func (s *FSFO) move(it *Iterate, eta float64) {
	copy(s.previous, it.X)
	s.direction.move(it.X, eta)
	s.moved = distance(it.X, s.previous)
	copy(it.Y, s.direction.lambda)
	it.Diag[0] = eta
	it.Diag[1] = s.rho
	it.Diag[2] = s.direction.space.muMin
	it.Diag[3] = float64(s.badEvents)
	it.Diag[4] = s.moved / eta
}

// distance is ‖x − y‖.
func distance(x, y []float64) float64 { return floats.Distance(x, y, 2) }
