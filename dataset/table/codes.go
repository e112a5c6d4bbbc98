package table

import (
	"math"

	"github.com/fairtrain/fairtrain/dataset"
)

// codes are those of the rows of a column, while it is read: 0 for a missing value, otherwise one more
// than the number of the level. They take as few bytes as the largest of them needs.
type codes struct {
	narrow []uint8
	medium []uint16 // if not nil, in place of narrow
	wide   []uint32 // if not nil, in place of either
}

func (k *codes) len() int { return len(k.narrow) + len(k.medium) + len(k.wide) }

// view returns the codes as they are now.
func (k *codes) view() dataset.Codes { return dataset.CodesOver(k.narrow, k.medium, k.wide) }

// renumber replaces each code by what place has for it, which is no larger than the largest code.
func (k *codes) renumber(place []int) {
	renumber(k.narrow, place)
	renumber(k.medium, place)
	renumber(k.wide, place)
}

func renumber[I uint8 | uint16 | uint32](codes []I, place []int) {
	for i, code := range codes {
		codes[i] = I(place[code])
	}
}

// growCodes makes room for n more codes.
func (c *collector) growCodes(n int) {
	switch k := &c.codes; {
	case k.wide != nil:
		k.wide = grow(c, k.wide, n)
	case k.medium != nil:
		k.medium = grow(c, k.medium, n)
	default:
		k.narrow = grow(c, k.narrow, n)
	}
}

// putCode appends a code.
func (c *collector) putCode(code int) {
	k := &c.codes
	if code > math.MaxUint8 && k.medium == nil && k.wide == nil {
		k.medium = widened[uint8, uint16](c, &k.narrow)
	}
	if code > math.MaxUint16 && k.wide == nil {
		k.wide = widened[uint16, uint32](c, &k.medium)
	}
	switch {
	case k.wide != nil:
		k.wide = append(k.wide, uint32(code))
	case k.medium != nil:
		k.medium = append(k.medium, uint16(code))
	default:
		k.narrow = append(k.narrow, uint8(code))
	}
}

// widened moves codes to where each of them has more bytes.
func widened[T, U uint8 | uint16 | uint32](c *collector, from *[]T) []U {
	to := grow(c, []U(nil), cap(*from))
	for _, code := range *from {
		to = append(to, U(code))
	}
	*from = nil
	return to
}
