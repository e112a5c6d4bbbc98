package dataset

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// A quantity is a number as people write it in tables: 1200, -1.5e3, $1,200.50, 13.5%,
// 36 months, 10+ years. Around the number there is nothing, a currency sign before it, or
// one unit behind it: a percent sign, or a blank and a word. Only with one of these may
// commas cut the digits in groups of three, as 1,200 alone may also mean 1.2; only before
// a word may the number end in a plus, which is dropped. A percentage keeps its number:
// 13.5% is 13.5.

// parseQuantity returns the number and the unit, "" for none.
func parseQuantity(text string) (value float64, unit string, ok bool) {
	if value, ok = parsePlain(text); ok {
		return value, "", true
	}
	number, unit, ok := cutUnit(text)
	if !ok {
		return 0, "", false
	}
	number, ok = dropCommas(number)
	if !ok {
		return 0, "", false
	}
	value, ok = parsePlain(number)
	return value, unit, ok
}

// mostNumber bounds the numbers read, so that sums of squares of theirs stay finite.
const mostNumber = 1e100

// parsePlain reads a decimal number without a unit, of size at most mostNumber.
func parsePlain(text string) (value float64, ok bool) {
	for k := range len(text) {
		c := text[k]
		if !isDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && math.Abs(value) <= mostNumber
}

const currencySigns = "$€£¥"

// cutUnit separates the unit, which there must be, from the number.
func cutUnit(text string) (number, unit string, ok bool) {
	sign, amount := "", text
	if strings.HasPrefix(amount, "-") || strings.HasPrefix(amount, "+") {
		sign, amount = amount[:1], amount[1:]
	}
	for _, currency := range currencySigns {
		if rest, found := strings.CutPrefix(amount, string(currency)); found {
			return sign + rest, string(currency), startsWithDigit(rest)
		}
	}
	if number, found := strings.CutSuffix(text, "%"); found {
		return strings.TrimRight(number, " "), "%", true
	}
	number, unit, ok = strings.Cut(text, " ")
	if !ok || unit == "" || strings.ContainsFunc(unit, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return "", "", false
	}
	return strings.TrimSuffix(number, "+"), unit, true
}

func startsWithDigit(text string) bool { return text != "" && isDigit(text[0]) }

// dropCommas removes the commas of 1,234,567.8 and refuses those of any other pattern.
func dropCommas(number string) (plain string, ok bool) {
	if !strings.Contains(number, ",") {
		return number, true
	}
	whole, fraction, point := strings.Cut(number, ".")
	groups := strings.Split(whole, ",")
	first := strings.TrimLeft(groups[0], "+-")
	if len(first) < 1 || len(first) > 3 || strings.Contains(fraction, ",") {
		return "", false
	}
	for _, group := range groups[1:] {
		if len(group) != 3 {
			return "", false
		}
	}
	plain = strings.Join(groups, "")
	if point {
		plain += "." + fraction
	}
	return plain, true
}

// sameUnit reports whether two units differ at most in their plural.
func sameUnit(a, b string) bool {
	return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s")
}

// commonUnit returns the unit of a column that has values of units a and b, if it can
// have both. A number without a unit fits any.
func commonUnit(a, b string) (unit string, ok bool) {
	switch {
	case a == "":
		return b, true
	case b == "" || sameUnit(a, b):
		return a, true
	}
	return "", false
}

// formatNumber writes a number in the shortest form that reads back as the same.
func formatNumber(v float64) string {
	if math.Abs(v) < 1e15 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) // 60000, not 6e+04
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
