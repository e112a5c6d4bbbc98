package parquet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// content is a file to be written: columns of optional values, as many in each.
type content struct {
	names   []string
	nodes   []parquet.Node
	columns [][]parquet.Value
	texts   [][]string // as a CSV file has them
}

// parquet writes the file, by row groups of so many rows.
func (c content) parquet(perGroup int, options ...parquet.WriterOption) string {
	group := parquet.Group{}
	for k, name := range c.names {
		group[name] = parquet.Optional(c.nodes[k])
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, append(options, parquet.NewSchema("rows", group))...)
	for i := range c.columns[0] {
		var row parquet.Row
		for k, column := range c.columns {
			v, present := column[i], 1
			if v.IsNull() {
				present = 0
			}
			row = append(row, v.Level(0, present, k)) // the names are sorted, as the columns of groups are
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			panic(err)
		}
		if (i+1)%perGroup == 0 {
			if err := w.Flush(); err != nil {
				panic(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}

func (c content) csv() string {
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Write(c.names)
	for i := range c.columns[0] {
		var row []string
		for _, column := range c.texts {
			row = append(row, column[i])
		}
		w.Write(row)
	}
	w.Flush()
	return out.String()
}

// drawContent draws a small file.
func drawContent(t *rapid.T) content {
	var c content
	rows := rapid.IntRange(1, 60).Draw(t, "rows")
	for k := range rapid.IntRange(2, 6).Draw(t, "columns") {
		node, draw := drawColumn(t)
		var values []parquet.Value
		var texts []string
		for range rows {
			v, text := parquet.Value{}, ""
			if rapid.IntRange(0, 5).Draw(t, "present") > 0 {
				v, text = draw(t)
			}
			values, texts = append(values, v), append(texts, text)
		}
		c.names = append(c.names, string(rune('a'+k)))
		c.nodes, c.columns, c.texts = append(c.nodes, node), append(c.columns, values), append(c.texts, texts)
	}
	return c
}

// drawColumn draws a type of values, and a function that draws a value and its text.
func drawColumn(t *rapid.T) (parquet.Node, func(t *rapid.T) (parquet.Value, string)) {
	few := rapid.Bool().Draw(t, "few")
	switch rapid.IntRange(0, 6).Draw(t, "type") {
	case 0:
		most := int64(1 << 62)
		if few {
			most = 2
		}
		return parquet.Int(64), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.Int64Range(-most, most).Draw(t, "int64")
			return parquet.Int64Value(v), fmt.Sprint(v)
		}
	case 1:
		return parquet.Uint(32), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.Uint32().Draw(t, "uint32")
			return parquet.Int32Value(int32(v)), fmt.Sprint(v)
		}
	case 2:
		return parquet.Leaf(parquet.DoubleType), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1.2345, 2.5, -3, 1e15, 1e100, 1e101, math.NaN(), math.Inf(1), math.Copysign(0, -1)})).Filter(isPlain).Draw(t, "double")
			if math.IsNaN(v) {
				return parquet.DoubleValue(v), ""
			}
			return parquet.DoubleValue(v), numparse.Format(v)
		}
	case 3:
		return parquet.Leaf(parquet.FloatType), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.SampledFrom([]float32{0, 0.1, 1.2345, 2.5, -3, 16777217}).Draw(t, "float")
			return parquet.FloatValue(v), map[float32]string{0: "0", 0.1: "0.1", 1.2345: "1.2345", 2.5: "2.5", -3: "-3", 16777217: "1.6777216e+07"}[v]
		}
	case 4:
		return parquet.Leaf(parquet.BooleanType), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.Bool().Draw(t, "boolean")
			return parquet.BooleanValue(v), fmt.Sprint(v)
		}
	case 5:
		return parquet.Decimal(2, 9, parquet.Int32Type), func(t *rapid.T) (parquet.Value, string) {
			v := rapid.Int32Range(-12345, 12345).Draw(t, "decimal")
			text := fmt.Sprintf("%03d", max(v, -v))
			text = text[:len(text)-2] + "." + text[len(text)-2:]
			if v < 0 {
				text = "-" + text
			}
			return parquet.Int32Value(v), text
		}
	}
	texts := rapid.SampledFrom([]string{"a", "b", "a long text of a level", "", "NA", " b", "é", "1", "2", "3.25", "007", "x,y", `"q"`, "two\nlines"})
	if few {
		texts = rapid.SampledFrom([]string{"yes", "no"})
	}
	node := parquet.String()
	if rapid.Bool().Draw(t, "dictionary") {
		node = parquet.Encoded(node, &parquet.RLEDictionary)
	}
	return node, func(t *rapid.T) (parquet.Value, string) {
		v := texts.Draw(t, "text")
		return parquet.ByteArrayValue([]byte(v)), v
	}
}

// isPlain reports whether a number as text is no other number with a comma as the decimal mark, as
// 1.234 is. Only a type tells which of the two is meant.
func isPlain(v float64) bool {
	other, _, ok := numparse.Parse(numparse.Format(v), numparse.Comma)
	return !ok || other == v
}

// drawOptions draws how a file is written.
func drawOptions(t *rapid.T) []parquet.WriterOption {
	options := []parquet.WriterOption{
		parquet.DataPageVersion(rapid.IntRange(1, 2).Draw(t, "version")),
		parquet.PageBufferSize(rapid.SampledFrom([]int{64, 1 << 12}).Draw(t, "page")),
	}
	switch rapid.IntRange(0, 4).Draw(t, "codec") {
	case 4:
		options = append(options, parquet.Compression(&parquet.Snappy))
	case 1:
		options = append(options, parquet.Compression(&parquet.Gzip))
	case 2:
		options = append(options, parquet.Compression(&parquet.Zstd))
	case 3:
		options = append(options, parquet.Compression(&parquet.Brotli))
	}
	return options
}

// readText reads the content of files.
func readText(schema *tabular.Schema, opts tabular.Options, contents ...string) (*tabular.Table, error) {
	var files []*file
	for k, text := range contents {
		f, err := describe(strings.NewReader(text), int64(len(text)), fmt.Sprintf("f%d.parquet", k+1))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return read(files, schema, opts)
}

// same compares tables of CSV and Parquet files.
var same = cmp.Options{
	cmpopts.IgnoreFields(tabular.Table{}, "Name", "Hash", "Format", "Typed"),
	cmpopts.IgnoreUnexported(tabular.Table{}, tabular.Column{}), cmp.AllowUnexported(dataset.Codes{}), cmpopts.EquateNaNs(),
}

// TestSameAsCSV: a Parquet file and a CSV file of the same content are the same table, with the
// same completed schema, notes and identities of rows.
func TestSameAsCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawContent(t)
		header := true
		schema := &tabular.Schema{Format: delimited.Format{Delimiter: ",", Header: &header}}
		if rapid.Bool().Draw(t, "declare") {
			schema.Groups = []tabular.GroupSpec{{Column: "b"}}
			schema.Missing = []string{"NA", ""} // so that NA stands for a null
		}
		opts := tabular.Options{Name: "f", Identify: schema.Groups == nil, AnyLabels: rapid.Bool().Draw(t, "any labels")}
		if rapid.Bool().Draw(t, "categorical") {
			opts.Categorical = []string{"a"}
		}
		want, wantErr := tabular.Read(strings.NewReader(c.csv()), schema, opts)
		got, err := readText(schema, opts, c.parquet(rapid.IntRange(1, 60).Draw(t, "group"), drawOptions(t)...))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, of CSV %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want, got, same); diff != "" {
			t.Fatalf("(-CSV +Parquet)\n%s", diff)
		}
	})
}

// shape is a type of which nothing is read.
type shape struct{ parquet.Type }

func (shape) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: new(format.GeometryType)}
}

// TestBytes: bytes are texts, with a mark in place of what is not in UTF-8. Columns of other types
// are dropped.
func TestBytes(t *testing.T) {
	raw := parquet.Leaf(parquet.ByteArrayType)
	c := content{names: []string{"form", "name", "y"}, nodes: []parquet.Node{parquet.Leaf(shape{parquet.ByteArrayType}), raw, parquet.String()}}
	for _, values := range [][]string{{"1", "2", "3", "4"}, {"a", "\xff", "a", "\xff"}, {"1", "0", "1", "0"}} {
		var column []parquet.Value
		for _, v := range values {
			column = append(column, parquet.ByteArrayValue([]byte(v)))
		}
		c.columns = append(c.columns, column)
	}
	got, err := readText(nil, tabular.Options{Identify: true}, c.parquet(2))
	if err != nil {
		t.Fatal(err)
	}
	want := []tabular.Note{{Column: "form", Kind: tabular.Dropped, Text: `its values are of type GEOMETRY("OGC:CRS84")`}}
	if diff := cmp.Diff(want, got.Notes); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a", "\ufffd"}, got.Column("name").Levels); diff != "" {
		t.Errorf("levels (-want +got)\n%s", diff)
	}
	_, err = readText(nil, tabular.Options{Categorical: []string{"form"}}, c.parquet(2))
	if want := "f1.parquet: columns: column form can't be used: its"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestDuckDB reads a file of DuckDB 2.0, which fills packs of indexes and levels up to 256:
//
//	copy (select 'level-' || (i*i%7) as a, case when i%3=0 then null else i%5 end::int as b,
//	i%2::int as y from range(300) r(i)) to 'duckdb.parquet'
func TestDuckDB(t *testing.T) {
	got, err := Read([]string{"testdata/duckdb.parquet"}, nil, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := "a,b,y\n"
	for i := range 300 {
		b := fmt.Sprint(i % 5)
		if i%3 == 0 {
			b = ""
		}
		text += fmt.Sprintf("level-%d,%s,%d\n", i*i%7, b, i%2)
	}
	want, err := tabular.Read(strings.NewReader(text), nil, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("(-CSV +Parquet)\n%s", diff)
	}
}

// BenchmarkReadParquet reads ten columns of levels and twenty of numbers.
func BenchmarkReadParquet(b *testing.B) {
	const rows = 50000
	var c content
	for k := range 30 {
		c.names = append(c.names, fmt.Sprintf("c%02d", k))
		values := make([]parquet.Value, rows)
		if k < 10 {
			c.nodes = append(c.nodes, parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
		} else {
			c.nodes = append(c.nodes, parquet.Leaf(parquet.DoubleType))
		}
		for i := range values {
			if k < 10 {
				values[i] = parquet.ByteArrayValue(fmt.Appendf(nil, "level-%d", i*(k+3)%(5*k+2)))
			} else {
				values[i] = parquet.DoubleValue(float64(i*(k+17)%9973) / 7)
			}
		}
		c.columns = append(c.columns, values)
	}
	text := c.parquet(rows, parquet.Compression(&parquet.Snappy))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readText(nil, tabular.Options{AnyLabels: true}, text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDecimalsBesideCommas: decimal numbers have a point, whatever the texts of other columns have.
func TestDecimalsBesideCommas(t *testing.T) {
	const rows = 40
	c := content{names: []string{"pay", "ratio", "y"}, nodes: []parquet.Node{parquet.String(), parquet.Decimal(3, 9, parquet.Int32Type), parquet.Int(64)}}
	c.columns = make([][]parquet.Value, len(c.names))
	for i := range rows {
		c.columns[0] = append(c.columns[0], parquet.ByteArrayValue(fmt.Appendf(nil, "%d,5", i)))
		c.columns[1] = append(c.columns[1], parquet.Int32Value(int32(1185+i)))
		c.columns[2] = append(c.columns[2], parquet.Int64Value(int64(i%2)))
	}
	got, err := readText(nil, tabular.Options{Numeric: []string{"pay", "ratio"}}, c.parquet(rows))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"pay": 1.5, "ratio": 1.186} {
		var second [1]float64
		if got.Column(name).NumbersOf(second[:], []int{1}); second[0] != want {
			t.Errorf("%s is %v, want %v", name, second[0], want)
		}
	}
}
