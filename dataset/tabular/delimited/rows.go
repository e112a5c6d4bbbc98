package delimited

import (
	"io"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Rows are rows of a file, cut into values.
type Rows struct {
	Columns [][]string // the values of every column, row by row
	Err     error      // what comes after the rows: io.EOF, a fault, or nil for more rows
	places  row        // of the values, row by row
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.places) / len(r.Columns) }

// Place returns where value k of a row, counted from 0, begins in the file.
func (r *Rows) Place(row, k int) Place {
	return r.places[row*len(r.Columns):].Place(k)
}

// perValue is the number of bytes that a value takes, more or less.
const perValue = 6

// Split cuts a chunk of the named file into rows of width values, up to its first fault. It leaves
// out the first rows, so many, and a last line that an error cut short. It uses the memory of r
// again.
func (f Format) Split(r *Rows, chunk textfile.Chunk, name string, width, skip int) {
	if len(r.Columns) != width {
		r.Columns = make([][]string, width)
	}
	for k := range r.Columns {
		r.Columns[k] = r.Columns[k][:0]
	}
	r.places = slices.Grow(r.places[:0], len(chunk.Text)/perValue)
	records := NewRecords(chunk, name, f)
	for k := 0; ; k++ {
		values, err := records.Next()
		if err == nil && k < skip {
			continue
		}
		if err == nil && len(values) != width {
			err = widthFault(name, records.Place(min(len(values), width+1)-1), len(values), width)
		}
		if err != nil {
			if r.Err = err; err == io.EOF {
				r.Err = chunk.Err
			}
			return
		}
		r.places = append(r.places, records.places()...)
		columns := r.Columns[:len(values)]
		for k, value := range values {
			columns[k] = append(columns[k], value)
		}
	}
}

func widthFault(name string, at Place, found, width int) error {
	hint := ""
	if at.Line == 2 && width > 1 && found == width+1 { // as R's write.table writes them
		hint = "; if the first one names the row, the header needs a name for it, too"
	}
	return textfile.Errorf(name, at.Line, at.Column, "the row has %d values, expected %d%s", found, width, hint)
}
