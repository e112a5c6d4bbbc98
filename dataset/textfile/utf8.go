package textfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// newTextReader returns a reader that passes UTF-8 text on and refuses everything else, so
// that a file in several encodings or no text at all is named as such and not misread. A
// byte-order mark at the beginning is left out. Faults are *ParseErrors.
func newTextReader(r io.Reader, name string) io.Reader {
	return transform.NewReader(r, &checker{name: name, line: 1})
}

// checker copies text up to the first fault.
type checker struct {
	name   string
	offset int64 // in the stream, of what comes next
	line   int   // of it, from 1
	column int   // of it, bytes before it in its line
}

// Reset implements transform.Transformer; a checker serves one reader.
func (c *checker) Reset() {}

// Transform implements transform.Transformer.
func (c *checker) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	mark := []byte("\xef\xbb\xbf")
	if c.offset == 0 && len(src) < len(mark) && !atEOF {
		return 0, 0, transform.ErrShortSrc
	}
	text := src
	if c.offset == 0 {
		text = bytes.TrimPrefix(src, mark)
		nSrc = len(src) - len(text)
		c.offset = int64(nSrc)
	}
	short := transform.ErrShortSrc
	if len(text) > len(dst) {
		text, atEOF, short = text[:len(dst)], false, transform.ErrShortDst
	}
	n, fault := check(text, atEOF)
	copy(dst, text[:n])
	c.offset += int64(n)
	c.line += bytes.Count(text[:n], []byte{'\n'})
	if last := bytes.LastIndexByte(text[:n], '\n'); last >= 0 {
		c.column = -last - 1
	}
	c.column += n
	switch {
	case fault != "":
		err = Errorf(c.name, c.line, c.column+1, fault, text[n], c.offset)
	case n < len(text) || short == transform.ErrShortDst:
		err = short
	}
	return n, nSrc + n, err
}

// check returns the length of the text up to the first fault, which a format describes by
// the byte there and its offset in the file, or up to a character or a line end whose rest
// is not there yet.
func check(text []byte, atEOF bool) (n int, fault string) {
	for k := 0; k < len(text); {
		if k+8 <= len(text) && isPrintable(binary.LittleEndian.Uint64(text[k:])) {
			k += 8
			continue
		}
		switch c := text[k]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[k:])
			if r == utf8.RuneError && size == 1 {
				if !atEOF && !utf8.FullRune(text[k:]) {
					return k, ""
				}
				return k, "byte %#02x at offset %d is not UTF-8, as the text before is"
			}
			k += size
			continue
		case c == '\r' && k+1 == len(text):
			if !atEOF {
				return k, ""
			}
		case c == '\r' && text[k+1] != '\n':
			return k, "byte %#02x at offset %d is a carriage return without a line feed"
		case c < ' ' && c != '\n' && c != '\t' && c != '\r':
			return k, "byte %#02x at offset %d is a control character (is this a text file?)"
		}
		k++
	}
	return len(text), ""
}

// highBits are those that no byte of ASCII has; lowest has 1 in each byte.
const highBits, lowest = 0x8080808080808080, 0x0101010101010101

// isPrintable reports whether eight bytes are all ASCII and no control characters: none has
// a high bit, and none borrows from the next when a blank is taken off. A byte that follows
// one that borrows does not matter then.
func isPrintable(word uint64) bool {
	return (word|(word-' '*lowest))&highBits == 0
}
