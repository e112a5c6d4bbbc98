package textfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// newUTF8 returns a reader that takes nothing for Latin-1.
func newUTF8(r io.Reader) *Reader {
	t := newReader(bufio.NewReader(r), "f")
	t.decided = true
	return t
}

func TestTextReaderRefusals(t *testing.T) {
	long := strings.Repeat("0123456789\n", 2*BufferSize/11)
	lines := strings.Count(long, "\n")
	for name, test := range map[string]struct{ text, want string }{
		"latin-1":          {"name\nJos\xe9\n", "f:2:4: byte 0xe9 at offset 8 is not UTF-8, as the text before is"},
		"latin-1 at end":   {"Jos\xe9", "f:1:4: byte 0xe9 at offset 3 is not UTF-8, as the text before is"},
		"cut character":    {"a\xe2\x82", "f:1:2: byte 0xe2 at offset 1 is not UTF-8, as the text before is"},
		"NUL":              {"a\nb\x00", "f:2:2: byte 0x00 at offset 3 is a control character (is this a text file?)"},
		"escape":           {"a,\x1b[1m", "f:1:3: byte 0x1b at offset 2 is a control character (is this a text file?)"},
		"old Mac":          {"a,b\r1,2\r", "f:1:4: byte 0x0d at offset 3 is a carriage return without a line feed (tr '\\r' '\\n' makes lines of it)"},
		"after a mark":     {"\xef\xbb\xbfab\xff", "f:1:3: byte 0xff at offset 5 is not UTF-8, as the text before is"},
		"in a later chunk": {long + "\xff", fmt.Sprintf("f:%d:1: byte 0xff at offset %d is not UTF-8, as the text before is", lines+1, len(long))},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.HalfReader(strings.NewReader(test.text))} {
				_, err := io.ReadAll(newUTF8(r))
				if _, ok := errors.AsType[*ParseError](err); !ok || err.Error() != test.want {
					t.Errorf("error %v, want %s", err, test.want)
				}
			}
		})
	}
}

// TestTextReaderPassesTextOn: text is passed on in whatever pieces it comes, with or without a
// byte-order mark.
func TestTextReaderPassesTextOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", ",", "\n", "\r\n", "\t", "\"", "é", "€", "😀", " "})).Draw(t, "text"), "")
		mark := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark")
		for _, r := range []io.Reader{
			strings.NewReader(mark + text),
			iotest.OneByteReader(strings.NewReader(mark + text)),
			iotest.DataErrReader(strings.NewReader(mark + text)),
		} {
			got, err := io.ReadAll(newUTF8(r))
			if err != nil || string(got) != text {
				t.Fatalf("read %q with error %v, want %q", got, err, text)
			}
		}
	})
}

// TestTextReaderFindsTheFirstFault: the text before the fault is delivered, and the fault's
// place is right.
func TestTextReaderFindsTheFirstFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "\n", "é", "a longer piece\nof text\n", strings.Repeat("b", 64)})).Draw(t, "before"), "")
		after := rapid.SliceOf(rapid.Byte()).Draw(t, "after")
		got, err := io.ReadAll(newUTF8(iotest.HalfReader(strings.NewReader(before + "\xc3(" + string(after)))))
		fault, ok := errors.AsType[*ParseError](err)
		if !ok || string(got) != before {
			t.Fatalf("read %q with error %v, want %q", got, err, before)
		}
		line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
		if fault.Line != line || fault.Column != column {
			t.Fatalf("fault at %d:%d, want %d:%d", fault.Line, fault.Column, line, column)
		}
		if !utf8.Valid(got) {
			t.Fatal("delivered invalid text")
		}
	})
}

func TestTextReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("cable pulled")
	_, err := io.ReadAll(newUTF8(io.MultiReader(strings.NewReader("a,b\n"), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
