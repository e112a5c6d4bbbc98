package libsvm

import (
	"bufio"
	"bytes"
	"io"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
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

// Write writes d in the format that Read reads. Values have the shortest form that reads back
// as the same number. Feature names are not written. The number of features is not written
// either: unused features at the end are lost unless a reader is told their number.
func Write(w io.Writer, d *dataset.Dataset) error {
	out := bufio.NewWriterSize(w, textfile.BufferSize)
	var line []byte
	for i, label := range d.Y {
		line = line[:0]
		if label > 0 {
			line = append(line, '+')
		}
		line = strconv.AppendInt(line, int64(label), 10)
		for j, v := range d.X.Row(i) {
			line = append(line, ' ')
			line = strconv.AppendInt(line, int64(j+1), 10)
			line = append(line, ':')
			if v == 1 { // most values are, and formatting takes longest
				line = append(line, '1')
			} else {
				line = strconv.AppendFloat(line, v, 'g', -1, 64)
			}
		}
		line = append(line, '\n')
		out.Write(line) // bufio keeps the first error for Flush
	}
	return out.Flush()
}
