package tabular

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
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
	for _, c := range t.Columns {
		numbers := numbersOf(c)
		for i := range rows {
			value := "missing"
			switch {
			case numbers != nil && !math.IsNaN(numbers[i]):
				value = numparse.Format(numbers[i])
			case numbers == nil && c.Codes.At(i) > 0:
				value = c.Levels[c.Codes.At(i)-1]
			}
			rows[i] = append(rows[i], value)
		}
	}
	return rows
}

// numbersOf returns the numbers of all rows of a column, nil for a category.
func numbersOf(c *Column) []float64 {
	return c.Numbers
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
		"twice":              {"age,job,city,rich,job\n1,2,3,4,5\n", people(), `f.csv:2:9: column job.1: has "5" here, and column 2, which has the same name, "2": which one is meant?`},
		"no name":            {"age,job,,rich\n1,2,3,4\n", declared(func(s *Schema) { s.Header = new(true) }), `f.csv:1:1: there is no column "city", which is a feature`},
		"workbook":           {"PK\x03\x04\x14\x00\x06\x00", people(), "f.csv:1:1: this is a ZIP archive, perhaps an Excel workbook"},
		"JSON":               {`[{"age": 31, "rich": "yes"}]`, people(), "f.csv:1:1: this looks like JSON, expected a table as text, such as CSV, with a row in each line"},
		"JSON in lines":      {"\ufeff{\n  \"age\": 31}\n", people(), "f.csv:1:1: this looks like JSON"},
		"a brace":            {"{age},job\n31,cook\n", people(), `f.csv:1:1: there is no column "age"`},
		"missing feature":    {"age,jobs,city,rich\n31,cook,Bern,yes\n", people(), `f.csv:1:1: there is no column "job", which is a feature (did you mean "jobs"?)`},
		"missing label":      {"age,job,city\n31,cook,Bern\n", people(), `f.csv:1:1: there is no column "rich", which is the label`},
		"missing group":      {head, declared(func(s *Schema) { s.Groups = []GroupSpec{{Column: "sex"}} }), `f.csv:1:1: there is no column "sex", which is group sex`},
		"missing weight":     {head, declared(func(s *Schema) { s.Weight = "w" }), `f.csv:1:1: there is no column "w", which is the weight`},
		"another delimiter":  {"age:job:city:rich\n31:cook:Bern:yes\n", people(), `f.csv:1:1: there is no column "age", which is a feature; the file has a single column, is its delimiter ","?`},
		"a day":              {head + "27.01.1972,nurse,Ulm,no\n", people(), `f.csv:3:1: column age: value "27.01.1972", expected a number`},
		"no number":          {head + "old,nurse,Ulm,no\n", people(), `f.csv:3:1: column age: value "old", expected a number`},
		"a unit":             {head + "42%,nurse,Ulm,no\n", people(), `f.csv:3:1: column age: value "42%" has a unit that the column has not (unit of the schema)`},
		"weight below 0":     {head + "-1,nurse,Ulm,no\n", declared(func(s *Schema) { s.Weight = "age"; s.Columns = s.Columns[1:] }), "f.csv:3:1: column age: the weight is negative"},
		"weight too small":   {head + "1e-320,nurse,Ulm,no\n", declared(func(s *Schema) { s.Weight = "age"; s.Columns = s.Columns[1:] }), "f.csv:3:1: column age: the weight is 1e-320, expected 0 or at least 1e-100"},
		"weight missing":     {head + ",nurse,Ulm,no\n", declared(func(s *Schema) { s.Weight = "age"; s.Columns = s.Columns[1:] }), "f.csv:3:1: column age: the weight is missing"},
		"label missing":      {head + "42,nurse,Ulm,?\n", people(), `f.csv:3:14: the label rich is missing (label.skip of the schema can leave such rows out)`},
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
		_, err := Read(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)),
			&Schema{}, Options{Name: "f.csv"})
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
	want := `f.csv:6:14: label "perhaps", expected "yes", "no" (skip in the label of a schema leaves such rows out)`
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

// TestUndecidedColumns: after many numbers a column is decided to be numbers, unless further values
// are not.
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
	table = readTable(t, text.String()+"a,x,0\nb,x,1\nc,x,0\nd,x,0\n", &Schema{})
	if got := table.Schema.Columns[0]; got.As != Drop || !strings.HasPrefix(got.Reason, "many numbers, and other values") {
		t.Errorf("a column with four values that are no numbers is %+v", got)
	}
}

// TestReturnsInValues: a carriage return alone is part of a value, unless it is in the first line.
func TestReturnsInValues(t *testing.T) {
	table := readTable(t, "text,y\r\n\"a\rb\",1\r\nc\rd,0\r\nc\rd,1\r\n", nil)
	if got := table.Column("text").Levels; len(got) != 2 || got[0] != "a\rb" || got[1] != "c\rd" {
		t.Errorf("the values are %q", got)
	}
}

// TestTooManyLevels: a column of distinct values is dropped while the file is read.
func TestTooManyLevels(t *testing.T) {
	c := newCollector("id", &Schema{}, ColumnSpec{}, false, DefaultMissing())
	for i := range mostLevels + 10 {
		c.add(fmt.Sprintf("x%d", i))
	}
	if c.level != nil || c.index != nil || len(c.codes) > 0 {
		t.Errorf("%d levels are still there", len(c.level))
	}
	reading := &tableReader{Table: &Table{Rows: mostLevels + 10}}
	if spec := reading.infer(c, ""); spec.As != Drop {
		t.Errorf("the column becomes %s, want it dropped", spec.As)
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
	}
	schema := &Schema{
		OtherNames: map[string]string{"score": "prediction", "key": "y"}, // the file has a y, so key keeps its name
		Others:     Drop, Label: LabelSpec{Column: "y"}, Columns: []ColumnSpec{{Name: "prediction", As: Raw}},
	}
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
	if _, err := Read(strings.NewReader(file), schema, opts); err == nil ||
		err.Error() != "file.csv:4:1: column key: no key" {
		t.Errorf("error %v, want one at line 4", err)
	}
	opts.Each["id"] = nil
	if _, err := Read(strings.NewReader(file), schema, opts); err == nil ||
		!strings.Contains(err.Error(), `there is no column "id", which is needed`) {
		t.Errorf("error %v, want one about the column id", err)
	}
}

// TestBytesAreNoText: a file that is no text is refused, not converted.
func TestBytesAreNoText(t *testing.T) {
	for _, text := range []string{"a,b\n1,\x00\n", "\x00\x00\x00\x00", "\x1f\x8b\x08\x00"} {
		if _, err := Read(strings.NewReader(text), nil, Options{Name: "f"}); err == nil ||
			!strings.Contains(err.Error(), "is a control character") {
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

// TestCalledMissing: a value that is called as missing ones are is missing.
func TestCalledMissing(t *testing.T) {
	schema := &Schema{Label: LabelSpec{Column: "rich", Positive: []string{"yes"}}, Groups: []GroupSpec{{Column: "sex"}}}
	table := readTable(t, "sex,rich\n(missing),yes\nf,no\n,no\n", schema)
	if diff := cmp.Diff([]string{"f", "(missing)"}, table.Attributes(schema.Groups, inOrder(3))[0].Levels); diff != "" {
		t.Error(diff)
	}
}
