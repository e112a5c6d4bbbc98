// Package numparse reads numbers as people write them in tables: 1200, -1.5e3, 41,234.50,
// 41.234,50, 41'234.50, $1,200.50, EUR 1.200,50, (12.50), 13.5%, 36 months, 10+ years. Decimals
// follow a mark: a point or a comma. The other of the two, an apostrophe or a blank that does not
// break a line may separate groups of three digits before the mark. Parentheses stand for a minus.
// A number may have a currency, or a unit behind it, with or without a blank: 13.5%, 36 months, 119kg. A
// percentage keeps its number: 13.5% is 13.5. Thousands and millions are multiplied: 4.5k, $1.2M.
package numparse

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The marks that decimals follow.
const (
	Point byte = '.'
	Comma byte = ','
)

// Parse returns the number and its unit, "" for none. Decimals follow the mark. Behind the signs of
// some currencies, such as the dollar, the mark must be a point.
func Parse(text string, mark byte) (value float64, unit string, ok bool) {
	if value, ok = parseNumber(text, mark); ok {
		return value, "", true
	}
	plain, isAccount := plainly(text)
	m := quantity.FindStringSubmatch(plain)
	if m == nil {
		return 0, "", false
	}
	sign, currency, number, behind, blank, word := m[1], strings.TrimSpace(m[2]), m[3], m[4], m[5], m[6]
	scale, scaled := scales[word]
	if amount, ok := amounts[word]; ok && currency != "" {
		scale, scaled = amount, true
	}
	switch {
	case currency != "" && behind+word != "" && !scaled, isAccount && word != "":
		return 0, "", false
	case mark == Comma && currency != "" && strings.Contains("$£¥", currency):
		return 0, "", false
	case blank == "" && (ordinal.MatchString(word) || word != "" && IsCode(number[:min(len(number), 2)])):
		return 0, "", false
	}
	value, ok = parseNumber(sign+number, mark)
	switch {
	case !scaled:
		return value, currency + behind + word, ok
	case currency == "":
		currency = Scaled
	}
	return value * scale, currency, ok && math.Abs(value*scale) <= Most
}

// Scaled is the unit of a number that was multiplied, such as 4.5k. It fits numbers without a unit.
const Scaled = "k"

// scales are what numbers are multiplied by, and amounts those of amounts of money alone: 5m is 5 metres.
var (
	scales = map[string]float64{
		"k": 1e3, "K": 1e3, "M": 1e6, "MM": 1e6, "B": 1e9, "bn": 1e9,
		"thousand": 1e3, "million": 1e6, "billion": 1e9,
	}
	amounts = map[string]float64{"m": 1e6, "mn": 1e6, "b": 1e9}
)

// ordinal is what makes a rank of a number.
var ordinal = regexp.MustCompile(`^(?:st|nd|rd|th)$`)

// quantity is a number with a sign, a currency before it, and a unit or a currency behind it.
var quantity = regexp.MustCompile(`^([-+]?)` +
	`([$€£¥] ?|(?:` + currencyCodes + `) )?` +
	`([\d.,']+(?:[eE][-+]?\d+)?)` +
	`(?: ?([%$€£¥])|\+?( ?)((?:\pL|°)[\pL/°]*(?:m[23]|[²³])?))?$`)

const currencyCodes = "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|ISK|" +
	"JPY|KRW|MXN|NOK|NZD|PLN|RON|SEK|SGD|THB|TRY|USD|ZAR"

var groupBlank = regexp.MustCompile("(\\d)[\u00a0\u202f](\\d)")

// plainly writes a number with the signs of a keyboard: apostrophes between groups of digits, and a
// minus in place of the parentheses of accounts.
func plainly(text string) (plain string, isAccount bool) {
	if strings.ContainsAny(text, "\u00a0\u202f\u2019\u2212") {
		text = groupBlank.ReplaceAllString(text, "$1'$2")
		text = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2019", "'", "\u2212", "-").Replace(text)
	}
	before, inner, found := strings.Cut(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if found && closed && !strings.ContainsAny(before, "0123456789") {
		return "-" + before + inner, true
	}
	return text, false
}

// Unit returns the unit of a number, with a point or with a comma as the mark.
func Unit(text string) (unit string, isNumber bool) {
	_, unit, isNumber = Parse(text, Point)
	if !isNumber {
		_, unit, isNumber = Parse(text, Comma)
	}
	return unit, isNumber
}

// Is reports whether a text is a number, with a point or with a comma as the mark.
func Is(text string) bool {
	_, ok := Unit(text)
	return ok
}

// undefined is what programs write in place of a number: spreadsheets (#DIV/0!, in any language),
// languages and databases.
var undefined = regexp.MustCompile(`^(?:#[¡¿]?[\p{Lu}/0]+[!?]|(?i:[-+]?(?:inf|infinity|nan|1\.#\w+)|none|nil|\(null\)|<null>|err:\d+)|\\N)$`)

// IsUndefined reports whether a text is one that programs write in place of a number: #DIV/0!, inf,
// None and the like.
func IsUndefined(text string) bool { return undefined.MatchString(text) }

// parseNumber reads a number without a unit. Decimals follow the mark.
func parseNumber(text string, mark byte) (value float64, ok bool) {
	if mark == Point && !strings.ContainsAny(text, ",'") {
		return ParsePlain(text)
	}
	whole, fraction, hasFraction := strings.Cut(text, string(mark))
	separator := string(Point + Comma - mark)
	if strings.Contains(whole, "'") {
		separator = "'"
	}
	if whole, ok = dropSeparators(whole, separator); !ok {
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

func isDigit(c byte) bool { return c-'0' <= 9 }

func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// dropSeparators removes the separators of 1,234,567. It refuses separators at other places,
// and any in a number that begins with 0.
func dropSeparators(whole, separator string) (plain string, ok bool) {
	if !strings.Contains(whole, separator) {
		return whole, true
	}
	groups := strings.Split(whole, separator)
	first := strings.TrimLeft(groups[0], "+-")
	if len(first) < 1 || len(first) > 3 || first[0] == '0' || !isDigits(first) {
		return "", false
	}
	for _, group := range groups[1:] {
		if len(group) != 3 || !isDigits(group) {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

// IsCode reports whether a text is digits of which a number would lose some: they begin with 0, as
// codes do, or are more than a float64 has, as those of some identifiers are.
func IsCode(text string) bool {
	const exact = 15 // digits that every float64 has
	if len(text) < 2 || !isDigits(text) {
		return false
	}
	if text[0] == '0' || len(text) <= exact {
		return text[0] == '0'
	}
	value, err := strconv.ParseFloat(text, 64)
	return err != nil || strconv.FormatFloat(value, 'f', 0, 64) != text
}

// SameUnit reports whether two units differ at most in their plural.
func SameUnit(a, b string) bool {
	return strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s")
}

// Fits reports whether a column of a unit can have numbers of another one. A number without a unit fits
// any.
func Fits(unit, column string) bool {
	return unit == "" || SameUnit(unit, column) || unit == Scaled && column == ""
}

// Format writes a number in the shortest form that reads back as the same.
func Format(v float64) string {
	if math.Abs(v) < 1e15 && v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64) // 60000, not 6e+04
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

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
