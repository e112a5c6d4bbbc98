package dataset

import (
	"iter"
	"math"
)

// Codes are numbers from 0 on, one a row, that tell which level, group or stratum the row is in.
// They take a byte a row, or two or four where the largest of them needs it.
type Codes struct {
	// At most one of them is there. Without any, all rows have the number 0.
	narrow []uint8
	medium []uint16
	wide   []uint32
}

// MakeCodes returns codes, all 0, that can be at most most.
func MakeCodes(rows, most int) Codes {
	switch {
	case most <= math.MaxUint8:
		return Codes{narrow: make([]uint8, rows)}
	case most <= math.MaxUint16:
		return Codes{medium: make([]uint16, rows)}
	}
	return Codes{wide: make([]uint32, rows)}
}

// CodesOver returns codes over a slice that the caller keeps, such as one of a mapped file. The
// other two slices are nil.
func CodesOver(narrow []uint8, medium []uint16, wide []uint32) Codes {
	return Codes{narrow: narrow, medium: medium, wide: wide}
}

// CodesOf returns the codes of a list.
func CodesOf(list ...int) Codes {
	most := 0
	for _, code := range list {
		most = max(most, code)
	}
	c := MakeCodes(len(list), most)
	for i, code := range list {
		c.Put(i, code)
	}
	return c
}

// Len returns the number of rows, 0 if all have the number 0 without taking memory.
func (c Codes) Len() int { return len(c.narrow) + len(c.medium) + len(c.wide) }

// At returns the code of row i.
func (c Codes) At(i int) int {
	switch {
	case c.narrow != nil:
		return int(c.narrow[i])
	case c.medium != nil:
		return int(c.medium[i])
	case c.wide != nil:
		return int(c.wide[i])
	}
	return 0
}

// Count returns how many of the Len rows have each of the numbers below n.
func (c Codes) Count(n int) []int {
	count := make([]int, n)
	switch {
	case c.narrow != nil:
		addCounts(count, c.narrow)
	case c.medium != nil:
		addCounts(count, c.medium)
	case c.wide != nil:
		addCounts(count, c.wide)
	}
	return count
}

func addCounts[I uint8 | uint16 | uint32](count []int, codes []I) {
	for _, code := range codes {
		count[code]++
	}
}

// All returns the codes of all rows.
func (c Codes) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range c.Len() {
			if !yield(c.At(i)) {
				return
			}
		}
	}
}

// Put sets the code of row i.
func (c Codes) Put(i, code int) {
	switch {
	case c.narrow != nil:
		c.narrow[i] = uint8(code)
	case c.medium != nil:
		c.medium[i] = uint16(code)
	default:
		c.wide[i] = uint32(code)
	}
}

// pick returns the codes of the given rows.
func (c Codes) pick(rows []int) Codes {
	switch {
	case c.narrow != nil:
		c.narrow = Pick(c.narrow, rows)
	case c.medium != nil:
		c.medium = Pick(c.medium, rows)
	case c.wide != nil:
		c.wide = Pick(c.wide, rows)
	}
	return c
}
