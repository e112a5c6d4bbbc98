package quantity

import (
	"math"
	"math/bits"

	"github.com/fairtrain/fairtrain/internal/swar"
	"github.com/fairtrain/fairtrain/internal/wide"
)

// DecimalIn does what ParseDecimal does with the first n bytes of a text. It is faster if the text goes on.
func DecimalIn[T string | []byte](text T, n int) (value float64, whole, ok bool) {
	if n < 16 && len(text) >= 16 {
		short := swar.Short{Low: swar.Load(text), High: swar.Load(text[8:])}.First(n)
		if value, whole, ok = decimal(short); ok {
			return value, whole, ok
		}
	}
	return ParseDecimal(string(text[:n]))
}

// Decimals reads at most 64 texts as numbers, with or without a point and a minus. It stores their bits. Bit k of read
// says whether text k is such a number, bit k of points whether it has a point. Multiples of wide.Some texts are read
// faster, if they have at most 8 digits.
func Decimals(to []uint64, texts []swar.Short) (read, points uint64) {
	to = to[:len(texts)]
	if wide.Available && len(texts)%wide.Some == 0 {
		read, points = wide.Decimals(to, texts)
	}
	beyond := -len(texts) & 63
	for left := ^read << beyond >> beyond; left != 0; left &= left - 1 {
		k := bits.TrailingZeros64(left)
		value, whole, ok := decimal(texts[k])
		if !ok {
			continue
		}
		to[k] = math.Float64bits(value)
		read |= 1 << k
		if !whole {
			points |= 1 << k
		}
	}
	return read, points
}

// minus returns 1 for the sign of a number below 0, else 0. No branch depends on the sign or on the
// number of digits, which are hard to predict.
func minus(c byte) uint64 { return (uint64(c^'-') - 1) >> 63 }

// decimal reads a number of digits, with or without a point and a minus.
func decimal(text swar.Short) (value float64, whole, ok bool) {
	if text.Len() > 15 {
		return 0, false, false
	}
	negative := minus(byte(text.Low))
	n := text.Len() - int(negative)
	low, high := swar.AsDigits(text.Low), swar.AsDigits(text.High)
	low, high = low^(low^(low>>8|high<<56))&-negative, high>>(8*negative&63) // without the minus
	var mantissa uint64
	decimals := -1
	if n <= 8 {
		mantissa, decimals, ok = fewDigits(low, n)
	} else {
		mantissa, decimals, ok = manyDigits(low, high, n)
	}
	value = float64(int64(mantissa))
	if whole = decimals < 0; !whole {
		// Both are exact, so the quotient is the float64 nearest to the number.
		value /= powersOfTen[decimals]
	}
	return math.Float64frombits(math.Float64bits(value) | negative<<63), whole, ok
}

// fewDigits reads the first n bytes of a word, at most 8: digits, and perhaps a point before the given number of decimals,
// which is -1 if there is none.
func fewDigits(digits uint64, n int) (mantissa uint64, decimals int, ok bool) {
	digits <<= -8 * n & 63 // the last bytes, behind zeros
	others := swar.Others(digits)
	if others == 0 {
		return swar.Join(digits), -1, n > 0
	}
	digits, ok = withoutPoint(digits, others)
	return swar.Join(digits), 7 - swar.First(others), ok && n > 1
}

// manyDigits does the same with the first n bytes of two words, 9 to 15.
func manyDigits(low, high uint64, n int) (mantissa uint64, decimals int, ok bool) {
	low, high = low<<(-8*n&63), high<<(-8*n&63)|low>>(8*n&63)
	others, othersLow := swar.Others(high), swar.Others(low)
	decimals, ok = -1, true
	switch {
	case others != 0:
		high, ok = withoutPoint(high, others)
		low, high, decimals, ok = low<<8, high|low>>56, 7-swar.First(others), ok && othersLow == 0
	case othersLow != 0:
		low, ok = withoutPoint(low, othersLow)
		decimals = 15 - swar.First(othersLow)
	}
	return 1e8*swar.Join(low) + swar.Join(high), decimals, ok
}

// withoutPoint returns digits without the only other byte, which must be a point, and with a 0 before them.
func withoutPoint(digits, others uint64) (joined uint64, ok bool) {
	point := others >> 7 // the lowest bit of its byte
	ok = others&(others-1) == 0 && digits&(0xff*point) == swar.Other('.')*point
	return digits&(point-1)<<8 | digits&-(point<<8), ok
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
