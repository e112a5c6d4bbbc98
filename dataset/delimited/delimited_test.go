package delimited

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/swar"
)

func TestDelimiterFound(t *testing.T) {
	for text, want := range map[string]string{
		"a,b\n1,2\n":                             ",",
		"a;b,c\n1;2\n3;4\n":                      ";",
		"a\tb c\n1\t2\n":                         "\t",
		"a|b\n1|2,3\n":                           "|",
		"a b\n1  2\n":                            blanks,
		"a b, c\n1 2, 3\n":                       ",",
		"a b\n1\n":                               ",", // not even blanks cut all rows alike
		"a\n1\n":                                 ",",
		"name;note\n\"x, y\";1,5\nz;2\nw;3\n":    ";",
		"t,u\nx;1,\"a;b\"\ny;1,\"c\"\nz,\"d\"\n": ",",
		"a,b,c\n1,2\n3,4,5\n":                    ",", // the faulty row is reported later
	} {
		if f, _ := (Format{}).Detect(text, true); f.Delimiter != want {
			t.Errorf("%q: delimiter %q, want %q", text, f.Delimiter, want)
		}
	}
}

// TestFoundInAPart: the row that the sample cuts off does not count.
func TestFoundInAPart(t *testing.T) {
	f, rows := (Format{}).Detect("a,b\n1,2\n3;4;5;6,7;", false)
	if f.Delimiter != "," || len(rows) != 2 {
		t.Errorf("delimiter %q, rows %q", f.Delimiter, rows)
	}
}

// row is a row of a text, in a form that can be compared.
type row struct {
	Values []string
	Places []Place
}

// TestSplit: a Splitter finds the rows that Records finds, up to the first fault. Memory that
// is used again makes no difference. Two short values are equal only if their texts are equal.
func TestSplit(t *testing.T) {
	r := new(Rows)
	rapid.Check(t, func(t *rapid.T) {
		f := Format{Delimiter: rapid.SampledFrom(delimiters()).Draw(t, "delimiter"), Comments: []string{"#"}}
		piece := rapid.SampledFrom([]string{"a", "bc", "a long value of a row", " ", "é", "\u00a0", "#", `"`, `"x"`, `""`, "\n", "\n", "\r\n", "\t", ",", f.Delimiter[:1]})
		chunk := textfile.Chunk{
			Text: []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "text"), "")), Line: 7,
			Err: rapid.SampledFrom([]error{io.EOF, errors.New("cable pulled")}).Draw(t, "end"),
		}
		chunk.Lines = bytes.Count(chunk.Text, []byte{'\n'})
		s := Splitter{Name: "f", Format: f, Width: rapid.IntRange(1, 3).Draw(t, "width")}

		var want []row
		records := NewRecords(chunk, "f", f)
		values, wantErr := records.Next()
		for ; wantErr == nil; values, wantErr = records.Next() {
			var next row
			for k, v := range values {
				next.Values, next.Places = append(next.Values, v), append(next.Places, records.Place(k))
			}
			if len(values) != s.Width {
				wantErr = s.widthFault(len(values), records.Place(min(len(values), s.Width+1)-1))
				break
			}
			want = append(want, next)
		}

		s.Split(r, chunk)
		var got []row
		for i := range int32(r.Len()) {
			var next row
			for k := range s.Width {
				v := r.Value(i, k)
				next.Values, next.Places = append(next.Values, v), append(next.Places, r.Place(i, k))
			}
			got = append(got, next)
		}
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(r.Err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q by %q: error %v, want %v; rows (-want +got)\n%s", chunk.Text, f.Delimiter, r.Err, wantErr, diff)
		}
	})
}

// TestSplitKnown: what is known of columns does not change the rows. Values that are usual are read, up to the
// first other one.
func TestSplitKnown(t *testing.T) {
	known := new(Rows)
	rapid.Check(t, func(t *rapid.T) {
		delimiter := rapid.SampledFrom([]string{",", "\t"}).Draw(t, "delimiter")
		s := Splitter{Name: "f", Format: Format{Delimiter: delimiter}, Width: rapid.IntRange(1, 4).Draw(t, "width")}
		if rapid.IntRange(0, 4).Draw(t, "comments") == 0 {
			s.Format.Comments = []string{"#"}
		}
		text := drawRows(t, s.Width, delimiter)
		chunk := textfile.Chunk{Text: append([]byte(text), ",1,2\n3,#x\t\"and more"...)[:len(text)], Line: 7, Lines: strings.Count(text, "\n")}
		want := new(Rows)
		s.Split(want, chunk)
		rows := make([]int32, want.Len())
		for i := range rows {
			rows[i] = int32(i)
		}
		columns := make([]*drawnColumn, s.Width)
		for k := range columns {
			columns[k] = drawColumn(t, want, rows, k)
			s.Columns = append(s.Columns, &columns[k].Column)
		}
		s.Split(known, chunk)
		if known.Len() != want.Len() || fmt.Sprint(known.Err) != fmt.Sprint(want.Err) {
			t.Fatalf("%q: %d rows and error %v, want %d and %v", text, known.Len(), known.Err, want.Len(), want.Err)
		}
		for k, c := range columns {
			for i := range rows {
				if got := c.read(known, rows[i:], k); !cmp.Equal(c.expect(want, rows[i:], k), got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()) {
					t.Fatalf("%q: column %d from row %d on is %v, want %v", text, k, i, got, c.expect(want, rows[i:], k))
				}
			}
			for _, i := range rows {
				if known.Value(i, k) != want.Value(i, k) || known.Place(i, k) != want.Place(i, k) {
					t.Fatalf("%q: %q at %v, want %q at %v", text, known.Value(i, k), known.Place(i, k), want.Value(i, k), want.Place(i, k))
				}
			}
		}
	})
}

// TestLevelsInQuotes: a level that was in quotes is not found where the same bytes are a fault, or have a blank.
func TestLevelsInQuotes(t *testing.T) {
	s := Splitter{Name: "f", Format: Format{Delimiter: ","}, Width: 2}
	learned := textfile.Chunk{Text: []byte("a,b\n\"a\nb\",\"b,c\"\n\"\u00a0a\",b\n"), Line: 1, Lines: 4, Err: io.EOF}
	levels := new(Rows)
	s.Split(levels, learned)
	columns := []*Column{new(Column), new(Column)}
	for i := range int32(levels.Len()) {
		for k, c := range columns {
			levels.Learn(c, i, k, uint32(i))
		}
	}
	for text, want := range map[string]string{
		"a,b\na,b,c\n":     "f:2:5: the row has 3 values, expected 2; if the first one names the row, the header needs a name for it, too",
		"a,b\na\nb,b\n":    "f:2:1: the row has 1 values, expected 2",
		"a,b\n\u00a0a,b\n": "<nil>",
	} {
		s.Columns = columns
		r := new(Rows)
		s.Split(r, textfile.Chunk{Text: append(make([]byte, 0, 100), text...), Line: 1, Lines: strings.Count(text, "\n")})
		if fmt.Sprint(r.Err) != want {
			t.Errorf("%q: error %v, want %s", text, r.Err, want)
		}
		if got := Codes[uint8](r, nil, []int32{0, 1}[:r.Len()], 0, columns[0]); slices.ContainsFunc(got, func(code uint8) bool { return code != 0 }) {
			t.Errorf("%q: codes %v, want those of a", text, got)
		}
	}
}

// TestBlankBeforeQuote: it is a fault between tabs, also where the level in the quotes is known.
func TestBlankBeforeQuote(t *testing.T) {
	for delimiter, want := range map[string]int{",": 2, "\t": 0} {
		text := strings.Repeat(" \"a\""+delimiter+"b\n", 2)
		s := Splitter{Name: "f", Format: Format{Delimiter: delimiter}, Width: 2, Columns: []*Column{new(Column), new(Column)}}
		level, _ := swar.ShortOf("a")
		s.Columns[0].Level(level, 0)
		r := new(Rows)
		s.Split(r, textfile.Chunk{Text: append(make([]byte, 0, 100), text...), Line: 1, Lines: 2})
		if r.Len() != want || (r.Err == nil) != (want == 2) {
			t.Errorf("%q: %d rows and error %v, want %d", text, r.Len(), r.Err, want)
		}
	}
}

// TestAroundQuotes: where a column has numbers in quotes, a value with a quote or the delimiter amiss is read as it is where
// nothing is known.
func TestAroundQuotes(t *testing.T) {
	for _, odd := range []string{`712"`, `"12"3`, `"12" `, `"12`, `12`, `"1"2"`, `""12""`} {
		text := "\"12\",b\n" + odd + ",b\n\"34\",b\n"
		chunk := textfile.Chunk{Text: append(make([]byte, 0, 100), text...), Line: 1, Lines: 3}
		s := Splitter{Name: "f", Format: Format{Delimiter: ","}, Width: 2}
		want, got := new(Rows), new(Rows)
		s.Split(want, chunk)
		s.Columns = []*Column{new(Column), nil}
		s.Columns[0].Numbers(false, false)
		s.Split(got, chunk)
		if got.Len() != want.Len() || fmt.Sprint(got.Err) != fmt.Sprint(want.Err) {
			t.Errorf("%q: %d rows and error %v, want %d and %v", odd, got.Len(), got.Err, want.Len(), want.Err)
		}
		for i := range int32(want.Len()) {
			if got.Value(i, 0) != want.Value(i, 0) || got.Value(i, 1) != want.Value(i, 1) {
				t.Errorf("%q: row %d is %q, %q, want %q, %q", odd, i, got.Value(i, 0), got.Value(i, 1), want.Value(i, 0), want.Value(i, 1))
			}
			if numbers := got.Numbers(nil, []int32{i}, 0, s.Columns[0]); len(numbers) > 0 && fmt.Sprint(numbers[0]) != want.Value(i, 0) {
				t.Errorf("%q: row %d is %v, want %s", odd, i, numbers, want.Value(i, 0))
			}
		}
	}
}

// TestLongValue: the length of a text has no limit.
func TestLongValue(t *testing.T) {
	long := strings.Repeat("x", 2*mostLength)
	s := Splitter{Name: "f", Format: Format{Delimiter: ","}, Width: 3}
	r := new(Rows)
	s.Split(r, textfile.Chunk{Text: []byte("a," + long + ",b\n" + long[:mostLength] + ",c,d\n"), Line: 1, Err: io.EOF})
	if r.Len() != 2 || r.Value(0, 1) != long || r.Value(1, 0) != long[:mostLength] || r.Value(0, 2) != "b" || r.Value(1, 2) != "d" {
		t.Errorf("%d rows, values of %d and %d bytes", r.Len(), len(r.Value(0, 1)), len(r.Value(1, 0)))
	}
}

// drawRows draws rows of values that are much alike. Few of them are unusual.
func drawRows(t *rapid.T, width int, delimiter string) string {
	value := rapid.OneOf(rapid.StringMatching(`-?[0-9]{0,6}(\.[0-9]{0,5})?`), rapid.SampledFrom([]string{"a", "bc", "sixteen bytes of", "fifteen bytes :", "é", "\u00a0x", "", " 1", "1 ", "NA"}))
	columns := make([][]string, width)
	for k := range columns {
		columns[k] = rapid.SliceOfN(value, 1, 5).Draw(t, "values")
		if rapid.Bool().Draw(t, "quoted") {
			for i, v := range columns[k] {
				columns[k][i] = `"` + v + `"`
			}
		}
	}
	seldom := rapid.SampledFrom([]int{20, 2000}).Draw(t, "seldom")
	odd := rapid.SampledFrom([]string{"#", " ", "1", delimiter, "\"", "\n", "\"a" + delimiter + "b\"" + delimiter}).Draw(t, "odd")
	random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line end")
	var text strings.Builder
	for range rapid.IntRange(1, 200).Draw(t, "rows") {
		row := make([]string, width)
		for k := range row {
			row[k] = columns[k][random.IntN(len(columns[k]))]
		}
		line := strings.Join(row, delimiter)
		if random.IntN(seldom) == 0 {
			behind := strings.Join(row[:random.IntN(width+1)], delimiter) // some values
			at := []int{0, len(behind), random.IntN(len(line) + 1)}[random.IntN(3)]
			line = line[:at] + odd + line[min(at+random.IntN(2), len(line)):] // perhaps in place of a byte
		}
		text.WriteString(line + end)
	}
	return text.String()
}

// drawnColumn is a column of which something is known.
type drawnColumn struct {
	Column
	kind  kind
	empty bool
	codes map[string]uint32
}

func drawColumn(t *rapid.T, r *Rows, rows []int32, k int) *drawnColumn {
	c := &drawnColumn{kind: rapid.SampledFrom([]kind{texts, numbers, wholeNumbers, levels, levels, nothing}).Draw(t, "kind"), codes: map[string]uint32{}}
	switch c.kind {
	case numbers, wholeNumbers:
		c.empty = rapid.Bool().Draw(t, "empty")
		c.Numbers(c.kind == wholeNumbers, c.empty)
	case nothing:
		c.Nothing()
	case levels:
		for i := range rows {
			if _, known := c.codes[r.Value(rows[i], k)]; !known && i%4 < 3 {
				code := uint32(len(c.codes))
				c.codes[r.Value(rows[i], k)] = code
				r.Learn(&c.Column, rows[i], k, code)
			}
		}
	}
	return c
}

// read returns the numbers or the codes of rows, up to the first unusual value.
func (c *drawnColumn) read(r *Rows, rows []int32, k int) []float64 {
	if c.kind != levels {
		return r.Numbers(nil, rows, k, &c.Column)
	}
	var list []float64
	for _, code := range Codes[uint16](r, nil, rows, k, &c.Column) {
		list = append(list, float64(code))
	}
	return list
}

// expect returns what read must return.
func (c *drawnColumn) expect(r *Rows, rows []int32, k int) (list []float64) {
	for _, i := range rows {
		text := r.Value(i, k)
		value, whole, ok := quantity.ParseDecimal(text)
		switch c.kind {
		case texts:
			ok = false
		case nothing:
			value, ok = math.NaN(), true
		case levels:
			var code uint32
			code, ok = c.codes[text]
			value = float64(code)
		default:
			if ok = ok && (whole || c.kind == numbers); c.empty && text == "" {
				value, ok = math.NaN(), true
			}
		}
		if !ok {
			return list
		}
		list = append(list, value)
	}
	return list
}
