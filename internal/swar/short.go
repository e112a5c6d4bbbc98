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

// Len returns the length of the text.
func (s Short) Len() int { return int(s.High >> 56) }

// String returns the text.
func (s Short) String() string {
	text := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), s.Low)
	return string(binary.LittleEndian.AppendUint64(text, s.High)[:s.Len()])
}
