package textfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Quote shows a token, shortened if it is long.
func Quote(token string) string {
	const longest = 24
	if utf8.RuneCountInString(token) > longest {
		token = string([]rune(token)[:longest]) + "…"
	}
	return strconv.Quote(token)
}

// QuoteAll shows the first of a list of values.
func QuoteAll(levels []string) string {
	const most = 8
	var shown []string
	for k, level := range levels {
		if k == most {
			shown = append(shown, fmt.Sprintf("… (%d in all)", len(levels)))
			break
		}
		shown = append(shown, Quote(level))
	}
	if len(shown) == 0 {
		return "no values"
	}
	return strings.Join(shown, ", ")
}

// ByteSize prints a number of bytes with a binary unit.
func ByteSize(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	k := 0
	for n >= 1024 && k < len(units)-1 {
		n /= 1024
		k++
	}
	return fmt.Sprintf("%.3g %s", n, units[k])
}
