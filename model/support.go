package model

import (
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/problem"
)

// Entries is the mean number of variables that a row has a part in. The gradient of an L2
// term has one in all of them, whatever the row.
func (p *Fair) Entries() float64 {
	if p.options.L2 != 0 {
		return 0
	}
	perRow := 0.0
	for _, a := range []*sparse.Matrix{p.d, p.s} {
		rows, _ := a.Dims()
		perRow = max(perRow, float64(a.NNZ())/float64(rows))
	}
	return perRow + float64(p.n-p.features)
}

// seen tells which variables are in a list already, in memory that it allocates at first
// use.
type seen struct {
	in   []uint32 // number of the last list that the variable was put in
	list uint32
}

// findSupport finds the support of a batch of rows of a, if it asks for it.
func (p *Fair) findSupport(b *problem.Batch, a *sparse.Matrix) {
	if !b.Sparse || p.Entries() == 0 {
		b.Support = nil
		return
	}
	if b.Support = b.Support[:0]; b.Support == nil {
		b.Support = []int{} // nil would mean all
	}
	if p.seen.in == nil {
		p.seen.in = make([]uint32, p.features)
	}
	if p.seen.list++; p.seen.list == 0 { // after 2³² lists
		clear(p.seen.in)
		p.seen.list = 1
	}
	rows, _ := a.Dims()
	for _, i := range b.Index { // those of S are counted twice, see sampling.draw
		for j := range a.Row(i % rows) {
			if p.seen.in[j] != p.seen.list {
				p.seen.in[j] = p.seen.list
				b.Support = append(b.Support, j)
			}
		}
	}
	for j := p.features; j < p.n; j++ {
		b.Support = append(b.Support, j)
	}
}
