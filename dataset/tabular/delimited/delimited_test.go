package delimited

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/textfile"
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

// read is a row of a text, in a form that can be compared.
type read struct {
	Values []string
	Places []Place
}

// TestSplit: the rows of a text are those that encoding/csv finds, up to the first fault, also
// where there are no quotes and lines are cut. Memory that is used again makes no difference.
func TestSplit(t *testing.T) {
	r := new(Rows)
	rapid.Check(t, func(t *rapid.T) {
		f := Format{Delimiter: rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delimiter"), Comments: []string{"#"}}
		pieces := []string{"a", "bc", "a long value of a row", " ", "é", "\u00a0", "#", "\n", "\n", "\r\n", "\t", ",", f.Delimiter}
		if rapid.Bool().Draw(t, "quotes") {
			pieces = append(pieces, `"`, `"x"`, `""`)
		}
		chunk := textfile.Chunk{
			Text: []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "text"), "")), Line: 7,
			Err: rapid.SampledFrom([]error{io.EOF, errors.New("cable pulled")}).Draw(t, "end"),
		}
		width := rapid.IntRange(1, 3).Draw(t, "width")

		var want []read
		c := csv.NewReader(io.MultiReader(bytes.NewReader(chunk.Whole()), failing{chunk.Err}))
		c.Comma, c.FieldsPerRecord, c.TrimLeadingSpace = rune(f.Delimiter[0]), -1, f.Delimiter != "\t"
		values, wantErr := c.Read()
		for ; wantErr == nil; values, wantErr = c.Read() {
			var next read
			for k, v := range values {
				line, column := c.FieldPos(k)
				next.Values, next.Places = append(next.Values,
					strings.Trim(v, " \t")), append(next.Places, Place{line + 6, column})
			}
			if first := next.Values[0]; len(values) == 1 && first == "" || strings.HasPrefix(first, "#") {
				continue
			}
			if len(values) != width {
				wantErr = errors.New("width")
				break
			}
			want = append(want, next)
		}

		f.Split(r, chunk, "f", width, 0)
		var got []read
		for i := range r.Len() {
			var next read
			for k := range width {
				next.Values, next.Places = append(next.Values, r.Columns[k][i]), append(next.Places, r.Place(i, k))
			}
			got = append(got, next)
		}
		if diff := cmp.Diff(want, got); diff != "" || (r.Err == chunk.Err) != (wantErr == chunk.Err) {
			t.Fatalf("%q by %q: error %v, want %v; rows (-want +got)\n%s", chunk.Text, f.Delimiter,
				r.Err, wantErr, diff)
		}
	})
}

// TestBlanks: any number of blanks and tabs is between values, and blanks may be inside of quotes. A
// quote that nothing closes is a value like any other.
func TestBlanks(t *testing.T) {
	for text, want := range map[string]string{
		" a\t \"b\n# c\n \r\ncd  e f\n":           `[[a] ["b]] {1 5} f:4:7: the row has 3 values, expected 2`,
		"\"x y\" 'b c'\n\"a\\\"b\"  \"\"\"q\" \n": `[[x y a"b] [b c "q]] {1 7} EOF`,
		"'s-Gravenhage 5\n\"\" d'or\n":            `[['s-Gravenhage ] [5 d'or]] {1 15} EOF`,
	} {
		r := new(Rows)
		Format{Delimiter: blanks, Comments: []string{"#"}}.Split(r,
			textfile.Chunk{Text: []byte(text), Line: 1, Err: io.EOF}, "f", 2, 0)
		if got := fmt.Sprint(r.Columns, r.Place(0, 1), r.Err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestSingleQuotes: single quotes are around values where both are there, and delimiters may be inside.
// Backslashes escape quotes.
func TestSingleQuotes(t *testing.T) {
	for line, want := range map[string][]string{
		"'a','25','x'":               {"a", "25", "x"},
		"'a, b',2, 'c, d'":           {"a, b", "2", "c, d"},
		"'','O''Brien','it\\'s'":     {"", "O'Brien", "it's"},
		"'s-Gravenhage,5,the boys'x": {"'s-Gravenhage", "5", "the boys'x"},
		`"a \"b\" c","d\","e"`:       {`a "b" c`, `d\`, "e"},
		"',',''":                     {",", ""},
		"',a,":                       {"'", "a", ""},
		"'tis,5,rock 'n'":            {"'tis", "5", "rock 'n'"},
		"'tis,'twas,'a, b'":          {"'tis", "'twas", "a, b"},
	} {
		r := new(Rows)
		Format{Delimiter: ","}.Split(r, textfile.Chunk{Text: []byte(line), Line: 1, Err: io.EOF}, "f", len(want), 0)
		var got []string
		for k := range want {
			got = append(got, r.Columns[k]...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", line, r.Err, diff)
		}
	}
}
