package table

import (
	"math/rand/v2"
)

// shortLevels finds the codes of levels of at most mostShort bytes, faster than a map, whose
// branches depend on the lengths of texts: a text is two words here, and the words are found
// in a table at the place that their hash says, or behind it.
type shortLevels struct {
	slots []shortLevel // a power of two
	used  int
	keys  [2]uint64 // of the hash, which nobody can know who writes a file; odd
}

// shortLevel is a text, as its bytes and their number, and its code.
type shortLevel struct {
	low, high uint64
	code      int32
	used      bool
}

const (
	mostShort = 15
	// mostShortLevels is beyond what fits the cache.
	mostShortLevels = 1 << 12
)

// shortOf returns the text of a value without a code. It is not ok if the value is too long,
// or too near to the end of the text.
func shortOf(text string, value span) (s shortLevel, ok bool) {
	n := value.to - value.from
	if n > mostShort || int(value.from)+16 > len(text) {
		return s, false
	}
	bytes := text[value.from : value.from+16]
	s.low = wordAt(bytes[:8]) & (1<<(8*n) - 1) // all of them if n ≥ 8
	s.high = wordAt(bytes[8:])&(1<<(8*(max(n, 8)-8))-1) | uint64(n)<<56
	return s, true
}

// find returns the slot of a text, or the free one where it would be.
func (t *shortLevels) find(s shortLevel) *shortLevel {
	for at := (s.low*t.keys[0] ^ s.high*t.keys[1]) >> 48; ; at++ {
		slot := &t.slots[at&uint64(len(t.slots)-1)]
		if slot.low == s.low && slot.high == s.high || !slot.used {
			return slot
		}
	}
}

// add notes the code of a text, unless there are too many.
func (t *shortLevels) add(s shortLevel, code int32) {
	if t.used >= mostShortLevels {
		return
	}
	if 4*t.used >= len(t.slots) {
		old := t.slots
		*t = shortLevels{slots: make([]shortLevel, max(8, 4*len(old))), keys: [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}}
		for _, slot := range old {
			if slot.used {
				t.add(slot, slot.code)
			}
		}
	}
	s.code, s.used = code, true
	*t.find(s) = s
	t.used++
}
