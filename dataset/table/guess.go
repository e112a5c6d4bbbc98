package table

import (
	"hash/maphash"
	"math"

	"github.com/fairtrain/fairtrain/dataset/quantity"
)

// What most values of a column are is known before its turn comes: it is of numbers for good,
// or its levels have been seen. So who cuts a chunk into rows guesses the values, while their
// text is near and other chunks are cut beside it, and the column only puts them together. A
// guess is right or it says that it is none.

// knowledge is what a column found out that does not change any more.
type knowledge struct {
	numbers bool
	point   bool        // that decimals follow
	levels  *levelTable // nil for numbers
}

// guesses are the values of the rows of a chunk in a column: numbers, NaN for no guess, or
// codes, or neither if nothing is known.
type guesses struct {
	numbers []float64
	codes   []int32
}

// guess fills in the values of the used rows in column k.
func (c *collector) guess(r *rows, k int) {
	g, known := &r.guesses[k], c.known.Load()
	g.numbers, g.codes = g.numbers[:0], g.codes[:0]
	switch {
	case known == nil:
	case known.numbers:
		g.numbers = extended(g.numbers, len(r.lines))
		for _, i := range r.used {
			value, whole, ok := quantity.ParseDecimal(r.value(i, k))
			if !ok || !whole && !known.point {
				value = math.NaN()
			}
			g.numbers[i] = value
		}
	default:
		g.codes = extended(g.codes, len(r.lines))
		for _, i := range r.used {
			g.codes[i] = known.levels.code(r.value(i, k))
		}
	}
}

// addGuess adds the value of a row as it was guessed, if it was.
func (c *collector) addGuess(g *guesses, row int32) bool {
	switch {
	case len(g.numbers) > 0:
		if value := g.numbers[row]; !math.IsNaN(value) {
			c.values = append(c.values, value)
			return true
		}
	case len(g.codes) > 0 && c.index != nil: // it is still a category
		if code := g.codes[row]; code != noCode {
			c.codes = append(c.codes, code)
			return true
		}
	}
	return false
}

// publish lets others know what c found out, if that has become more and pays.
func (c *collector) publish() {
	known := c.known.Load()
	switch c.state {
	case numbers:
		// A weight is judged, and a missing value may look like a number.
		point := c.decimals.mark == quantity.Point
		if !c.weight && !c.missing.hasDecimal && (known == nil || !known.numbers || known.point != point) {
			c.known.Store(&knowledge{numbers: true, point: point})
		}
	case categories, anything:
		const fewer, most = 64, 1 << 14
		if n := len(c.level); n <= most && c.unguessed > n/2+fewer {
			c.known.Store(&knowledge{levels: newLevelTable(c.level, c.missing.values)})
			c.unguessed = 0
		}
	}
}

// levelTable finds the codes of levels faster than a map does.
type levelTable struct {
	slots []levelSlot // a power of two, at most half of which are used
	seed  maphash.Seed
}

type levelSlot struct {
	level string
	code  int32
	used  bool
}

// noCode is that of a level that is not known; −1 is that of a missing one.
const noCode = -2

func newLevelTable(levels, missing []string) *levelTable {
	size := 8
	for size < 2*(len(levels)+len(missing)) {
		size *= 2
	}
	t := &levelTable{make([]levelSlot, size), maphash.MakeSeed()}
	for code, level := range levels {
		*t.slot(level) = levelSlot{level, int32(code), true}
	}
	for _, value := range missing {
		*t.slot(value) = levelSlot{value, -1, true}
	}
	return t
}

// slot returns that of a level, or the free one where it would be.
func (t *levelTable) slot(level string) *levelSlot {
	for at := maphash.String(t.seed, level); ; at++ {
		s := &t.slots[at&uint64(len(t.slots)-1)]
		if !s.used || s.level == level {
			return s
		}
	}
}

func (t *levelTable) code(level string) int32 {
	if s := t.slot(level); s.used {
		return s.code
	}
	return noCode
}

// extended returns s with length n; what it holds is to be overwritten.
func extended[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
