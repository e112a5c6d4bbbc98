package swar

import (
	"bytes"
	"strconv"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestWords compares what a word tells with what its bytes tell.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := []*rapid.Generator[byte]{rapid.Byte(), rapid.ByteRange('/', ':'), rapid.ByteRange(' '-1, '!'), rapid.ByteRange(127, 129)}
		text := rapid.SliceOfN(rapid.OneOf(near...), 8, 8).Draw(t, "text")
		word := Load(string(text))
		c := rapid.OneOf(rapid.Byte(), rapid.SampledFrom(text)).Draw(t, "byte")
		expect := func(name string, got, want int) {
			if want < 0 {
				want = len(text)
			}
			if got != want {
				t.Fatalf("%s of %q is %d, want %d", name, text, got, want)
			}
		}
		expect("Find "+strconv.Quote(string(c)), Find(word, c), bytes.IndexByte(text, c))
		expect("Blank", Blank(word), bytes.IndexFunc(text, func(r rune) bool { return r <= ' ' }))
		expect("Unprintable", Unprintable(word), bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r > unicode.MaxASCII }))

		digits := rapid.StringMatching(`[0-9]{1,8}`).Draw(t, "digits")
		for _, number := range []string{digits, string(text)} {
			want, err := strconv.ParseUint(number, 10, 64)
			got, ok := Number(Load(number+string(text)), len(number))
			if ok != (err == nil) || ok && got != want {
				t.Fatalf("Number of %q is %d, %v", number, got, ok)
			}
		}
	})
}

// TestShort compares texts as words with the texts.
func TestShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 30, 30).Draw(t, "text")
		n := rapid.IntRange(0, min(len(text), 15)).Draw(t, "length")
		want, ok := ShortOf(text[:n])
		if got := ShortIn(text, n); !ok || got != want || got.Len() != n || got.String() != text[:n] {
			t.Fatalf("the first %d bytes of %q are %q, want %q", n, text, got, want)
		}
		if len(text) >= 16 {
			if _, ok := ShortOf(text); ok {
				t.Fatalf("%q is short", text)
			}
			if s := (Short{Low: Load(text), High: Load(text[8:])}).First(16); s.Len() != 16 {
				t.Fatalf("16 bytes of %q are %d", text, s.Len())
			}
		}
	})
}
