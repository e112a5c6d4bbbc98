package libsvm

import (
	"bufio"
	"io"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

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
