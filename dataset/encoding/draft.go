package encoding

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// drafts are rows under construction: only a few, so that they stay in the cache while one
// column after the other adds its features. Each column has slots of its own in every row.
type drafts struct {
	slots  slots
	values []float64 // row by row; 0 in a slot that is not used
	ones   []uint32  // features that are 1, row by row; none in a slot that is not used
}

// addTo adds the first n rows to a builder. The features of the slots for values are numbers.
func (d *drafts) addTo(b *sparse.Builder, n int, numbers []uint32) {
	var memory [64]uint32
	ones := memory[:0]
	for k := range n {
		ones = ones[:0]
		for slot, v := range d.values[k*d.slots.values:][:d.slots.values] {
			if v == 1 {
				ones = append(ones, numbers[slot])
			} else {
				b.Push(numbers[slot], v)
			}
		}
		merged := len(ones) > 0
		for _, j := range d.ones[k*d.slots.ones:][:d.slots.ones] {
			if j != none {
				ones = append(ones, j)
			}
		}
		if merged {
			slices.Sort(ones)
		}
		b.PushOnes(ones...)
		b.EndRow(1)
	}
}

// slots are those of a row for features with values and for features that are 1.
type slots struct{ values, ones int }

func (s slots) plus(t slots) slots { return slots{s.values + t.values, s.ones + t.ones} }

// draftRows is the number of drafts.
const draftRows = 1 << 6

// none stands for no feature.
const none = math.MaxUint32

// encoder drafts the features of a column, for the given rows of a tabular. These rows are the
// rows first, first+1, … of the result. It returns how many of them have no value.
type encoder func(d *drafts, rows []int, first int) (missing int)

// isNumber reports whether the column has a feature that is neither 0 nor 1.
func (e *Column) isNumber() bool { return e.As != tabular.OneHot && e.As != tabular.Bins }

// slots returns the slots of the column.
func (e *Column) slots() (s slots) {
	if e.isNumber() {
		s.values++
	} else {
		s.ones++
	}
	if e.Missing && e.As != tabular.OneHot {
		s.ones++
	}
	return s
}

// encoder returns the encoder of the column. Its features begin at base, its slots at slot.
func (e *Column) encoder(c *tabular.Column, base int, slot slots) encoder {
	switch e.As {
	case tabular.OneHot:
		return e.levelEncoder(c, base, slot.ones)
	case tabular.Bins:
		return e.binEncoder(c, base, slot.ones)
	}
	absent, mean, sd := 0.0, e.Mean, e.SD
	if e.As == tabular.Raw {
		absent, mean, sd = e.Mean, 0, 1 // a missing value is the mean
	}
	noted := uint32(base + e.Width() - 1) // if e.Missing
	return func(d *drafts, rows []int, _ int) (missing int) {
		var memory [draftRows]float64
		numbers := memory[:len(rows)]
		c.NumbersOf(numbers, rows)
		values, at, step := d.values, slot.values, d.slots.values
		for _, v := range numbers {
			if v = (v - mean) / sd; math.IsNaN(v) {
				v = absent
				missing++
			}
			values[at] = v
			at += step
		}
		if e.Missing {
			for k, v := range numbers {
				indicator := uint32(none)
				if math.IsNaN(v) {
					indicator = noted
				}
				d.ones[k*d.slots.ones+slot.ones] = indicator
			}
		}
		return missing
	}
}

func (e *Column) binEncoder(c *tabular.Column, base, slot int) encoder {
	return func(d *drafts, rows []int, _ int) (missing int) {
		var memory [draftRows]float64
		numbers := memory[:len(rows)]
		c.NumbersOf(numbers, rows)
		at := slot
		for _, v := range numbers {
			bin, indicator := uint32(none), uint32(base+e.Width()-1)
			if math.IsNaN(v) {
				missing++
			} else {
				bin, indicator = uint32(base+e.bin(v)), none
			}
			d.ones[at] = bin
			if e.Missing {
				d.ones[at+1] = indicator
			}
			at += d.slots.ones
		}
		return missing
	}
}

func (e *Column) levelEncoder(c *tabular.Column, base, slot int) encoder {
	const absent = none - 1                    // stands for a missing value
	feature := make([]uint32, 1+len(c.Levels)) // of each code
	ofMissing, other := uint32(none), uint32(none)
	if e.Rare {
		other = uint32(base + len(e.Levels))
	}
	feature[0] = absent
	if e.Missing {
		ofMissing = uint32(base + e.Width() - 1)
	}
	for i, level := range c.Levels {
		feature[1+i] = other
		if k, found := e.find(level); found {
			feature[1+i] = uint32(base + k)
		}
	}
	return func(d *drafts, rows []int, _ int) (missing int) {
		var memory [draftRows]uint32
		features := memory[:len(rows)]
		dataset.Lookup(features, feature, c.Codes, rows)
		ones, at, step := d.ones, slot, d.slots.ones
		for _, j := range features {
			if j == absent {
				j = ofMissing
				missing++
			}
			ones[at] = j
			at += step
		}
		return missing
	}
}

// find returns the number of a level, or of one of its spellings.
func (e *Column) find(level string) (k int, found bool) {
	if k, found = slices.BinarySearch(e.Levels, level); found {
		return k, true
	}
	for _, other := range spellings(level) {
		if k, found = slices.BinarySearch(e.Levels, other); found {
			return k, true
		}
	}
	return 0, false
}

// crossEncoder drafts the given feature of every row, −1 for none.
func crossEncoder(features []int32, slot int) encoder {
	return func(d *drafts, rows []int, first int) (missing int) {
		for k, at := 0, slot; k < len(rows); k, at = k+1, at+d.slots.ones {
			d.ones[at] = uint32(features[first+k]) // −1 becomes none
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
