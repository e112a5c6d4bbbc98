package model

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Evaluate stores the mean loss plus the L2 term, its gradient, the m constraints and their
// Jacobian, over a batch or, for nil, over all rows, in one pass over D and S.
func (p *Fair) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	w := wantOf(out)
	if b == nil {
		p.pass.run(x, w)
		p.finish(out, x, &p.pass.total, p.among(p.population))
		return
	}
	if w&ofD != 0 {
		p.evaluateObjective(out, x, b)
	}
	if w&ofS != 0 {
		p.sums.clear(w)
		p.addBatch(x, b, w)
		p.finishConstraint(out, x, &p.sums, len(b.Index))
	}
}

// evaluateObjective evaluates the rows of D in a batch.
func (p *Fair) evaluateObjective(out *problem.Values, x []float64, b *problem.Batch) {
	if out.Gradient != nil {
		clear(out.Gradient)
	}
	sum := 0.0
	for s := range (span{rows: b.Index}).blocks() {
		sum += p.loss(p.scratch, out.Gradient, p.margins(p.scratch, p.d, x, s), s, out.WantObjective)
	}
	if out.WantObjective {
		out.Objective = sum/float64(len(b.Index)) + p.penalty.Value(x)
	}
	if out.Gradient != nil {
		floats.Scale(1/float64(len(b.Index)), out.Gradient)
		p.penalty.AddGradient(out.Gradient, x)
	}
}

// addBatch adds what the rows of a batch contribute to the sums of cells.
func (p *Fair) addBatch(x []float64, b *problem.Batch, w want) {
	if len(p.cells) == 0 {
		return
	}
	for lo := 0; lo < len(b.Index); lo += blockSize {
		hi := min(lo+blockSize, len(b.Index))
		d := drawn{index: b.Index[lo:hi]}
		if b.Weight != nil {
			d.weight = b.Weight[lo:hi]
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

// finish stores what is wanted of the sums over all rows, given the number of rows of S.
func (p *Fair) finish(out *problem.Values, x []float64, t *total, rows int) {
	if out.WantObjective {
		out.Objective = t.objective + p.penalty.Value(x)
	}
	if out.Gradient != nil {
		floats.ScaleTo(out.Gradient, 1/float64(p.among(len(p.labels))), t.gradient)
		p.penalty.AddGradient(out.Gradient, x)
	}
	p.finishConstraint(out, x, &t.sums, rows)
}

// finishConstraint stores c and J at x, means over as many rows as are in the sums.
func (p *Fair) finishConstraint(out *problem.Values, x []float64, s *sums, rows int) {
	if out.Constraint != nil {
		p.constraint(out.Constraint, x, s, rows)
	}
	if out.WantJacobian() {
		p.jacobian(out.Jacobian, s, rows)
	}
}

// constraint stores c.
func (p *Fair) constraint(dst, x []float64, s *sums, rows int) {
	clear(dst)
	for k, sum := range s.value {
		floats.AddScaled(dst, sum/float64(rows), p.cells[k].tuple)
	}
	for i, r := range p.constraints {
		dst[i] += r.Constant
		if k := p.base(r); k >= 0 {
			dst[i] += r.Slope * x[k]
		}
	}
}

// base returns the index of the variable that is the base of a row, −1 for none.
func (p *Fair) base(r Inequality) int {
	if r.Base == "" {
		return -1
	}
	return p.n - len(p.bases) + slices.Index(p.bases, r.Base)
}

// jacobian stores J.
func (p *Fair) jacobian(dst blas64.General, s *sums, rows int) {
	for i := range p.m {
		row := linalg.Row(dst, i).Data
		clear(row)
		for k, c := range p.cells {
			if c.tuple[i] != 0 {
				scale := c.tuple[i] / float64(rows)
				if c.tempered {
					scale /= p.options.Temperature
				}
				floats.AddScaled(row, scale, s.grad[k])
			}
		}
		if k := p.base(p.constraints[i]); k >= 0 {
			row[k] = p.constraints[i].Slope
		}
	}
}
