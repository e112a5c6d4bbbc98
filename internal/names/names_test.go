package names_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/solver"
)

// TestMethod has a name for every method, which differs from its label by case only, and
// leaves other labels alone.
func TestMethod(t *testing.T) {
	for _, label := range solver.Names() {
		if name := names.Method(label); name == label || !strings.EqualFold(name, label) {
			t.Errorf("%s is called %s", label, name)
		}
	}
	if name := names.Method("fsfo, τ = 1"); name != "fsfo, τ = 1" {
		t.Errorf("a label becomes %s", name)
	}
}

// TestData: no folder is in a name, also not one with a comma.
func TestData(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a,b")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(odd, "rows.csv")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"rows": "rows", "x/rows": "rows", "x/a,/y/b,c": "a,b,c", "x/*.csv": "*.csv", path: "rows.csv",
	} {
		if got := names.Data(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	for name, want := range map[string]string{
		"x/rows.csv": "rows.csv", "/a/1.csv,/a/2.csv,/a/3.csv": "1.csv, 2.csv, 3.csv", "a/1.csv,2.csv,3.csv,4.csv": "1.csv and 3 other files",
	} {
		if got := names.Title(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"née Müller\t±1 σ ≤ 日本\n": "née Müller\t±1 σ ≤ 日本\n",
		"\x1b[2Jsex":              `\x1b[2Jsex`,
		"a\rb\x00\x7f":            `a\x0db\x00\x7f`,
		"\u009b31m":               `\u009b31m`, // CSI as one character
		"\u202eelam\u2066":        `\u202eelam\u2066`,
		"\u2028":                  `\u2028`,
		"fe\u200bmale\ufeff":      `fe\u200bmale\ufeff`,
		"\u3164 soft\u00ad":       `\u3164 soft\u00ad`,
		"می\u200cخواهم \u06dd":    "می\u200cخواهم \u06dd", // joined and joining letters
		"\xff\xfe":                `\xff\xfe`,
		"\ufffd":                  `\ufffd`,
		"👩🏽‍⚕️":                   "👩🏽‍⚕️",
	} {
		if got := names.Text(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	in := "<img src=x> [a](b) `c` | *d* &lt; \\\n\x1b"
	want := "&lt;img src=x> [a]\\(b) \\`c\\` \\| *d* &amp;lt; \\\\\\\\n\\\\x1b"
	if got := names.Markdown(in); got != want {
		t.Errorf("%q becomes\n%s, want\n%s", in, got, want)
	}
}

// TestNothingIsObeyed: no text is left with anything to obey, and harmless text stays as it is.
func TestNothingIsObeyed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) +
			rapid.StringOf(rapid.RuneFrom(nil, unicode.Bidi_Control, unicode.Cc)).Draw(t, "text")
		out := names.Text(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q is no UTF-8", out)
		}
		for _, r := range out {
			if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q has %U", out, r)
			}
		}
		if again := names.Text(out); again != out {
			t.Fatalf("%q becomes %q", out, again)
		}
		if line := names.Line(in); strings.ContainsAny(line, "\n\t") {
			t.Fatalf("%q has more than one line", line)
		}
	})
}

// TestShellItem: what a message advises can be typed: a comma does not make two values of one.
func TestShellItem(t *testing.T) {
	for item, want := range map[string]string{"age": "age", "home town": "'home town'", "Yes, both": `'"Yes, both"'`, "it's": `'it'\''s'`} {
		if got := names.ShellItem(item); got != want {
			t.Errorf("%s: %s, want %s", item, got, want)
		}
	}
}
