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
	cols  []uint32  // row by row; none in a slot that is not used
	vals  []float64 // 1, unless the column stores numbers in the slot
}

// draftRows is the number of drafts.
const draftRows = 1 << 6

// none stands for no feature.
const none = sparse.NoColumn

func newDrafts(slots int) *drafts {
	d := &drafts{slots: slots, cols: make([]uint32, draftRows*slots), vals: make([]float64, draftRows*slots)}
	for at := range d.vals {
		d.vals[at] = 1
	}
	return d
}

// encoder drafts the features of a column, for the given rows of a table. These rows are the
// rows first, first+1, … of the result. It returns how many of them have no value.
type encoder func(d *drafts, rows []int, first int) (missing int)

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
	number, absent := uint32(base), uint32(none)
	missing := uint32(base + e.Width() - 1) // if e.Missing
	raw, bins, mean, sd := e.As == table.Raw, e.As == table.Bins, e.Mean, e.SD
	if raw {
		absent = number // its value is the mean
	}
	return func(d *drafts, rows []int, _ int) (count int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			v := c.Numbers[rows[k]]
			indicator := uint32(none)
			d.cols[at] = number
			switch {
			case math.IsNaN(v):
				count++
				d.cols[at], indicator = absent, missing
				if raw {
					d.vals[at] = mean
				}
			case bins:
				d.cols[at] = number + uint32(e.bin(v))
			case raw:
				d.vals[at] = v
			default:
				d.vals[at] = (v - mean) / sd
			}
			if e.Missing {
				d.cols[at+1] = indicator
			}
		}
		return count
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
	return func(d *drafts, rows []int, _ int) (missing int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			code := c.Codes[rows[k]]
			d.cols[at] = feature[code+1]
			if code < 0 {
				missing++
			}
		}
		return missing
	}
}

// crossEncoder drafts the given feature of every row, −1 for none.
func crossEncoder(features []int32, slot int) encoder {
	return func(d *drafts, rows []int, first int) (missing int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots {
			d.cols[at] = uint32(features[first+k]) // −1 becomes none
		}
		return 0
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
