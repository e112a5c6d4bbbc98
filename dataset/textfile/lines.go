// Package textfile reads text files as they come, in bounded memory: UTF-8, Latin-1 or
// UTF-16, in lines or in chunks that are parsed side by side. It says where a fault is and what may have been meant.
package textfile

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fairtrain/fairtrain/internal/memory"
)

const (
	SampleSize = 1 << 16 // how much of a file is looked at to find out what it is
	BufferSize = 1 << 18 // fits the second-level cache, so that hash and parser share it
	maxLine    = 1 << 28 // beyond this a file without line ends is surely not rows
)

// ErrLineTooLong is the error of a chunk whose record is of absurd length.
var ErrLineTooLong = fmt.Errorf("line longer than %s or a tenth of the memory budget, expected rows ended by line feeds", ByteSize(maxLine))

// lineFits reports whether there is memory for a line of so many bytes, and for what is
// made of it.
func lineFits(bytes int) bool { return memory.Fits(10 * float64(bytes)) }

// Lines cuts a stream into lines.
type Lines struct {
	Number int // of the line that was read last, from 1

	in   *bufio.Reader
	name string
	long []byte // a line that in has no room for
}

// NewLines returns the lines of the named file.
func NewLines(r io.Reader, name string) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, BufferSize), name: name}
}

// Next returns the next line without its line feed, valid until the next call, and
// io.EOF after the last one. The last line needs no line feed. A line of absurd length is a
// *ParseError; other errors are those of the stream.
func (l *Lines) Next() ([]byte, error) {
	l.Number++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = l.long[:0]
		for err == bufio.ErrBufferFull {
			l.long = append(l.long, line...)
			if len(l.long) >= maxLine || !lineFits(len(l.long)+BufferSize) {
				return nil, Errorf(l.name, l.Number, 1, "%v", ErrLineTooLong)
			}
			line, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case err == io.EOF && len(line) > 0:
		return line, nil
	}
	return nil, err
}
