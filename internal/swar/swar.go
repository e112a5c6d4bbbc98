// Package swar looks at eight bytes of a text at a time, as one word ("SIMD within a register").
// The first byte is the lowest one.
package swar

import "math/bits"

const lowest, highest = 0x0101010101010101, 0x8080808080808080

// Load returns the first eight bytes of a text, which must have them.
func Load[T string | []byte](text T) uint64 {
	_ = text[7]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}

// First returns the place of the lowest byte of a word that is not 0, 8 if there is none.
func First(word uint64) int { return bits.TrailingZeros64(word) / 8 }

// Find returns the place of the first byte c of a word, 8 if there is none.
func Find(word uint64, c byte) int {
	word ^= uint64(c) * lowest
	return First((word - lowest) &^ word & highest)
}

// Blank returns the place of the first blank or control character of a word, 8 if there is none.
func Blank(word uint64) int {
	return First((word - '!'*lowest) &^ word & highest)
}

// Unprintable returns the place of the first control character, or byte that is not ASCII, of a word, 8 if there is none.
func Unprintable(word uint64) int {
	return First((word | (word - ' '*lowest)) & highest) // a byte borrows from later ones only
}

// Number returns the first n bytes of a word, from 1 to 8, as a decimal number. It is not ok
// unless they are digits.
func Number(word uint64, n int) (value uint64, ok bool) {
	digits := AsDigits(word) << (-8 * n & 63)
	return Join(digits), Others(digits) == 0
}

// AsDigits makes a byte that is a digit its value, and another one what Other says.
func AsDigits(word uint64) uint64 { return word ^ '0'*lowest }

// Other is what AsDigits makes of a byte that is no digit.
func Other(c byte) uint64 { return uint64(c ^ '0') }

// Others returns the highest bits of the bytes that are no digits.
func Others(digits uint64) uint64 { return (digits + ('0'+0x7f-'9')*lowest | digits) & highest }

// Join returns the number of eight digits.
func Join(digits uint64) uint64 {
	// Two digits, then four, then eight become one number, the first of them the larger part.
	digits = (digits*10 + digits>>8) & 0x00ff00ff00ff00ff
	digits = (digits*100 + digits>>16) & 0x0000ffff0000ffff
	return uint64(uint32(digits*10000 + digits>>32))
}
