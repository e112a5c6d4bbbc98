// Package wide reads 64 short texts or 64 bytes at a time by instructions for 64 bytes (AVX-512) or for 32 (AVX2),
// where the processor has them. It standardizes numbers, too.
package wide

import (
	"fmt"
	"unsafe"

	"github.com/fairtrain/fairtrain/internal/swar"
)

// Texts is the number of texts that are read at a time.
const Texts = 64

// Cut makes Shorts of parts of a text that begin some bytes behind their places, and end before the first mark. If
// there is no mark in 16 bytes, the length becomes 16. It panics where the text has not so many. The length, and what is around
// the part, is added to its place.
func Cut(to *[Texts]swar.Short, text []byte, behind uint32, mark byte, places *[Texts]uint32, around uint32) {
	cut(to, text, behind, mark, places, around)
}

// Some is a number of texts whose numbers can be read: it, and multiples of it up to Texts.
const Some = 8

// Decimals reads numbers of at most 8 digits, with or without a point and a minus. It stores their bits. Bit k
// of read says whether text k is such a number, bit k of points whether it has a point. It reads a multiple of
// Some texts, at most Texts.
func Decimals(to []uint64, texts []swar.Short) (read, points uint64) {
	if n := len(texts); n == 0 || n > Texts || n%Some != 0 || n > len(to) {
		panic(fmt.Sprintf("wide: %d texts for %d numbers", n, len(to)))
	}
	return decimals(unsafe.SliceData(to), unsafe.SliceData(texts), len(texts))
}

// Plain returns how many of the first bytes of a text are printable ASCII or line feeds, rounded down to a multiple
// of 64.
func Plain(text []byte) int { return plain(unsafe.SliceData(text), len(text)) }

// Numbers is the number of numbers that are standardized at a time.
const Numbers = 4

// Standardize replaces a multiple of so many numbers by (v − mean) / sd. It reports whether one of these is 0, 1 or NaN.
func Standardize(numbers []float64, mean, sd float64) (isSpecial bool) {
	return standardize(unsafe.SliceData(numbers), len(numbers)/Numbers, mean, sd)
}
