package catalogue

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/dataset/delimited"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// several is text files that are read as one, one after the other. CSV files are read as UTF-8, and
// their header counts once.
type several struct {
	name   string // that stands for them
	paths  []string
	format *delimited.Format // of CSV files, nil for others
	header []string          // of CSV files, nil if they have none
	first  string            // file that the header is from

	text   io.Reader // of the last file that was opened
	inLine bool      // the text so far does not end with a line

	mu     sync.Mutex // of what tells where a line is, and how much was read
	files  []openedFile
	lines  int     // so far
	before float64 // bytes of the files before the last one
	bytes  float64 // of all files
}

// openedFile is a file that was opened.
type openedFile struct {
	source *source
	path   string
	size   float64
	line   int // that its first line is in the whole, from 1
	left   int // lines of the file before this line
}

// openSeveral opens files that a name stands for. They are CSV files if opts say so, or if the first
// one does not look like LIBSVM's format.
func openSeveral(name string, paths []string, opts InputOptions) (f *inputFile, err error) {
	s := &several{name: name, paths: paths}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err // says "stat PATH: …"
		}
		s.bytes += float64(info.Size())
	}
	in, start, whole, err := s.open()
	for err == nil && whole && len(bytes.TrimSpace(start)) == 0 && len(s.paths) > 0 {
		in, start, whole, err = s.open() // programs that write data as many files leave some empty
	}
	if err != nil {
		return nil, err
	}
	isCSV := opts.isCSV(start)
	if s.text = in; isCSV {
		if err := s.beginTable(in, opts.Schema); err != nil {
			return nil, err
		}
	}
	return &inputFile{Reader: bufio.NewReaderSize(s, textfile.BufferSize), Closer: s, share: s.share, path: name, isCSV: isCSV, format: s.format, locate: s.locate}, nil
}

// open opens the next file.
func (s *several) open() (in *bufio.Reader, start []byte, whole bool, err error) {
	f := openedFile{path: s.paths[0], line: s.lines + 1}
	if f.source, err = openFile(f.path, nil); err != nil {
		return nil, nil, false, err
	}
	if info, err := os.Stat(f.path); err == nil { // else reading will tell
		f.size = float64(info.Size())
	}
	s.mu.Lock()
	if n := len(s.files); n > 0 {
		s.before += s.files[n-1].size
		s.files[n-1].source.Close()
	}
	s.files, s.paths = append(s.files, f), s.paths[1:]
	s.mu.Unlock()
	return textfile.Sample(f.source)
}

// last is the file that is being read.
func (s *several) last() *openedFile { return &s.files[len(s.files)-1] }

// beginTable finds out from the first file that has rows below a header how all of them are written.
func (s *several) beginTable(in io.Reader, schema *table.Schema) error {
	text, start, whole, err := decoded(in, s.last().path)
	for k := 0; err == nil && bytes.Count(bytes.TrimSpace(start), []byte{'\n'}) == 0 && k < len(s.paths); k++ {
		start, whole, err = beginning(s.paths[k])
	}
	if err != nil {
		return err
	}
	if schema == nil {
		schema = new(table.Schema)
	}
	format := schema.Detect(string(start), whole)
	s.text, s.format = text, &format
	if !*format.Header {
		return nil
	}
	header, read, _, err := s.headerOf(text)
	s.header, s.first, s.text = header, s.last().path, io.MultiReader(bytes.NewReader(read), text)
	return err
}

// beginning returns the beginning of a file.
func beginning(path string) (start []byte, whole bool, err error) {
	f, err := openFile(path, nil)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	_, start, whole, err = decoded(f, path)
	return start, whole, err
}

// decoded returns the text of a file in UTF-8, and its beginning.
func decoded(in io.Reader, path string) (text *bufio.Reader, start []byte, whole bool, err error) {
	decoded, err := textfile.NewReader(in, path)
	if err != nil {
		return nil, nil, false, err
	}
	return textfile.Sample(decoded)
}

// headerOf returns the values of the first row of the last file, none if it has no rows, and what it
// has read: some lines up to the end of this row.
func (s *several) headerOf(text *bufio.Reader) (values []string, read []byte, lines int, err error) {
	const longest = 1 << 24
	for line := 0; len(read) < longest; {
		part, err := text.ReadSlice('\n')
		read = append(read, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF || err == io.EOF && line == len(read) {
			return nil, read, lines, noEOF(err)
		}
		lines++
		chunk := textfile.Chunk{Text: read[line:], Line: lines, Err: io.EOF}
		line = len(read)
		values, err := delimited.NewRecords(chunk, s.last().path, *s.format).Next()
		if err != io.EOF { // else the line is blank or a comment
			return slices.Clone(values), read, lines, err
		}
	}
	return nil, nil, 0, textfile.Errorf(s.last().path, lines+1, 1, "header longer than %s", textfile.ByteSize(longest))
}

func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// next opens the next file, and leaves its header out.
func (s *several) next() error {
	in, _, _, err := s.open()
	if err != nil {
		return err
	}
	if s.text = in; s.format == nil {
		return nil
	}
	text, _, _, err := decoded(in, s.last().path)
	if err != nil {
		return err
	}
	if s.text = text; s.header == nil {
		return nil
	}
	header, _, lines, err := s.headerOf(text)
	if err != nil {
		return err
	}
	if header != nil {
		if other := s.otherHeader(header); other != "" {
			return textfile.Errorf(s.last().path, lines, 1, "%s", other)
		}
	}
	s.mu.Lock()
	s.last().left = lines
	s.mu.Unlock()
	return nil
}

// otherHeader says how a header differs from the first one, if it does.
func (s *several) otherHeader(header []string) string {
	if len(header) != len(s.header) {
		return fmt.Sprintf("the header has %d columns, expected the %d of %s", len(header), len(s.header), s.first)
	}
	for k, name := range header {
		if name != s.header[k] {
			return fmt.Sprintf("column %d is called %s, expected %s as in %s", k+1, textfile.Quote(name), textfile.Quote(s.header[k]), s.first)
		}
	}
	return ""
}

func (s *several) Read(p []byte) (n int, err error) {
	for {
		n, err := s.text.Read(p)
		if n > 0 {
			s.count(p[:n])
			return n, nil
		}
		switch {
		case err != nil && err != io.EOF:
			return 0, err
		case err == nil || len(p) == 0:
			return 0, nil
		case len(s.paths) == 0:
			return 0, io.EOF
		case s.inLine: // it ends with the file
			p[0] = '\n'
			s.count(p[:1])
			return 1, nil
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
}

// count counts the lines of a text that is not empty.
func (s *several) count(text []byte) {
	s.inLine = text[len(text)-1] != '\n'
	s.mu.Lock()
	s.lines += bytes.Count(text, []byte{'\n'})
	s.mu.Unlock()
}

// share returns the part of the files that was read.
func (s *several) share() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes == 0 {
		return 0
	}
	return (s.before + s.last().size*s.last().source.share()) / s.bytes
}

// locate corrects a fault at a line of the whole.
func (s *several) locate(fault *textfile.ParseError) {
	if fault.File != s.name {
		return // it is of one file
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k, found := slices.BinarySearchFunc(s.files, fault.Line, func(f openedFile, line int) int { return f.line - line })
	if !found {
		k--
	}
	for ; k+1 < len(s.files) && s.files[k+1].line == s.files[k].line; k++ { // the file has no lines but its header
	}
	fault.File, fault.Line = s.files[k].path, fault.Line-s.files[k].line+1+s.files[k].left
}

// Close closes the last file.
func (s *several) Close() error {
	if len(s.files) == 0 {
		return nil
	}
	return s.last().source.Close()
}
