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

// text is an open file, as text in UTF-8.
type text struct {
	*textfile.Reader
	name  string
	hash  hash.Hash     // of the content as read
	in    *bufio.Reader // the text
	start []byte        // of the text
	whole bool          // it has no more than that
}

// openText opens the next file.
func openText(next Files) (*text, error) {
	file, err := next()
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

// fileError makes sure that an error names the file.
func fileError(name string, err error) error {
	if _, ok := errors.AsType[*textfile.ParseError](err); ok || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// readFiles reads files of text. All are written as the first one is that has a row below a header.
func (t *tableReader) readFiles(next Files) error {
	var first []*text
	for {
		f, err := openText(next)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		first = append(first, f)
		t.Format = t.schema.detect(string(f.start), f.whole)
		if !f.whole || bytes.Count(bytes.TrimSpace(f.start), []byte{'\n'}) > 0 {
			break
		}
	}
	for _, f := range first {
		if err := t.readFile(f); err != nil {
			return err
		}
	}
	for {
		f, err := openText(next)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.readFile(f)
		}
		if err != nil {
			return err
		}
	}
}

// readFile reads the next file.
func (t *tableReader) readFile(f *text) error {
	before := t.Offered
	t.files = append(t.files, textfile.Part{File: f.name, First: t.lines + 1})
	chunks := textfile.NewChunks(f.in, t.Name, t.parts.chunk, t.Format.Quotes())
	chunks.Line = t.lines + 1
	err := t.readChunks(chunks, f)
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
	_, rows := t.Format.Detect(string(f.start), f.whole)
	titles := t.schema.titles(rows)
	t.Above += titles
	header := rows[min(titles, len(rows)):]
	chunk := chunks.Next()
	for {
		t.skip = 0
		records := delimited.NewRecords(chunk, t.Name, t.Format)
		first, err := records.Next()
		for ; err == nil && titles > 0; titles-- {
			t.skip++
			first, err = records.Next()
		}
		if err == nil {
			place := records.Place
			if given := len(first); *t.Format.Header && len(header) > 0 && len(header[0]) == given+1 {
				first = header[0] // with the name that the file has not
				place = func(k int) delimited.Place { return records.Place(min(k, given-1)) }
			}
			err = t.begin(first, place)
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
	if *t.Format.Header {
		t.skip++
	}
	t.workers = t.parts.workers
	if chunk.Err != nil {
		t.workers = 1 // a short text takes less than sharing it out
	}
	return textfile.ParseChunks(chunk, chunks, t.workers, t.parse, t.takeText)
}

// begin takes the first row of a file. place returns where a value of it is.
func (t *tableReader) begin(first []string, place func(k int) delimited.Place) error {
	if t.order = nil; t.columns == nil {
		t.first, t.opener, t.start = slices.Clone(first), t.files[len(t.files)-1].File, place(0)
		return t.open(first)
	}
	if !*t.Format.Header || slices.Equal(first, t.first) {
		return nil
	}
	if t.order = orderOf(t.first, first); t.order != nil {
		return nil
	}
	hint := " (header in a schema says whether there is one)"
	if t.schema.Format.Header != nil {
		hint = ""
	}
	if len(first) != len(t.first) {
		return t.fault(place(0), "a header of %d columns, expected the %d of %s, with %q between values%s",
			len(first), len(t.first), t.opener, t.Format.Delimiter, hint)
	}
	k := slices.IndexFunc(first, func(name string) bool { return !slices.Contains(t.first, name) })
	missing := slices.IndexFunc(t.first, func(name string) bool { return !slices.Contains(first, name) })
	if k < 0 || missing < 0 { // a name occurs more often
		return t.fault(place(0), "the header is not that of %s: a name occurs twice%s", t.opener, hint)
	}
	return t.fault(place(k), "column %d is called %s, expected %s as in %s%s", k+1,
		textfile.Quote(first[k]), textfile.Quote(t.first[missing]), t.opener, hint)
}

// orderOf returns where each of some names is among as many others, in whatever spelling; nil if these
// are not the same, or if one occurs twice.
func orderOf(names, others []string) []int {
	find := func(key func(string) string) []int {
		index := map[string]int{}
		for k, name := range others {
			index[key(name)] = k
		}
		order := make([]int, len(names))
		for k, name := range names {
			at, found := index[key(name)]
			if !found || len(index) < len(others) {
				return nil
			}
			order[k] = at
		}
		return order
	}
	if order := find(func(name string) string { return name }); order != nil || len(names) != len(others) {
		return order
	}
	return find(delimited.NameKey)
}

// locate corrects a fault, whose line is one of all files.
func (t *Table) locate(fault *textfile.ParseError) {
	if t.source != nil {
		fault.File, fault.Part = t.source.Locate(delimited.Place{Line: fault.Line, Column: fault.Column})
		return
	}
	textfile.Locate(fault, t.files)
}

// detect fills in what the schema's format leaves open. The sample is the beginning of the
// file; if whole, it is the whole file.
func (s *Schema) detect(sample string, whole bool) delimited.Format {
	f, rows := s.Format.Detect(sample, whole)
	if f.Header == nil {
		header := false
		if rows = rows[s.titles(rows):]; len(rows) > 0 {
			header = s.hasHeader(rows)
		}
		f.Header = &header
	}
	return f
}

// titles returns how many of the first rows of a file stand above a header. If the schema mentions
// columns, the header is the row that has most of them.
func (s *Schema) titles(rows [][]string) int {
	switch {
	case s.Format.Header != nil && !*s.Format.Header:
		return 0
	case s.Format.Titles != nil:
		return min(*s.Format.Titles, len(rows))
	}
	best, most := 0, 0
	for k, row := range rows[:min(len(rows), delimited.MostTitles)] {
		if n := s.mentioned(row); n > most {
			best, most = k, n
		}
	}
	if most > 0 {
		return best
	}
	n := delimited.FindTitles(rows, s.missing())
	if n == 0 || !s.hasHeader(rows[n:]) {
		return 0
	}
	return n
}

// hasHeader reports whether the first row names the columns. If the schema has names for
// columns, most values of the row must be such names. Otherwise the row is a header if it has a
// column that the schema mentions, or if it looks like a header.
func (s *Schema) hasHeader(rows [][]string) bool {
	if len(s.Names) > 0 {
		names, known := make(map[string]bool, len(s.Names)), 0
		for _, name := range s.Names {
			names[delimited.NameKey(name)] = true
		}
		for _, v := range rows[0] {
			if key := delimited.NameKey(v); key != "" && names[key] {
				known++
			}
		}
		return 2*known > len(rows[0])
	}
	return s.mentioned(rows[0]) > 0 || delimited.LooksLikeHeader(rows, s.missing())
}
