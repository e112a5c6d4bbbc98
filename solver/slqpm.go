package solver

import (
	"math"

	"github.com/fairtrain/fairtrain/problem"
)

// SLQPM is the single-loop quadratic penalty method with recursive momentum (Alacaoglu,
// Wright, AISTATS 2024, Algorithm 2). With sampled gradients G_ρ of the penalty function
// f + (ρ/2)‖c‖², iteration k = 1, 2, … is
//
//	ρ_k = ρ k^{p_ρ},  η_k = η/(ρ_k (k+1)^{p_η}),  α_k = min{1, α k^{−0.8}}
//	g_k = G_{ρ_k}(x_k; B_k) + (1−α_k)(g_{k−1} − G_{ρ_{k−1}}(x_{k−1}; B_k))
//	x_{k+1} = Proj(x_k − η_k g_k)
//
// The penalty moves with the point: ρ_{k−1} belongs to x_{k−1}. The projection keeps
// x_j ≥ 0 (momentum.go). Ours, so that all methods can be given the same freedom, is another
// factor of η_k, max{1, k/k₀}^(−p) with p Decay and k₀ DecayAfter, which is 1 by default.
type SLQPM struct {
	Rho, PRho float64 // ρ, p_ρ
	Eta, PEta float64 // η, p_η
	Alpha     float64 // α
	PAlpha    float64 // decay of the momentum parameter, 0.8 in the paper

	Decay      float64 // p
	DecayAfter int     // k₀

	BatchF, BatchC, BatchJ int

	momentum *momentum
}

// DefaultSLQPM returns the parameters of the paper's a9a experiment with batches of 16.
func DefaultSLQPM() *SLQPM {
	return &SLQPM{Rho: 8, PRho: 0.4, Eta: 0.75, PEta: 0.35, Alpha: 72.0 / 81, PAlpha: 0.8, DecayAfter: 1, BatchF: 16, BatchC: 16, BatchJ: 16}
}

// Name returns "slqpm".
func (*SLQPM) Name() string { return "slqpm" }

// Params lists the options.
func (s *SLQPM) Params() []Param {
	return []Param{
		{Name: "rho", Doc: "penalty factor ρ of ρ_k = ρ k^p_rho", Value: &s.Rho, Min: 0, MinOpen: true, Max: inf},
		{Name: "p_rho", Doc: "growth exponent of the penalty", Value: &s.PRho, Min: 0, Max: inf},
		{Name: "eta", Doc: "step factor η of η_k = η/(ρ_k (k+1)^p_eta)", Value: &s.Eta, Min: 0, MinOpen: true, Max: inf},
		{Name: "p_eta", Doc: "decay exponent of the step", Value: &s.PEta, Min: 0, Max: inf},
		{Name: "alpha", Doc: "momentum factor α of α_k = α k^(−p_alpha), clipped to 1", Value: &s.Alpha, Min: 0, MinOpen: true, Max: inf},
		{Name: "p_alpha", Doc: "decay exponent of the momentum parameter", Value: &s.PAlpha, Min: 0, Max: inf},
		{Name: "decay", Doc: "exponent p of another factor max{1, k/k₀}^(−p) of the step", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "decay_after", Doc: "iteration k₀ from which on that factor decreases", Value: &s.DecayAfter, Min: 1, Max: inf},
		{Name: "batch_f", Doc: "batch for ∇f", Value: &s.BatchF, Min: 1, Max: inf},
		{Name: "batch_c", Doc: "batch for c", Value: &s.BatchC, Min: 1, Max: inf},
		{Name: "batch_j", Doc: "batch for ∇c", Value: &s.BatchJ, Min: 1, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *SLQPM) Init(p problem.Problem, streams Streams, _ *Iterate) error {
	s.momentum = newMomentum(p, streams)
	return nil
}

// Step does one iteration.
func (s *SLQPM) Step(it *Iterate) error {
	k := float64(it.K + 1)
	rho := s.Rho * math.Pow(k, s.PRho)
	eta := s.Eta * decay(it.K+1, s.DecayAfter, s.Decay) / (rho * math.Pow(k+1, s.PEta))
	alpha := min(1, s.Alpha*math.Pow(k, -s.PAlpha))
	s.momentum.step(it, nil, rho, batchSizes{s.BatchF, s.BatchC, s.BatchJ}, alpha, eta)
	copy(it.Y, s.momentum.values) // ρ c with the sampled c, the multiplier of a penalty
	return nil
}
