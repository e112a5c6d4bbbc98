package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// momentum takes steps on the augmented Lagrangian f + yᵀc + (β/2)‖c‖², along an estimate of
// its gradient with recursive momentum,
//
//	d_t = G_t(x_t; B_t) + (1−a_t)(d_{t−1} − G_{t−1}(x_{t−1}; B_t)),  d_0 = G_0(x_0; B_0)
//	x_{t+1} = Proj(x_t − η_t d_t)
//	G(x; B) = ∇F(x; B^f) + ∇C(x; B^J) (y + β C(x; B^c))
//
// where β may change from step to step and y may not. G is unbiased because the samples of ∇C
// and C are independent. Proj keeps x_j ≥ 0. A nil y stands for 0 and gives the quadratic
// penalty. Where all batches are whole populations, d_t is the gradient, which has no error for
// momentum to make less.
type momentum struct {
	p       *oracle
	streams Streams
	bounds  []int

	batches
	values   []float64 // C, then y + β C
	jacobian blas64.General

	d, scratch, previous []float64
	beta                 float64 // of G_{t−1}
	t                    int
}

func newMomentum(p problem.Problem, s Streams) *momentum {
	n, m := p.Dims()
	return &momentum{
		p: newOracle(p), streams: s, bounds: p.NonNegative(),
		values: make([]float64, m), jacobian: problem.NewJacobian(m, n),
		d: make([]float64, n), scratch: make([]float64, n), previous: make([]float64, n),
	}
}

// step brings d to the current point with fresh batches, then moves.
func (s *momentum) step(it *Iterate, y []float64, beta float64, b batchSizes, a, eta float64) {
	f, c, j := s.draw(s.p, s.streams, b)
	gradient := func(dst, x []float64, beta float64) {
		s.p.gradient(dst, x, f)
		s.p.constraint(s.values, x, c)
		s.p.jacobian(s.jacobian, x, j)
		floats.Scale(beta, s.values)
		if y != nil {
			floats.Add(s.values, y)
		}
		blas64.Gemv(blas.Trans, 1, s.jacobian, linalg.Vector(s.values), 1, linalg.Vector(dst))
	}
	if isExact := f == nil && c == nil && j == nil; s.t == 0 || isExact {
		gradient(s.d, it.X, beta)
	} else {
		gradient(s.scratch, s.previous, s.beta)
		floats.Sub(s.d, s.scratch)
		floats.Scale(1-a, s.d)
		gradient(s.scratch, it.X, beta)
		floats.Add(s.d, s.scratch)
	}
	s.t++
	s.beta = beta
	copy(s.previous, it.X)
	floats.AddScaled(it.X, -eta, s.d)
	project(it.X, s.bounds)
	it.Diag.Eta, it.Diag.Rho, it.Diag.Direction = eta, beta, floats.Norm(s.d, 2)
}

// project moves the bounded variables of x onto x_j ≥ 0: the proximal step of the bounds.
func project(x []float64, bounds []int) {
	for _, j := range bounds {
		x[j] = max(0, x[j])
	}
}
