package results

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most so many columns; those after the first are
// indented.
func Wrap(text string, width int) string {
	const indent = "  "
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
