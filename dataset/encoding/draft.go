package encoding

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// drafts are rows under construction: only a few, so that they stay in the cache while one
// column after the other adds its features. Each column has slots of its own in every row, one
// for each feature that is not 0 at the same time.
type drafts struct {
	slots int
	cols  []uint32 // row by row; none in a slot that is not used
	vals  []float64
}

// draftRows is the number of drafts.
const draftRows = 1 << 8

// none stands for no feature.
const none = math.MaxUint32

func newDrafts(slots int) *drafts {
	return &drafts{slots, make([]uint32, draftRows*slots), make([]float64, draftRows*slots)}
}

// add appends row k, which is valid only once, to rows with room for it.
func (d *drafts) add(b *sparse.Builder, label int8, k int) {
	room, vals := b.Room(), d.vals[k*d.slots:(k+1)*d.slots]
	n, width, ones := 0, 0, true
	for slot, j := range d.cols[k*d.slots : (k+1)*d.slots] {
		if j == none {
			continue
		}
		width = int(j) + 1
		if v := vals[slot]; v != 0 {
			room[n], vals[n] = j, v
			n++
			ones = ones && v == 1
		}
	}
	vals = vals[:n]
	if ones {
		vals = nil
	}
	b.Extend(label, n, width, vals)
}

// encoder drafts the features of a column, for the given rows of a table. These rows are the
// rows first, first+1, … of the result.
type encoder func(d *drafts, rows []int, first int)

// slots returns the largest number of features of the column that are not 0 in a row.
func (e *Column) slots() int {
	if e.As == table.OneHot || !e.Missing {
		return 1
	}
	return 2
}

// encoder returns the encoder of the column. Its features begin at base, its slots at slot.
func (e *Column) encoder(c *table.Column, base, slot int) encoder {
	if e.As == table.OneHot {
		return e.levelEncoder(c, base, slot)
	}
	number := uint32(base)
	missing := uint32(base + e.Width() - 1) // if e.Missing
	return func(d *drafts, rows []int, _ int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			v := c.Numbers[rows[k]]
			absent := math.IsNaN(v)
			d.cols[at] = number
			switch {
			case absent && e.As != table.Raw:
				d.cols[at] = none
			case e.As == table.Bins:
				d.cols[at], d.vals[at] = number+uint32(e.bin(v)), 1
			case absent:
				d.vals[at] = e.Mean
			case e.As == table.Raw:
				d.vals[at] = v
			default:
				d.vals[at] = (v - e.Mean) / e.SD
			}
			if e.Missing {
				d.cols[at+1] = none
				if absent {
					d.cols[at+1], d.vals[at+1] = missing, 1
				}
			}
		}
	}
}

func (e *Column) levelEncoder(c *table.Column, base, slot int) encoder {
	feature := make([]uint32, len(c.Levels)+1) // of a missing value, then of each level
	other := uint32(none)
	if e.Rare {
		other = uint32(base + len(e.Levels))
	}
	feature[0] = none
	if e.Missing {
		feature[0] = uint32(base + e.Width() - 1)
	}
	for code, level := range c.Levels {
		feature[code+1] = other
		if k, found := slices.BinarySearch(e.Levels, level); found {
			feature[code+1] = uint32(base + k)
		}
	}
	return func(d *drafts, rows []int, _ int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			d.cols[at], d.vals[at] = feature[c.Codes[rows[k]]+1], 1
		}
	}
}

// crossEncoder drafts the given feature of every row, −1 for none.
func crossEncoder(features []int32, slot int) encoder {
	return func(d *drafts, rows []int, first int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			d.cols[at], d.vals[at] = uint32(features[first+k]), 1 // −1 becomes none
		}
	}
}

// bin returns the number of edges ≤ v.
func (e *Column) bin(v float64) int {
	k, found := slices.BinarySearch(e.Edges, v)
	if found {
		k++
	}
	return k
}
