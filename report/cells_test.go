package report

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/report/words"
)

// TestFold draws tables of two crossed columns and checks that the shown cells, with all
// totals known, reveal no cell that is too small.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const least = 5
		rows, columns := rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		var sizes []int
		var lines [][]string
		for i := range rows {
			for j := range columns {
				sizes = append(sizes, rapid.IntRange(1, 12).Draw(t, "size"))
				lines = append(lines, []string{"", "row " + string(rune('a'+i)), "column " + string(rune('a'+j))})
			}
		}
		hidden := fold([][]int{sizes}, [][]int{sizes}, lines, least)
		cells, together := map[string][]int{}, map[string]int{}
		for k, of := range lines {
			if !hidden[k] && sizes[k] < least {
				t.Fatalf("a cell of %d people is shown", sizes[k])
			}
			for _, line := range of {
				cells[line] = append(cells[line], k)
				if hidden[k] {
					together[line] += sizes[k]
				}
			}
		}
		for line, all := range cells {
			shown := slices.DeleteFunc(slices.Clone(all), func(k int) bool { return hidden[k] })
			if len(shown) == 0 { // the total is over hidden cells only, and no table shows more
				continue
			}
			if n := len(all) - len(shown); n == 1 || together[line] > 0 && together[line] < least {
				t.Fatalf("%q minus what is shown tells of %d cells with %d people", line, n, together[line])
			}
		}
	})
}

// TestFoldHidesNothingLarge: cells that are large enough stay.
func TestFoldHidesNothingLarge(t *testing.T) {
	sizes := [][]int{{5, 700, 20}, {8, 300, 0}}
	hidden := fold(sizes, sizes, [][]string{{""}, {""}, {""}}, 5)
	if slices.Contains(hidden, true) {
		t.Errorf("hidden are %v of groups that have at least 5 people wherever there are some", hidden)
	}
}

func TestReadCard(t *testing.T) {
	for text, want := range map[string]string{
		"title = \"a\"\n\n  intented_use = [\"x\"]\n":    `c.toml:3:3: unknown key "intented_use", a card has title, summary`,
		"[use]\nfor = \"x\"\n":                           `c.toml:1:2: unknown key "use`,
		"\n" + strings.Repeat("a.", 200_000) + "a = 1\n": `c.toml:2:1: unknown key "a.a.a.`,
		"title = \"a\"\ntitle = \"b\"\n":                 "c.toml:2:",
		"title = a\n":                                    "c.toml:1:9: ",
		"limits = \"one\"\n":                             "c.toml:1:10: ",
	} {
		if _, err := ReadCard(strings.NewReader(text), "c.toml"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: error %v, expected %q…", text, err, want)
		}
	}
}

// TestCardOfDocs reads the card of the documentation, which has every key.
func TestCardOfDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```toml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/report.md has no card")
	}
	card, err := ReadCard(strings.NewReader(example), "docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(*card)
	for k := range v.NumField() {
		key := v.Type().Field(k).Tag.Get("toml")
		_, err := ReadCard(strings.NewReader("unknown = 1"), "card")
		if v.Field(k).IsZero() || !strings.Contains(err.Error(), key) {
			t.Errorf("the card has no %s, or the hint has not: %v", key, err)
		}
	}
}

var cardSeeds = []string{"title = \"a\"\nlimits = [\"b\"]\n", "summary = '''a\nb'''\nlimits = ['c', 'd']\n", "[a]\nb = 1\n", hostileCard}

// hostileCard has characters that a terminal obeys.
const hostileCard = "title = \"Loans\\u202e\\u001b[31m\\u007f\"\nsummary = \"one\\n# two\"\nlimits = [\"\\u009b31m\"]\n"

func FuzzReadCard(f *testing.F) { datatest.Fuzz(f, cardSeeds, checkCard) }

// checkCard expects that no card brings characters into a report that turn it round or hide.
func checkCard(t *testing.T, text string) {
	card, err := ReadCard(strings.NewReader(text), "c.toml")
	if err != nil {
		return
	}
	d := &Document{Title: card.Title, Card: card, Model: &Model{Uses: &classifier.Explanation{}}}
	for _, write := range []func(io.Writer) error{d.WriteHTML, d.WriteMarkdown, d.WriteJSON} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, r := range b.String() {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Fatalf("%q has %U", text, r)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a|b `c` <img> *d* _e_ [f](g) &amp;": "a\\|b \\`c\\` &lt;img\\> \\*d\\* \\_e\\_ \\[f\\]\\(g) &amp;amp;",
		"- a":                                "\\- a",
		"see https://example.org":            "see https\\://example.org",
		"www.example.org":                    "www\\.example.org",
		"1.5 %":                              "1.5 %",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) = %q, expected %q", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		words.Percent.Text(0.0004):               "0.040 %",
		words.Percent.Text(0):                    "0.0 %",
		words.Percent.Text(0.99999):              "99.999 %",
		words.Points.Text(0.0194):                "1.94 percentage points",
		words.Points.Text(-1e-9):                 "0.00 percentage points",
		words.Signed(-1e-6):                      "0.00 percentage points",
		words.Signed(1e-6):                       "0.00 percentage points",
		words.Signed(-0.0123):                    "−1.23 percentage points",
		words.Signed(0.0123):                     "+1.23 percentage points",
		words.Thousands(1234567):                 "1,234,567",
		words.Thousands(12):                      "12",
		words.Confidence(0.95):                   "95 %",
		fileName("/home/somebody/people.csv"):    "people.csv",
		fileName(`C:\Users\somebody\people.csv`): "people.csv",
		fileName("people.csv (held out)"):        "people.csv (held out)",
		short("a very long name", 6):             "a ver…",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

func TestScale(t *testing.T) {
	for _, high := range []float64{1e-6, 0.0194, 0.162, 0.5, 1, 3, 77} {
		s := newScale(0, 100, high)
		ticks := s.ticks()
		if s.high < high || len(ticks) < 3 || len(ticks) > 8 {
			t.Errorf("up to %v: scale to %v with ticks %v", high, s.high, ticks)
		}
	}
}
