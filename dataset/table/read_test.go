package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/quantity"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/mutation"
)

func readTable(t testing.TB, text string, s *Schema) *Table {
	t.Helper()
	table, err := Read(strings.NewReader(text), s, Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// cells returns the values of a table, row by row in the order of its columns.
func cells(t *Table) [][]string {
	rows := make([][]string, t.Rows)
	for i := range rows {
		for _, c := range t.Columns {
			value := "missing"
			if c.Numbers == nil && c.Codes.At(i) > 0 {
				value = c.Levels[c.Codes.At(i)-1]
			} else if c.Numbers != nil {
				if number := numbersOf(c)[i]; !math.IsNaN(number) {
					value = quantity.Format(number)
				}
			}
			rows[i] = append(rows[i], value)
		}
	}
	return rows
}

// numbersOf returns the numbers of all rows of a column, nil for a category.
func numbersOf(c *Column) []float64 {
	if c.Numbers == nil {
		return nil
	}
	return slices.Collect(c.numbers())
}

// people declares the columns of the files below.
func people() *Schema {
	return &Schema{
		Label: LabelSpec{Column: "rich", Positive: []string{"yes"}},
		Columns: []ColumnSpec{
			{Name: "age", As: Raw},
			{Name: "job", As: OneHot},
			{Name: "city", As: OneHot},
		},
	}
}

// dropIndex returns s such that columns that it does not declare are dropped.
func dropIndex(s *Schema) *Schema {
	dropping := *s
	dropping.Others = Drop
	return &dropping
}

// TestSamePeople: a table is the same in every way of writing it.
func TestSamePeople(t *testing.T) {
	want := [][]string{
		{"31", "cook", "Bern", "yes"},
		{"42", "missing", "Ulm", "no"},
		{"53", "nurse", "Bern", "no"},
	}
	noHeader := people()
	noHeader.Names = []string{"age", "job", "city", "rich"}
	comments := people()
	comments.Comments = []string{"//", "Total"}
	for name, test := range map[string]struct {
		text   string
		schema *Schema
	}{
		"commas":          {"age,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", people()},
		"no last newline": {"age,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no", people()},
		"CRLF":            {"age,job,city,rich\r\n31,cook,Bern,yes\r\n42,?,Ulm,no\r\n53,nurse,Bern,no\r\n", people()},
		"byte-order mark": {"\ufeffage,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", people()},
		"blanks":          {"age, job, city, rich\n31, cook, Bern, yes\n 42, ?, Ulm, no\n53 ,nurse ,\tBern,no\n", people()},
		"quotes":          {"\"age\",\"job\",city,rich\n31, \"cook\",\" Bern \",yes\n42,\"\",Ulm,no\n53,nurse,Bern,no\n", people()},
		"semicolons":      {"age;job;city;rich\n31;cook;Bern;yes\n42;NA;Ulm;no\n53;nurse;Bern;no\n", people()},
		"tabs":            {"age\tjob\tcity\trich\n31\tcook\tBern\tyes\n42\t\tUlm\tno\n53\tnurse\tBern\tno\n", people()},
		"bars":            {"age|job|city|rich\n31|cook|Bern|yes\n42|?|Ulm|no\n53|nurse|Bern|no\n", people()},
		"blank-separated": {"age job city  rich\n31 cook Bern yes\n42   ? Ulm no\n53 nurse\tBern no \n", people()},
		"no header":       {"31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", noHeader},
		"header, names":   {"age,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", noHeader},
		"index, names":    {",age,job,city,rich\n0,31,cook,Bern,yes\n1,42,?,Ulm,no\n2,53,nurse,Bern,no\n", dropIndex(noHeader)},
		"index":           {",age,job,city,rich\n0,31,cook,Bern,yes\n1,42,?,Ulm,no\n2,53,nurse,Bern,no\n", dropIndex(people())},
		"empty lines":     {"\nage,job,city,rich\n\n31,cook,Bern,yes\n  \n42,?,Ulm,no\n53,nurse,Bern,no\n\n", people()},
		"found comment":   {"|made by hand\nage,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", people()},
		"hash comment":    {"# made by hand\nage,job,city,rich\n31,cook,Bern,yes\n42,?,Ulm,no\n53,nurse,Bern,no\n", people()},
		"comments":        {"// x\nage,job,city,rich\n31,cook,Bern,yes\n// y, z\n42,?,Ulm,no\n53,nurse,Bern,no\nTotal: 3\n", comments},
	} {
		t.Run(name, func(t *testing.T) {
			table := readTable(t, test.text, test.schema)
			if diff := cmp.Diff(want, cells(table)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadTableErrors(t *testing.T) {
	const head = "age,job,city,rich\n31,cook,Bern,yes\n"
	declared := func(change func(s *Schema)) *Schema {
		s := people()
		change(s)
		return s
	}
	for name, test := range map[string]struct {
		text   string
		schema *Schema
		want   string
	}{
		"empty":              {"", people(), "f.csv:1:1: no rows"},
		"only empty lines":   {"\n\n", people(), "f.csv:1:1: no rows"},
		"only a header":      {"age,job,city,rich\n", people(), "f.csv:1:1: no rows under the header"},
		"short row":          {head + "42,nurse,Ulm\n", people(), "f.csv:3:10: the row has 3 values, expected 4"},
		"long row":           {head + "42,nurse,Ulm,no,x\n", people(), "f.csv:3:17: the row has 5 values, expected 4"},
		"names, short":       {"1,2\n", declared(func(s *Schema) { s.Names = []string{"age", "job", "city", "rich"} }), "f.csv:1:3: the row has 2 values, expected 4"},
		"twice":              {"age,job,city,rich,job\n1,2,3,4,5\n", people(), `f.csv:1:19: column 5 is called "job", as column 2 is`},
		"no name":            {"age,job,,rich\n1,2,3,4\n", declared(func(s *Schema) { s.Header = new(true) }), "f.csv:1:9: column 3 has no name"},
		"missing feature":    {"age,jobs,city,rich\n31,cook,Bern,yes\n", people(), `f.csv:1:1: there is no column "job", which is a feature (did you mean "jobs"?)`},
		"missing label":      {"age,job,city\n31,cook,Bern\n", people(), `f.csv:1:1: there is no column "rich", which is the label`},
		"missing group":      {head, declared(func(s *Schema) { s.Groups = []GroupSpec{{Column: "sex"}} }), `f.csv:1:1: there is no column "sex", which is group sex`},
		"missing weight":     {head, declared(func(s *Schema) { s.Weight = "w" }), `f.csv:1:1: there is no column "w", which is the weight`},
		"another delimiter":  {"age:job:city:rich\n31:cook:Bern:yes\n", people(), `f.csv:1:1: there is no column "age", which is a feature; the file has a single column, is its delimiter ","?`},
		"no number":          {head + "old,nurse,Ulm,no\n", people(), `f.csv:3:1: column age: value "old", expected a number`},
		"a unit":             {head + "42%,nurse,Ulm,no\n", people(), `f.csv:3:1: column age: value "42%" has a unit that the column has not (unit of the schema)`},
		"weight below 0":     {head + "-1,nurse,Ulm,no\n", declared(func(s *Schema) { s.Weight = "age"; s.Columns = s.Columns[1:] }), "f.csv:3:1: column age: the weight is negative"},
		"weight missing":     {head + ",nurse,Ulm,no\n", declared(func(s *Schema) { s.Weight = "age"; s.Columns = s.Columns[1:] }), "f.csv:3:1: column age: the weight is missing"},
		"label missing":      {head + "42,nurse,Ulm,?\n", people(), `f.csv:3:14: the label rich is missing, as in 1 of 2 rows: it has "yes" (1), "(missing)" (1) (label.skip of the schema can leave rows out)`},
		"quote in a value":   {head + "42,nur\"se,Ulm,no\n", people(), "f.csv:3:7: quote inside a value, expected the whole value in quotes and this one doubled"},
		"text after a quote": {head + "42,\"nurse\"x,Ulm,no\n", people(), "f.csv:3:10: text after a closing quote, or no closing quote"},
		"open quote":         {head + "42,\"nurse,Ulm\n,no\n", people(), "text after a closing quote, or no closing quote; the row begins in the line above"},
		"binary":             {head + "42,nurse,\x01\x02,no\n", people(), "f.csv:3:10: byte 0x01 at offset 44 is a control character"},
		"two encodings":      {head + "42,nürse,Z\xfcrich,no\n", people(), "f.csv:3:12: byte 0xfc at offset 46 is not UTF-8, as the text before is"},
		"schema":             {head, declared(func(s *Schema) { s.Columns[0].As = "numbr" }), `schema: column "age": as is "numbr"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.text), test.schema, Options{Name: "f.csv"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestReadErrorNamesTheFile(t *testing.T) {
	broken := errors.New("cable pulled")
	text := "a,b\n" + strings.Repeat("1,2\n", 1<<16)
	for _, before := range []string{"", text} { // while looking for the format, and later
		_, err := Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), &Schema{}, Options{Name: "f.csv"})
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f.csv: ") {
			t.Errorf("after %d bytes: error %v", len(before), err)
		}
	}
}

func TestSkippedAndUnknownLabels(t *testing.T) {
	s := people()
	s.Label.Negative = []string{"no"}
	s.Label.Skip = []string{"later", ""}
	const text = "age,job,city,rich\n31,cook,Bern,yes\n42,nurse,Ulm,later\n53,nurse,Bern,\n64,nurse,Bern,no.\n"
	if got := readTable(t, text, s).Rows; got != 2 {
		t.Errorf("%d rows are left, want 2", got)
	}
	table, err := Read(strings.NewReader(text+"75,nurse,Ulm,perhaps\n"), s, Options{Name: "f.csv"})
	if err != nil {
		t.Fatal(err)
	}
	want := `f.csv:6:14: label "perhaps", expected "yes", "no"`
	if _, _, err := table.Labels(s.Label, nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	table, err = Read(strings.NewReader(text), s, Options{Name: "f.csv", AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows != 4 {
		t.Errorf("%d rows of any label, want all 4", table.Rows)
	}
}

// TestUndecidedColumns: after many numbers a column is decided to be numbers, and all further
// values must be numbers.
func TestUndecidedColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("number,text,label\n")
	for i := range 2 * undecided {
		fmt.Fprintf(&text, "%d.5%%,t%d,%d\n", i, i, i%2)
	}
	table := readTable(t, text.String()+",x,0\n7,x,0\n", &Schema{})
	numbers := table.Column("number")
	if numbers == nil || numbers.Unit != "%" || len(numbers.Numbers) != table.Rows {
		t.Fatalf("the numbers are %+v", numbers)
	}
	for i := range 2 * undecided {
		if want := float64(i) + 0.5; numbers.Numbers[i] != want {
			t.Fatalf("row %d is %v, want %v", i, numbers.Numbers[i], want)
		}
	}
	if last := numbers.Numbers[2*undecided:]; !math.IsNaN(last[0]) || last[1] != 7 {
		t.Errorf("the last rows are %v, want a missing value and 7", last)
	}
	if table.Column("text") != nil {
		t.Error("a column of distinct texts was kept")
	}
	_, err := Read(strings.NewReader(text.String()+"many,x,0\n"), &Schema{}, Options{Name: "f.csv"})
	want := fmt.Sprintf(`f.csv:%d:1: column number: value "many" after thousands of numbers (declare the column, as "one-hot" or "drop", in a schema)`, 2*undecided+2)
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestTooManyLevels: a column of distinct values is dropped while the file is read.
func TestTooManyLevels(t *testing.T) {
	c := newCollector("id", &Schema{}, ColumnSpec{}, false, DefaultMissing())
	for i := range mostLevels + 10 {
		c.add(fmt.Sprintf("x%d", i))
	}
	if c.level != nil || c.index != nil || c.codes.len() > 0 {
		t.Errorf("%d levels are still there", len(c.level))
	}
	reading := &tableReader{Table: &Table{Rows: mostLevels + 10}}
	if spec := reading.infer(c, ""); spec.As != Drop {
		t.Errorf("the column becomes %s, want it dropped", spec.As)
	}
}

// drawnTable is a random table and the schema that declares it.
type drawnTable struct {
	schema *Schema
	names  []string
	rows   [][]string // as text; "" is missing
}

// drawTable draws rows of a label y, numbers n… and categories c….
func drawTable(t *rapid.T) drawnTable {
	d := drawnTable{
		schema: &Schema{Missing: []string{""}, Label: LabelSpec{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}}},
		names:  []string{"y"},
	}
	number := rapid.Custom(func(t *rapid.T) string {
		return quantity.Format(rapid.Float64Range(-1e9, 1e9).Draw(t, "number"))
	})
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab \",;|\t\né#"))).Filter(func(s string) bool {
		return s == strings.Trim(s, " \t\n") && !strings.HasPrefix(s, "#")
	})
	values := []*rapid.Generator[string]{rapid.SampledFrom([]string{"0", "1"})}
	for k := range rapid.IntRange(1, 3).Draw(t, "numbers") {
		as := rapid.SampledFrom([]string{Standardise, Bins, Raw}).Draw(t, "as")
		spec := ColumnSpec{Name: fmt.Sprintf("n%d", k), As: as}
		if as == Bins {
			spec.Bins = rapid.IntRange(2, 6).Draw(t, "bins")
		}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.OneOf(number, number, number, rapid.Just("")))
	}
	for k := range rapid.IntRange(1, 3).Draw(t, "categories") {
		spec := ColumnSpec{Name: fmt.Sprintf("c%d", k), As: OneHot, MinCount: rapid.IntRange(0, 3).Draw(t, "min count")}
		d.schema.Columns = append(d.schema.Columns, spec)
		values = append(values, rapid.OneOf(text, rapid.SampledFrom([]string{"", "x", "y", "z"})))
	}
	for _, c := range d.schema.Columns {
		d.names = append(d.names, c.Name)
	}
	for range rapid.IntRange(1, 30).Draw(t, "rows") {
		var row []string
		for _, v := range values {
			row = append(row, v.Draw(t, "value"))
		}
		d.rows = append(d.rows, row)
	}
	return d
}

// csv writes the columns in the given order.
func (d drawnTable) csv(order []int, delimiter rune) string {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = delimiter
	for _, row := range append([][]string{d.names}, d.rows...) {
		var permuted []string
		for _, k := range order {
			permuted = append(permuted, row[k])
		}
		w.Write(permuted)
	}
	w.Flush()
	return out.String()
}

func inOrder(n int) []int {
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	return order
}

// TestWhatIsWrittenIsRead: a table that is written as CSV is read as the same table, if the
// schema says how it is written.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawTable(t)
		delimiter := rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "delimiter")
		d.schema.Delimiter, d.schema.Header, d.schema.Comments = string(delimiter), new(true), []string{"no such row"}
		table, err := Read(strings.NewReader(d.csv(inOrder(len(d.names)), delimiter)), d.schema, Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]string, len(d.rows))
		for i, row := range d.rows {
			for _, v := range row {
				if v == "" {
					v = "missing"
				}
				want[i] = append(want[i], v)
			}
		}
		if diff := cmp.Diff(want, cells(table), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
		for _, c := range table.Columns {
			if !slices.IsSorted(c.Levels) {
				t.Fatalf("levels of %s are not sorted: %q", c.Name, c.Levels)
			}
		}
	})
}

// tableSeeds are files to be damaged.
var tableSeeds = []string{
	"age,job,rich\n31,cook,yes\n42,?,no\n",
	"31 A11 1\n42 A12 2\n",
	"|1x3 Cross validator\n25, Private, <=50K.\n38, ?, >50K.\n",
	"\ufeffa;b\r\n\"1;\n2\";13.5%\r\n",
	"a\tb\n\"\t1\n", "a,a\n1,2\n", "Z\xfcrich\n", "a,b\n1\n", "\xff\xfe", "a|b\n\n# x\n1|$1,200\n",
}

func FuzzReadTable(f *testing.F) { mutation.Fuzz(f, tableSeeds, checkTable) }

func TestMutatedTables(t *testing.T) { mutation.Run(t, "FuzzReadTable", tableSeeds, checkTable) }

// checkTable expects that errors have a place in the file, and that the full schema reads the
// same table.
func checkTable(t *testing.T, text string) {
	declared := &Schema{
		Names:   []string{"a", "b"},
		Label:   LabelSpec{Column: "b"},
		Columns: []ColumnSpec{{Name: "a", As: Raw, Unit: "%"}},
	}
	for _, s := range []*Schema{{}, declared} {
		table, err := Read(strings.NewReader(text), s, Options{Name: "f"})
		if err != nil {
			fault, ok := errors.AsType[*textfile.ParseError](err)
			if !ok || fault.Line < 1 || fault.Column < 1 || fault.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("error without a place in the file: %v", err)
			}
			continue
		}
		for _, c := range table.Columns {
			n := c.Codes.Len()
			if !c.HasCodes() {
				n = len(c.Numbers)
			}
			if n != table.Rows {
				t.Fatalf("column %s has %d values for %d rows", c.Name, n, table.Rows)
			}
		}
		if err := table.FullSchema().Validate(); err != nil {
			t.Fatalf("the schema found out is invalid: %v", err)
		}
		again, err := Read(strings.NewReader(text), table.FullSchema(), Options{Name: "f"})
		if err != nil {
			t.Fatalf("with the schema found out: %v", err)
		}
		if diff := cmp.Diff(cells(table), cells(again)); diff != "" {
			t.Fatalf("with the schema found out (-first +second)\n%s", diff)
		}
	}
}

// TestEachValue: Options.Each gets the values of a column as they stand, even if the column is
// dropped.
func TestEachValue(t *testing.T) {
	const file = "key,score,y\n007,0.25,no\n\"a,b\",1,yes\n,0.5,no\n"
	var keys []string
	opts := Options{
		Name: "file.csv",
		Each: map[string]func(string) error{"key": func(value string) error {
			keys = append(keys, strings.Clone(value))
			return nil
		}},
		Alias: map[string]string{"score": "prediction", "key": "y"}, // the file has a y, so key keeps its name
	}
	schema := &Schema{Others: Drop, Label: LabelSpec{Column: "y"}, Columns: []ColumnSpec{{Name: "prediction", As: Raw}}}
	table, err := Read(strings.NewReader(file), schema, opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"007", "a,b", ""}, keys); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{0.25, 1, 0.5}, numbersOf(table.Column("prediction"))); diff != "" {
		t.Error(diff)
	}

	opts.Each["key"] = func(value string) error {
		if value == "" {
			return errors.New("no key")
		}
		return nil
	}
	if _, err := Read(strings.NewReader(file), schema, opts); err == nil || err.Error() != "file.csv:4:1: column key: no key" {
		t.Errorf("error %v, want one at line 4", err)
	}
	opts.Each["id"] = nil
	if _, err := Read(strings.NewReader(file), schema, opts); err == nil || !strings.Contains(err.Error(), `there is no column "id", which is asked for`) {
		t.Errorf("error %v, want one about the column id", err)
	}
}

// TestBytesAreNoText: a file that is no text is refused, not converted.
func TestBytesAreNoText(t *testing.T) {
	for _, text := range []string{"a,b\n1,\x00\n", "\x00\x00\x00\x00", "\x1f\x8b\x08\x00"} {
		if _, err := Read(strings.NewReader(text), nil, Options{Name: "f"}); err == nil || !strings.Contains(err.Error(), "is a control character") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestTableTellsItsEncoding: a table tells the encoding of its file, and the hash depends on
// the file's bytes.
func TestTableTellsItsEncoding(t *testing.T) {
	plain := readTable(t, "town,y\nUlm,1\nBonn,0\n", nil)
	latin := readTable(t, "town,y\nD\xfcren,1\nBonn,0\n", nil)
	if plain.Text != "" || latin.Text != "Latin-1" || latin.Column("town").Levels[1] != "Düren" {
		t.Errorf("converted from %q and %q, towns %q", plain.Text, latin.Text, latin.Column("town").Levels)
	}
	if plain.Hash == latin.Hash {
		t.Error("equal hashes")
	}
}
