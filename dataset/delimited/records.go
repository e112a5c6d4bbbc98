package delimited

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

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
}

// Place is a position in a file. Both numbers count from 1, columns in bytes.
type Place struct{ Line, Column int }

// NewRecords cuts a chunk of the named file. It leaves out a last line that an error cut short, which
// may be too long for any purpose.
func NewRecords(chunk textfile.Chunk, name string, f Format) Records {
	end := cmp.Or(chunk.Err, io.EOF)
	if f.Delimiter == blanks {
		return &blankRecords{rest: string(chunk.Whole()), end: end, line: chunk.Line - 1, comments: f.Comments}
	}
	buffer := buffers.Get().(*bufio.Reader)
	buffer.Reset(io.MultiReader(bytes.NewReader(chunk.Whole()), failing{end}))
	c := csv.NewReader(buffer) // which takes a buffer of this size as it is
	c.Comma = rune(f.Delimiter[0])
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	c.TrimLeadingSpace = c.Comma != '\t' // with tabs it would swallow empty values
	return &quotedRecords{csv: c, buffer: buffer, name: name, comments: f.Comments, before: chunk.Line - 1}
}

// buffers are read buffers that are not in use: most texts are shorter.
var buffers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// failing is a stream that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// isComment reports whether a row with this first value is a comment.
func isComment(first string, comments []string) bool {
	return slices.ContainsFunc(comments, func(c string) bool { return strings.HasPrefix(first, c) })
}

// quotedRecords reads values between delimiters, which may be in quotes (RFC 4180).
type quotedRecords struct {
	csv      *csv.Reader
	buffer   *bufio.Reader // of csv
	name     string
	comments []string
	before   int // lines before the text
}

func (q *quotedRecords) Next() ([]string, error) {
	for {
		values, err := q.csv.Read()
		if err != nil {
			buffers.Put(q.buffer)
			return nil, q.fault(err)
		}
		for k, v := range values {
			values[k] = strings.Trim(v, " \t")
		}
		if len(values) == 1 && values[0] == "" || isComment(values[0], q.comments) {
			continue
		}
		return values, nil
	}
}

func (q *quotedRecords) Place(k int) Place {
	line, column := q.csv.FieldPos(k)
	return Place{q.before + line, column}
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

// blankRecords reads values between blanks and tabs.
type blankRecords struct {
	rest     string // of the text
	end      error  // what ended the text
	line     int    // number of the current line
	comments []string
	text     string   // of the current line
	values   []string // of the current line
}

func (b *blankRecords) Next() ([]string, error) {
	for {
		line, rest, whole := strings.Cut(b.rest, "\n")
		if !whole && line == "" {
			return nil, b.end
		}
		b.text, b.rest = line, rest
		b.line++
		b.values = slices.AppendSeq(b.values[:0], strings.FieldsSeq(line))
		if len(b.values) > 0 && !isComment(b.values[0], b.comments) {
			return b.values, nil
		}
	}
}

func (b *blankRecords) Place(k int) Place {
	at := 0
	for _, value := range b.values[:k] {
		at += strings.Index(b.text[at:], value) + len(value)
	}
	return Place{b.line, at + strings.Index(b.text[at:], b.values[k]) + 1}
}
