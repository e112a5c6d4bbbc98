package catalogue

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// textFiles are the text files that a name stands for, of which one is open at a time.
type textFiles struct {
	name   string // of the only file, or that stands for several
	isCSV  bool
	stdin  io.Reader
	paths  []string        // that are still to be opened
	opened []textfile.File // to find out the format
	size   float64         // bytes of all plain files
	read   atomic.Int64    // bytes of these so far
	last   io.Closer       // that was opened
}

// openText opens the first of some files, and looks at the beginning of the first one that has
// something: programs that write data as many files leave some empty.
func openText(name string, paths []string, stdin io.Reader, isCSV bool) (*textFiles, error) {
	fs := &textFiles{name: name, isCSV: isCSV, stdin: stdin, paths: paths, last: io.NopCloser(nil)}
	if len(paths) == 1 {
		fs.name = paths[0]
	}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			fs.size += float64(info.Size())
		}
	}
	for {
		f, err := fs.open()
		if err == io.EOF {
			return fs, nil
		}
		var start []byte
		whole := false
		if err == nil {
			f.Reader, start, whole, err = textfile.Sample(f.Reader)
		}
		if err != nil {
			fs.last.Close()
			return nil, err // names the path
		}
		fs.opened = append(fs.opened, f)
		if !whole || !isBlank(start) {
			fs.isCSV = isCSV || !libsvm.Detect(start)
			return fs, nil
		}
	}
}

// isBlank reports whether a text has nothing but blanks and comments.
func isBlank(text []byte) bool {
	for _, mark := range []string{textfile.Mark, "\xff\xfe", "\xfe\xff"} {
		text = bytes.TrimPrefix(text, []byte(mark))
	}
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, " \t\r\n\x00"); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// next returns the next file. It implements textfile.Files.
func (fs *textFiles) next() (textfile.File, error) {
	if len(fs.opened) > 0 {
		f := fs.opened[0]
		fs.opened = fs.opened[1:]
		return f, nil
	}
	return fs.open()
}

// open opens the next file, and closes the last one. The path "-" is standard input, the name of a
// built-in table its text.
func (fs *textFiles) open() (textfile.File, error) {
	if len(fs.paths) == 0 {
		return textfile.File{}, io.EOF
	}
	path := fs.paths[0]
	in := io.NopCloser(fs.stdin)
	switch {
	case path == "-":
	case people.Is(path):
		in = io.NopCloser(bytes.NewReader(people.Table(path)))
	default:
		f, err := os.Open(path)
		if err != nil {
			return textfile.File{}, err // says "open PATH: …"
		}
		in = counted{f, &fs.read}
	}
	text, err := decompress(path, in)
	if err != nil {
		in.Close()
		return textfile.File{}, err
	}
	fs.last.Close()
	fs.paths, fs.last = fs.paths[1:], in
	return textfile.File{Reader: text, Name: path}, nil
}

// share returns the part of the files that was read, 0 if it is not known.
func (fs *textFiles) share() float64 {
	if fs.size == 0 {
		return 0
	}
	return float64(fs.read.Load()) / fs.size
}

// counted is a file of which the bytes that were read are counted.
type counted struct {
	*os.File
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// source is a stream whose errors name the file.
type source struct {
	io.Reader
	name string
}

func (s source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed file is cut off: %w", err)
	}
	return n, fmt.Errorf("%s: %w", s.name, err)
}

// decompress returns the content of a file, which may be plain or compressed by gzip, bzip2 or
// zstd: its first bytes tell. Errors name the file, also errors of reading.
func decompress(name string, f io.Reader) (io.Reader, error) {
	if name == "-" {
		name = "standard input"
	}
	in, start, _, err := textfile.Sample(f)
	if err == nil {
		s := source{in, name}
		switch {
		case bytes.HasPrefix(start, []byte("\x1f\x8b")):
			s.Reader, err = gzip.NewReader(in)
		case bytes.HasPrefix(start, []byte("BZh")):
			s.Reader = bzip2.NewReader(in)
		case isZstd(start):
			// With goroutines of its own, zstd takes up to half as much processor time again.
			s.Reader, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		}
		if err == nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// isZstd reports whether a file begins with a frame of zstd, or with one to skip, as pzstd writes
// first.
func isZstd(start []byte) bool {
	return bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")) || len(start) > 3 && start[0]&0xf0 == 0x50 &&
		string(start[1:4]) == "\x2a\x4d\x18"
}
