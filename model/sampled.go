package model

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// Objective returns the mean loss over the batch plus the L2 term.
func (p *Fair) Objective(x []float64, b *problem.Batch) float64 {
	if b == nil {
		p.pass.run(x, wantObjective)
		return p.pass.objective + p.addPenalty(nil, x)
	}
	sum := 0.0
	for s := range blocks(span{rows: b.Index}) {
		sum += p.loss(p.scratch, nil, x, s, true)
	}
	return sum/float64(len(b.Index)) + p.addPenalty(nil, x)
}

// Gradient stores the mean gradient over the batch plus that of the L2 term.
func (p *Fair) Gradient(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantGradient)
		copy(dst, p.pass.gradient)
	} else {
		clear(dst)
		for s := range blocks(span{rows: b.Index}) {
			p.loss(p.scratch, dst, x, s, false)
		}
		floats.Scale(1/float64(len(b.Index)), dst)
	}
	p.addPenalty(dst, x)
}

// Constraint stores the mean of the m constraints over the batch.
func (p *Fair) Constraint(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantConstraint)
		p.pass.constraint(dst)
		return
	}
	clear(dst)
	for s := range blocks(span{rows: b.Index}) {
		value, _ := p.scores(p.scratch, x, s)
		for k, sigma := range value {
			row := s.rows[k]
			for j := range dst {
				dst[j] += p.cells.weight(row, j) * sigma
			}
		}
	}
	floats.Scale(1/float64(len(b.Index)), dst)
	floats.Add(dst, p.cells.constant)
}

// Jacobian stores the mean Jacobian of the m constraints over the batch.
func (p *Fair) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantJacobian)
		p.pass.jacobian(dst)
		return
	}
	for j := range p.m {
		clear(jacobianRow(dst, j))
	}
	for s := range blocks(span{rows: b.Index}) {
		coef, slope := p.scores(p.scratch, x, s)
		for j := range p.m {
			for k, d := range slope {
				coef[k] = p.cells.weight(s.rows[k], j) * d
			}
			scatter(jacobianRow(dst, j), p.s, coef, s, p.options.Intercept)
		}
	}
	for j := range p.m {
		floats.Scale(1/float64(len(b.Index)), jacobianRow(dst, j))
	}
}

func jacobianRow(dst blas64.General, j int) []float64 {
	return dst.Data[j*dst.Stride : j*dst.Stride+dst.Cols]
}

// blocks cuts a span into parts of at most blockSize rows.
func blocks(s span) func(yield func(span) bool) {
	return func(yield func(span) bool) {
		for lo := 0; lo < s.len(); lo += blockSize {
			if !yield(s.part(lo, min(lo+blockSize, s.len()))) {
				return
			}
		}
	}
}
