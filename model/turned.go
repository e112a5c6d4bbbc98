package model

import (
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// turned evaluates rows of very many features a part at a time, by column. A part's margins are
// computed together before the first of its blocks, and its gradients added after the last one.
type turned struct {
	parts   []sparse.TurnedPart // the first one is at work, if it has begun
	begun   bool
	margin  [sparse.TurnedRows]float64
	sums    [4 * sparse.TurnedRows]float64
	pending []pending
	unused  []*[sparse.TurnedRows]float64
}

// pending is a combination of the rows of a part that is to be added.
type pending struct {
	dst  []float64
	coef *[sparse.TurnedRows]float64
}

// turn prepares b for blocks of rows of a. Rows of mapped files, which take no memory, stay as they
// are.
func (p *Fair) turn(b *block, a *sparse.Matrix, rows span) {
	for _, f := range []*dataset.Mapped{p.mapped, p.mappedS} {
		if f != nil && f.Bytes > 0 {
			return
		}
	}
	t := a.Turned(rows.lo, rows.hi)
	if t == nil {
		return
	}
	if b.memory == nil {
		b.memory = new(turned)
	}
	b.turned = b.memory
	b.turned.parts, b.turned.begun = t.Parts, false
}

// unturn ends the rows.
func (b *block) unturn() {
	if b.turned != nil {
		b.turned.finish()
		b.turned = nil
	}
}

// margins stores the products of the rows of s, those of the last call or the next ones.
func (t *turned) margins(dst, x []float64, s span) {
	if t.begun && s.lo == t.parts[0].Hi {
		t.finish()
		t.parts, t.begun = t.parts[1:], false
	}
	if !t.begun {
		t.parts[0].Mul(t.margin[:], x, &t.sums)
		t.begun = true
	}
	copy(dst, t.margin[s.lo-t.parts[0].Lo:])
}

// scatter adds a combination of rows of the part at work to dst, in the end.
func (t *turned) scatter(dst, coef []float64, s span) {
	to := t.coefficients(dst)
	for k, c := range coef {
		to[s.row(k)-t.parts[0].Lo] = c
	}
}

// coefficients returns those of the combination for dst, at first 0.
func (t *turned) coefficients(dst []float64) *[sparse.TurnedRows]float64 {
	for _, p := range t.pending {
		if &p.dst[0] == &dst[0] {
			return p.coef
		}
	}
	if len(t.unused) == 0 {
		t.unused = append(t.unused, new([sparse.TurnedRows]float64))
	}
	last := len(t.unused) - 1
	p := pending{dst, t.unused[last]}
	t.unused, t.pending = t.unused[:last], append(t.pending, p)
	clear(p.coef[:])
	return p.coef
}

// finish adds the combinations.
func (t *turned) finish() {
	for _, p := range t.pending {
		t.parts[0].AddTrans(p.dst, p.coef)
		t.unused = append(t.unused, p.coef)
	}
	t.pending = t.pending[:0]
}
