package tabular

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// readParts reads a file in chunks of a size with a number of workers.
func readParts(text string, schema *Schema, opts Options, size, workers int) (*Table, error) {
	return read(textfile.One(strings.NewReader(text), opts.Name), schema, opts, parts{size, workers})
}

// expectSame fails unless a text gives the same table or fault however it is cut and shared out.
func expectSame(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string, schema *Schema, opts Options, sizes ...int,
) {
	t.Helper()
	want, wantErr := readParts(text, schema, opts, 1<<24, 1)
	for _, size := range sizes {
		for _, workers := range []int{1, 2, 7} {
			got, err := readParts(text, schema, opts, size, workers)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%.300q\nin chunks of %d, %d workers: error %v\nwant %v", text, size, workers, err, wantErr)
			}
			if diff := cmp.Diff(want, got, sameTable); diff != "" {
				t.Fatalf("%.300q\nin chunks of %d, %d workers (-want +got)\n%s", text, size, workers, diff)
			}
		}
	}
}

// sameTable compares tables, their columns as wholes: value by value cmp takes seconds.
var sameTable = cmp.Options{
	cmp.AllowUnexported(Table{}, Column{}), cmpopts.IgnoreFields(Table{}, "files"), sameCodes,
	cmp.Comparer(sameValues[float64]), cmp.Comparer(sameValues[uint64]),
	cmp.Comparer(sameValues[string]), cmp.Comparer(sameValues[delimited.Place]),
}

// sameCodes compares codes, which must take as many bytes.
var sameCodes = cmp.Options{
	cmp.AllowUnexported(dataset.Codes{}),
	cmp.Comparer(sameValues[uint8]), cmp.Comparer(sameValues[uint16]), cmp.Comparer(sameValues[uint32]),
}

// sameValues reports whether two columns hold the same. NaN, a missing number, is NaN.
func sameValues[T comparable](a, b []T) bool {
	return (a == nil) == (b == nil) && slices.EqualFunc(a, b, func(x, y T) bool { return x == y || x != x && y != y })
}

// drawCSV draws a text that is more or less a CSV file.
func drawCSV(t *rapid.T) string {
	delimiter := rapid.SampledFrom([]string{",", ",", ";", "\t", "|", " "}).Draw(t, "delimiter")
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
	width := rapid.IntRange(1, 5).Draw(t, "width")
	value := rapid.OneOf(
		rapid.SampledFrom([]string{"1", "2", "0", "-3", "1.5", "2,5", "1,200", "1.200", "$3", "13.5%", "7 months", "1e3", "007", "123456789012345678", ".5", "+4", "5."}),
		rapid.SampledFrom([]string{"a", "b", "yes", "no", "?", "", "NA", "é", "Zürich", "x y", "\u00a0x", "\u2003", "# c"}),
		rapid.SampledFrom([]string{" a", "b ", "  ", " \t", `"a"`, `"a, b"`, `" a"`, `"b "`, `""`, `"x""y"`, "\"x\ny\"", "\"x\r\ny\"", ` "a"`, `"` + "\u00a0" + `"`, "\u00a0\"a\"", `"a;b|c"`}),
		rapid.StringOf(rapid.RuneFrom([]rune("ab1 ,.\"é"))),
	)
	plain := rapid.SampledFrom([]string{"1", "2.5", "a", "b", "yes", "?"})
	if rapid.Bool().Draw(t, "plain") {
		value = plain
	}
	var text strings.Builder
	text.WriteString(rapid.SampledFrom([]string{"", "", "\ufeff", "# made by hand\n", "\n\n", "|1x3\n", "People\n\n", "sep=;\r\n", "People,,\n"}).Draw(t, "start"))
	for i := range rapid.IntRange(0, 12).Draw(t, "rows") {
		var values []string
		for k := range width {
			if i == 0 && rapid.Bool().Draw(t, "named") {
				values = append(values, fmt.Sprintf("c%d", k))
			} else {
				values = append(values, value.Draw(t, "value"))
			}
		}
		if rapid.IntRange(0, 29).Draw(t, "odd") == 0 {
			values = append(values, value.Draw(t, "more"))
		}
		text.WriteString(strings.Join(values, delimiter))
		text.WriteString(rapid.SampledFrom([]string{end, end, end, end, end + end, end + " " + end}).Draw(t, "end"))
	}
	out := text.String()
	if rapid.Bool().Draw(t, "cut") {
		out = strings.TrimSuffix(strings.TrimSuffix(out, "\n"), rapid.SampledFrom([]string{"", "\r"}).Draw(t, "return"))
	}
	return out
}

// drawSchema draws a schema for the columns of drawCSV, nil for none.
func drawSchema(t *rapid.T) *Schema {
	s := &Schema{}
	switch rapid.IntRange(0, 5).Draw(t, "schema") {
	case 0:
		return nil
	case 1:
		s.Label = LabelSpec{Column: "c0", Positive: []string{"yes", "1"}, Skip: []string{"b", "2"}}
	case 2:
		s.Columns = []ColumnSpec{{Name: "c0", As: Raw}, {Name: "c1", As: OneHot}}
		s.Names = []string{"c0", "c1"}
		s.Missing = []string{"-3", "?", "x y"}
	case 3:
		s.Label, s.Weight = LabelSpec{Column: "c1", Skip: []string{"", "?"}}, "c0"
	case 4:
		s.Comments = []string{"a", "#"}
		s.Others = Drop
		s.Columns = []ColumnSpec{{Name: "column1", As: Bins, Bins: 2, Unit: "%"}}
	}
	if rapid.Bool().Draw(t, "header") {
		s.Header = new(rapid.Bool().Draw(t, "has header"))
	}
	return s
}

// TestParallelReading: the table, its faults and their places depend neither on the number of
// workers nor on where the file is cut into chunks.
func TestParallelReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawCSV(t)
		switch rapid.IntRange(0, 9).Draw(t, "encoding") {
		case 0:
			if latin, err := charmap.Windows1252.NewEncoder().String(text); err == nil {
				text = latin
			}
		case 1:
			if wide, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text); err == nil {
				text = wide
			}
		case 2:
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			text = text[:at] + rapid.SampledFrom([]string{"\"", "\x01", "\xff", "\r", "\n", ",", "\x00"}).Draw(t, "mutation") + text[at:]
		}
		opts := Options{Name: "f", Identify: rapid.Bool().Draw(t, "identify"), AnyLabels: rapid.Bool().Draw(t, "any labels")}
		if rapid.IntRange(0, 3).Draw(t, "keep") == 0 {
			opts.Keep = func(row int) bool { return row%3 != 1 }
		}
		if rapid.IntRange(0, 3).Draw(t, "each") == 0 {
			opts.Each = map[string]func(string) error{"c0": func(value string) error {
				if value == "b" {
					return errors.New("not b")
				}
				return nil
			}}
		}
		expectSame(t, text, drawSchema(t), opts, 1, 7, 100)
	})
}

// FuzzParallelReading looks for a text on which TestParallelReading would fail.
func FuzzParallelReading(f *testing.F) {
	for _, text := range []string{
		"age,job,rich\n31,cook,yes\n42,?,no\n", "31 A11 1\n42 A12 2\n", "\ufeffa;b\r\n\"1;\n2\";13.5%\r\n",
		"a\tb\n\"\t1\n", "a,b\n1,\" x\"\n2,\"y\" \n", "a|b\n\n# x\n1|$1,200\n", "a,b\n\u00a0\"x\",\"\r\ny\"\n",
	} {
		f.Add([]byte(text), byte(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, schema byte) {
		s := []*Schema{nil, people(), {Format: delimited.Format{Delimiter: "\t"}}, {Format: delimited.Format{Delimiter: "blank", Comments: []string{"#"}}}}[schema%4]
		expectSame(t, string(text), s, Options{Name: "f", Identify: true}, 1, 16, 1<<16)
	})
}

// TestParallelLongFile: the same holds for columns that are decided in the middle of a chunk.
func TestParallelLongFile(t *testing.T) {
	var text bytes.Buffer
	text.WriteString("id,number,level,text,comma,label\n")
	for i := range mostLevels + 5000 {
		fmt.Fprintf(&text, "%d,%d.25,l%d,t%d,\"%d,5\",%d\n", i, i*7919%100003, i%(undecided-1), i, i%9999, i%2)
	}
	expectSame(t, text.String(), nil, Options{Name: "f"}, 1<<14)
	odd := text.String() + "x,many,l1,t,\"1\",1\n"
	table, err := readParts(odd, nil, Options{Name: "f"}, 1<<12, 2)
	if err != nil || !slices.ContainsFunc(table.Notes, func(n Note) bool { return n.Kind == NotNumbers && n.Column == "number" }) {
		t.Errorf("error %v, want a note about the last row", err)
	}
	defer memory.SetBudget(0)
	memory.SetBudget(20e6)
	if _, err := readParts(text.String(), nil, Options{Name: "f"}, 1<<14, 2); err == nil ||
		!strings.HasPrefix(err.Error(), "f: to read beyond line ") {
		t.Errorf("error %v, want one about memory", err)
	}
}

// TestNothingOfChunks: the table keeps nothing of the text, whose memory is used again.
func TestNothingOfChunks(t *testing.T) {
	row := func(k int) string { return fmt.Sprintf("%d months,level %d,\"1,%d00\",%d\n", k, k%7, k%9, k%2) }
	var text strings.Builder
	text.WriteString("term,level,comma,label\n")
	for k := range 1000 {
		text.WriteString(row(k))
	}
	for range 1000 {
		text.WriteString("7,level 1,3,1\n")
	}
	expectSame(t, text.String(), nil, Options{Name: "f", Numeric: []string{"term", "comma"}}, 1<<8)
}
