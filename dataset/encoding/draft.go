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
	ends  [draftRows]int // of the rows, once the slots that are not used are left out
}

// draftRows is the number of drafts.
const draftRows = 1 << 8

// none stands for no feature.
const none = math.MaxUint32

func newDrafts(slots int) *drafts {
	return &drafts{slots: slots, cols: make([]uint32, draftRows*slots), vals: make([]float64, draftRows*slots)}
}

// put hands the first n drafts, which are valid only once, to a filler, as the rows from row first on.
func (d *drafts) put(f *sparse.Filler, first, n int) {
	to := 0
	for k := range n {
		for at := k * d.slots; at < (k+1)*d.slots; at++ {
			if j, v := d.cols[at], d.vals[at]; j != none && v != 0 {
				d.cols[to], d.vals[to] = j, v
				to++
			}
		}
		d.ends[k] = to
	}
	f.Put(first, d.ends[:n], d.cols[:to], d.vals[:to])
}

// encoder drafts the features of a column, for the given rows of a table. These rows are the
// rows first, first+1, … of the result.
type encoder func(d *drafts, rows []int, first int)

// slots returns the number of slots of the column.
func (e *Column) slots() int {
	if e.As == table.OneHot || !e.Missing {
		return 1
	}
	return 2
}

// most returns the largest number of features of the column that are not 0 in one row.
func (e *Column) most() int {
	if e.As == table.Raw {
		return e.slots() // a missing value is the mean, and noted
	}
	return 1
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
