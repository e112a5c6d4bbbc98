package swar

import "encoding/binary"

// Short is a text of at most 15 bytes as two words: its bytes, zeros, and its length in the last byte.
type Short struct{ Low, High uint64 }

// ShortOf returns a text as two words, if it is not too long.
func ShortOf[T string | []byte](text T) (s Short, ok bool) {
	var b [16]byte
	if len(text) >= len(b) {
		return s, false
	}
	b[15] = byte(copy(b[:], text))
	return Short{Low: Load(b[:8]), High: Load(b[8:])}, true
}

// ShortIn returns the first n bytes of a text, at most 15, as two words. It is faster if the text goes on.
func ShortIn(text string, n int) Short {
	if len(text) < 16 {
		s, _ := ShortOf(text[:n])
		return s
	}
	return Short{Low: Load(text), High: Load(text[8:])}.First(n)
}

// ShortAt returns 16 bytes as the two words of which First makes a Short.
func ShortAt(text *[16]byte) Short { return Short{Low: Load(text[:8]), High: Load(text[8:])} }

// First returns the first n bytes of 16 as a Short. If n is 16, only its length means something.
func (s Short) First(n int) Short {
	mask := &masks[n]
	return Short{Low: s.Low & mask.Low, High: s.High&mask.High | uint64(n)<<56}
}

// masks are the bytes of a text, by its length.
var masks = func() (masks [17]Short) {
	for n := range masks {
		masks[n] = Short{Low: 1<<(8*n) - 1, High: 1<<(8*min(max(n-8, 0), 7)) - 1} // 1<<64 is 0
	}
	return masks
}()

// Len returns the length of the text.
func (s Short) Len() int { return int(s.High >> 56) }

// String returns the text.
func (s Short) String() string {
	text := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), s.Low)
	return string(binary.LittleEndian.AppendUint64(text, s.High)[:s.Len()])
}
