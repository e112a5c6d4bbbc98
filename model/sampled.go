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
		p.constraint(dst, &p.pass.sums, p.population)
		return
	}
	p.sums.clear()
	for s := range (span{rows: b.Index}).blocks() {
		s = p.byCell(p.scratch, s)
		value := p.scratch.value[:s.len()]
		vmath.Sigmoid(value, p.tempered(p.scratch, x, s))
		for k := range p.cells {
			if lo, hi := p.inCell(p.scratch, s, k); lo < hi {
				factor := s.part(lo, hi).pick(p.scratch.coef[:], p.cells[k].all)
				p.sums.value[k] += floats.Dot(factor, value[lo:hi])
			}
		}
	}
	p.constraint(dst, &p.sums, len(b.Index))
}

// Jacobian stores the mean Jacobian of the m constraints over the batch.
func (p *Fair) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantJacobian)
		p.jacobian(dst, &p.pass.sums, p.population)
		return
	}
	p.sums.clear()
	for s := range (span{rows: b.Index}).blocks() {
		s = p.byCell(p.scratch, s)
		value, slope := p.scratch.value[:s.len()], p.scratch.slope[:s.len()]
		vmath.SigmoidSlope(value, slope, p.tempered(p.scratch, x, s))
		for k := range p.cells {
			if lo, hi := p.inCell(p.scratch, s, k); lo < hi {
				part := s.part(lo, hi)
				coef := part.pick(p.scratch.coef[:], p.cells[k].all)
				p.scatter(p.sums.grad[k], p.s, floats.MulTo(value[lo:hi], coef, slope[lo:hi]), part)
			}
		}
	}
	p.jacobian(dst, &p.sums, len(b.Index))
}

// byCell returns the rows of s, at most blockSize, ordered by their cells, without those
// that are in none, which contribute nothing at any x; s itself if every cell has all.
func (p *Fair) byCell(b *block, s span) span {
	if p.cellOf == nil {
		return s
	}
	ends := b.ends[:len(p.cells)]
	clear(ends)
	total := 0
	for i, row := range s.rows {
		k := p.cellOf[row]
		b.cells[i] = k
		if k != noCell {
			ends[k]++
			total++
		}
	}
	start := 0
	for k, size := range ends { // from sizes to the places of the first rows
		ends[k] = start
		start += size
	}
	for i, row := range s.rows {
		if k := b.cells[i]; k != noCell {
			b.rows[ends[k]] = row
			ends[k]++ // in the end that of the first row of the next cell
		}
	}
	return span{rows: b.rows[:total]}
}

// inCell returns the part [lo, hi) of a span by byCell that is in cell k.
func (p *Fair) inCell(b *block, s span, k int) (lo, hi int) {
	switch {
	case p.cellOf == nil:
		return 0, s.len()
	case k == 0:
		return 0, b.ends[0]
	}
	return b.ends[k-1], b.ends[k]
}
