package textfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Reader turns text in UTF-16 or Latin-1 into UTF-8. UTF-16 is known by its byte-order
// mark, or by the zeros between ASCII characters. Text is Latin-1 if its first character
// beyond ASCII is not valid UTF-8; everything before is the same in both. Like browsers, it
// takes Latin-1 for Windows-1252, which differs in characters that Latin-1 does not have.
type Reader struct {
	io.Reader
	From string // the encoding that was converted, known at the end; "" for UTF-8
}

// NewReader returns the text of the named file. What is no text is a *ParseError.
func NewReader(r io.Reader, name string) (*Reader, error) {
	t, err := newTranscoder(r)
	if err != nil {
		return nil, err
	}
	t.Reader = newTextReader(t.Reader, name)
	return t, nil
}

// newTranscoder returns a reader that checks nothing.
func newTranscoder(r io.Reader) (*Reader, error) {
	in, start, _, err := Sample(r)
	if err != nil {
		return nil, err
	}
	t := &Reader{}
	if order, ok := utf16Order(start); ok {
		t.From = "UTF-16"
		t.Reader = unicode.UTF16(order, unicode.UseBOM).NewDecoder().Reader(in)
		return t, nil
	}
	t.Reader = &latin1Detector{in: in, from: &t.From}
	return t, nil
}

// utf16Order returns the order of bytes if the beginning of a text is UTF-16: it has a
// mark, or nearly all of its characters are ASCII, so that one byte of two is 0.
func utf16Order(start []byte) (order unicode.Endianness, ok bool) {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return unicode.BigEndian, true
	}
	var zeros [2]int // at even and odd places
	for k, c := range start {
		if c == 0 {
			zeros[k%2]++
		}
	}
	const most = 10 // of this many characters, all but one are ASCII
	pairs := len(start) / 2
	switch {
	case pairs == 0:
	case zeros[0] == 0 && zeros[1]*most >= pairs*(most-1):
		return unicode.LittleEndian, true
	case zeros[1] == 0 && zeros[0]*most >= pairs*(most-1):
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// latin1Detector passes UTF-8 on and decodes Latin-1.
type latin1Detector struct {
	in     *bufio.Reader
	from   *string
	chosen io.Reader // nil as long as all is ASCII
}

func (d *latin1Detector) Read(p []byte) (int, error) {
	if d.chosen != nil {
		return d.chosen.Read(p)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if _, err := d.in.Peek(1); err != nil {
		return 0, err
	}
	text, _ := d.in.Peek(min(len(p), d.in.Buffered()))
	if n := asciiPrefix(text); n > 0 {
		return d.in.Read(p[:n])
	}
	first, _ := d.in.Peek(utf8.UTFMax)
	d.chosen = d.in
	if r, size := utf8.DecodeRune(first); r == utf8.RuneError && size == 1 {
		d.chosen = transform.NewReader(d.in, charmap.Windows1252.NewDecoder())
		*d.from = "Latin-1"
	}
	return d.chosen.Read(p)
}

// asciiPrefix returns how many bytes at the beginning of a text are ASCII.
func asciiPrefix(text []byte) int {
	n := 0
	for n+8 <= len(text) && binary.LittleEndian.Uint64(text[n:])&highBits == 0 {
		n += 8
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}
