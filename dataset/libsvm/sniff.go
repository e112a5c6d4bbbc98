package libsvm

import (
	"bytes"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Detect reports whether the beginning of a file looks like rows in the format of LIBSVM and
// not like a CSV file. Then one of its first rows is a number, or nothing, followed by a pair
// index:value. Comments do not count. It looks at several rows, because the first may be
// faulty.
func Detect(start []byte) bool {
	looked := 0
	start, _ = bytes.CutPrefix(start, []byte(textfile.Mark))
	for line := range bytes.Lines(start) {
		text, _, _ := bytes.Cut(line, []byte{'#'})
		tokens := bytes.Fields(text)
		if len(tokens) == 0 {
			continue
		}
		if isRow(tokens) {
			return true
		}
		if looked++; looked == 10 {
			break
		}
	}
	return false
}

func isRow(tokens [][]byte) bool {
	if _, ok := parseNumber(string(tokens[0])); ok {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		return false
	}
	index, _, pair := bytes.Cut(tokens[0], []byte{':'})
	if string(index) == "qid" { // ranking data, which are in LIBSVM's format, too
		return pair
	}
	_, err := strconv.Atoi(string(index))
	return pair && err == nil
}
