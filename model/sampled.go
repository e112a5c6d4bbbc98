package model

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/problem"
)

// Objective returns the mean loss over the batch plus the L2 term.
func (p *Fair) Objective(x []float64, b *problem.Batch) float64 {
	if b == nil {
		p.pass.run(x, wantObjective)
		return p.pass.objective + p.addPenalty(nil, x)
	}
	sum := 0.0
	for s := range (span{rows: b.Index}).blocks() {
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
		for s := range (span{rows: b.Index}).blocks() {
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
	for s := range (span{rows: b.Index}).blocks() {
		s = p.weighted(p.scratch, s)
		value := p.scratch.value[:s.len()]
		vmath.Sigmoid(value, p.tempered(p.scratch, x, s))
		for i, m := range p.multiples {
			if m.of == i {
				dst[i] += floats.Dot(s.pick(p.scratch.coef[:], p.rows[i].Weight), value)
			}
		}
	}
	scale := 1 / float64(len(b.Index))
	for i, m := range p.multiples {
		switch {
		case m.of == i:
			dst[i] *= scale
		case m.of >= 0:
			dst[i] = m.factor * dst[m.of]
		}
	}
	for i, r := range p.rows {
		dst[i] += r.Constant
	}
}

// Jacobian stores the mean Jacobian of the m constraints over the batch.
func (p *Fair) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantJacobian)
		p.pass.jacobian(dst)
		return
	}
	for i := range p.m {
		clear(jacobianRow(dst, i))
	}
	for s := range (span{rows: b.Index}).blocks() {
		s = p.weighted(p.scratch, s)
		value, slope := p.scratch.value[:s.len()], p.scratch.slope[:s.len()]
		vmath.SigmoidSlope(value, slope, p.tempered(p.scratch, x, s))
		for i, m := range p.multiples {
			if m.of == i {
				coef := floats.MulTo(value, s.pick(p.scratch.coef[:], p.rows[i].Weight), slope)
				p.scatter(jacobianRow(dst, i), p.s, coef, s)
			}
		}
	}
	scale := 1 / (float64(len(b.Index)) * p.options.Temperature)
	for i, m := range p.multiples {
		switch {
		case m.of == i:
			floats.Scale(scale, jacobianRow(dst, i))
		case m.of >= 0:
			floats.ScaleTo(jacobianRow(dst, i), m.factor, jacobianRow(dst, m.of))
		}
	}
}

// weighted returns the rows of s, at most blockSize, that have a weight in a constraint;
// the others contribute nothing, at any x.
func (p *Fair) weighted(b *block, s span) span {
	if p.idle == nil {
		return s
	}
	rows := b.rows[:0]
	for _, i := range s.rows {
		if !p.idle[i] {
			rows = append(rows, i)
		}
	}
	return span{rows: rows}
}

func jacobianRow(dst blas64.General, i int) []float64 {
	return dst.Data[i*dst.Stride : i*dst.Stride+dst.Cols]
}
