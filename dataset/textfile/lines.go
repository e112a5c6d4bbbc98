// Package textfile reads text files as they come, in bounded memory: UTF-8, Latin-1 or
// UTF-16, in lines or in chunks that are parsed side by side. It says where a fault is and what may have been meant.
package textfile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/fairtrain/fairtrain/internal/memory"
)

const (
	SampleSize = 1 << 16 // how much of a file is looked at to find out what it is
	BufferSize = 1 << 18 // fits the second-level cache, so that hash and parser share it
	maxLine    = 1 << 28 // beyond this a file without line ends is surely not rows
)

var ErrLineTooLong = fmt.Errorf("line longer than %s or a tenth of the memory budget, expected rows ended by line feeds", ByteSize(maxLine))

// lineFits reports whether there is memory for a line of so many bytes, and for what is
// made of it.
func lineFits(bytes int) bool { return memory.Fits(10 * float64(bytes)) }

// Lines cuts a stream into lines, in one buffer that grows to the longest line.
type Lines struct {
	r          io.Reader
	buf        []byte
	start, end int // the unread part of buf
	scanned    int // how far buf is known to hold no line end
	err        error
}

func NewLines(r io.Reader) *Lines {
	return &Lines{r: r, buf: make([]byte, BufferSize)}
}

// next returns the next line without its line feed, valid until the next call, and
// io.EOF after the last one. The last line needs no line feed.
func (l *Lines) Next() ([]byte, error) {
	for {
		if k := bytes.IndexByte(l.buf[l.scanned:l.end], '\n'); k >= 0 {
			line := l.buf[l.start : l.scanned+k]
			l.start = l.scanned + k + 1
			l.scanned = l.start
			return line, nil
		}
		l.scanned = l.end
		if l.err == io.EOF && l.start < l.end {
			line := l.buf[l.start:l.end]
			l.start = l.end
			return line, nil
		}
		if l.err != nil {
			return nil, l.err
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more of the stream behind the unread part.
func (l *Lines) fill() error {
	copy(l.buf, l.buf[l.start:l.end])
	l.end -= l.start
	l.scanned -= l.start
	l.start = 0
	if l.end == len(l.buf) {
		if len(l.buf) >= maxLine || !lineFits(2*len(l.buf)) {
			return ErrLineTooLong
		}
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	l.err = err
	return nil
}
