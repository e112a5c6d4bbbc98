// Package names has names for people: of methods those in their papers, of data those without
// folders, and of columns, levels and files, which may be anything, also text that clears a
// screen, reverses other text or is a link, a form that does no harm where people read it.
package names

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// methods are the names of package solver, and labels of built-in presets.
var methods = map[string]string{
	"adaptive":   "Adaptive",
	"finite-sum": "Finite-sum",
	"fsfo":       "FSFO",
	"sgd":        "SGD",
	"slqpm":      "SLQPM",
	"sqp":        "SQP",
	"ssqp":       "SSQP",
	"stoc-ialm":  "Stoc-iALM",

	// labels of presets
	"adaptive-not-tuned": "Adaptive, not tuned",
	"fsfo-gauss-newton":  "FSFO, Gauss–Newton",
}

// Method returns the name of a method in figures and tables. A label that is no name of
// package solver is a user's own and stays as it is.
func Method(label string) string {
	if name, ok := methods[label]; ok {
		return name
	}
	return label
}

// Data returns the name of data without folders, such as rows.csv, or a.csv,b.csv of a list.
func Data(name string) string { return EachPath(name, filepath.Base) }

// Title returns the name of data for a title: that of a list, which may be long, in a few words.
func Title(name string) string {
	const most = 3 // files that are named
	list := paths(name)
	if len(list) > most {
		return fmt.Sprintf("%s and %d other files", filepath.Base(list[0]), len(list)-1)
	}
	for k, path := range list {
		list[k] = filepath.Base(path)
	}
	return strings.Join(list, ", ")
}

// EachPath applies a function to a path of data, or to each path of a list.
func EachPath(name string, do func(path string) string) string {
	list := paths(name)
	for k, path := range list {
		list[k] = do(path)
	}
	return strings.Join(list, ",")
}

// paths returns the paths of a list, or the one path.
func paths(name string) []string {
	if _, err := os.Stat(name); err == nil {
		return []string{name} // commas are part of it
	}
	return strings.Split(name, ",")
}

// Text returns s with everything escaped that a terminal would obey instead of showing it, or would
// not show: control characters, also of C1, except tabs and line feeds; marks that change the
// direction of text; separators of lines and paragraphs; characters without a width, except those
// that join others into letters and pictures; and bytes that are no UTF-8. It changes no other text.
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

// commands reports whether a terminal may obey r, or does not show it. A byte that is no UTF-8 counts as U+FFFD.
func commands(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // line feed, tab, zero-width non-joiner and joiner
		return false
	case utf8.RuneError, '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
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

// Shell returns a word quoted for a shell.
func Shell(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+.,:/%@=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellItem returns one value of a flag that takes several, quoted for the shell and the flag.
func ShellItem(item string) string { return Shell(ListItem(item)) }

// ListItem writes a value of a flag that takes several, so that its commas belong to it.
func ListItem(item string) string {
	if !strings.ContainsAny(item, `,"[]`) && item == strings.TrimSpace(item) {
		return item
	}
	return `"` + strings.ReplaceAll(item, `"`, `""`) + `"`
}
