package main

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// sphere is a problem with a curved constraint,
//
//	minimise ½xᵀHx − bᵀx  subject to  ½(‖x‖² − 1) = 0,
//
// of a population of samples i in which H + D_i, b + g_i, the constraint's Hessian I + E_i and
// its constant −½ + e_i stand for H, b, I and −½. D_i and E_i are diagonal. The deviations
// have mean 0, so that the nil batch is exact. The gradients of samples multiply x by
// different matrices, so their differences between two points are noisy, too.
type sphere struct {
	h, b, start   []float64
	size          int
	dh, db, dd, e []float64 // D_i, g_i, E_i (size×n) and e_i (size)
}

func newSphere(n, size int, condition, noise float64, r *rand.Rand) *sphere {
	p := &sphere{size: size}
	p.h, p.b, p.start = make([]float64, n), normal(n, r), normal(n, r)
	for j := range p.h {
		p.h[j] = 1 + (condition-1)*float64(j)/float64(n-1)
	}
	const away = 1.3 // ‖x₁‖
	floats.Scale(away/floats.Norm(p.start, 2), p.start)
	deviations := func(width int) []float64 {
		x := normal(size*width, r)
		floats.Scale(noise, x)
		for j := range width {
			mean := 0.0
			for i := range size {
				mean += x[i*width+j] / float64(size)
			}
			for i := range size {
				x[i*width+j] -= mean
			}
		}
		return x
	}
	p.dh, p.db, p.dd, p.e = deviations(n), deviations(n), deviations(n), deviations(1)
	return p
}

func normal(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for j := range x {
		x[j] = r.NormFloat64()
	}
	return x
}

func (p *sphere) Dims() (n, m int)                         { return len(p.h), 1 }
func (p *sphere) Populations() (objective, constraint int) { return p.size, p.size }
func (p *sphere) NonNegative() []int                       { return nil }
func (p *sphere) Inequalities() []int                      { return nil }
func (p *sphere) Start(x []float64)                        { copy(x, p.start) }

func (p *sphere) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.DrawUniform(size, p.size, r)
}

func (p *sphere) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	p.DrawObjective(b, size, r)
}

func (p *sphere) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	if out.WantObjective {
		out.Objective = p.objective(x, b)
	}
	for j := range out.Gradient {
		out.Gradient[j] = (p.h[j]+p.mean(p.dh, j, b))*x[j] - p.b[j] - p.mean(p.db, j, b)
	}
	if out.Constraint != nil {
		out.Constraint[0] = p.constraint(x, b)
	}
	if out.WantJacobian() {
		for j, xj := range x {
			out.Jacobian.Data[j] = (1 + p.mean(p.dd, j, b)) * xj
		}
	}
}

func (p *sphere) objective(x []float64, b *problem.Batch) float64 {
	sum := 0.0
	for j, xj := range x {
		sum += 0.5*(p.h[j]+p.mean(p.dh, j, b))*xj*xj - (p.b[j]+p.mean(p.db, j, b))*xj
	}
	return sum
}

func (p *sphere) constraint(x []float64, b *problem.Batch) float64 {
	c := -0.5 + p.mean(p.e, 0, b)
	for j, xj := range x {
		c += 0.5 * (1 + p.mean(p.dd, j, b)) * xj * xj
	}
	return c
}

// mean is the mean of column j of deviations over a batch.
func (p *sphere) mean(deviations []float64, j int, b *problem.Batch) float64 {
	if b == nil {
		return 0
	}
	width, sum := len(deviations)/p.size, 0.0
	for _, i := range b.Index {
		sum += deviations[i*width+j]
	}
	return sum / float64(len(b.Index))
}

// constants are the constants of the paper's assumptions for least ≤ ‖x‖ ≤ most.
func (p *sphere) constants(least, most float64) problem.Constants {
	n := len(p.h)
	var lf, lj, sf, sj, sc float64 // mean squares over the samples
	for i := range p.size {
		hessian, bend, spread := 0.0, 0.0, 0.0
		for j := range n {
			hessian = max(hessian, math.Abs(p.h[j]+p.dh[i*n+j]))
			bend = max(bend, math.Abs(1+p.dd[i*n+j]))
			spread = max(spread, math.Abs(p.dd[i*n+j]))
		}
		deviation := most*floats.Norm(p.dh[i*n:(i+1)*n], math.Inf(1)) + floats.Norm(p.db[i*n:(i+1)*n], 2)
		value := 0.5*spread*most*most + math.Abs(p.e[i])
		lf += hessian * hessian / float64(p.size)
		lj += bend * bend / float64(p.size)
		sf += deviation * deviation / float64(p.size)
		sj += spread * spread * most * most / float64(p.size)
		sc += value * value / float64(p.size)
	}
	return problem.Constants{
		G: floats.Max(p.h)*most + floats.Norm(p.b, 2), M: max(0.5*(most*most-1), 0.5*(1-least*least)),
		Lf: math.Sqrt(lf), Lc: math.Sqrt(lj) * most, LJ: math.Sqrt(lj),
		SigmaF: math.Sqrt(sf), SigmaC: math.Sqrt(sc), SigmaJ: math.Sqrt(sj), Nu: least,
	}
}
