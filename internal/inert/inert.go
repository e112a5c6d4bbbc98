// Package inert makes names from files harmless where people read them. The name of a
// column may be anything, also text that clears a screen, reverses other text or is a
// link.
package inert

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with everything escaped that a terminal would obey instead of showing it:
// control characters, also of C1, except tabs and line feeds; marks that change the
// direction of text; separators of lines and paragraphs; and bytes that are no UTF-8. It
// changes no other text.
func Text(s string) string {
	if !strings.ContainsFunc(s, commands) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !commands(r):
			b.WriteString(s[:size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// commands reports whether a terminal may obey r. A byte that is no UTF-8 counts as U+FFFD.
func commands(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case utf8.RuneError, '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

var lineBreaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Line returns Text of s in one line.
func Line(s string) string { return Text(lineBreaks.Replace(s)) }

var markup = strings.NewReplacer(`\`, `\\`, `|`, `\|`, `](`, `]\(`, "`", "\\`", `&`, `&amp;`, `<`, `&lt;`)

// Markdown returns s in one line as text of Markdown that holds no cell of a table, no HTML
// and no link. Stars may make it bold.
func Markdown(s string) string {
	return markup.Replace(Line(s))
}
