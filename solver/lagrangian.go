package solver

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// sampledLagrangian evaluates the sampled gradient of the augmented Lagrangian
// f + yᵀc + (β/2)‖c‖²,
//
//	G(x; B) = ∇F(x; B^f) + ∇C(x; B^J) (y + β C(x; B^c)),
//
// unbiased because the samples of ∇C and C are independent. A nil y stands for 0 and gives
// the quadratic penalty.
type sampledLagrangian struct {
	p        problem.Problem
	streams  Streams
	f, c, j  problem.Batch
	values   []float64 // C, then y + β C
	jacobian blas64.General
}

func newSampledLagrangian(p problem.Problem, s Streams) *sampledLagrangian {
	n, m := p.Dims()
	return &sampledLagrangian{p: p, streams: s, values: make([]float64, m), jacobian: problem.NewJacobian(m, n)}
}

func (l *sampledLagrangian) draw(b batchSizes) {
	l.p.DrawObjective(&l.f, b.f, l.streams.Objective)
	l.p.DrawConstraint(&l.c, b.c, l.streams.Constraint)
	l.p.DrawConstraint(&l.j, b.j, l.streams.Jacobian)
}

// gradient stores G(x; B) for the batches drawn last in dst.
func (l *sampledLagrangian) gradient(dst, x, y []float64, beta float64) {
	l.p.Gradient(dst, x, &l.f)
	l.p.Constraint(l.values, x, &l.c)
	l.p.Jacobian(l.jacobian, x, &l.j)
	floats.Scale(beta, l.values)
	if y != nil {
		floats.Add(l.values, y)
	}
	blas64.Gemv(blas.Trans, 1, l.jacobian, linalg.Vector(l.values), 1, linalg.Vector(dst))
}

// momentum takes steps along an estimate of the gradient with recursive momentum,
//
//	d_t = G_t(x_t; B_t) + (1−a_t)(d_{t−1} − G_{t−1}(x_{t−1}; B_t)),  d_0 = G_0(x_0; B_0)
//	x_{t+1} = Proj(x_t − η_t d_t)
//
// where β may change from step to step and y may not. Proj keeps x_j ≥ 0.
type momentum struct {
	*sampledLagrangian
	bounds               []int
	d, scratch, previous []float64
	beta                 float64 // of G_{t−1}
	t                    int
}

func newMomentum(p problem.Problem, s Streams) *momentum {
	n, _ := p.Dims()
	return &momentum{
		sampledLagrangian: newSampledLagrangian(p, s), bounds: p.NonNegative(),
		d: make([]float64, n), scratch: make([]float64, n), previous: make([]float64, n),
	}
}

// step brings d to the current point with fresh batches, then moves.
func (s *momentum) step(it *Iterate, y []float64, beta float64, b batchSizes, a, eta float64) {
	s.draw(b)
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

// project moves the bounded variables of x onto x_j ≥ 0: the proximal step of the
// bounds.
func project(x []float64, bounds []int) {
	for _, j := range bounds {
		x[j] = max(0, x[j])
	}
}
