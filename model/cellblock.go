package model

import (
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/vmath"
)

// cellSpan is a span of rows of S for the cells from first to end−1, ordered by cell unless each
// cell has all rows.
type cellSpan struct {
	span
	first, end int
	weighted   bool // rows count by their weights in a batch
}

// addCells adds what rows of S contribute to the sums of cells: values, gradients or both. The
// rows are at most blockSize, with margins t. Those of a batch have weights, unless all are 1,
// and say themselves for which cells they are drawn; other rows are for all of them.
func (p *Fair) addCells(b *block, dst *sums, t []float64, s span, drawn *drawn, w want) {
	for phase := range 2 {
		c := cellSpan{span: s, end: p.firstTempered, weighted: drawn.weight != nil}
		if phase == 1 {
			c.first, c.end = p.firstTempered, len(p.cells)
		}
		if c.first == c.end {
			continue
		}
		if p.cellOf == nil {
			copy(b.seen[:], t)
			copy(b.counts[:], drawn.weight)
		} else {
			p.findCells(b, s, phase, drawn.index)
			c = p.order(b, c, t, drawn.weight)
		}
		p.addSpan(b, dst, c, phase == 1, w)
	}
}

// drawn is the index and weight of rows of a batch; for other rows it is empty.
type drawn struct {
	index  []int // the row, plus |S| if it is drawn for a tempered cell
	weight []float64
}

// findCells finds the cells of rows, of the constraints that are tempered in phase 1.
func (p *Fair) findCells(b *block, s span, phase int, index []int) {
	of := p.cellOf[phase]
	if s.rows == nil {
		dataset.Spread(b.cells[:s.len()], p.strata, of, s.lo)
		return
	}
	for k, row := range s.rows {
		b.cells[k] = noCell
		if index[k] == row+phase*p.population {
			b.cells[k] = of[p.strata.Of(row)]
		}
	}
}

// order sorts rows by cell, without those that are in none.
func (p *Fair) order(b *block, c cellSpan, t, weight []float64) cellSpan {
	ends := b.ends[:len(p.cells)]
	clear(ends)
	cells := b.cells[:c.len()]
	total := 0
	for _, k := range cells {
		if k != noCell {
			ends[k]++
			total++
		}
	}
	start := 0
	for k, size := range ends { // from sizes to the positions of the first rows
		ends[k] = start
		start += size
	}
	for i, k := range cells {
		if k == noCell {
			continue
		}
		position := ends[k]
		b.rows[position], b.seen[position] = c.row(i), t[i]
		if weight != nil {
			b.counts[position] = weight[i]
		}
		ends[k]++ // in the end the position of the first row of the next cell
	}
	c.span = span{rows: b.rows[:total]}
	return c
}

// addSpan adds what the rows of c contribute to the sums of its cells.
func (p *Fair) addSpan(b *block, dst *sums, c cellSpan, tempered bool, w want) {
	t := b.seen[:c.len()]
	if tempered {
		p.temper(t)
	}
	value, slope := b.sigmoid(t, w)
	for k := c.first; k < c.end; k++ {
		lo, hi := p.inCell(b, c, k)
		if lo == hi {
			continue
		}
		f, v, d, s := p.factors(b, c, k, lo, hi), value[lo:hi], slope[lo:hi], c.part(lo, hi)
		if p.cellOf == nil && len(p.cells) > 1 {
			f, v, d, s = b.inside(f, v, d, s)
		}
		p.addSum(b, dst, k, p.s, f, v, d, s, w)
	}
}

// sigmoid returns σ(t) and, for a Jacobian, σ′(t).
func (b *block) sigmoid(t []float64, w want) (value, slope []float64) {
	value, slope = b.value[:len(t)], b.slope[:len(t)]
	if w&wantJacobian != 0 {
		vmath.SigmoidSlope(value, slope, t)
	} else {
		vmath.Sigmoid(value, t)
	}
	return value, slope
}

// addSum adds what rows s of a contribute to the sums of cell k: with factors f, which are lost,
// and σ and σ′ of their margins.
func (p *Fair) addSum(b *block, dst *sums, k int, a *sparse.Matrix, f, value, slope []float64, s span, w want) {
	if w&wantConstraint != 0 {
		dst.value[k] += floats.Dot(f, value)
	}
	if w&wantJacobian != 0 {
		floats.Mul(f, slope)
		p.scatter(dst.grad[k], a, f, s)
	}
}

// inside leaves out the rows with a factor of 0, which are most in cells of a constraint each.
func (b *block) inside(factor, value, slope []float64, s span) (f, v, d []float64, rows span) {
	n := 0
	for k, x := range factor {
		if x != 0 {
			factor[n], b.insideValue[n], b.insideSlope[n], b.rows[n] = x, value[k], slope[k], s.row(k)
			n++
		}
	}
	return factor[:n], b.insideValue[:n], b.insideSlope[:n], span{rows: b.rows[:n]}
}

// inCell returns the part [lo, hi) of a span that is in cell k.
func (p *Fair) inCell(b *block, c cellSpan, k int) (lo, hi int) {
	switch {
	case p.cellOf == nil:
		return 0, c.len()
	case k == 0:
		return 0, b.ends[0]
	}
	return b.ends[k-1], b.ends[k]
}

// factors returns those of the part [lo, hi) of a span in the sum of cell k.
func (p *Fair) factors(b *block, c cellSpan, k, lo, hi int) []float64 {
	f, factor := b.coef[:hi-lo], p.cells[k].factor
	if c.rows == nil {
		dataset.Spread(f, p.strata, factor, c.lo+lo)
		p.strata.Weigh(f, c.lo+lo)
	} else {
		for i, row := range c.rows[lo:hi] {
			f[i] = factor[p.strata.Of(row)] * p.strata.Weight(row)
		}
	}
	if c.weighted {
		floats.Mul(f, b.counts[lo:hi])
	}
	return f
}
