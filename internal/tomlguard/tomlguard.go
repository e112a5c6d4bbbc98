// Package tomlguard refuses TOML files for which a parser needs much more memory than their
// length: files with deep keys, of which the parser copies every part with all parts before
// it, and with deep nesting. It names the place of a key that should not be there.
package tomlguard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

const (
	mostBytes = 1 << 20
	mostDepth = 50 // of a key, and of tables and lists in each other
)

// Decode reads the TOML file of a name into dst. Errors name the file, and the line and the
// column where they have one. A key for which dst has no place is an error: unknown returns the
// part of the key that its line has, and a hint. It is nil if dst has a place for every key.
func Decode(name string, r io.Reader, dst any, unknown func(key toml.Key) (part, hint string)) error {
	text, err := io.ReadAll(r)
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	meta, err := toml.Decode(string(text), dst)
	if fault, ok := errors.AsType[toml.ParseError](err); ok {
		return fmt.Errorf("%s:%d:%d: %s", name, fault.Position.Line, max(fault.Position.Col, 1), fault.Message)
	}
	if err != nil {
		return fmt.Errorf("%s%s", name, ofType(strings.TrimPrefix(err.Error(), "toml: ")))
	}
	if err := checkTables(string(text), dst); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if keys := meta.Undecoded(); unknown != nil && len(keys) > 0 {
		part, hint := unknown(keys[0])
		line, column := place(string(text), keys[0], part)
		return fmt.Errorf("%s:%d:%d: unknown key %q%s", name, line, column, keys[0].String(), hint)
	}
	return nil
}

// wrongTypes are what the parser says of a value of a wrong type: the line, the key, the types found and expected.
var wrongTypes = []struct {
	pattern         *regexp.Regexp
	found, expected int
}{
	{regexp.MustCompile(`^line (\d+) \(last key "(.*)"\): incompatible types: TOML value has type (\S+); destination has type (\S+)$`), 3, 4},
	{regexp.MustCompile(`^line (\d+) \(last key "(.*)"\): type mismatch for \S+: expected (\S+) but found (\S+)$`), 4, 3},
}

// ofType says in plain words that a value has a wrong type, if that is the parser's error.
func ofType(fault string) string {
	for _, t := range wrongTypes {
		if m := t.pattern.FindStringSubmatch(fault); m != nil {
			return fmt.Sprintf(":%s: %s: found %s, expected %s", m[1], m[2], word(m[t.found]), word(m[t.expected]))
		}
	}
	return ": " + fault
}

// word is what people call a type of values.
func word(of string) string {
	for _, w := range []struct{ begin, word string }{
		{"int", "a whole number"},
		{"uint", "a whole number"},
		{"float", "a number"},
		{"string", "a text in quotes"},
		{"bool", "true or false"},
		{"slice", "a list"},
		{"[]", "a list"},
		{"map", "a table"},
		{"table", "a table"},
		{"struct", "a table"},
		{"time", "a date"},
	} {
		if strings.HasPrefix(of, w.begin) {
			return w.word
		}
	}
	return of
}

// check returns an error that names the line unless a file's text is safe to parse.
func check(text []byte) error {
	if len(text) > mostBytes {
		return fmt.Errorf("%d bytes are no configuration, expected at most %d", len(text), mostBytes)
	}
	dots, depth := 0, 0
	for k := 0; k < len(text); {
		switch c := text[k]; c {
		case '"', '\'':
			k += stringLength(text[k:])
			continue
		case '#':
			if end := bytes.IndexByte(text[k:], '\n'); end >= 0 {
				k += end
				continue
			}
			return nil
		case '.':
			dots++
		case '[', '{':
			dots = 0
			depth++
		case ']', '}':
			dots = 0
			depth--
		case '=', ',', '\n':
			dots = 0
		}
		if dots >= mostDepth || depth > mostDepth {
			line := 1 + bytes.Count(text[:k], []byte{'\n'})
			return fmt.Errorf("line %d: a key of more than %d parts, or as many tables and lists in each other", line, mostDepth)
		}
		k++
	}
	return nil
}

// place returns the first line that sets part of a key, or opens its table, and the column there, both from 1: one in the
// table that has the part, if there is one, or else any. It is line 1 if no line looks so.
func place(text string, key toml.Key, part string) (line, column int) {
	for _, anywhere := range []bool{false, true} {
		line = 0
		var table []string // of the lines
		for l := range strings.Lines(text) {
			line++
			bare := strings.TrimLeft(l, " \t[\"'")
			own := table
			if m := header.FindStringSubmatch(l); m != nil {
				table = strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(" \t\"'.", r) })
				if last := len(table) - 1; last >= 0 {
					own, bare = table[:last], bare[strings.LastIndex(bare[:strings.IndexByte(bare, ']')], table[last]):] // no comment behind it
				}
			}
			rest, found := strings.CutPrefix(bare, part)
			if found && strings.ContainsAny(rest[:min(len(rest), 2)], " =]\"'.") && (anywhere || slices.Equal(append(slices.Clone(own), part), key)) {
				return line, len(l) - len(bare) + 1
			}
		}
	}
	return 1, 1
}

// header opens a table.
var header = regexp.MustCompile(`^\s*\[\[?\s*([^\[\]#]*[^\[\]#\s.])\s*\]`)

// stringLength is the number of bytes of the string at the beginning of text, quotes
// included.
func stringLength(text []byte) int {
	quote := text[:1]
	closing := quote
	if bytes.HasPrefix(text, bytes.Repeat(quote, 3)) {
		closing = text[:3]
	}
	for k := len(closing); k < len(text); k++ {
		switch {
		case text[k] == '\\' && quote[0] == '"':
			k++
		case bytes.HasPrefix(text[k:], closing):
			return k + len(closing)
		case text[k] == '\n' && len(closing) == 1:
			return k // for the parser to complain about
		}
	}
	return len(text)
}
