// Package numparse reads numbers as people write them in tables: 1200, -1.5e3, 41,234.50,
// 41.234,50, 41'234.50, $1,200.50, EUR 1.200,50, 13.5%, 36 months, 10+ years. Decimals follow a
// mark: a point or a comma. The other of the two may separate groups of three digits before the
// mark; so may what groups.go says. A number below 0 may be written as in accounts: (12.50) or
// 12.50-. A number may have a currency, or a unit behind it: a percent
// sign, or a blank and a word. Before a word the number may end in a plus, which is dropped. A
// percentage keeps its number: 13.5% is 13.5.
package numparse

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The marks that decimals follow.
const (
	Point byte = '.'
	Comma byte = ','
)

// Parse returns the number and its unit, "" for none. Decimals follow the mark. After the sign
// or the code of some currencies, such as the dollar, the mark must be a point.
func Parse(text string, mark byte) (value float64, unit string, ok bool) {
	value, unit, ok = parsePlainly(text, mark)
	if !ok {
		if plain, found := plainly(text); found {
			return parsePlainly(plain, mark)
		}
	}
	return value, unit, ok
}

// parsePlainly is Parse for texts that need no plainly.
func parsePlainly(text string, mark byte) (value float64, unit string, ok bool) {
	if value, ok = parseNumberText(text, mark); ok {
		return value, "", true
	}
	number, unit, ok := cutUnit(text)
	if !ok || mark == Comma && !withCommas(unit) && strings.HasPrefix(strings.TrimLeft(text, "+-"), unit) {
		return 0, "", false
	}
	value, ok = parseNumberText(number, mark)
	return value, unit, ok
}

// Is reports whether a text is a quantity, with a point or with a comma as the mark.
func Is(text string) bool {
	_, _, ok := Parse(text, Point)
	if !ok {
		_, _, ok = Parse(text, Comma)
	}
	return ok
}

// parseNumberText reads a number without a unit. Decimals follow the mark.
func parseNumberText(text string, mark byte) (value float64, ok bool) {
	if mark == Point && strings.IndexByte(text, ',') < 0 {
		return ParsePlain(text)
	}
	whole, fraction, hasFraction := strings.Cut(text, string(mark))
	whole, ok = dropSeparators(whole, Point+Comma-mark)
	if !ok || strings.IndexByte(fraction, Point+Comma-mark) >= 0 {
		return 0, false
	}
	if hasFraction {
		whole += "." + fraction
	}
	return ParsePlain(whole)
}

// Most bounds the numbers that are read, so that sums of their squares are finite.
const Most = 1e100

// Least bounds from below what numbers are divided by, so that the quotients, and products of few
// of them, are finite.
const Least = 1 / Most

// ParsePlain reads a decimal number without a unit, of size at most Most.
func ParsePlain(text string) (value float64, ok bool) {
	if value, _, ok := ParseDecimal(text); ok {
		return value, true
	}
	for k := range len(text) {
		c := text[k]
		if !isDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil && math.Abs(value) <= Most
}

// cutUnit separates the unit from the number. It is not ok without a unit.
func cutUnit(text string) (number, unit string, ok bool) {
	sign, amount := "", text
	if strings.HasPrefix(amount, "-") || strings.HasPrefix(amount, "+") {
		sign, amount = amount[:1], amount[1:]
	}
	if currency, rest := cutCurrency(amount); currency != "" {
		return sign + rest, currency, rest != "" && isDigit(rest[0])
	}
	for _, behind := range "%" + currencySigns {
		if number, found := strings.CutSuffix(text, string(behind)); found {
			return strings.TrimRight(number, " "), string(behind), true
		}
	}
	number, unit, ok = strings.Cut(text, " ")
	if !ok || unit == "" || strings.ContainsFunc(unit, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return "", "", false
	}
	return strings.TrimSuffix(number, "+"), unit, true
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// dropSeparators removes the separators of 1,234,567. It refuses separators at other places,
// and any in a number that begins with 0.
func dropSeparators(whole string, separator byte) (plain string, ok bool) {
	if strings.IndexByte(whole, separator) < 0 {
		return whole, true
	}
	groups := strings.Split(whole, string(separator))
	first := strings.TrimLeft(groups[0], "+-")
	if len(first) < 1 || len(first) > 3 || first[0] == '0' {
		return "", false
	}
	for _, group := range groups[1:] {
		if len(group) != 3 || !isDigits(group) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// IsCode reports whether a text is digits that begin with 0, as codes do and numbers
// don't.
func IsCode(text string) bool {
	return len(text) > 1 && text[0] == '0' && isDigits(text)
}

// SameUnit reports whether two units differ at most in their plural.
func SameUnit(a, b string) bool {
	return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s")
}

// CommonUnit returns the unit of a column with values of units a and b, if a column can have
// both. A number without a unit fits any unit.
func CommonUnit(a, b string) (unit string, ok bool) {
	switch {
	case a == "":
		return b, true
	case b == "" || SameUnit(a, b):
		return a, true
	}
	return "", false
}

// Format writes a number in the shortest form that reads back as the same.
func Format(v float64) string {
	if math.Abs(v) < 1e15 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) // 60000, not 6e+04
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
