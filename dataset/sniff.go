package dataset

import (
	"bytes"
	"strconv"
)

// IsLIBSVM reports whether the beginning of a file looks like rows in the format of LIBSVM
// and not like a CSV file: its first row that is no comment is a number, or nothing, and
// then pairs index:value, at least one.
func IsLIBSVM(start []byte) bool {
	for line := range bytes.Lines(start) {
		text, _, _ := bytes.Cut(line, []byte{'#'})
		tokens := bytes.Fields(text)
		if len(tokens) == 0 {
			continue
		}
		if _, ok := parseNumber(tokens[0]); ok {
			tokens = tokens[1:]
		}
		if len(tokens) == 0 {
			return false
		}
		index, value, pair := bytes.Cut(tokens[0], []byte{':'})
		_, err := strconv.Atoi(string(index))
		_, ok := parseNumber(value)
		return pair && err == nil && ok
	}
	return false
}
