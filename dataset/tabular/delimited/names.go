package delimited

import (
	"fmt"
	"strings"
	"unicode"
)

// NameKey is what is compared of the names of columns: neither case nor blanks, points, hyphens and
// underscores. Programs write education-num as education.num, and a name in two lines as one.
func NameKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(".-_", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// SameName reports whether two names are spellings of one.
func SameName(a, b string) bool { return a == b || NameKey(a) != "" && NameKey(a) == NameKey(b) }

// Repeats returns for each of some names where it occurs first.
func Repeats(names []string) (first []int) {
	index := make(map[string]int, len(names))
	for k, name := range names {
		if _, repeats := index[name]; !repeats {
			index[name] = k
		}
		first = append(first, index[name])
	}
	return first
}

// Distinguish gives the names that repeat others, see Repeats, a suffix: x.1, x.2.
func Distinguish(names []string, first []int) {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	for k, at := range first {
		if at == k {
			continue
		}
		name := names[at]
		for n := 1; taken[name]; n++ {
			name = fmt.Sprintf("%s.%d", names[at], n)
		}
		names[k], taken[name] = name, true
	}
}
