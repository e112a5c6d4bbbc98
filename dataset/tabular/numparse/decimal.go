package numparse

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
