package inert

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"née Müller\t±1 σ ≤ 日本\n": "née Müller\t±1 σ ≤ 日本\n",
		"\x1b[2Jsex":              `\x1b[2Jsex`,
		"a\rb\x00\x7f":            `a\x0db\x00\x7f`,
		"\u009b31m":               `\u009b31m`, // CSI as one character
		"\u202eelam\u2066":        `\u202eelam\u2066`,
		"\u2028":                  `\u2028`,
		"\xff\xfe":                `\xff\xfe`,
		"\ufffd":                  `\ufffd`,
		"👩🏽‍⚕️":                   "👩🏽‍⚕️",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	in := "<img src=x> [a](b) `c` | *d* &lt; \\\n\x1b"
	want := "&lt;img src=x> [a]\\(b) \\`c\\` \\| *d* &amp;lt; \\\\\\\\n\\\\x1b"
	if got := Markdown(in); got != want {
		t.Errorf("%q becomes\n%s, want\n%s", in, got, want)
	}
}

// TestNothingIsObeyed: no text is left with anything to obey, and harmless text stays as it is.
func TestNothingIsObeyed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.StringOf(rapid.RuneFrom(nil, unicode.Bidi_Control, unicode.Cc)).Draw(t, "text")
		out := Text(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is no UTF-8", out)
		}
		for _, r := range out {
			if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q has %U", out, r)
			}
		}
		if again := Text(out); again != out {
			t.Fatalf("%q becomes %q", out, again)
		}
		if line := Line(in); strings.ContainsAny(line, "\n\t") {
			t.Fatalf("%q has more than one line", line)
		}
	})
}
