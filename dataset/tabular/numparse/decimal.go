package numparse

// ParseDecimal reads a number of at most 15 digits, with or without a sign and a point. It
// does what ParsePlain does, but faster. If whole, there is no point. It is not ok for any
// other text, even if that is a number.
func ParseDecimal(text string) (value float64, whole, ok bool) {
	const most = 15 // digits make an integer that float64 represents exactly
	at := 0
	if text != "" && (text[0] == '-' || text[0] == '+') {
		at = 1
	}
	if len(text)-at > most+1 {
		return 0, false, false
	}
	begin, mantissa := at, int64(0)
	for ; at < len(text) && text[at]-'0' <= 9; at++ {
		mantissa = 10*mantissa + int64(text[at]-'0')
	}
	read := at - begin
	whole = at == len(text)
	if !whole && text[at] == '.' {
		point := at
		for at++; at < len(text) && text[at]-'0' <= 9; at++ {
			mantissa = 10*mantissa + int64(text[at]-'0')
		}
		read += at - point - 1
		value = float64(mantissa) / powersOfTen[at-point-1] // both are exact, so this is the nearest float64
	} else {
		value = float64(mantissa)
	}
	if at < len(text) || read == 0 || read > most {
		return 0, false, false
	}
	if text[0] == '-' {
		value = -value
	}
	return value, whole, true
}

var powersOfTen = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
