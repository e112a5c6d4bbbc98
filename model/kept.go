package model

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/problem"
)

// kept are copies of the rows of small cells, in the memory of the program. In a file these rows lie far apart, so
// that to draw some thousand of them is to read as many pages. They are numbered from 0 on.
type kept struct {
	rows    *sparse.Matrix
	factor  []float64  // of each row in the sum of its cell, times its weight
	cell    []uint8    // of each row
	members [][]uint32 // of each cell: the numbers of its rows; nil if it is not kept
}

// A cell is kept if at most one of keptShare rows is in it, and if it takes no more than one of keptMemory parts of
// the memory that there is, with those that are smaller.
const keptShare, keptMemory = 8, 4

// keptPart is the number of rows whose columns take 4 bytes each, until they are joined with the others.
const keptPart = 1 << 14

// keep copies the rows of small cells of S. It returns nil if there are none.
func (p *statement) keep() *kept {
	q := &kept{members: make([][]uint32, len(p.cells))}
	rows := p.chooseKept(q)
	if rows == 0 {
		return nil
	}
	q.factor, q.cell = make([]float64, 0, rows), make([]uint8, 0, rows)
	_, width := p.s.Dims()
	all := sparse.Joiner{Cols: width}
	var part sparse.Builder
	for row := range p.population {
		stratum := p.strata.Of(row)
		for _, cells := range p.cellOf {
			k := cells[stratum]
			if k == noCell || q.members[k] == nil {
				continue
			}
			for j, v := range p.s.Row(row) {
				part.Push(uint32(j), v)
			}
			part.EndRow(0)
			if part.Rows() == keptPart {
				all.Append(&part, float64(len(q.cell)+1)/float64(rows))
			}
			q.members[k] = append(q.members[k], uint32(len(q.cell)))
			q.cell = append(q.cell, uint8(k))
			q.factor = append(q.factor, p.cells[k].factor[stratum]*p.strata.Weight(row))
		}
	}
	all.Append(&part, 1)
	q.rows, _ = all.Finish()
	return q
}

// chooseKept makes lists for the cells that are kept. It returns how many rows these have.
func (p *statement) chooseKept(q *kept) (rows int) {
	bySize := make([]int, len(p.cells))
	for k := range bySize {
		bySize[k] = k
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(p.cells[a].rows, p.cells[b].rows) })
	for _, k := range bySize {
		more := p.cells[k].rows
		if keptShare*more > p.population || !memory.Fits(keptMemory*p.keptBytes(rows+more)) {
			break
		}
		rows += more
		q.members[k] = make([]uint32, 0, more)
	}
	return rows
}

// keptBytes is the memory for so many rows, while they are put together.
func (p *statement) keptBytes(rows int) float64 {
	perEntry := 4.0
	switch {
	case p.features <= 1<<8:
		perEntry = 1
	case p.features <= 1<<16:
		perEntry = 2
	}
	if !p.s.Binary() {
		perEntry += 8
	}
	const perRow, perMember = 2*8 + 1, 8 + 1 + 4
	entries := float64(p.s.NNZ()) / float64(p.population)
	return float64(rows) * (2*(float64(perEntry*entries)+perRow) + perMember)
}

// draw draws a row of a cell. It is not ok if the cell is not kept.
func (q *kept) draw(cell int, r *rand.Rand) (number int, ok bool) {
	list := q.members[cell]
	if list == nil {
		return 0, false
	}
	return int(list[r.IntN(len(list))]), true
}

// keptDraws are those of a batch that are drawn of one cell.
type keptDraws struct {
	rows   []int
	weight []float64
}

// addKept adds what the kept rows of a batch contribute to the sums of cells, and returns the other rows.
func (p *Fair) addKept(x []float64, b *problem.Batch, w want) (index []int, weight []float64) {
	index, weight = p.others.rows[:0], p.others.weight[:0]
	for k := range p.ofKept {
		p.ofKept[k] = keptDraws{p.ofKept[k].rows[:0], p.ofKept[k].weight[:0]}
	}
	for i, row := range b.Index {
		number := row - phases*p.population
		if number < 0 {
			index, weight = append(index, row), append(weight, b.Weight[i])
			continue
		}
		c := &p.ofKept[p.kept.cell[number]]
		c.rows, c.weight = append(c.rows, number), append(c.weight, b.Weight[i])
	}
	p.others = keptDraws{index, weight}
	for cell, c := range p.ofKept {
		for lo := 0; lo < len(c.rows); lo += blockSize {
			hi := min(lo+blockSize, len(c.rows))
			p.addKeptBlock(p.scratch, cell, x, c.rows[lo:hi], c.weight[lo:hi], w)
		}
	}
	return index, weight
}

// addKeptBlock adds what kept rows of a cell contribute to its sum.
func (p *Fair) addKeptBlock(b *block, cell int, x []float64, rows []int, weight []float64, w want) {
	s := span{rows: rows}
	t := p.margins(b, p.kept.rows, x, s)
	if p.cells[cell].tempered {
		p.temper(t)
	}
	value, slope := b.sigmoid(t, w)
	f := b.coef[:len(t)]
	for i, row := range rows {
		f[i] = p.kept.factor[row] * weight[i]
	}
	p.addSum(b, &p.sums, cell, p.kept.rows, f, value, slope, s, w)
}
