package table

import (
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/dataset/delimited"
)

// mostShortLevels is the largest number of short levels; more would not fit into the cache.
const mostShortLevels = 1 << 12

// shortLevels finds the codes of short levels. It is an open hash table: a text is in the slot
// of its hash, or in one of the next slots. It is faster than a map, whose branches depend on
// the lengths of texts.
type shortLevels struct {
	slots []shortLevel // their number is a power of two
	used  int
	keys  [2]uint64 // of the hash, both odd; whoever writes a file can't know them
}

// shortLevel is a text and its code.
type shortLevel struct {
	text delimited.Short
	code uint32
	used bool
}

// find returns the slot of a text, or the free slot for it.
func (t *shortLevels) find(text delimited.Short) *shortLevel {
	for at := (text.Low*t.keys[0] ^ text.High*t.keys[1]) >> 48; ; at++ {
		slot := &t.slots[at&uint64(len(t.slots)-1)]
		if slot.text == text || !slot.used {
			return slot
		}
	}
}

// addTo appends the codes of texts, up to the first that has none. It returns their number.
func (t *shortLevels) addTo(to *codes, texts []delimited.Short) (n int) {
	before := to.len()
	switch {
	case to.wide != nil:
		to.wide = appendCodes(t, to.wide, texts)
	case to.medium != nil:
		to.medium = appendCodes(t, to.medium, texts)
	default:
		to.narrow = appendCodes(t, to.narrow, texts)
	}
	return to.len() - before
}

func appendCodes[T uint8 | uint16 | uint32](t *shortLevels, to []T, texts []delimited.Short) []T {
	for _, text := range texts {
		level := t.find(text)
		if !level.used {
			break
		}
		to = append(to, T(level.code))
	}
	return to
}

// add notes the code of a text, unless there are too many texts.
func (t *shortLevels) add(text delimited.Short, code uint32) {
	if t.used >= mostShortLevels {
		return
	}
	if 4*t.used >= len(t.slots) {
		old := t.slots
		*t = shortLevels{slots: make([]shortLevel, max(8, 4*len(old))), keys: [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}}
		clear(t.slots) // a new page that is read before it is written costs two faults, the second an interrupt of all processors
		for _, slot := range old {
			if slot.used {
				t.add(slot.text, slot.code)
			}
		}
	}
	*t.find(text) = shortLevel{text, code, true}
	t.used++
}
