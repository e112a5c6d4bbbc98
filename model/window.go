package model

import (
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/dataset"
)

// windows are those of a stream of random numbers, so that equal streams draw equal rows.
type windows struct {
	objective, constraint *dataset.Window
	cells                 []*dataset.Window // of members
}

// windowsOf returns the windows of a stream.
func (p *Fair) windowsOf(r *rand.Rand) *windows {
	if w := p.windows[r]; w != nil {
		return w
	}
	block, blockS := dataset.WindowBlock(len(p.labels), p.d.NNZ()), dataset.WindowBlock(p.population, p.s.NNZ())
	w := &windows{
		objective:  dataset.NewWindow(len(p.labels), block, p.mapped.Need, p.mapped.Done),
		constraint: dataset.NewWindow(p.population, blockS, p.mappedS.Need, p.mappedS.Done),
	}
	for k := range p.sampling.cells {
		w.cells = append(w.cells, p.sampling.window(k, blockS, p.mappedS))
	}
	if len(p.windows) == 0 {
		p.mapped.Sampled(true)
		p.mappedS.Sampled(true)
		p.windows = map[*rand.Rand]*windows{}
	}
	p.windows[r] = w
	return w
}

// window returns the window of a cell. Its blocks are what the cell has of so many rows of the file, on average:
// of the members of a rare cell, which lie far apart, a block is a few, or a single one.
func (s *sampling) window(cell, block int, m *dataset.Mapped) *dataset.Window {
	c := &s.cells[cell]
	rows := func(tell func(lo, hi int)) func(lo, hi int) {
		return func(lo, hi int) { // by marks, as to look at labels is to read the file, where it is not asked for yet
			end := s.Rows()
			if next := (hi-1)/c.every + 1; next < len(c.mark) {
				end = int(c.mark[next])
			}
			tell(int(c.mark[lo/c.every]), end)
		}
	}
	return dataset.NewWindow(c.rows, max(1, block*c.rows/s.Rows()), rows(m.Need), rows(m.Done))
}

// closeWindows gives all windows up. An exact pass reads all of the file, which takes their place in
// memory.
func (p *Fair) closeWindows() {
	if len(p.windows) == 0 {
		return
	}
	for _, w := range p.windows {
		for _, one := range append(w.cells, w.objective, w.constraint) {
			one.Close()
		}
	}
	clear(p.windows)
	p.mapped.Sampled(false)
	p.mappedS.Sampled(false)
}

// mapped is the file of a data set. Nothing is to be said of rows that lie in none.
func mapped(d *dataset.Dataset) *dataset.Mapped {
	if d.Mapped == nil {
		nothing := func(int, int) {}
		return &dataset.Mapped{Sampled: func(bool) {}, Need: nothing, Done: nothing}
	}
	return d.Mapped
}
