package delimited

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Records cuts a text into rows of values, without the blanks around them. Empty rows and
// comments are left out.
type Records interface {
	// Next returns the values of the next row, valid until the next call, io.EOF after
	// the last one, or a *ParseError. It must not be called after an error.
	Next() ([]string, error)
	// Place returns where value k of that row begins.
	Place(k int) Place
	places() []place
}

// Place is a position in a file. Both numbers count from 1, columns in bytes.
type Place struct{ Line, Column int }

// place is a Place in half the memory.
type place struct{ line, column int32 }

// row is where the values of a row begin.
type row []place

func (r row) Place(k int) Place { return Place{int(r[k].line), int(r[k].column)} }
func (r row) places() []place   { return r }

// NewRecords cuts a chunk of the named file. It leaves out a last line that an error cut short,
// which may be too long for any purpose.
func NewRecords(chunk textfile.Chunk, name string, f Format) Records {
	text, end := chunk.Whole(), cmp.Or(chunk.Err, io.EOF)
	if f.Delimiter == blanks || bytes.IndexByte(text, '"') < 0 {
		return &lineRecords{rest: string(text), end: end, line: chunk.Line - 1, format: f}
	}
	c := csv.NewReader(io.MultiReader(bytes.NewReader(f.unescaped(text)), failing{end}))
	c.Comma = rune(f.Delimiter[0])
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	c.TrimLeadingSpace = f.trimsSpace()
	return &quotedRecords{csv: c, name: name, comments: f.Comments, before: chunk.Line - 1}
}

// unescaped returns a text in which quotes inside values are doubled where they are behind backslashes, as
// C and databases write them. Before a delimiter or the end of a line, a backslash ends a value.
func (f Format) unescaped(text []byte) []byte {
	escaped := []byte(`\"`)
	if !bytes.Contains(text, escaped) {
		return text
	}
	text = bytes.Clone(text)
	for at := 0; ; {
		k := bytes.Index(text[at:], escaped)
		if k < 0 {
			return text
		}
		at += k + len(escaped)
		if at < len(text) && text[at] != f.Delimiter[0] && text[at] != '\n' && text[at] != '\r' {
			text[at-len(escaped)] = '"'
		}
	}
}

// trimsSpace reports whether blanks are dropped before a value is looked at. With tabs that would
// swallow empty values.
func (f Format) trimsSpace() bool { return f.Delimiter != "\t" }

// failing is a stream that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// isNoRow reports whether a line with these values is empty or a comment.
func isNoRow(values, comments []string) bool {
	return len(values) == 0 || len(values) == 1 && values[0] == "" ||
		slices.ContainsFunc(comments, func(c string) bool { return strings.HasPrefix(values[0], c) })
}

// quotedRecords reads values between delimiters, which may be in quotes (RFC 4180).
type quotedRecords struct {
	row
	csv      *csv.Reader
	name     string
	comments []string
	before   int // lines before the text
}

func (q *quotedRecords) Next() ([]string, error) {
	for {
		values, err := q.csv.Read()
		if err != nil {
			return nil, q.fault(err)
		}
		q.row = q.row[:0]
		for k, v := range values {
			line, column := q.csv.FieldPos(k)
			q.row = append(q.row, place{int32(q.before + line), int32(column)})
			if v != "" && (v[0] <= ' ' || v[len(v)-1] <= ' ') {
				values[k] = strings.Trim(v, " \t")
			}
			values[k] = unquoted(values[k])
		}
		if !isNoRow(values, q.comments) {
			return values, nil
		}
	}
}

// unquoted returns a value without single quotes around it, which ARFF, SQL and R write, where RFC 4180
// has double ones. Inside, a single quote is doubled or behind a backslash.
func unquoted(value string) string {
	last := len(value) - 1
	if last < 1 || value[0] != '\'' || value[last] != '\'' {
		return value
	}
	value = value[1:last]
	if strings.IndexByte(value, '\'') >= 0 {
		value = strings.NewReplacer("''", "'", `\'`, "'").Replace(value)
	}
	return value
}

// fault turns an error of the csv package into a *ParseError.
func (q *quotedRecords) fault(err error) error {
	syntax, ok := err.(*csv.ParseError)
	if !ok {
		return err
	}
	msg := syntax.Err.Error()
	switch syntax.Err {
	case csv.ErrBareQuote:
		msg = `quote inside a value, expected the whole value in quotes and this one doubled`
	case csv.ErrQuote:
		msg = "text after a closing quote, or no closing quote"
		switch above := syntax.Line - syntax.StartLine; above {
		case 0:
		case 1:
			msg += "; the row begins in the line above"
		default:
			msg += fmt.Sprintf("; the row begins %d lines above", above)
		}
	}
	return textfile.Errorf(q.name, q.before+syntax.Line, max(syntax.Column, 1), "%s", msg)
}

// lineRecords reads values without quotes, between delimiters or blanks.
type lineRecords struct {
	row
	rest   string // of the text
	end    error  // what ended the text
	line   int    // number of the current line
	format Format
	values []string // of the current line
}

func (l *lineRecords) Next() ([]string, error) {
	for {
		text, rest, whole := strings.Cut(l.rest, "\n")
		if !whole && text == "" {
			return nil, l.end
		}
		l.rest, l.values, l.row = rest, l.values[:0], l.row[:0]
		l.line++
		if l.format.Delimiter == blanks {
			l.cutAtBlanks(text)
		} else {
			l.cut(strings.TrimSuffix(text, "\r"))
		}
		if !isNoRow(l.values, l.format.Comments) {
			return l.values, nil
		}
	}
}

// add takes the value that begins at some byte of the line.
func (l *lineRecords) add(at int, value string) {
	l.values = append(l.values, value)
	l.row = append(l.row, place{int32(l.line), int32(at + 1)})
}

// cutAtBlanks cuts a line at blanks, but not inside of quotes.
func (l *lineRecords) cutAtBlanks(text string) {
	for at := 0; ; {
		rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
		if rest == "" {
			return
		}
		at = len(text) - len(rest)
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		value := rest[:end]
		if c := value[0]; c == '"' || c == '\'' {
			if inside, length := quotedValue(rest); length > 0 {
				value, end = inside, length
			}
		}
		l.add(at, value)
		at += end
	}
}

// quotedValue returns the value in quotes with which a text begins, up to a quote before a blank or the
// end, and its length with the quotes; 0 if there is none.
func quotedValue(text string) (value string, length int) {
	for k := 1; k < len(text); k++ {
		if text[k] == text[0] && (k+1 == len(text) || text[k+1] <= ' ') {
			quote := text[:1]
			return strings.NewReplacer(quote+quote, quote, `\`+quote, quote).Replace(text[1:k]), k + 1
		}
	}
	return "", 0
}

func (l *lineRecords) cut(text string) {
	delimiter, trims := l.format.Delimiter[0], l.format.trimsSpace()
	values, places, line := l.values, l.row, int32(l.line)
	searched := 0 // quotes before it end a value, if any do
	for at := 0; at <= len(text); {
		begin, end := at, at
		for end < len(text) && text[end] != delimiter { // values are short
			end++
		}
		if begin < end && (text[begin] == '\'' || text[begin] == ' ') {
			end, searched = quoteEnd(text, begin, end, searched, delimiter)
		}
		at = end + 1
		value := text[begin:end]
		if value != "" && (value[0] <= ' ' || value[0] >= utf8.RuneSelf || value[len(value)-1] <= ' ') {
			if trims {
				value = strings.TrimLeftFunc(value, unicode.IsSpace)
				begin = end - len(value)
			}
			value = strings.Trim(value, " \t")
		}
		values, places = append(values, unquoted(value)), append(places, place{line, int32(begin + 1)})
	}
	l.values, l.row = values, places
}

// quoteEnd returns the end of a value, which begins with a single quote, perhaps behind blanks: before the
// first delimiter behind another one, if the line has that and no quote between them begins a value or a word,
// as in 'tis,'twas'. end is before the first delimiter, and no quote from end to searched ends a value.
func quoteEnd(line string, begin, end, searched int, delimiter byte) (int, int) {
	for begin < end && line[begin] == ' ' {
		begin++
	}
	if begin == end || line[begin] != '\'' || end < searched {
		return end, searched
	}
	for k := end; k <= len(line); k++ {
		if k > begin+1 && (k == len(line) || line[k] == delimiter) && line[k-1] == '\'' {
			return k, searched
		}
		if k+2 < len(line) && line[k+1] == '\'' && line[k+2] != delimiter && (line[k] == delimiter || line[k] == ' ') {
			return end, k
		}
	}
	return end, len(line) + 1
}

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
