package numparse

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const currencySigns = "$€£¥"

// The codes of currencies that may be before an amount, by the mark that decimals follow in it.
var (
	pointCodes = []string{"AUD", "CAD", "CHF", "CNY", "GBP", "HKD", "ILS", "INR", "JPY", "KRW", "MXN", "NZD", "SGD", "THB", "USD", "ZAR"}
	commaCodes = []string{"BRL", "CZK", "DKK", "EUR", "HUF", "ISK", "NOK", "PLN", "RON", "SEK", "TRY"} // or a point
)

// withCommas reports whether decimals may follow a comma in amounts behind the currency.
func withCommas(currency string) bool {
	return currency == "€" || slices.Contains(commaCodes, currency)
}

// cutCurrency separates the currency from an amount behind it, which may follow a blank, and does
// so behind a code. The currency is "" if there is none.
func cutCurrency(text string) (currency, rest string) {
	for _, sign := range currencySigns {
		if rest, found := strings.CutPrefix(text, string(sign)); found {
			return string(sign), strings.TrimPrefix(rest, " ")
		}
	}
	if len(text) > 3 && text[3] == ' ' && (slices.Contains(pointCodes, text[:3]) ||
		slices.Contains(commaCodes, text[:3])) {
		return text[:3], text[4:]
	}
	return "", text
}

// minusSign is that of typographers.
const minusSign = "\u2212"

// plainly writes a number with other signs and separators as those that parsePlainly reads: the
// minus of accounts, one that is no hyphen, blanks that do not break a line, and groups of three
// digits with apostrophes or blanks between them. It is not found in a text without them.
func plainly(text string) (plain string, found bool) {
	plain = signed(text)
	if strings.ContainsAny(plain, " '\u2019\u00a0\u202f"+minusSign) {
		if rest, found := strings.CutPrefix(plain, minusSign); found {
			plain = "-" + rest
		}
		plain = strings.Map(func(r rune) rune {
			if separatorOf(r) == noBreak {
				return ' '
			}
			return r
		}, joinGroups(plain))
	}
	return plain, plain != text
}

// signed puts the minus before an amount that has it as accounts do, (12.50) or 12.50-, and returns
// other texts as they are. A minus behind an amount must follow two decimals: 2- may be a mark, and
// 65- a range without an end. Between parentheses no word may end, as (12 months) is a remark.
func signed(text string) string {
	_, amount := cutCurrency(text)
	currency := text[:len(text)-len(amount)]
	if inner, found := strings.CutPrefix(amount, "("); found {
		inner, found = strings.CutSuffix(inner, ")")
		if last, _ := utf8.DecodeLastRuneInString(inner); found &&
			strings.ContainsRune("0123456789%"+currencySigns, last) {
			return "-" + currency + inner
		}
	}
	if amount, found := strings.CutSuffix(text, "-"); found {
		if n := len(amount) - len(".00"); n > 0 && strings.IndexByte(".,", amount[n]) >= 0 && isDigits(amount[n+1:]) {
			return "-" + amount
		}
	}
	return text
}

// separator is what may separate groups of three digits, besides a point or a comma.
type separator int

const (
	none       separator = iota
	apostrophe           // straight or curly
	noBreak              // a blank that does not break a line
	blank
)

func separatorOf(r rune) separator {
	switch r {
	case '\'', '\u2019':
		return apostrophe
	case '\u00a0', '\u202f':
		return noBreak
	case ' ':
		return blank
	}
	return none
}

// joinGroups removes the separators of the first number in a text. Blanks separate what is no
// number, too, such as telephone numbers. So they stay, unless one or two decimals follow or there
// is a currency.
func joinGroups(text string) string {
	start := strings.IndexAny(text, "0123456789")
	if start < 0 || text[start] == '0' || strings.ContainsAny(text[:start], ".,") {
		return text
	}
	end := start
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end-start > 3 {
		return text
	}
	joined, used := text[:end], none
	for {
		r, size := utf8.DecodeRuneInString(text[end:])
		s := separatorOf(r)
		group := digitsOf(text[end+size:])
		if s == none || used != none && s != used || len(group) != 3 {
			break
		}
		joined, used = joined+group, s
		end += size + len(group)
	}
	if behind := text[end:]; used == blank && !endsAsMoney(behind) && strings.TrimLeft(text[:start], "+-") == "" {
		return text
	}
	return joined + text[end:]
}

// endsAsMoney reports whether a text behind a whole number has one or two decimals or begins with a
// currency.
func endsAsMoney(behind string) bool {
	if behind != "" && (behind[0] == Point || behind[0] == Comma) {
		decimals := digitsOf(behind[1:])
		return len(decimals) == 1 || len(decimals) == 2
	}
	currency, _ := cutCurrency(strings.TrimLeft(behind, " \u00a0\u202f") + " ")
	return currency != ""
}

// digitsOf returns the digits that a text begins with.
func digitsOf(text string) string {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return text[:n]
}
