package delimited

import (
	"bytes"
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
				p := records.Place(min(len(values), s.Width+1) - 1)
				wantErr = textfile.Errorf("f", p.Line, p.Column, "the row has %d values, expected %d", len(values), s.Width)
				break
			}
			want = append(want, next)
		}

		s.Split(r, chunk)
		var got []row
		texts := map[Short]string{}
		for i := range int32(r.Len()) {
			var next row
			for k := range s.Width {
				v := r.Value(i, k)
				next.Values, next.Places = append(next.Values, v), append(next.Places, r.Place(i, k))
				var short [1]Short
				if r.Shorts(short[:], []int32{i}, k) == 1 {
					if other, seen := texts[short[0]]; seen && other != v {
						t.Fatalf("%q and %q are one short value", v, other)
					}
					texts[short[0]] = v
				}
			}
			got = append(got, next)
		}
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(r.Err) != fmt.Sprint(wantErr) {
			t.Fatalf("%q by %q: error %v, want %v; rows (-want +got)\n%s", chunk.Text, f.Delimiter, r.Err, wantErr, diff)
		}
	})
}
