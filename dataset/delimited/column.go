package delimited

import (
	"maps"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/internal/swar"
)

// Column is what is known about the values of a column while a file is read. By it a Splitter makes
// a number, or the code of a level, of a usual value as soon as it finds the value. One goroutine may
// add to what is known while others read.
type Column struct {
	known atomic.Pointer[known]
	used  int // slots of known
}

// known is what is known about a column at some time. All but the slots stays as it is.
type known struct {
	kind kind
	// slots are an open hash table of short levels: a text is in the slot of its hash, or in one of the next
	// slots. Their number is a power of two. It is faster than a map, whose branches depend on the
	// lengths of texts.
	slots []slot
	keys  [2]uint64         // of the hash, both odd; whoever writes a file can't know them
	long  map[string]uint32 // codes of other levels
	empty bool              // a number may be missing, without any text
}

// kind is what becomes of the values of a column.
type kind uint8

const (
	texts        kind = iota
	numbers           // quantity.ParseDecimal reads them
	wholeNumbers      // the same, without a point
	levels
	nothing
)

// slot has a level, or is free.
type slot struct {
	text Short
	code uint32 // one more than the code, 0 while the slot is free; read and written as one
}

// Short is a text of at most 15 bytes as two words. Equal texts have equal words, and only
// they.
type Short = swar.Short

const (
	mostShort = 1 << 12 // short levels; more would not fit into the cache
	mostLong  = 1 << 8  // long ones; each makes a copy of the others
)

var unknown known

// now returns what is known now.
func (c *Column) now() *known {
	if k := c.known.Load(); k != nil {
		return k
	}
	return &unknown
}

// set notes that the column is of a kind that has no levels.
func (c *Column) set(kind kind, empty bool) {
	if k := c.now(); k.kind != kind || k.empty != empty {
		c.known.Store(&known{kind: kind, empty: empty})
	}
}

// Numbers says that the values are numbers, of which those of quantity.ParseDecimal are usual; if whole,
// those of them without a point. If empty, so is a missing value without any text.
func (c *Column) Numbers(whole, empty bool) {
	kind := numbers
	if whole {
		kind = wholeNumbers
	}
	c.set(kind, empty)
}

// Nothing says that the values play no part.
func (c *Column) Nothing() { c.set(nothing, false) }

// Level gives a text a code, unless there are too many texts.
func (c *Column) Level(text Short, code uint32) {
	if c.used >= mostShort {
		return
	}
	k := c.now()
	if 4*c.used >= len(k.slots) {
		k = k.withSlots(max(8, 4*len(k.slots)))
		c.known.Store(k)
	}
	s, _ := k.find(text)
	s.text = text
	atomic.StoreUint32(&s.code, code+1) // whoever sees the code sees the text
	c.used++
}

// LongLevel is Level for any text.
func (c *Column) LongLevel(text string, code uint32) {
	k := c.now()
	if len(k.long) >= mostLong {
		return
	}
	if len(k.slots) == 0 {
		k = k.withSlots(8)
	}
	more := *k
	if more.long = maps.Clone(k.long); more.long == nil {
		more.long = map[string]uint32{}
	}
	more.long[text] = code
	c.known.Store(&more)
}

// withSlots returns the same levels with more slots.
func (k *known) withSlots(n int) *known {
	t := &known{kind: levels, slots: make([]slot, n), keys: [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}, long: k.long}
	clear(t.slots) // a new page that is read before it is written costs two faults, the second an interrupt of all processors
	for at := range k.slots {
		if old := &k.slots[at]; old.code != 0 {
			s, _ := t.find(old.text)
			*s = *old
		}
	}
	return t
}

// find returns the slot of a text, or the free slot for it, and one more than its code, or 0.
func (k *known) find(text Short) (*slot, uint32) {
	for place := (text.Low*k.keys[0] ^ text.High*k.keys[1]) >> 48; ; place++ {
		s := &k.slots[place&uint64(len(k.slots)-1)]
		if code := atomic.LoadUint32(&s.code); code == 0 || s.text == text {
			return s, code
		}
	}
}

// Code returns the code of a text, if that is a level.
func (c *Column) Code(text Short) (code uint32, ok bool) {
	k := c.now()
	if k.kind != levels {
		return 0, false
	}
	_, code = k.find(text)
	return code - 1, code != 0
}

// readShorts reads short texts, at most 64, of which some are too long. It returns the bits of those that are usual.
func (k *known) readShorts(to []Word, values []Short) (usual uint64) {
	if k.kind == levels {
		return k.codes(to, values)
	}
	usual, points := quantity.Decimals(to, values)
	if k.kind == wholeNumbers {
		usual &^= points
	}
	return usual
}

// codes stores the codes of texts, at most 64. Bit i of found says whether text i has one.
func (k *known) codes(to []Word, values []Short) (found uint64) {
	to = to[:len(values)]
	for i, text := range values {
		_, code := k.find(text)
		to[i] = noNumber | Word(code-1)
		if code != 0 {
			found |= 1 << (i & 63)
		}
	}
	return found
}

// Word is a value: the bits of a number, or the code of a level, which are the lowest bits, or where a text is.
type Word = uint64

const (
	noNumber Word = 0x7ff << 52 // the upper bits of a code; no number has these
	isText   Word = 0xfff << 52 // those of a text
	absent        = noNumber    // a missing value
)

// hasShorts reports whether short texts may be usual.
func (k *known) hasShorts() bool { return k.kind != texts && k.kind != nothing }

// read returns the word of the value at a place of a text, isText if it is unusual.
func (k *known) read(text string, s span) Word {
	from, to := int(s.from), int(s.to)
	switch k.kind {
	case numbers, wholeNumbers:
		if k.empty && from == to {
			return absent
		}
		v, whole, ok := quantity.DecimalIn(text[from:], to-from)
		if ok && (whole || k.kind == numbers) {
			return math.Float64bits(v)
		}
	case levels:
		if to-from < 16 {
			if _, code := k.find(swar.ShortIn(text[from:], to-from)); code != 0 {
				return noNumber | Word(code-1)
			}
		}
		if code, ok := k.long[text[from:to]]; ok {
			return noNumber | Word(code)
		}
	case nothing:
		return absent
	}
	return isText
}
