package solver

import (
	"math"

	"github.com/fairtrain/fairtrain/problem"
)

// PStorm is the momentum-based variance-reduced proximal stochastic gradient method (Xu,
// Xu, JOTA 2023) applied to the quadratic penalty f + (β/2)‖c‖² with a fixed β. From d_0,
// the mean over a larger batch, step t = 0, 1, … is
//
//	x_{t+1} = prox(x_t − η_t d_t),  η_t = η₀ (4/(t+4))^{1/3}
//	d_{t+1} = G(x_{t+1}; B) + (1−a_t)(d_t − G(x_t; B))
//	a_t = (1 + 24η_t²L² − η_{t+1}/η_t)/(1 + 4η_t²L²) clipped to [0, 1]
//
// with L = L_f + β L_c². The prox of the bounds is the projection onto x_j ≥ 0.
type PStorm struct {
	Beta   float64 // β
	Eta    float64 // η₀ in units of 1/L
	Lf, Lc float64 // Lipschitz constants in L

	Batch, FirstBatch int // for each of ∇f, c and ∇c; FirstBatch for d_0

	inner *pstorm
}

// DefaultPStorm returns a penalty of 10 and a step of 1/L.
func DefaultPStorm() *PStorm {
	return &PStorm{Beta: 10, Eta: 1, Lf: 1, Lc: 1, Batch: 20, FirstBatch: 200}
}

// Name returns "pstorm".
func (*PStorm) Name() string { return "pstorm" }

// Params lists the options.
func (s *PStorm) Params() []Param {
	return []Param{
		{Name: "beta", Doc: "penalty parameter β", Value: &s.Beta, Min: 0, MinOpen: true, Max: inf},
		{Name: "eta", Doc: "first step size in units of 1/L, L = l_f + β l_c²", Value: &s.Eta, Min: 0, MinOpen: true, Max: inf},
		{Name: "l_f", Doc: "Lipschitz constant of ∇f", Value: &s.Lf, Min: 0, Max: inf},
		{Name: "l_c", Doc: "Lipschitz constant of c", Value: &s.Lc, Min: 0, MinOpen: true, Max: inf},
		{Name: "batch", Doc: "batch for each of ∇f, c and ∇c", Value: &s.Batch, Min: 1, Max: inf},
		{Name: "first_batch", Doc: "batch at the first step", Value: &s.FirstBatch, Min: 1, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *PStorm) Init(p problem.Problem, streams Streams, _ *Iterate) error {
	s.inner = &pstorm{momentum: newMomentum(p, streams)}
	s.inner.start(s.Eta, s.Lf+s.Beta*s.Lc*s.Lc, s.FirstBatch, s.Batch)
	return nil
}

// Step does one iteration.
func (s *PStorm) Step(it *Iterate) error {
	s.inner.step(it, nil, s.Beta)
	copy(it.Y, s.inner.values)
	return nil
}

// pstorm minimises a sampled augmented Lagrangian with fixed y and β. It is the inner loop of
// Stoc-iALM, too.
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
