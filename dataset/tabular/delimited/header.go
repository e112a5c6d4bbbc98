package delimited

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// NamesDelimiter reports whether a row is sep= and a delimiter, which may have cut it.
func NamesDelimiter(row []string) bool {
	rest, found := strings.CutPrefix(row[0], "sep=")
	return found && (len(row) == 1 && len(rest) == 1 || len(row) == 2 && rest+row[1] == "")
}

// ImportIDs returns how many rows below a header end with one of import ids. Qualtrics, a program
// for surveys, writes the questions and these ids below the names of columns. There are none in
// other files.
func ImportIDs(rows [][]string) int {
	const most = 2
	for k := 1; k <= most && k < len(rows) && len(rows[k]) == len(rows[0]); k++ {
		if !slices.ContainsFunc(rows[k], func(v string) bool { return !strings.HasPrefix(v, `{"ImportId":`) }) {
			return k
		}
	}
	return 0
}

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
		if isNumber := numparse.Is(name) && !BeginsWithLetter(name); isNumber || slices.Contains(missing, name) {
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

// BeginsWithLetter reports whether a text does.
func BeginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}
