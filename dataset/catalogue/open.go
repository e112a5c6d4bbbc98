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

	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular/parquet"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// openFile opens a data file. It may be plain or compressed by gzip, bzip2 or zstd: its first bytes
// tell. The path "-" means stdin, the name of a built-in table its text. Errors name the path, also
// errors of reading. It adds the bytes that are read of the file to a count.
func openFile(path string, stdin io.Reader, read *atomic.Int64) (*source, error) {
	if path == "-" {
		s, err := decompress("standard input", io.NopCloser(stdin))
		if err == nil {
			closeAll := s.close
			s.close = func() error {
				go func() { _ = closeAll() }() // may wait for a read that never ends
				return nil
			}
		}
		return s, err
	}
	if people.Is(path) {
		return decompress(path, io.NopCloser(bytes.NewReader(people.Table(path))))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err // says "open PATH: …"
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("is a directory, expected a file")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return decompress(path, counted{f, read})
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

// source is an open file behind its decompressor.
type source struct {
	io.Reader
	name  string
	close func() error
}

func (s *source) Close() error { return s.close() }

// Read names the file in errors other than io.EOF.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	switch {
	case err == nil || err == io.EOF:
		return n, err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the compressed file is cut off: %w", err)
	}
	return n, fmt.Errorf("%s: %w", s.name, err)
}

// How compressed files begin.
const (
	gzipMagic  = "\x1f\x8b"
	bzip2Magic = "BZh"
	zstdMagic  = "\x28\xb5\x2f\xfd"
	skipMagic  = "\x2a\x4d\x18" // behind a byte from 0x50 to 0x5f: a frame of zstd to skip, as pzstd writes first
)

// isZstd reports whether a file begins with a frame of zstd, or with one to skip.
func isZstd(start []byte) bool {
	return bytes.HasPrefix(start, []byte(zstdMagic)) || len(start) > 0 && start[0]&0xf0 == 0x50 &&
		bytes.HasPrefix(start[1:], []byte(skipMagic))
}

// decompress returns the decompressed content of f, by the method that its first bytes tell.
// It closes f on error.
func decompress(name string, f io.ReadCloser) (_ *source, err error) {
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	in, magic, _, err := textfile.Sample(f)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(magic, []byte(packed.Magic)) {
		return nil, errors.New("is a packed file, expected text (packed rows are read from one plain file, as features)")
	}
	if bytes.HasPrefix(magic, []byte(parquet.Magic)) {
		return nil, errors.New("is a Parquet file, expected text (all files of one name have one format, and Parquet files are not compressed as a whole)")
	}
	s := &source{Reader: in, name: name, close: f.Close}
	var text io.ReadCloser
	switch {
	case bytes.HasPrefix(magic, []byte(gzipMagic)):
		text, err = gzip.NewReader(in)
	case bytes.HasPrefix(magic, []byte(bzip2Magic)):
		text = io.NopCloser(bzip2.NewReader(in))
	case isZstd(magic):
		// With goroutines of its own, zstd takes up to half as much processor time again.
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1)); err == nil {
			text = z.IOReadCloser()
		}
	default:
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.Reader = text
	s.close = func() error {
		err := f.Close() // ends a read that waits
		text.Close()     // whose error may be that
		return err
	}
	return s, nil
}
