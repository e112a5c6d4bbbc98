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
// unbiased because the samples of ∇C and C are independent. y = 0 gives the quadratic
// penalty.
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
	floats.Add(l.values, y)
	blas64.Gemv(blas.Trans, 1, l.jacobian, linalg.Vector(l.values), 1, linalg.Vector(dst))
}

// project moves the bounded variables of x onto x_j ≥ 0: the proximal step of the
// bounds.
func project(x []float64, bounds []int) {
	for _, j := range bounds {
		x[j] = max(0, x[j])
	}
}
