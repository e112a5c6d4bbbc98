package tabular

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	"github.com/fairtrain/fairtrain/internal/rng"
)

// readRowByRow reads a file in the plainest way: encoding/csv cuts it, and value after value
// goes to its column. Read must have the same result.
func readRowByRow(text string, schema *Schema, opts Options) (*Table, error) {
	if schema == nil {
		schema = new(Schema)
	}
	utf8, err := textfile.NewReader(strings.NewReader(text), opts.Name)
	if err != nil {
		return nil, err
	}
	in, sample, whole, err := textfile.Sample(utf8)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(in)
	if err == nil {
		err = io.EOF
	}
	t := &tableReader{Table: &Table{Name: opts.Name, anyLabels: opts.AnyLabels}, schema: schema, opts: opts, workers: 1}
	t.Format = schema.detect(string(sample), whole)
	records := delimited.NewRecords(textfile.Chunk{Text: content, Line: 1, Err: err}, opts.Name, t.Format)
	if _, rows := t.Format.Detect(string(sample), whole); schema.above(rows, nil) > 0 {
		for range schema.above(rows, nil) {
			records.Next()
		}
		t.above = t.Format.LineOf(string(sample), schema.above(rows, nil)) - 1
		t.Above = t.above
	}
	m := schema.margins(t.Format, string(sample), whole, nil)
	t.Below, t.below = m.below, m.last
	if err := t.readRowByRow(records); err != nil {
		return nil, err
	}
	t.Text = utf8.From
	sum := sha256.Sum256([]byte(text))
	t.Hash = hex.EncodeToString(sum[:])
	return t.Table, nil
}

func (t *tableReader) readRowByRow(records delimited.Records) error {
	values, err := records.Next()
	if err == io.EOF {
		return t.fault(t.start(), "no rows")
	}
	if err == nil {
		err = t.open(values, records.Place)
	}
	if err == nil && *t.Format.Header {
		values, err = records.Next()
	}
	for err == nil && records.Place(0).Line <= t.below {
		values, err = records.Next()
	}
	for ; err == nil; values, err = records.Next() {
		if err := t.addRow(values, records.Place); err != nil {
			return err
		}
	}
	switch {
	case err != io.EOF:
		return err
	case t.missing.rows > 0:
		return t.missing.error(t.Table, t.columns[t.label])
	case t.Rows == 0:
		return t.fault(t.start(), "no rows under the header")
	}
	t.complete()
	return nil
}

func (t *tableReader) addRow(values []string, place func(k int) delimited.Place) error {
	if len(values) != len(t.columns) {
		p, hint := place(min(len(values), len(t.columns)+1)-1), ""
		if p.Line == 2 && len(t.columns) > 1 && len(values) == len(t.columns)+1 {
			hint = "; if the first one names the row, the header needs a name for it, too"
		}
		return t.fault(p, "the row has %d values, expected %d%s", len(values), len(t.columns), hint)
	}
	if t.label >= 0 && !t.anyLabels {
		if hasLabel(t.schema.Label.Skip, values[t.label]) {
			t.Skipped++
			return nil
		}
		if slices.Contains(t.schema.missing(), values[t.label]) {
			if t.missing.rows++; t.missing.rows == 1 {
				t.missing.first = place(t.label)
			}
			return nil
		}
	}
	t.Offered++
	if t.opts.Keep != nil && !t.opts.Keep(t.Offered-1) {
		return nil
	}
	for k, c := range t.columns {
		if c.each != nil {
			if err := c.each(values[k]); err != nil {
				return t.fault(place(k), "column %s: %v", c.name, err)
			}
		}
		if msg := c.add(values[k]); msg != "" {
			return t.fault(place(k), "column %s: %s", c.name, msg)
		}
		if c.isNew {
			c.seen = append(c.seen, place(k))
			c.isNew = false
		}
	}
	if t.identities != nil {
		sum := uint64(0)
		for k, column := range t.identities.columns {
			if column != 0 {
				sum += rng.Mix(hashValue(column, values[k]))
			}
		}
		t.Identities = append(t.Identities, rng.Mix(sum))
	}
	t.Rows++
	return nil
}

// readParts reads a file in chunks of a size with a number of workers.
func readParts(text string, schema *Schema, opts Options, size, workers int) (*Table, error) {
	return read(textfile.One(strings.NewReader(text), opts.Name), schema, opts, parts{size, workers})
}

// expectRowByRow fails unless Read finds in a text what readRowByRow finds, however the text
// is cut.
func expectRowByRow(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string, schema *Schema, opts Options, sizes ...int,
) {
	t.Helper()
	want, wantErr := readRowByRow(text, schema, opts)
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
		expectRowByRow(t, text, drawSchema(t), opts, 1, 7, 100)
	})
}

// FuzzParallelReading looks for a text on which TestParallelReading would fail.
func FuzzParallelReading(f *testing.F) {
	for _, text := range []string{
		"age,job,rich\n31,cook,yes\n42,?,no\n", "31 A11 1\n42 A12 2\n", "\ufeffa;b\r\n\"1;\n2\";13.5%\r\n",
		"a\tb\n\"\t1\n", "a,b\n1,\" x\"\n2,\"y\" \n", "a|b\n\n# x\n1|$1,200\n", "a,b\n\u00a0\"x\",\"\r\ny\"\n",
		"a,b\nA?,\"\nB?\"\n\"{\"\"ImportId\"\":1}\",\"{\"\"ImportId\"\":2}\"\n1,x\n2,y\n",
	} {
		f.Add([]byte(text), byte(0))
	}
	f.Fuzz(func(t *testing.T, text []byte, schema byte) {
		s := []*Schema{nil, people(), {Format: delimited.Format{Delimiter: "\t"}}, {Format: delimited.Format{Delimiter: "blank", Comments: []string{"#"}}}}[schema%4]
		expectRowByRow(t, string(text), s, Options{Name: "f", Identify: true}, 1, 16, 1<<16)
	})
}

// TestParallelLongFile: the same holds for columns that are decided in the middle of a chunk.
func TestParallelLongFile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads megabytes row by row")
	}
	var text bytes.Buffer
	text.WriteString("id,number,level,text,comma,label\n")
	for i := range mostLevels + 5000 {
		fmt.Fprintf(&text, "%d,%d.25,l%d,t%d,\"%d,5\",%d\n", i, i*7919%100003, i%(undecided-1), i, i%9999, i%2)
	}
	expectRowByRow(t, text.String(), nil, Options{Name: "f", Identify: true}, 1<<14)
	fault := text.String() + "x,many,l1,t,\"1\",1\n"
	expectRowByRow(t, fault, nil, Options{Name: "f"}, 1<<14)
	_, err := readParts(fault, nil, Options{Name: "f"}, 1<<12, 2)
	if err == nil || !strings.Contains(err.Error(), "after thousands of numbers") {
		t.Errorf("error %v, want one about the last row", err)
	}
	defer memory.SetBudget(0)
	memory.SetBudget(20e6)
	if _, err = readParts(text.String(), nil, Options{Name: "f"}, 1<<14, 2); err == nil ||
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
	expectRowByRow(t, text.String(), nil, Options{Name: "f", Numeric: []string{"term", "comma"}}, 1<<8)
}
