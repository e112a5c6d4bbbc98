package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// detect fills in what the schema's format leaves open from the beginning of a file; whole
// says that it is the whole file.
//
// The delimiter is the one of comma, semicolon, tab and bar that cuts the most rows into
// one same number of values, at least two; of equals the one that gives more values. If
// none does, it is any number of blanks if these cut all rows alike, or else the comma. A
// first row beginning with # or | that is not cut, unlike the others, is a comment.
func (s *Schema) detect(sample string, whole bool) Format {
	if end := strings.LastIndexByte(sample, '\n'); !whole && end >= 0 {
		sample = sample[:end+1]
	}
	f := s.Format
	if f.Delimiter == "" {
		f.Delimiter = f.detectDelimiter(sample)
	}
	rows := f.sampleRows(sample)
	if f.Comments == nil && len(rows) > 1 && len(rows[0]) == 1 && regularityOf(rows).width > 1 {
		if mark := rows[0][0][:min(len(rows[0][0]), 1)]; mark == "#" || mark == "|" {
			f.Comments = []string{mark}
			rows = f.sampleRows(sample)
		}
	}
	if f.Header == nil {
		header := len(rows) > 0 && s.hasHeader(rows)
		f.Header = &header
	}
	return f
}

// hasHeader reports whether the first row names the columns: all of its values are names
// that the schema gives the columns; if it gives none, some are columns that it mentions,
// or else the row looks like a header.
func (s *Schema) hasHeader(rows [][]string) bool {
	if len(s.Names) > 0 {
		unknown := func(v string) bool { return !slices.Contains(s.Names, v) }
		return !slices.ContainsFunc(rows[0][unnamedIndex(rows[0]):], unknown)
	}
	specs := s.index()
	mentioned := func(v string) bool {
		_, declared := specs[v]
		return v != "" && (declared || s.grouped(v) || v == s.Label.Column || v == s.Weight)
	}
	return slices.ContainsFunc(rows[0], mentioned) || looksLikeHeader(rows, s.missing())
}

func (f Format) detectDelimiter(sample string) string {
	best, found := regularity{}, ","
	for _, delimiter := range delimiters() {
		f.Delimiter = delimiter
		rows := f.sampleRows(sample)
		r := regularityOf(rows)
		if r.width < 2 || delimiter == blanks && (best.width > 0 || r.rows < len(rows)) {
			continue
		}
		if r.rows > best.rows || r.rows == best.rows && r.width > best.width {
			best, found = r, delimiter
		}
	}
	return found
}

// sampleRows cuts a sample into rows, up to the first fault.
func (f Format) sampleRows(sample string) [][]string {
	var rows [][]string
	records := newRecords(strings.NewReader(sample), "", f, 1)
	for {
		fields, err := records.next()
		if err != nil {
			return rows
		}
		rows = append(rows, slices.Clone(fields))
	}
}

// regularity says how well a delimiter suits: the most frequent number of values of a
// row, and how many rows have it.
type regularity struct{ width, rows int }

func regularityOf(rows [][]string) regularity {
	count := map[int]int{}
	for _, fields := range rows {
		count[len(fields)]++
	}
	var r regularity
	for width, n := range count {
		if n > r.rows || n == r.rows && width > r.width {
			r = regularity{width, n}
		}
	}
	return r
}

// unnamedIndex returns 1 if a header begins with a column without a name, into which some
// programs write the number of the row, and 0 otherwise.
func unnamedIndex(header []string) int {
	if header[0] == "" && len(header) > 1 {
		return 1
	}
	return 0
}

// looksLikeHeader reports whether the first row names the columns: it has no number and,
// beyond an unnamed index, no missing value; and unless some column below it is a number,
// no value that occurs again in its column.
func looksLikeHeader(rows [][]string, missing []string) bool {
	recurs, number := false, false
	for j, name := range rows[0] {
		if j < unnamedIndex(rows[0]) {
			continue
		}
		if quantity.Is(name) || slices.Contains(missing, name) {
			return false
		}
		numbers, values := 0, 0
		for _, fields := range rows[1:] {
			if j >= len(fields) || slices.Contains(missing, fields[j]) {
				continue
			}
			values++
			recurs = recurs || fields[j] == name
			if quantity.Is(fields[j]) {
				numbers++
			}
		}
		number = number || numbers > 0 && numbers == values
	}
	return number || !recurs
}

// records cuts a text into rows of values, without the blanks around them. Empty rows and
// comments are left out.
type records interface {
	// next returns the values of the next row, valid until the next call, io.EOF after
	// the last one, or a *ParseError.
	next() ([]string, error)
	// pos returns where value k of that row begins, counted from 1.
	pos(k int) (line, column int)
}

// newRecords cuts a text of which the first line is the given one of the named file.
func newRecords(r io.Reader, name string, f Format, line int) records {
	if f.Delimiter == blanks {
		lines := textfile.NewLines(r, name)
		lines.Number = line - 1
		return &blankRecords{lines: lines, comments: f.Comments}
	}
	c := csv.NewReader(r)
	c.Comma = rune(f.Delimiter[0])
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	c.TrimLeadingSpace = c.Comma != '\t' // where it would swallow empty values
	return &quotedRecords{csv: c, name: name, comments: f.Comments, before: line - 1, line: line - 1}
}

// isComment reports whether a row that begins with a value is a comment.
func isComment(first string, comments []string) bool {
	return slices.ContainsFunc(comments, func(c string) bool { return strings.HasPrefix(first, c) })
}

// quotedRecords reads values between delimiters, quoted where need be (RFC 4180).
type quotedRecords struct {
	csv      *csv.Reader
	name     string
	comments []string
	before   int // lines before the text
	line     int // where the last row ends or, if it is quoted, its last value begins
}

func (q *quotedRecords) next() ([]string, error) {
	for {
		fields, err := q.csv.Read()
		if err != nil {
			return nil, q.fault(err)
		}
		q.line, _ = q.pos(len(fields) - 1)
		for k, v := range fields {
			fields[k] = strings.Trim(v, " \t")
		}
		if len(fields) == 1 && fields[0] == "" || isComment(fields[0], q.comments) {
			continue
		}
		return fields, nil
	}
}

func (q *quotedRecords) pos(k int) (line, column int) {
	line, column = q.csv.FieldPos(k)
	return q.before + line, column
}

// fault turns an error of the csv package into one of this package.
func (q *quotedRecords) fault(err error) error {
	if err == textfile.ErrLineTooLong {
		return textfile.Errorf(q.name, q.line+1, 1, "%v", err)
	}
	syntax, ok := err.(*csv.ParseError)
	if !ok {
		return err
	}
	msg := syntax.Err.Error()
	switch syntax.Err {
	case csv.ErrBareQuote:
		msg = `quote inside a value, expected the whole value in quotes and this one doubled`
	case csv.ErrQuote:
		msg = fmt.Sprintf(`text after a closing quote, or no closing quote; the row begins in line %d`, q.before+syntax.StartLine)
	}
	return textfile.Errorf(q.name, q.before+syntax.Line, max(syntax.Column, 1), "%s", msg)
}

// blankRecords reads values between blanks and tabs.
type blankRecords struct {
	lines    *textfile.Lines
	comments []string
	text     string
	fields   []string
}

func (b *blankRecords) next() ([]string, error) {
	for {
		line, err := b.lines.Next()
		if err != nil {
			return nil, err
		}
		b.text = string(line)
		b.fields = b.fields[:0]
		for value := range strings.FieldsSeq(b.text) {
			b.fields = append(b.fields, value)
		}
		if len(b.fields) > 0 && !isComment(b.fields[0], b.comments) {
			return b.fields, nil
		}
	}
}

func (b *blankRecords) pos(k int) (line, column int) {
	at := 0
	for _, value := range b.fields[:k] {
		at += strings.Index(b.text[at:], value) + len(value)
	}
	return b.lines.Number, at + strings.Index(b.text[at:], b.fields[k]) + 1
}
