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
