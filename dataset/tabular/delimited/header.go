package delimited

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// UnnamedIndex returns 1 if a header begins with a column without a name, and 0 otherwise.
// Some programs write the number of the row into such a column.
func UnnamedIndex(header []string) int {
	if header[0] == "" && len(header) > 1 {
		return 1
	}
	return 0
}

// LooksLikeHeader reports whether the first row looks like names of columns. Such a row has no
// number and no missing value, but perhaps columns without a name. If no named column has numbers
// below the row, all have names, and no value of the row occurs again in its column.
func LooksLikeHeader(rows [][]string, missing []string) (does, isDoubtful bool) {
	recurs, number, unnamed := false, false, false
	for j, name := range rows[0] {
		if j < UnnamedIndex(rows[0]) {
			continue
		}
		if name == "" { // a column without a name, or a missing value
			unnamed = true
			continue
		}
		// EUR 2024 is a name
		if isNumber := numparse.Is(name) && !beginsWithLetter(name); isNumber || slices.Contains(missing, name) {
			return false, false
		}
		numbers, values := 0, 0
		for _, fields := range rows[1:] {
			if j >= len(fields) || slices.Contains(missing, fields[j]) {
				continue
			}
			values++
			recurs = recurs || fields[j] == name
			if numparse.Is(fields[j]) {
				numbers++
			}
		}
		number = number || numbers > 0 && numbers == values
	}
	return number || !recurs && !unnamed, !number && !recurs && !unnamed
}

// beginsWithLetter reports whether a text does.
func beginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}
