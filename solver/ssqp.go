package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// SSQP is stochastic sequential quadratic optimisation (Shen, Zeng, Zhou 2025, Algorithm
// 1, with the step rule of Berahas, Curtis, Robinson, Zhou, SIOPT 2021). With fresh
// batch means ḡ, c̄, J̄ each iteration
//
//	d ← min ḡᵀd + ½ dᵀHd  s.t. c̄ + J̄d = 0, x_j + d_j ≥ 0,   H = hI   (boundqp.go)
//	τ_trial = ∞ if ḡᵀd + dᵀHd ≤ 0, else (1−σ)‖c̄‖₁/(ḡᵀd + dᵀHd)
//	τ ← (1−ε_τ)τ_trial  unless τ ≤ (1−ε_τ)τ_trial
//	Δl = −τḡᵀd + ‖c̄‖₁ − ‖c̄ + J̄d‖₁
//	ξ_trial = Δl/(τ‖d‖²),  ξ ← min{(1−ε_ξ)ξ, ξ_trial}  unless ξ ≤ ξ_trial
//	α_min = βξτ/(τL+Γ),  α_init = βΔl/((τL+Γ)‖d‖²),  α̃ = α_init − 4‖c̄‖₁/((τL+Γ)‖d‖²)
//	α = α_init if α_init < 1, 1 if α̃ ≤ 1 ≤ α_init, else α̃;  clipped to [α_min, α_min + θβ²]
//	x ← x + αd
//
// If J̄ is singular, d is the direction of least violation of the linearised constraints.
type SSQP struct {
	Tau0  float64 // τ₀, initial merit parameter
	Xi0   float64 // ξ₀, initial ratio parameter
	H     float64 // h, the Hessian approximation is hI
	Beta  float64 // β, factor of the step size; β_k = β max{1, k/k₀}^(−p), p Decay, k₀ DecayAfter
	L     float64 // Lipschitz constant of ∇f
	Gamma float64 // Γ, Lipschitz constant of ∇c
	Sigma float64 // σ
	Eps   float64 // ε_τ = ε_ξ
	Theta float64 // θ, width of the step size interval

	Decay      float64
	DecayAfter int

	BatchF, BatchC, BatchJ int

	estimate *spider // only its fresh batch means are used
	qp       *boundQP
	tau, xi  float64
	residual []float64 // c̄ + J̄d
}

// DefaultSSQP returns the parameters of the paper's a9a experiment with batches of 16,
// and the constants of the step rule's authors.
func DefaultSSQP() *SSQP {
	return &SSQP{
		Tau0: 0.08, Xi0: 1, H: 30, Beta: 0.9, L: 1, Gamma: 1, Sigma: 0.5, Eps: 0.01, Theta: 1e4,
		DecayAfter: 1,
		BatchF:     16, BatchC: 16, BatchJ: 16,
	}
}

// Name returns "ssqp".
func (*SSQP) Name() string { return "ssqp" }

// Params lists the options.
func (s *SSQP) Params() []Param {
	return []Param{
		{Name: "tau0", Doc: "initial merit parameter τ₀", Value: &s.Tau0, Min: 0, MinOpen: true, Max: inf},
		{Name: "xi0", Doc: "initial ratio parameter ξ₀", Value: &s.Xi0, Min: 0, MinOpen: true, Max: inf},
		{Name: "h", Doc: "Hessian approximation hI", Value: &s.H, Min: 0, MinOpen: true, Max: inf},
		{Name: "beta", Doc: "step size factor β", Value: &s.Beta, Min: 0, MinOpen: true, Max: 1},
		{Name: "decay", Doc: "exponent p of the factors β_k = β max{1, k/k₀}^(−p)", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "decay_after", Doc: "iteration k₀ from which on β_k decreases", Value: &s.DecayAfter, Min: 1, Max: inf},
		{Name: "l", Doc: "Lipschitz constant L of ∇f", Value: &s.L, Min: 0, MinOpen: true, Max: inf},
		{Name: "gamma", Doc: "Lipschitz constant Γ of ∇c", Value: &s.Gamma, Min: 0, Max: inf},
		{Name: "sigma", Doc: "σ in the merit parameter's update", Value: &s.Sigma, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "eps", Doc: "relative decrease ε_τ = ε_ξ of merit and ratio parameter", Value: &s.Eps, Min: 0, MinOpen: true, Max: 1, MaxOpen: true},
		{Name: "theta", Doc: "width θ of the step size interval [α_min, α_min + θβ²]", Value: &s.Theta, Min: 0, Max: inf},
		{Name: "batch_f", Doc: "batch for ∇f", Value: &s.BatchF, Min: 1, Max: inf},
		{Name: "batch_c", Doc: "batch for c", Value: &s.BatchC, Min: 1, Max: inf},
		{Name: "batch_j", Doc: "batch for ∇c", Value: &s.BatchJ, Min: 1, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *SSQP) Init(p problem.Problem, streams Streams, _ *Iterate) error {
	_, m := p.Dims()
	s.estimate = newSpider(p, streams, unbounded)
	s.qp = newBoundQP(p)
	s.tau, s.xi = s.Tau0, s.Xi0
	s.residual = make([]float64, m)
	return nil
}

// Step does one iteration.
func (s *SSQP) Step(it *Iterate) error {
	q := s.qp
	s.estimate.refresh(it.X, batchSizes{s.BatchF, s.BatchC, s.BatchJ})
	q.solve(it.X, s.estimate.values, s.H)
	if !linalg.Finite(q.d) {
		return ErrDiverged
	}
	copy(it.Y, q.y)
	length := floats.Norm(q.d, 2)
	it.Diag.SigmaMin, it.Diag.Direction = q.space.MuMin, length
	if length == 0 {
		it.Diag.Eta = 0
		return nil
	}
	alpha := s.stepSize(length*length, s.Beta*decay(it.K+1, s.DecayAfter, s.Decay))
	floats.AddScaled(it.X, alpha, q.d)
	project(it.X, q.bounds) // only for α > 1, and for rounding
	it.Diag.Eta, it.Diag.Rho, it.Diag.Xi = alpha, s.tau, s.xi
	return nil
}

// stepSize updates τ and ξ and returns α for a direction with squared norm dd and the
// factor β_k.
func (s *SSQP) stepSize(dd, beta float64) float64 {
	v, d := s.estimate.values, s.qp.d
	violation := floats.Norm(v.Constraint, 1)
	gd := floats.Dot(v.Gradient, d)
	// Where c̄ = 0 the model is 0 but for rounding, which must not make τ 0 for good. It is ‖ḡ‖²/h
	// without constraints.
	const rounding = 1e-12
	if model := gd + float64(s.H*dd); model > rounding*floats.Dot(v.Gradient, v.Gradient)/s.H {
		if trial := (1 - s.Sigma) * violation / model; s.tau > (1-s.Eps)*trial {
			s.tau = (1 - s.Eps) * trial
		}
	}
	copy(s.residual, v.Constraint)
	blas64.Gemv(blas.NoTrans, 1, v.Jacobian, linalg.Vector(d), 1, linalg.Vector(s.residual))
	reduction := float64(-s.tau*gd) + violation - floats.Norm(s.residual, 1)
	if s.tau > 0 {
		if trial := reduction / (s.tau * dd); s.xi > trial {
			s.xi = min((1-s.Eps)*s.xi, trial)
		}
	}
	lipschitz := s.tau*s.L + s.Gamma
	least := beta * s.xi * s.tau / lipschitz
	first := beta * reduction / (lipschitz * dd)
	shifted := first - 4*violation/(lipschitz*dd)
	alpha := shifted
	switch {
	case first < 1:
		alpha = first
	case shifted <= 1:
		alpha = 1
	}
	return min(max(alpha, least), least+float64(s.Theta*beta*beta))
}
