package textfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"
)

// textReader passes UTF-8 text on and refuses everything else, so that a file in several
// encodings or no text at all is named as such and not misread. A byte-order mark at the
// beginning is left out. Faults are *ParseErrors.
type textReader struct {
	r    io.Reader
	name string
	buf  []byte // checked text, then the beginning of a character
	next int    // what Read returns next, up to checked
	end  int

	checked int
	err     error

	offset int64 // of buf[0] in the stream
	line   int   // of buf[0], from 1
	column int   // of buf[0], bytes before it in its line
}

func newTextReader(r io.Reader, name string) *textReader {
	return &textReader{r: r, name: name, buf: make([]byte, BufferSize), line: 1}
}

func (t *textReader) Read(p []byte) (int, error) {
	for t.next == t.checked {
		if t.err != nil {
			return 0, t.err
		}
		t.fill()
	}
	n := copy(p, t.buf[t.next:t.checked])
	t.next += n
	return n, nil
}

// fill reads and checks more of the stream.
func (t *textReader) fill() {
	t.advance(t.checked)
	n, err := t.r.Read(t.buf[t.end:])
	t.end += n
	t.err = err
	if t.offset == 0 {
		if t.end < 3 && err == nil {
			return // too short to tell whether it is a byte-order mark
		}
		t.skipMark()
	}
	t.check()
}

// place returns the line of buf[k] and the number of bytes before it in that line.
func (t *textReader) place(k int) (line, column int) {
	before := t.buf[:k]
	if last := bytes.LastIndexByte(before, '\n'); last >= 0 {
		return t.line + bytes.Count(before, []byte{'\n'}), k - last - 1
	}
	return t.line, t.column + k
}

// advance forgets the first n bytes of the buffer.
func (t *textReader) advance(n int) {
	t.line, t.column = t.place(n)
	t.offset += int64(n)
	t.end = copy(t.buf, t.buf[n:t.end])
	t.next, t.checked = 0, 0
}

// skipMark forgets the byte-order mark of UTF-8.
func (t *textReader) skipMark() {
	if bytes.HasPrefix(t.buf[:t.end], []byte("\xef\xbb\xbf")) {
		t.advance(3)
		t.column = 0
	}
}

// check extends the checked part of the buffer to its end, to the beginning of a
// character or a line end whose rest is not there yet, or to the first fault.
func (t *textReader) check() {
	text := t.buf[:t.end]
	for k := 0; k < len(text); {
		if k+8 <= len(text) && isPrintable(binary.LittleEndian.Uint64(text[k:])) {
			k += 8
			continue
		}
		c := text[k]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text[k:])
			if r == utf8.RuneError && size == 1 {
				if t.err == nil && !utf8.FullRune(text[k:]) {
					t.checked = k
					return
				}
				t.refuse(k, "byte %#02x at offset %d is not UTF-8, as the text before is")
				return
			}
			k += size
			continue
		}
		if c == '\r' {
			if k+1 == len(text) && t.err == nil {
				t.checked = k
				return
			}
			if k+1 < len(text) && text[k+1] != '\n' {
				t.refuse(k, "byte %#02x at offset %d is a carriage return without a line feed")
				return
			}
		} else if c < ' ' && c != '\n' && c != '\t' {
			t.refuse(k, "byte %#02x at offset %d is a control character (is this a text file?)")
			return
		}
		k++
	}
	t.checked = len(text)
}

// highBits are those that no byte of ASCII has; lowest has 1 in each byte.
const highBits, lowest = 0x8080808080808080, 0x0101010101010101

// isPrintable reports whether eight bytes are all ASCII and no control characters: none has
// a high bit, and none borrows from the next when a blank is taken off. A byte that follows
// one that borrows does not matter then.
func isPrintable(word uint64) bool {
	return (word|(word-' '*lowest))&highBits == 0
}

// refuse ends the stream before the byte at buf[k], which format describes by its value
// and its offset in the file.
func (t *textReader) refuse(k int, format string) {
	line, column := t.place(k)
	t.err = Errorf(t.name, line, column+1, format, t.buf[k], t.offset+int64(k))
	t.end, t.checked = k, k
}
