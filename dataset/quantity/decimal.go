package quantity

import (
	"math"

	"github.com/fairtrain/fairtrain/internal/swar"
	"github.com/fairtrain/fairtrain/internal/wide"
)

// DecimalIn does what ParseDecimal does with the first n bytes of a text. It is faster if they are
// few and the text goes on.
func DecimalIn[T string | []byte](text T, n int) (value float64, whole, ok bool) {
	if 1 <= n && n <= 9 && len(text) >= 9 {
		negative := minus(text[0])
		if value, whole, ok = decimal(swar.Load(text[negative:]), n-int(negative), negative); ok {
			return value, whole, ok
		}
	}
	return ParseDecimal(string(text[:n]))
}

// Decimals reads at most 64 texts as numbers of at most 8 digits, with or without a point and a minus. It stores
// their bits. Bit k of read says whether text k is such a number, bit k of points whether it has a point. Multiples of
// wide.Some texts are read faster.
func Decimals(to []uint64, texts []swar.Short) (read, points uint64) {
	if wide.Available && len(texts)%wide.Some == 0 {
		return wide.Decimals(to, texts)
	}
	to = to[:len(texts)]
	for k, text := range texts {
		negative := minus(byte(text.Low))
		unsigned := text.Low ^ (text.Low^(text.Low>>8|text.High<<56))&-negative
		value, whole, ok := decimal(unsigned, text.Len()-int(negative), negative)
		if !ok {
			continue
		}
		to[k] = math.Float64bits(value)
		read |= 1 << (k & 63)
		if !whole {
			points |= 1 << (k & 63)
		}
	}
	return read, points
}

// minus returns 1 for the sign of a number below 0, else 0. No branch depends on the sign or on the
// number of digits, which are hard to predict.
func minus(c byte) uint64 { return (uint64(c^'-') - 1) >> 63 }

// decimal reads a number of the given length, without its sign, that begins with the given word: up
// to 8 digits and perhaps a point. negative is 1 for a number below 0, else 0.
func decimal(word uint64, length int, negative uint64) (value float64, whole, ok bool) {
	if uint(length-1) > 7 {
		return 0, false, false
	}
	digits, others := swar.Digits(word, length)
	whole = others == 0
	decimals := 0
	if !whole {
		point := others >> 7 // the lowest bit of its byte
		if others&(others-1) != 0 || digits&(0xff*point) != swar.Other('.')*point || length == 1 {
			return 0, false, false
		}
		digits = digits&(point-1)<<8 | digits&-(point<<8) // without the point
		decimals = 7 - swar.First(others)
	}
	value = float64(int64(swar.Join(digits)))
	if !whole {
		// Both are exact, so the quotient is the float64 nearest to the number.
		value /= powersOfTen[decimals]
	}
	return math.Float64frombits(math.Float64bits(value) | negative<<63), whole, true
}

// ParseDecimal reads a number of at most 15 digits, with or without a sign and a point. It
// does what ParsePlain does, but faster. If whole, there is no point. It is not ok for any
// other text, even if that is a number.
func ParseDecimal(text string) (value float64, whole, ok bool) {
	const most = 15 // digits make an integer that float64 represents exactly
	digits := text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		digits = text[1:]
	}
	if len(digits) > most+1 {
		return 0, false, false
	}
	mantissa := int64(0)
	point := -1
	for at := range len(digits) {
		digit := digits[at] - '0'
		if digit > 9 {
			if digits[at] != '.' || point >= 0 {
				return 0, false, false
			}
			point = at
			continue
		}
		mantissa = 10*mantissa + int64(digit)
	}
	value = float64(mantissa)
	read := len(digits)
	if point >= 0 {
		read--
		// Both are exact, so the quotient is the float64 nearest to the number.
		value /= powersOfTen[read-point]
	}
	if read == 0 || read > most {
		return 0, false, false
	}
	if text[0] == '-' {
		value = -value
	}
	return value, point < 0, true
}

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
