package textfile

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

// TestTranscoder: a text is the same in every encoding, in whatever pieces it comes.
func TestTranscoder(t *testing.T) {
	encodings := map[string]encoding.Encoding{
		"":        encoding.Nop,
		"Latin-1": charmap.Windows1252,
		"UTF-16":  unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	}
	rapid.Check(t, func(t *rapid.T) {
		// The two characters at the end are not valid UTF-8 if they are Latin-1.
		want := rapid.StringOf(rapid.RuneFrom([]rune("abc,\n"))).Draw(t, "text") +
			rapid.SampledFrom([]string{"é,", "ü\n", "€,"}).Draw(t, "first") +
			rapid.StringOf(rapid.RuneFrom([]rune("abc,\né€ß"))).Draw(t, "rest")
		for name, e := range encodings {
			text, err := e.NewEncoder().String(want)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
				in, err := NewReader(r, "f")
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(in)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" || in.From != name {
					t.Fatalf("%s, found to be %q (-want +got)\n%s", name, in.From, diff)
				}
			}
		}
	})
}

// TestHalfCharacter: half a character of UTF-16 is read as the character that stands for broken
// ones.
func TestHalfCharacter(t *testing.T) {
	const bom = "\xff\xfe"
	wide := func(text string) string {
		encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	for name, c := range map[string]struct{ text, want string }{
		"whole":            {bom + wide("x,😀\n\ufffd\n"), "x,😀\n\ufffd\n"},
		"cut off":          {bom + wide("x\n-0.302") + "\x0a", "x\n-0.302\ufffd"},
		"cut off pair":     {bom + wide("x\n-") + "\x3d\xd8", "x\n-\ufffd"},
		"first half alone": {bom + wide("x\n-") + "\x3d\xd8" + wide("a\n"), "x\n-\ufffda\n"},
		"last half alone":  {bom + wide("x\n-") + "\x00\xde" + wide("a\n"), "x\n-\ufffda\n"},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
			in, err := NewReader(r, "f")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); string(got) != c.want || err != nil {
				t.Errorf("%s: read %q, error %v, want %q", name, got, err, c.want)
			}
		}
	}
}

// TestOtherFormats: what is no table is named.
func TestOtherFormats(t *testing.T) {
	for text, want := range map[string]string{
		"PK\x03\x04\x14\x00":                             "a ZIP archive, perhaps an Excel workbook",
		" {\n \"a\": 1}":                                 "JSON",
		Mark + "[ {\"a\": 1}]":                           "JSON",
		"\n<!DOCTYPE html><html>":                        "HTML",
		"% Credit data\n%\n@RELATION credit\n@data\n1\n": "ARFF",
		"ARROW1\x00\x00":                                 "another program",
		"+1 |f a:1 b\n-1 |f c:2\n":                       "Vowpal Wabbit",
		"1 2.5 'tag| price:.23 sqft:.25\n\n0 | a:1\n":    "Vowpal Wabbit",
		"|f a b |g c\n":                                  "Vowpal Wabbit",
		"a|b\n1|2\n":                                     "",
		"a | b\n1 | 2\n":                                 "",
		"1 | 2 | 3\n4 | 5 | 6\n":                         "",
		"1|New York|0\n":                                 "",
		"|1x3 Cross validator\n25, Private, <=50K.\n":    "",
		"{x},y\n1,2\n":                                   "",
		"<1,x\n>2,y\n":                                   "",
		"@relation_id,x\n1,2\n":                          "",
	} {
		_, err := NewReader(strings.NewReader(text), "f")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %s", text, err, want)
		}
	}
}
