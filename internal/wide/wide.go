// Package wide reads 64 short texts or 64 bytes at a time by instructions for 64 bytes (AVX-512) or for 32 (AVX2),
// where the processor has them. It cuts the pairs of LIBSVM, and standardizes numbers, too.
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

// Pairs reads pairs index:value, with a blank behind each, from the beginning of a text on. It stores the texts of the
// values, and columns, which are the indices minus 1. The columns ascend, the first index is above last. It returns the
// number of pairs and of the bytes up to the next one.
//
// It stops where there is no room for another one; behind a pair with a line feed or another control character behind it;
// before a pair whose index has more than 7 digits or is not above the last one, whose value is 1 or has more than
// 15 bytes, or that is no pair; and before the last 32 bytes of the text.
func Pairs(texts []swar.Short, columns []uint32, text []byte, last uint32) (n, length int) {
	room := min(len(texts), len(columns))
	if room == 0 || len(text) < 32 {
		return 0, 0
	}
	return pairs(unsafe.SliceData(texts), unsafe.SliceData(columns), room, unsafe.SliceData(text), len(text), last)
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
