package swar

import (
	"bytes"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestWords compares what a word tells with what its bytes tell.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := []*rapid.Generator[byte]{rapid.Byte(), rapid.ByteRange('/', ':'), rapid.ByteRange(' ', '!'), rapid.ByteRange(127, 129)}
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
