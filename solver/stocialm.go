package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// StocIALM is the stochastic inexact augmented Lagrangian method (Li, Chen, Liu, Lu, Xu,
// COAP 2024) with PStorm as its inner solver. Outer iteration k = 0, 1, … is
//
//	β_k = β₀ γ^k
//	x^{k+1} ← T_k = T₀ (k+1) steps of PStorm on f + cᵀy^k + (β_k/2)‖c‖² from x^k
//	y^{k+1} = y^k + w_k c̃(x^{k+1}),  w_k = β_k min{1, γ_k/‖c̃‖}
//
// with γ_k = Γ β₀/(β_k (k+1)²), which keeps ‖y‖ below Γ β₀ π²/6, and c̃ from a batch. An
// optional postprocessing step on a large batch ends the inner loop. Ours, so that all
// methods can be given the same freedom, is a factor max{1, K/K₀}^(−p) of PStorm's first
// step, with p Decay, K the inner steps so far and K₀ DecayAfter, which is 1 by default. One
// Step is one inner step, so that budgets and records see this method like any other.
type StocIALM struct {
	Beta0  float64 // β₀
	Growth float64 // γ
	Inner  int     // T₀
	Eta    float64 // PStorm's first step in units of 1/L
	Lf, Lc float64 // Lipschitz constants in L = L_f + β_k L_c²
	Gamma  float64 // Γ, the cap on multiplier updates; 0 keeps y = 0

	Decay      float64 // p
	DecayAfter int     // K₀

	Batch, FirstBatch int // of PStorm
	MultiplierBatch   int // for c̃
	PostBatch         int // of the postprocessing step, 0 for none

	inner  *pstorm
	batch  problem.Batch // for c̃
	c      []float64
	outer  int // k
	beta   float64
	steps  int // inner steps left before the multiplier update
	posted bool
}

// DefaultStocIALM returns the parameters of the paper's a9a experiment and, where the
// paper gives none, common ones.
func DefaultStocIALM() *StocIALM {
	return &StocIALM{
		Beta0: 120, Growth: 1.55, Inner: 50, Eta: 1, Lf: 1, Lc: 1, Gamma: 1, DecayAfter: 1,
		Batch: 20, FirstBatch: 200, MultiplierBatch: 200,
	}
}

// Name returns "stoc-ialm".
func (*StocIALM) Name() string { return "stoc-ialm" }

// Params lists the options.
func (s *StocIALM) Params() []Param {
	return []Param{
		{Name: "beta0", Doc: "first penalty parameter β₀", Value: &s.Beta0, Min: 0, MinOpen: true, Max: inf},
		{Name: "growth", Doc: "growth factor γ of the penalty", Value: &s.Growth, Min: 1, Max: inf},
		{Name: "inner", Doc: "inner steps T₀ of T_k = T₀ (k+1)", Value: &s.Inner, Min: 1, Max: inf},
		{Name: "eta", Doc: "first inner step size in units of 1/L, L = l_f + β_k l_c²", Value: &s.Eta, Min: 0, MinOpen: true, Max: inf},
		{Name: "l_f", Doc: "Lipschitz constant of ∇f", Value: &s.Lf, Min: 0, Max: inf},
		{Name: "l_c", Doc: "Lipschitz constant of c", Value: &s.Lc, Min: 0, MinOpen: true, Max: inf},
		{Name: "gamma", Doc: "cap Γ on the multiplier updates; 0 keeps the multiplier at 0", Value: &s.Gamma, Min: 0, Max: inf},
		{Name: "decay", Doc: "exponent p of a factor max{1, K/K₀}^(−p) of the first inner step, K the inner steps so far", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "decay_after", Doc: "inner step K₀ from which on that factor decreases", Value: &s.DecayAfter, Min: 1, Max: inf},
		{Name: "batch", Doc: "inner batch for each of ∇f, c and ∇c", Value: &s.Batch, Min: 1, Max: inf},
		{Name: "first_batch", Doc: "batch at the first inner step of each outer iteration", Value: &s.FirstBatch, Min: 1, Max: inf},
		{Name: "multiplier_batch", Doc: "batch for c in the multiplier update", Value: &s.MultiplierBatch, Min: 1, Max: inf},
		{Name: "post_batch", Doc: "batch of the postprocessing step; 0 for no such step", Value: &s.PostBatch, Min: 0, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *StocIALM) Init(p problem.Problem, streams Streams, it *Iterate) error {
	s.inner = &pstorm{momentum: newMomentum(p, streams)}
	s.c = make([]float64, len(it.Y))
	clear(it.Y)
	s.outer = 0
	s.startInner(1)
	return nil
}

// startInner begins an outer iteration at inner step k.
func (s *StocIALM) startInner(k int) {
	s.beta = s.Beta0 * math.Pow(s.Growth, float64(s.outer))
	s.steps = s.Inner * (s.outer + 1)
	s.posted = s.PostBatch == 0
	s.inner.start(s.Eta*decay(k, s.DecayAfter, s.Decay), s.Lf+s.beta*s.Lc*s.Lc, s.FirstBatch, s.Batch)
}

// Step does one inner step, and the multiplier update after the last of them.
func (s *StocIALM) Step(it *Iterate) error {
	switch {
	case s.steps > 0:
		s.inner.step(it, it.Y, s.beta)
		s.steps--
	case !s.posted:
		s.inner.start(1, s.inner.l, s.PostBatch, s.PostBatch) // a plain gradient step of length 1/L
		s.inner.step(it, it.Y, s.beta)
		s.posted = true
	}
	if s.steps == 0 && s.posted {
		s.updateMultiplier(it)
		s.outer++
		s.startInner(it.K + 1)
	}
	it.Diag.Outer = float64(s.outer)
	return nil
}

func (s *StocIALM) updateMultiplier(it *Iterate) {
	s.inner.p.DrawConstraint(&s.batch, s.MultiplierBatch, s.inner.streams.Aux)
	s.inner.p.constraint(s.c, it.X, &s.batch)
	w := s.beta
	k := float64(s.outer + 1)
	if gamma, norm := s.Gamma*s.Beta0/(s.beta*k*k), floats.Norm(s.c, 2); norm > gamma {
		w *= gamma / norm
	}
	floats.AddScaled(it.Y, w, s.c)
}

// pstorm is the momentum-based variance-reduced proximal stochastic gradient method (Xu, Xu,
// JOTA 2023) on a sampled augmented Lagrangian with fixed y and β. From d_0, the mean over a
// larger batch, step t = 0, 1, … is
//
//	x_{t+1} = prox(x_t − η_t d_t),  η_t = η₀ (4/(t+4))^{1/3}
//	d_{t+1} = G(x_{t+1}; B) + (1−a_t)(d_t − G(x_t; B))
//	a_t = (1 + 24η_t²L² − η_{t+1}/η_t)/(1 + 4η_t²L²) clipped to [0, 1]
//
// with L = L_f + β L_c². The prox of the bounds is the projection onto x_j ≥ 0.
type pstorm struct {
	*momentum
	eta0, l     float64
	first, size int // batch sizes at the first step and later
}

// start begins a minimisation with Lipschitz constant l and first step eta/l.
func (s *pstorm) start(eta, l float64, first, size int) {
	s.eta0, s.l, s.first, s.size, s.t = eta/l, l, first, size, 0
}

func (s *pstorm) eta(t int) float64 { return s.eta0 * math.Cbrt(4/float64(t+4)) }

func (s *pstorm) step(it *Iterate, y []float64, beta float64) {
	size, a := s.first, 1.0
	if s.t > 0 {
		size, a = s.size, s.share(s.t-1)
	}
	s.momentum.step(it, y, beta, batchSizes{size, size, size}, a, s.eta(s.t))
}

// share is a_t.
func (s *pstorm) share(t int) float64 {
	eta := s.eta(t)
	el := square(eta * s.l)
	return min(1, max(0, (1+float64(24*el)-s.eta(t+1)/eta)/(1+float64(4*el))))
}
