package model

import (
	"iter"

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
		sum += p.loss(p.scratch, nil, p.margins(p.scratch, p.d, x, s), s, true)
	}
	return sum/float64(len(b.Index)) + p.addPenalty(nil, x)
}

// Gradient stores the mean gradient over the batch plus that of the L2 term.
func (p *Fair) Gradient(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantGradient)
		copy(dst, p.pass.gradient)
	} else {
		b.Clear(dst)
		for s := range (span{rows: b.Index}).blocks() {
			p.loss(p.scratch, dst, p.margins(p.scratch, p.d, x, s), s, false)
		}
		b.Scale(1/float64(len(b.Index)), dst)
	}
	p.addPenalty(dst, x)
}

// Constraint stores the mean of the m constraints over the batch.
func (p *Fair) Constraint(dst, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantConstraint)
		p.constraint(dst, x, &p.pass.sums, p.population)
		return
	}
	clear(p.sums.value)
	for s := range p.byCell(b) {
		value := p.scratch.value[:s.len()]
		vmath.Sigmoid(value, p.cellMargins(x, s))
		for k := s.firstCell; k < s.endCell; k++ {
			if lo, hi := p.inCell(s, k); lo < hi {
				p.sums.value[k] += floats.Dot(p.factors(b, s, k, lo, hi), value[lo:hi])
			}
		}
	}
	p.constraint(dst, x, &p.sums, len(b.Index))
}

// Jacobian stores the mean Jacobian of the m constraints over the batch.
func (p *Fair) Jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	if b == nil {
		p.pass.run(x, wantJacobian)
		p.jacobian(dst, &p.pass.sums, p.population, nil)
		return
	}
	p.sums.clear(b)
	for s := range p.byCell(b) {
		value, slope := p.scratch.value[:s.len()], p.scratch.slope[:s.len()]
		vmath.SigmoidSlope(value, slope, p.cellMargins(x, s))
		for k := s.firstCell; k < s.endCell; k++ {
			if lo, hi := p.inCell(s, k); lo < hi {
				coef := floats.MulTo(value[lo:hi], p.factors(b, s, k, lo, hi), slope[lo:hi])
				p.scatter(p.sums.grad[k], p.s, coef, s.part(lo, hi))
			}
		}
	}
	p.jacobian(dst, &p.sums, len(b.Index), b)
}

// cellSpan is a span for the cells from firstCell to endCell−1. Its rows from tempered on
// are for those that are tempered.
type cellSpan struct {
	span
	firstCell, endCell int
	tempered           int
}

// cellMargins returns the margins of the rows of s, as its cells see them.
func (p *Fair) cellMargins(x []float64, s cellSpan) []float64 {
	t := p.margins(p.scratch, p.s, x, s.span)
	p.temper(t[s.tempered:])
	return t
}

// byCell yields the rows of the batch in blocks, each ordered by cell, without the rows
// that are in none, which contribute nothing at any x. Their weights, if the batch has any,
// are in the scratch memory. Where each cell has all rows, they stay as they are, and come
// once for the cells that are not tempered and once for those that are.
func (p *Fair) byCell(b *problem.Batch) iter.Seq[cellSpan] {
	return func(yield func(cellSpan) bool) {
		if len(p.cells) == 0 {
			return
		}
		for lo := 0; lo < len(b.Index); lo += blockSize {
			hi := min(lo+blockSize, len(b.Index))
			s := span{rows: b.Index[lo:hi]}
			var weight []float64
			if b.Weight != nil {
				weight = b.Weight[lo:hi]
			}
			if p.cellOf != nil {
				if !yield(p.order(p.scratch, s, weight)) {
					return
				}
				continue
			}
			copy(p.scratch.weight[:], weight)
			plain := cellSpan{span: s, endCell: p.firstTempered, tempered: s.len()}
			tempered := cellSpan{span: s, firstCell: p.firstTempered, endCell: len(p.cells)}
			if plain.endCell > 0 && !yield(plain) || tempered.firstCell < tempered.endCell && !yield(tempered) {
				return
			}
		}
	}
}

// order sorts the rows of s, at most blockSize, by cell.
func (p *Fair) order(b *block, s span, weight []float64) cellSpan {
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
		k := b.cells[i]
		if k == noCell {
			continue
		}
		b.rows[ends[k]] = row % p.population
		if weight != nil {
			b.weight[ends[k]] = weight[i]
		}
		ends[k]++ // in the end the place of the first row of the next cell
	}
	sorted := cellSpan{span: span{rows: b.rows[:total]}, endCell: len(p.cells)}
	if p.firstTempered > 0 {
		sorted.tempered = ends[p.firstTempered-1]
	}
	return sorted
}

// inCell returns the part [lo, hi) of a span by byCell that is in cell k.
func (p *Fair) inCell(s cellSpan, k int) (lo, hi int) {
	switch {
	case p.cellOf == nil:
		return 0, s.len()
	case k == 0:
		return 0, p.scratch.ends[0]
	}
	return p.scratch.ends[k-1], p.scratch.ends[k]
}

// factors returns those of the part [lo, hi) of a span by byCell in the sum of cell k.
func (p *Fair) factors(b *problem.Batch, s cellSpan, k, lo, hi int) []float64 {
	f := s.part(lo, hi).pick(p.scratch.coef[:], p.cells[k].all)
	if b.Weight != nil {
		floats.Mul(f, p.scratch.weight[lo:hi])
	}
	return f
}
