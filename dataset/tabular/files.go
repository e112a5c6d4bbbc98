package tabular

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// File and Files are CSV files that are read as one.
type (
	File  = textfile.File
	Files = textfile.Files
)

// textFiles are files as text in UTF-8.
type textFiles struct {
	next   Files
	opened []*text // beforehand
}

// text is an open file.
type text struct {
	*textfile.Reader
	hash  hash.Hash     // of the content as read
	in    *bufio.Reader // the text
	name  string
	start []byte // of the text
	whole bool   // it has no more than that
}

// take returns the next file.
func (ts *textFiles) take() (*text, error) {
	if len(ts.opened) > 0 {
		f := ts.opened[0]
		ts.opened = ts.opened[1:]
		return f, nil
	}
	return ts.open()
}

// open opens the next file.
func (ts *textFiles) open() (*text, error) {
	file, err := ts.next()
	if err != nil {
		return nil, err
	}
	f := &text{name: file.Name, hash: sha256.New()}
	if f.Reader, err = textfile.NewReader(io.TeeReader(file, f.hash), file.Name); err == nil {
		f.in, f.start, f.whole, err = textfile.Sample(f.Reader)
	}
	if err != nil {
		return nil, fileError(file.Name, err)
	}
	return f, nil
}

// skipLines leaves out lines of the text.
func (f *text) skipLines(n int) error {
	for n > 0 {
		_, err := f.in.ReadSlice('\n')
		switch err {
		case nil:
			n--
		case bufio.ErrBufferFull: // the line goes on
		default:
			return err
		}
	}
	return nil
}

// fileError makes sure that an error names the file.
func fileError(name string, err error) error {
	if _, ok := errors.AsType[*textfile.ParseError](err); ok || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// format finds out from the first files how all of them are written: from the first one that has
// rows below a header, with those before it, which may be a header alone.
func (ts *textFiles) format(schema *Schema) (delimited.Format, error) {
	var sample, header []byte
	whole, recurs := true, false // the first row does, in another file
	for whole && bytes.Count(bytes.TrimSpace(sample), []byte{'\n'}) < 1 {
		f, err := ts.open()
		if err == io.EOF {
			break
		}
		if err != nil {
			return delimited.Format{}, err
		}
		ts.opened = append(ts.opened, f)
		start := f.start
		if first, below, _ := bytes.Cut(start, []byte{'\n'}); len(header) == 0 {
			header = bare(first)
		} else if bytes.Equal(bare(first), header) {
			start, recurs = below, true
		}
		if n := len(sample); n > 0 && sample[n-1] != '\n' {
			sample = append(sample, '\n')
		}
		sample, whole = append(sample, start...), f.whole
	}
	format, isDoubtful := schema.detectHeader(string(sample), whole)
	if recurs && isDoubtful {
		return format, textfile.Errorf(ts.opened[0].name, 1, 1,
			"files begin with the same row, which may be a header or not (header in a schema says whether there is one)")
	}
	return format, nil
}

// bare returns a line without quotes and blanks.
func bare(line []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune("\"' \t\r", r) {
			return -1
		}
		return r
	}, line)
}

// readFile reads the next file.
func (t *tableReader) readFile(f *text) error {
	before := t.Offered
	t.files = append(t.files, textfile.Part{File: f.name, First: t.lines + 1})
	var earlier []string
	if *t.Format.Header {
		earlier = t.first
	}
	m := t.schema.margins(t.Format, string(f.start), f.whole, earlier)
	err := f.skipLines(m.above)
	if err != nil {
		return fileError(f.name, err)
	}
	chunks := textfile.NewChunks(f.in, t.Name, t.parts.chunk, t.Format.Quotes())
	chunks.Line = t.lines + 1 + m.above
	t.Above += m.above
	t.Below += m.below
	t.below = t.lines + m.last
	if t.order = nil; t.columns == nil {
		t.above = m.above
	}
	err = t.readChunks(chunks, f)
	t.lines = chunks.Line
	if fault, ok := errors.AsType[*textfile.ParseError](err); ok && fault.File == t.Name {
		t.locate(fault)
	}
	if err != nil {
		return fileError(f.name, err)
	}
	hash := hex.EncodeToString(f.hash.Sum(nil))
	t.hashes = append(t.hashes, hash)
	if t.Offered > before {
		t.Files = append(t.Files, hash)
	}
	t.Text = cmp.Or(t.Text, f.From)
	return nil
}

// readChunks reads the chunks of a file.
func (t *tableReader) readChunks(chunks *textfile.Chunks, f *text) error {
	chunk := chunks.Next()
	for {
		records := delimited.NewRecords(chunk, t.Name, t.Format)
		first, err := records.Next()
		if err == nil {
			err = t.begin(first, records.Place, f)
		}
		if err == nil {
			break
		}
		if err != io.EOF {
			return err
		}
		if chunk.Err != nil {
			return nil // the file has no rows
		}
		chunk = chunks.Next()
	}
	t.begins = chunk.Line
	t.workers = t.parts.workers
	if chunk.Err != nil {
		t.workers = 1 // a short text takes less than sharing it out
	}
	return textfile.ParseChunks(chunk, chunks, t.workers, t.parse, t.takeText)
}

// begin takes the first row of a file. place tells where a value of it is.
func (t *tableReader) begin(first []string, place func(k int) delimited.Place, f *text) error {
	if t.columns == nil {
		t.first, t.opener = slices.Clone(first), t.files[len(t.files)-1]
		return t.open(first, place)
	}
	if *t.Format.Header {
		return t.checkHeader(first, place)
	}
	if t.schema.Format.Header != nil {
		return nil // there is none for sure
	}
	probe := *t.schema
	probe.Format = t.Format
	probe.Format.Header = nil
	if *probe.detect(string(f.start), f.whole).Header {
		return t.fault(place(0), "this looks like a header, but %s has none%s", t.opener.File, t.decides())
	}
	return nil
}

// checkHeader compares the header of a file with that of the first one.
func (t *tableReader) checkHeader(header []string, place func(k int) delimited.Place) error {
	if slices.Equal(header, t.first) {
		return nil
	}
	if len(header) == 1 && len(t.first) > 1 && strings.ContainsAny(header[0], ",;|\t") {
		return t.fault(place(0), "a header of one column, expected the %d of %s: is it written with %q between values, as there?", len(t.first), t.opener.File, t.Format.Delimiter)
	}
	if len(header) != len(t.first) {
		return t.fault(place(0), "a header of %d columns, expected the %d of %s%s", len(header),
			len(t.first), t.opener.File, t.decides())
	}
	if t.order = orderOf(t.first, header); t.order != nil {
		return nil
	}
	k, missing := firstNotIn(header, t.first), firstNotIn(t.first, header)
	if k < 0 || missing < 0 { // a name occurs twice
		for k = 0; header[k] == t.first[k]; k++ {
		}
		missing = k
	}
	return t.fault(place(k), "column %d is called %s, expected %s as in %s%s", k+1,
		textfile.Quote(header[k]), textfile.Quote(t.first[missing]), t.opener.File, t.decides())
}

// firstNotIn returns the index of the first of some names that is not among others, −1 if all are.
func firstNotIn(names, others []string) int {
	return slices.IndexFunc(names, func(name string) bool { return !slices.Contains(others, name) })
}

// orderOf returns where each of some names is among as many others; nil if these are not the same,
// or if one occurs twice.
func orderOf(names, others []string) []int {
	index := map[string]int{}
	for k, name := range others {
		index[name] = k
	}
	order := make([]int, len(names))
	for k, name := range names {
		at, found := index[name]
		if !found || len(index) < len(others) {
			return nil
		}
		order[k] = at
	}
	return order
}

// decides says what decides whether there is a header, unless it has.
func (t *tableReader) decides() string {
	if t.schema.Format.Header != nil {
		return ""
	}
	return " (header in a schema says whether there is one)"
}

// start is the place of a fault that is not at one value: the first line of the first file that has
// rows.
func (t *tableReader) start() delimited.Place {
	return delimited.Place{Line: max(t.opener.First, 1) + t.above, Column: 1}
}

// locate corrects a fault, whose line is one of all files.
func (t *Table) locate(fault *textfile.ParseError) {
	if t.source != nil {
		fault.File, fault.Part = t.source.Locate(delimited.Place{Line: fault.Line, Column: fault.Column})
		return
	}
	textfile.Locate(fault, t.files)
}
