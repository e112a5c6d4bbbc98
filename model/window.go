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
		c := &p.sampling.cells[k]
		rows := func(do func(lo, hi int)) func(lo, hi int) {
			return func(lo, hi int) { do(int(c.mark[lo/c.every]), int(c.mark[(hi-1)/c.every])) }
		}
		w.cells = append(w.cells, dataset.NewWindow(c.rows, blockS, rows(p.mappedS.Need), rows(p.mappedS.Done)))
	}
	if p.windows == nil {
		p.windows = map[*rand.Rand]*windows{}
	}
	p.windows[r] = w
	return w
}

// closeWindows gives all windows up. An exact pass reads all of the file, which takes their place in
// memory.
func (p *Fair) closeWindows() {
	for _, w := range p.windows {
		for _, one := range append(w.cells, w.objective, w.constraint) {
			one.Close()
		}
	}
	clear(p.windows)
}

// mapped is the file of a data set. Nothing is to be said of rows that lie in none.
func mapped(d *dataset.Dataset) *dataset.Mapped {
	if d.Mapped == nil {
		nothing := func(int, int) {}
		return &dataset.Mapped{Need: nothing, Done: nothing}
	}
	return d.Mapped
}
