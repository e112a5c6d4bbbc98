package libsvm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// badFiles is every fault of a LIBSVM file, with the position and the words that must be
// reported.
var badFiles = []struct {
	name, content string
	at            string
	says          string
}{
	{"empty", "", "1:1", "no rows"},
	{"only comments", "# a\n\n# b\n", "3:1", "no rows"},
	{"truncated value", "+1 1:1\n-1 2:1 3:", "2:8", `"3:" has no value`},
	{"truncated pair", "+1 1:1\n-1 2:1 3", "2:8", `"3", expected index:value`},
	{"blank after the colon", "+1 3: 1\n", "1:4", `"3:" has no value`},
	{"index 0", "+1 0:1\n", "1:4", "index 0, expected indices from 1 on"},
	{"negative index", "+1 -3:1\n", "1:4", "index from 1 on"},
	{"no index", "+1 :1\n", "1:4", "index from 1 on"},
	{"named feature", "+1 age:1\n", "1:4", `"age:1"`},
	{"descending", "-1 1:1\n+1 5:1 3:1\n", "2:8", "index 3 after index 5"},
	{"repeated", "+1 5:1 5:2\n", "1:8", "index 5 after index 5"},
	{"above the limit", "+1 16777217:1\n", "1:4", "above the limit of 16777216 (--features N allows more)"},
	{"largest index", "+1 2147483647:1\n", "1:4", "above the limit of 16777216"},
	{"above 2^31-1", "+1 2147483648:1\n", "1:4", "above the limit"},
	{"far above", "+1 99999999999999999999999999:1\n", "1:4", "above the limit"},
	{"NaN", "+1 2:nan\n", "1:6", `"nan" is not finite`},
	{"Inf", "+1 2:-Inf\n", "1:6", "not finite"},
	{"overflow", "+1 1:1 2:1e999\n", "1:10", `"1e999" is not finite`},
	{"word", "+1 2:x\n", "1:6", "expected a number"},
	{"hexadecimal", "+1 2:0x1p3\n", "1:6", "expected a number"},
	{"two values", "+1 2:1:3\n", "1:6", "expected a number"},
	{"qid", "1 qid:3 1:1\n", "1:3", "index from 1 on"},
	{"missing label", "+1 1:1\n  2:1 3:1\n", "2:3", `"2:1" where the label should be`},
	{"label not a number", "yes 1:1\n", "1:1", `label "yes"`},
	{"huge", "+1 1:1 2:-1e150\n", "1:10", `"-1e150", expected a number between −1e+100 and 1e+100`},
	{"label NaN", "nan 1:1\n", "1:1", `label "nan", expected`},
	{"regression", "0.5 1:1\n", "1:1", `label "0.5"`},
	{"several labels", "1,2 1:1\n", "1:1", `label "1,2"`},
	{"three labels", "1 1:1\n2 1:1\n\n 0 1:1\n", "4:2", `label "0" after label 1`},
	{"no pair of labels", "-1 1:1\n0 1:1\n", "2:1", "after label -1"},
	{"one class", "1 1:1\n+1 2:1\n", "2:1", "every label is 1"},
	{"NUL", "+1 1:1\n\x00\x01\x02", "2:1", "no text"},
	{"NUL in a pair", "+1 1:1 2\x00:1\n", "1:9", "no text"},
	{"invalid UTF-8", "+1 1:\xff\n", "1:6", "no text"},
	{"other line ends", "+1 1:1\r-1 1:1\r", "1:7", "a carriage return without a line feed"},
	{"after a mark", "\ufeff+1 1:x\n", "1:6", `value "x"`},
	{"mark in line 2", "+1 1:1\n\ufeff-1 1:1\n", "2:1", "label"},
}

func TestBadFilesAreRefused(t *testing.T) {
	for _, bad := range badFiles {
		t.Run(bad.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(bad.content), Options{Name: "f"})
			fault, ok := errors.AsType[*textfile.ParseError](err)
			if !ok {
				t.Fatalf("error %v, want a *ParseError", err)
			}
			if want := "f:" + bad.at + ": "; !strings.HasPrefix(err.Error(), want) ||
				!strings.Contains(fault.Msg, bad.says) {
				t.Errorf("got  %s\nwant %s… %s …", err, want, bad.says)
			}
			if strings.Contains(err.Error(), "%!") {
				t.Errorf("format error in %q", err)
			}
		})
	}
}

func TestFeaturesMayBeGiven(t *testing.T) {
	const content = "1 1:1\n0 7:1\n"
	d, err := Read(strings.NewReader(content), Options{Features: 9})
	if err != nil || d.Features() != 9 {
		t.Errorf("%d features, error %v; want 9", d.Features(), err)
	}
	_, err = Read(strings.NewReader(content), Options{Name: "f", Features: 6})
	if err == nil || !strings.HasPrefix(err.Error(), "f:2:3: ") || !strings.Contains(err.Error(), "has 6 features") {
		t.Errorf("with 6 features: error %v", err)
	}
	d, err = Read(strings.NewReader("1 1:1\n0 2147483647:1\n"), Options{MaxFeatures: 1 << 31})
	if err != nil || d.Features() != 1<<31-1 {
		t.Errorf("index 2^31-1 with a raised limit: error %v", err)
	}
}

func TestLabelsAreMapped(t *testing.T) {
	for _, c := range []struct {
		content string
		any     bool
		labels  []int8
		rule    string
	}{
		{"+1\n-1\n", false, []int8{1, -1}, "−1 → −1, +1 → +1"},
		{"0\n1\n0\n", false, []int8{-1, 1, -1}, "0 → −1, 1 → +1"},
		{"2\n1\n", false, []int8{1, -1}, "1 → −1, 2 → +1"},
		{"1.0\n1e0\n+1\n-1.0\n", false, []int8{1, 1, 1, -1}, "−1 → −1, +1 → +1"},
		{"1\n-1\n", true, []int8{1, -1}, "−1 → −1, +1 → +1"},
		{"1\n1\n", true, []int8{1, 1}, "−1 → −1, +1 → +1"},
		{"0\n0\n", true, []int8{0, 0}, "labels not used"},
		{"0\n1\n2\n", true, []int8{0, 0, 0}, "labels not used"},
		{"3.5\n-1\n1\n", true, []int8{0, 0, 0}, "labels not used"},
		{"1:1\n2:1\n", true, []int8{0, 0}, "labels not used"},
	} {
		d, err := Read(strings.NewReader(c.content), Options{AnyLabels: c.any})
		if err != nil {
			t.Errorf("%q: %v", c.content, err)
			continue
		}
		if !slices.Equal(d.Y, c.labels) || d.Rule != c.rule {
			t.Errorf("%q: labels %v by rule %q, want %v by %q", c.content, d.Y, d.Rule, c.labels, c.rule)
		}
	}
}

func TestLayoutDoesNotMatter(t *testing.T) {
	want, err := Read(strings.NewReader("+1 1:1 4:0.5\n-1\n+1 2:1\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{
		"+1 1:1 4:0.5\n-1\n+1 2:1",                    // no line feed at the end
		"+1 1:1 4:0.5\r\n-1\r\n+1 2:1\r\n",            // CRLF
		"+1\t1:1\t4:0.5  \n  -1\t\n+1 2:1\n",          // tabs and blanks
		"# head\n+1 1:1 4:.5#tail\n\n-1 # x\n1 2:1\n", // comments and blank lines
		"+1 1:1.0 4:5e-1\n-1.0\n1e0 2:1e0\n",          // other numbers
		"\ufeff+1 1:1 4:0.5\n-1\n+1 2:1\n",            // byte-order mark
		"+1 1:1 3:0 4:0.5\n-1 1:0\n+1 2:1 4:-0\n",     // zeros are not stored
		"+1 0001:1 4:+0.5\n-1\n+1 2:1\n# na\xefve\n",  // leading zeros, Latin-1 comment
	} {
		d, err := Read(iotest.OneByteReader(strings.NewReader(content)), Options{})
		if err != nil {
			t.Errorf("%q: %v", content, err)
			continue
		}
		if diff := cmp.Diff(contents(want), contents(d)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", content, diff)
		}
	}
}

// TestOnesAscend: a row may write 1 in several ways.
func TestOnesAscend(t *testing.T) {
	d, err := Read(strings.NewReader("+1 1:1 2:1.0 3:0.5 4:1 5:1e0\n-1\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.X.CheckRows(0, 1); err != nil {
		t.Error(err)
	}
}

func TestLongLine(t *testing.T) {
	var line bytes.Buffer
	line.WriteString("+1")
	pairs := 0
	for line.Len() < 10<<20 {
		pairs++
		fmt.Fprintf(&line, " %d:1", pairs)
	}
	line.WriteString("\n-1 1:1\n")
	d, err := Read(&line, Options{})
	if err != nil || d.X.NNZ() != pairs+1 || d.Features() != pairs {
		t.Fatalf("error %v; want %d features in the first row", err, pairs)
	}
	_, err = Read(strings.NewReader(strings.Repeat("x", 10<<20)), Options{Name: "f"})
	if err == nil || !strings.HasPrefix(err.Error(), "f:1:1: ") || len(err.Error()) > 200 {
		t.Errorf("10 MB of x: error %.300v", err)
	}
}

func TestReadErrorsPassThrough(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("+1 1:1\n-1"), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := Read(broken, Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

func TestWrittenDataReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.SampledFrom([]int{1, 256, 300, 70000}).Draw(t, "cols")
		value := rapid.Just(1.0)
		if rapid.Bool().Draw(t, "values") {
			value = rapid.Float64Range(-numparse.Most, numparse.Most)
		}
		var b sparse.Builder
		for range rapid.IntRange(2, 30).Draw(t, "rows") {
			index := rapid.SliceOfNDistinct(rapid.IntRange(0, cols-1), 0, min(cols, 12), rapid.ID).Draw(t, "columns")
			slices.Sort(index)
			vals := make([]float64, len(index))
			for k := range vals {
				vals[k] = value.Draw(t, "value")
			}
			b.Add(rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label"), index, vals)
		}
		var d dataset.Dataset
		d.X, d.Y = b.Finish(cols)
		var file bytes.Buffer
		if err := Write(&file, &d); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&file, Options{Features: cols, AnyLabels: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(contents(&d), contents(got)); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
	})
}

func TestWriteErrorIsReported(t *testing.T) {
	d, err := Read(strings.NewReader("1 1:1\n0\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	if err := Write(w, d); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v, want that of the writer", err)
	}
}

// seeds are files to be damaged.
func seeds() []string {
	list := []string{
		"1 1:1\n2 2:1 30:1 400:1 \n1 2:1 30:1 400:1\n2 7:1 50000:-0.25 \n1 1:3 9999999:1e9\n2\n",
		"+1 1:1 4:0.5\r\n-1 2:3e-5 # comment\n", "1 3:1\n2 16777216:-0.25\n",
	}
	for _, bad := range badFiles {
		list = append(list, bad.content)
	}
	return list
}

func FuzzReadLIBSVM(f *testing.F) { datatest.Fuzz(f, seeds(), checkRead) }

// checkRead expects that reading line by line finds the same, that an error has a place in the
// file, and that rows can be written and read again.
func checkRead(t *testing.T, content string) {
	expectLineByLine(t, content, Options{Name: "f"})
	d, err := Read(strings.NewReader(content), Options{Name: "f"})
	if err != nil {
		fault, ok := errors.AsType[*textfile.ParseError](err)
		if !ok {
			t.Fatalf("error without a position: %v", err)
		}
		if last := strings.Count(content, "\n") + 1; fault.Line < 1 || fault.Line > last || fault.Column < 1 {
			t.Fatalf("%v: no such position", fault)
		}
		return
	}
	var file bytes.Buffer
	if err := Write(&file, d); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&file, Options{Features: max(1, d.Features())})
	if err != nil {
		t.Fatal(err)
	}
	if d.Features() > 0 && !cmp.Equal(contents(d), contents(again)) {
		t.Fatalf("written and read again, the rows differ")
	}
}

// rows is the content of a data set in a form that can be compared.
type rows struct {
	Labels   []int8
	Features int
	Columns  [][]int
	Values   [][]float64
}

func contents(d *dataset.Dataset) rows {
	out := rows{Labels: d.Y, Features: d.Features()}
	for i := range d.Y {
		var cols []int
		var vals []float64
		for j, v := range d.X.Row(i) {
			cols, vals = append(cols, j), append(vals, v)
		}
		out.Columns, out.Values = append(out.Columns, cols), append(out.Values, vals)
	}
	return out
}
