package textfile

import (
	"io"
	"unicode/utf8"
)

// check finds out how many of the buffered bytes are text. A fault is an error only if there
// is no text before it.
func (t *Reader) check() error {
	if _, err := t.in.Peek(1); err != nil {
		return err
	}
	text, _ := t.in.Peek(t.in.Buffered())
	n, fault := t.prefix(text, false)
	if n == 0 && fault == "" {
		var err error
		if text, err = t.in.Peek(utf8.UTFMax); err != nil && err != io.EOF {
			return err
		}
		n, fault = t.prefix(text, err == io.EOF)
	}
	if n == 0 && text[0] >= utf8.RuneSelf && !t.decided {
		t.decodeLatin1()
		return t.check()
	}
	if n == 0 {
		return Errorf(t.name, t.line, int(t.offset-t.begins)+1, fault, text[0], t.offset)
	}
	t.checked = n
	t.offset += int64(n)
	return nil
}

// prefix returns the length of the text up to its first fault, or up to a character or a line end
// whose rest is not there yet. It counts the lines up to there, so that it is called once for a
// text, and again only for one of which it has returned 0. The fault is a format for the byte there
// and its offset in the file.
func (t *Reader) prefix(text []byte, atEOF bool) (n int, fault string) {
	for k := 0; k < len(text); {
		switch c := text[k]; {
		case ' ' <= c && c < utf8.RuneSelf: // nearly all
		case c == '\n':
			t.line++
			t.begins = t.offset + int64(k) + 1
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[k:])
			if r == utf8.RuneError && size == 1 {
				if !atEOF && !utf8.FullRune(text[k:]) {
					return k, ""
				}
				return k, "byte %#02x at offset %d is not UTF-8, as the text before is"
			}
			t.decided = true
			k += size
			continue
		case c == '\r' && k+1 == len(text):
			if !atEOF {
				return k, ""
			}
		case c == '\r' && text[k+1] != '\n' && t.line == 1: // further down it is part of a value
			return k, "byte %#02x at offset %d is a carriage return without a line feed (tr '\\r' '\\n' makes lines of it)"
		case c < ' ' && c != '\t' && c != '\r':
			return k, "byte %#02x at offset %d is a control character (is this a text file?)"
		}
		k++
	}
	return len(text), ""
}
