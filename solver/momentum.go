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
// penalty.
type momentum struct {
	p       problem.Problem
	streams Streams
	bounds  []int

	f, c, j  problem.Batch
	values   []float64 // C, then y + β C
	jacobian blas64.General

	d, scratch, previous []float64
	beta                 float64 // of G_{t−1}
	t                    int
}

func newMomentum(p problem.Problem, s Streams) *momentum {
	n, m := p.Dims()
	return &momentum{
		p: p, streams: s, bounds: p.NonNegative(),
		values: make([]float64, m), jacobian: problem.NewJacobian(m, n),
		d: make([]float64, n), scratch: make([]float64, n), previous: make([]float64, n),
	}
}

// step brings d to the current point with fresh batches, then moves.
func (s *momentum) step(it *Iterate, y []float64, beta float64, b batchSizes, a, eta float64) {
	s.p.DrawObjective(&s.f, b.f, s.streams.Objective)
	s.p.DrawConstraint(&s.c, b.c, s.streams.Constraint)
	s.p.DrawConstraint(&s.j, b.j, s.streams.Jacobian)
	if s.t == 0 {
		s.gradient(s.d, it.X, y, beta)
	} else {
		s.gradient(s.scratch, s.previous, y, s.beta)
		floats.Sub(s.d, s.scratch)
		floats.Scale(1-a, s.d)
		s.gradient(s.scratch, it.X, y, beta)
		floats.Add(s.d, s.scratch)
	}
	s.t++
	s.beta = beta
	copy(s.previous, it.X)
	floats.AddScaled(it.X, -eta, s.d)
	project(it.X, s.bounds)
	it.Diag.Eta, it.Diag.Rho, it.Diag.Direction = eta, beta, floats.Norm(s.d, 2)
}

// gradient stores G(x; B) in dst.
func (s *momentum) gradient(dst, x, y []float64, beta float64) {
	s.p.Gradient(dst, x, &s.f)
	s.p.Constraint(s.values, x, &s.c)
	s.p.Jacobian(s.jacobian, x, &s.j)
	floats.Scale(beta, s.values)
	if y != nil {
		floats.Add(s.values, y)
	}
	blas64.Gemv(blas.Trans, 1, s.jacobian, linalg.Vector(s.values), 1, linalg.Vector(dst))
}

// project moves the bounded variables of x onto x_j ≥ 0: the proximal step of the bounds.
func project(x []float64, bounds []int) {
	for _, j := range bounds {
		x[j] = max(0, x[j])
	}
}
