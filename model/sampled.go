package model

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/problem"
)

// Objective returns the mean loss over the batch plus the L2 term.
func (p *Fair) Objective(x []float64, b *problem.Batch) float64 {
	if b == nil {
		p.pass.run(x, wantObjective)
		return p.pass.objective + p.penalty(x)
	}
	sum := 0.0
	for s := range (span{rows: b.Index}).blocks() {
		sum += p.loss(p.scratch, nil, p.margins(p.scratch, p.d, x, s), s, true)
	}
	return sum/float64(len(b.Index)) + p.penalty(x)
}

// Gradient stores the mean gradient over the batch plus that of the L2 term.
func (p *Fair) Gradient(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantGradient)
		p.gradient(dst, x, 0, p.n)
		return
	}
	b.Clear(dst)
	for s := range (span{rows: b.Index}).blocks() {
		p.loss(p.scratch, dst, p.margins(p.scratch, p.d, x, s), s, false)
	}
	b.Scale(1/float64(len(b.Index)), dst)
	p.addPenalty(dst, x, 0, p.n)
}

// Constraint stores the mean of the m constraints over the batch.
func (p *Fair) Constraint(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantConstraint)
		p.constraint(dst, x, &p.pass.sums, p.among(p.population))
		return
	}
	clear(p.sums.value)
	p.addBatch(x, b, wantConstraint)
	p.constraint(dst, x, &p.sums, len(b.Index))
}

// Jacobian stores the mean Jacobian of the m constraints over the batch.
func (p *Fair) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantJacobian)
		p.jacobian(dst, &p.pass.sums, p.among(p.population), nil, 0, p.n)
		return
	}
	p.sums.clear(b)
	p.addBatch(x, b, wantJacobian)
	p.jacobian(dst, &p.sums, len(b.Index), b, 0, p.n)
}

// addBatch adds what the rows of a batch contribute to the sums of cells.
func (p *Fair) addBatch(x []float64, b *problem.Batch, w want) {
	if len(p.cells) == 0 {
		return
	}
	index, weight := b.Index, b.Weight
	for lo := 0; lo < len(index); lo += blockSize {
		hi := min(lo+blockSize, len(index))
		d := drawn{index: index[lo:hi]}
		if weight != nil {
			d.weight = weight[lo:hi]
		}
		s := span{rows: d.index}
		if p.cellOf != nil {
			s.rows = p.scratch.drawn[:hi-lo]
			for k, i := range d.index {
				s.rows[k] = i % p.population
			}
		}
		p.addCells(p.scratch, &p.sums, p.margins(p.scratch, p.s, x, s), s, &d, w)
	}
}
