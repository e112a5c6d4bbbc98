package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// seeds are small files of every type and encoding.
func seeds() []string {
	var list []string
	example := rapid.Custom(func(t *rapid.T) string {
		return drawContent(t).parquet(rapid.IntRange(1, 60).Draw(t, "group"), drawOptions(t)...)
	})
	for k := range 12 {
		list = append(list, example.Example(k))
	}
	c := content{
		names: []string{"a", "b", "c", "d"},
		nodes: []parquet.Node{
			parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked), parquet.Encoded(parquet.String(), &parquet.DeltaByteArray),
			parquet.Encoded(parquet.String(), &parquet.DeltaLengthByteArray), parquet.Encoded(parquet.Leaf(parquet.BooleanType), &parquet.RLE),
		},
		columns: make([][]parquet.Value, 4),
	}
	for k := range 40 {
		text := parquet.ByteArrayValue(fmt.Appendf(nil, "level %d", k%7))
		for at, v := range []parquet.Value{parquet.Int64Value(int64(k * k)), text, text, parquet.BooleanValue(k%3 == 0)} {
			c.columns[at] = append(c.columns[at], v)
		}
	}
	list = append(list, c.parquet(25), c.parquet(40, parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)))
	c = content{names: []string{"empty"}, nodes: []parquet.Node{parquet.Leaf(empty{parquet.ByteArrayType})}, columns: make([][]parquet.Value, 1)}
	for range 40 {
		c.columns[0] = append(c.columns[0], parquet.ByteArrayValue([]byte("x")))
	}
	return append(list, c.parquet(25, parquet.Compression(&parquet.Brotli)))
}

// empty is the type of a column that has no values.
type empty struct{ parquet.Type }

func (empty) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: new(format.NullType)}
}

// TestEmptyColumnWithValues: values of a column that should have none are missing.
func TestEmptyColumnWithValues(t *testing.T) {
	c := content{names: []string{"empty", "y"}, nodes: []parquet.Node{parquet.Leaf(empty{parquet.ByteArrayType}), parquet.String()}}
	c.columns = [][]parquet.Value{{parquet.ByteArrayValue([]byte("x")), parquet.ByteArrayValue([]byte("y"))}, {parquet.ByteArrayValue([]byte("0")), parquet.ByteArrayValue([]byte("1"))}}
	got, err := readText(nil, tabular.Options{Identify: true}, c.parquet(2))
	if err != nil || got.Rows != 2 {
		t.Errorf("%v, want two rows", err)
	}
}

// checkDamaged reads a file that may be damaged. It must not panic.
func checkDamaged(t *testing.T, text string) {
	if got, err := readText(nil, tabular.Options{AnyLabels: true, Identify: true}, text); err == nil && got.Rows == 0 {
		t.Error("no rows and no error")
	}
}

func FuzzRead(f *testing.F) { datatest.Fuzz(f, seeds(), checkDamaged) }

// TestMoreRowsThanValues: rows that a file only says it has are missed, even if no column is
// used.
func TestMoreRowsThanValues(t *testing.T) {
	c := content{names: []string{"a"}, nodes: []parquet.Node{parquet.Int(64)}, columns: [][]parquet.Value{{parquet.Int64Value(1), parquet.Int64Value(2), parquet.Int64Value(3)}}}
	f, err := describe(strings.NewReader(c.parquet(3)), int64(len(c.parquet(3))), "f.parquet")
	if err != nil {
		t.Fatal(err)
	}
	f.groups[0].NumRows = 1 << 50
	_, err = read([]*file{f}, &tabular.Schema{Others: tabular.Drop}, tabular.Options{AnyLabels: true})
	if want := "f.parquet: row group 1, column a: it ends 1125899906842621 values too early"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestFewerRowsInGroups: a file whose row groups have not the rows that it says it has is damaged.
func TestFewerRowsInGroups(t *testing.T) {
	c := content{names: []string{"a"}, nodes: []parquet.Node{parquet.Int(64)}, columns: [][]parquet.Value{{parquet.Int64Value(1), parquet.Int64Value(2), parquet.Int64Value(3)}}}
	text := c.parquet(2)
	open, err := parquet.OpenFile(strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	footer := *open.Metadata()
	footer.RowGroups = slices.Clone(footer.RowGroups)
	footer.RowGroups[0].NumRows = 0
	changed, err := thrift.Marshal(new(thrift.CompactProtocol), &footer)
	if err != nil {
		t.Fatal(err)
	}
	length := binary.LittleEndian.Uint32([]byte(text[len(text)-8:]))
	damaged := text[:len(text)-8-int(length)] + string(changed) +
		string(binary.LittleEndian.AppendUint32(nil, uint32(len(changed)))) + Magic
	_, err = readText(nil, tabular.Options{AnyLabels: true}, damaged)
	if err == nil || !strings.Contains(err.Error(),
		"is damaged: it says that it has 3 rows, and its row groups that they have 1") {
		t.Errorf("error %v", err)
	}
}

// TestFaults: errors say where they are.
func TestFaults(t *testing.T) {
	texts := func(values ...string) (list []parquet.Value) {
		for _, v := range values {
			list = append(list, parquet.ByteArrayValue([]byte(v)))
		}
		return list
	}
	rows := func(pay ...string) string {
		c := content{names: []string{"label", "pay"}, nodes: []parquet.Node{parquet.String(), parquet.String()}}
		c.columns = [][]parquet.Value{texts("y", "n", "y", "n", "y")[:len(pay)], texts(pay...)}
		return c.parquet(2)
	}
	other := content{names: []string{"label", "wage"}, nodes: []parquet.Node{parquet.String(), parquet.String()}, columns: [][]parquet.Value{texts("y"), texts("1")}}
	number := content{names: []string{"label", "pay"}, nodes: []parquet.Node{parquet.String(), parquet.Int(64)}, columns: [][]parquet.Value{texts("y"), {parquet.Int64Value(1)}}}
	good := rows("1", "2", "3", "4", "5")
	two := func(pay parquet.Type) string {
		c := content{names: []string{"label", "pay"}, nodes: []parquet.Node{parquet.String(), parquet.Leaf(pay)}, columns: [][]parquet.Value{texts("y"), {parquet.FixedLenByteArrayValue([]byte{0, 0x3c})}}}
		return c.parquet(1)
	}
	booleans := content{names: []string{"label", "pay"}, nodes: []parquet.Node{parquet.String(), parquet.Encoded(parquet.Leaf(parquet.BooleanType), &parquet.RLE)}}
	booleans.columns = [][]parquet.Value{texts("y", "n"), {parquet.BooleanValue(true), parquet.BooleanValue(false)}}
	for name, c := range map[string]struct {
		contents []string
		want     string
	}{
		"value":    {[]string{good, rows("1", "2", "3", "many")}, `f2.parquet: row group 2, row 2: column pay: value "many", expected a number`},
		"column":   {[]string{good, other.parquet(1)}, `f2.parquet: there is no column "pay", which f1.parquet has`},
		"type":     {[]string{good, number.parquet(1)}, `f2.parquet: column "pay" is int(64,true), but string in f1.parquet`},
		"unfit":    {[]string{two(parquet.FixedLenByteArrayType(2))}, `f1.parquet: columns: column pay can't be used: its values are bytes`},
		"LZ4":      {[]string{number.parquet(1, parquet.Compression(&parquet.Lz4Raw))}, `f1.parquet: row group 1, column label: it is compressed by LZ4_RAW, expected`},
		"runs":     {[]string{booleans.parquet(2)}, `f1.parquet: row group 1, column pay: its booleans are encoded as RLE, expected PLAIN`},
		"none":     {[]string{other.parquet(1)}, `f1.parquet: columns: there is no column "pay", which is a feature`},
		"short":    {[]string{good[:len(good)-1]}, `f1.parquet: is no complete Parquet file: its end is missing`},
		"empty":    {[]string{Magic}, `f1.parquet: is too short for a Parquet file`},
		"no UTF-8": {[]string{rows("1", "\xff")}, `f1.parquet: row group 1, column pay: value "\xff", expected text in UTF-8`},
	} {
		schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "label"}, Columns: []tabular.ColumnSpec{{Name: "pay", As: tabular.Standardise}}}
		_, err := readText(schema, tabular.Options{Name: "f1.parquet"}, c.contents...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
		if fault, ok := errors.AsType[*textfile.ParseError](err); name == "value" &&
			(!ok || fault.Line != 10 || fault.Column != 2) {
			t.Errorf("place of %v", err)
		}
	}
}

// TestLargePages: pages that hardly shrink are read by every codec but LZ4_RAW, which the library
// misreads.
func TestLargePages(t *testing.T) {
	const rows = 5000
	r := rand.New(rand.NewPCG(1, 2))
	c := content{names: []string{"label", "x"}, nodes: []parquet.Node{parquet.String(), parquet.Leaf(parquet.DoubleType)}, columns: make([][]parquet.Value, 2)}
	var want []float64
	for k := range rows {
		want = append(want, r.Float64())
		c.columns[0] = append(c.columns[0], parquet.ByteArrayValue([]byte{"yn"[k%2]}))
		c.columns[1] = append(c.columns[1], parquet.DoubleValue(want[k]))
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Zstd, &parquet.Brotli} {
		for version := 1; version <= 2; version++ {
			got, err := readText(nil, tabular.Options{},
				c.parquet(rows, parquet.Compression(codec), parquet.DataPageVersion(version)))
			if err != nil {
				t.Fatalf("%v: %v", codec, err)
			}
			if !slices.Equal(got.Column("x").Numbers, want) {
				t.Errorf("%v, pages of version %d: other numbers", codec, version)
			}
		}
	}
}
