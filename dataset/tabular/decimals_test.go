package tabular

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

// TestDecimals: the first value that is a number for one mark only decides for the column,
// also for the values before it.
func TestDecimals(t *testing.T) {
	for name, test := range map[string]struct {
		values string
		want   []float64
		as     ColumnSpec
		notes  []Note
	}{
		"thousands":        {"41,234.50 1,200 7", []float64{41234.5, 1200, 7}, ColumnSpec{Decimal: "."}, nil},
		"decimal commas":   {"41.234,5 1,200 1.200 7", []float64{41234.5, 1.2, 1200, 7}, ColumnSpec{Decimal: ","}, []Note{{"x", DecimalComma, "decimals follow a comma", ""}}},
		"found out late":   {"1,200 1.200 7 3,5", []float64{1.2, 1200, 7, 3.5}, ColumnSpec{Decimal: ","}, []Note{{"x", DecimalComma, "decimals follow a comma", ""}}},
		"never found out":  {"1,200 2,500 7", []float64{1200, 2500, 7}, ColumnSpec{Decimal: "."}, []Note{{"x", Ambiguous, `"1,200" is read as 1200`, ""}}},
		"as computers do":  {"1.200 2.500 7", []float64{1.2, 2.5, 7}, ColumnSpec{Decimal: "."}, []Note{{"x", Ambiguous, `"1.200" is read as 1.2`, ""}}},
		"leading zeros":    {"0,200 0.5 7", nil, ColumnSpec{}, nil},
		"neither":          {"1 2 3.5", []float64{1, 2, 3.5}, ColumnSpec{}, nil},
		"dollars":          {"$1,200 $2,500 $7", []float64{1200, 2500, 7}, ColumnSpec{Unit: "$"}, nil},
		"euros":            {"€1.200,50 €1.200 €7", []float64{1200.5, 1200, 7}, ColumnSpec{Unit: "€", Decimal: ","}, []Note{{"x", DecimalComma, "decimals follow a comma", ""}}},
		"several commas":   {"1,234,567 1,200 7", []float64{1234567, 1200, 7}, ColumnSpec{Decimal: "."}, nil},
		"percent":          {"12,5% 13% 7%", []float64{12.5, 13, 7}, ColumnSpec{Unit: "%", Decimal: ","}, []Note{{"x", DecimalComma, "decimals follow a comma", ""}}},
		"decimals at once": {"0,5 1,5 2", []float64{0.5, 1.5, 2}, ColumnSpec{Decimal: ","}, []Note{{"x", DecimalComma, "decimals follow a comma", ""}}},
	} {
		text := "x;y\n"
		for k, v := range strings.Fields(test.values) {
			text += fmt.Sprintf("%s;%d\n", v, k%2)
		}
		for way, opts := range map[string]Options{"inferred": {}, "declared": {Numeric: []string{"x"}}} {
			if test.want == nil && way == "declared" {
				continue
			}
			opts.Name = "f.csv"
			table, err := Read(strings.NewReader(text), nil, opts)
			if err != nil {
				t.Errorf("%s, %s: %v", name, way, err)
				continue
			}
			if diff := cmp.Diff(test.want, numbersOf(table.Column("x"))); diff != "" {
				t.Errorf("%s, %s: numbers (-want +got)\n%s", name, way, diff)
			}
			spec, _ := table.Schema.column("x")
			if spec.Unit != test.as.Unit || spec.Decimal != test.as.Decimal {
				t.Errorf("%s, %s: unit %q, decimal %q, want %q and %q", name, way, spec.Unit,
					spec.Decimal, test.as.Unit, test.as.Decimal)
			}
			if diff := cmp.Diff(test.notes, table.Notes, noFlags); diff != "" {
				t.Errorf("%s, %s: notes (-want +got)\n%s", name, way, diff)
			}
			again, err := Read(strings.NewReader(text), table.Schema, Options{Name: "f.csv"})
			if err != nil {
				t.Errorf("%s, %s, read again: %v", name, way, err)
				continue
			}
			if diff := cmp.Diff(test.want, numbersOf(again.Column("x"))); diff != "" || again.Notes != nil {
				t.Errorf("%s, %s: read again with notes %v (-want +got)\n%s", name, way, again.Notes, diff)
			}
		}
	}
}

// TestOtherColumnsTellDecimals: if one column leaves the decimal mark in doubt, another column
// may tell it. A schema overrules both.
func TestOtherColumnsTellDecimals(t *testing.T) {
	const text = "a;b;c;y\n1,200;0,5;1.200;1\n2,300;1,5;1.300;0\n7;2,5;1.400;0\n"
	table := readTable(t, text, &Schema{Columns: []ColumnSpec{{Name: "c", As: Raw, Decimal: "."}}})
	for name, want := range map[string][]float64{"a": {1.2, 2.3, 7}, "b": {0.5, 1.5, 2.5}, "c": {1.2, 1.3, 1.4}} {
		if diff := cmp.Diff(want, numbersOf(table.Column(name))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	want := []Note{
		{"a", Ambiguous, `"1,200" is read as 1.2`, ""},
		{"b", DecimalComma, "decimals follow a comma", ""},
	}
	if diff := cmp.Diff(want, table.Notes, noFlags); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
}

// TestManyDoubts: the value that tells the decimal mark comes after the column has become
// numbers.
func TestManyDoubts(t *testing.T) {
	var text strings.Builder
	text.WriteString("x;y\n")
	for i := range 2 * undecided {
		fmt.Fprintf(&text, "%d,%03d;%d\n", 1+i/1000, i%1000, i%2)
	}
	text.WriteString("0,5;1\n")
	x := numbersOf(readTable(t, text.String(), nil).Column("x"))
	for i := range 2 * undecided {
		if want := 1 + float64(i)/1000; x[i]-want > 1e-12 || want-x[i] > 1e-12 {
			t.Fatalf("row %d is %v, want %v", i, x[i], want)
		}
	}
}

// TestNotes: reading notes what a person may want to correct.
func TestNotes(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,zip,month,grade,children,pay,name,y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%05d,%02d,%d,%d.5,%d,n%d,%d\n", i, 123+i%3, 1+i%12, i%5, i%4, i*i, i, i*i%2)
	}
	table := readTable(t, text.String(), nil)
	want := []Note{
		{"id", Dropped, "it counts the rows", ""},
		{"zip", Code, "codes, of which numbers would lose digits", ""},
		{"month", Code, "codes, of which numbers would lose digits", ""},
		{"grade", MaybeCode, "maybe codes", ""},
		{"name", Dropped, "60 distinct values in 60 rows, too many for a category", ""},
	}
	if diff := cmp.Diff(want, table.Notes, noFlags); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	opts := Options{Name: "f.csv", Numeric: []string{"month", "id"}, Categorical: []string{"grade", "name", "zip"}}
	declared, err := Read(strings.NewReader(text.String()), nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	if declared.Notes != nil {
		t.Errorf("notes %v on columns that were declared", declared.Notes)
	}
	for name, want := range map[string]string{"month": Standardise, "id": Standardise, "grade": OneHot, "name": OneHot, "zip": OneHot} {
		if spec, _ := declared.Schema.column(name); spec.As != want {
			t.Errorf("%s becomes %s, want %s", name, spec.As, want)
		}
	}
}

// TestDeclarationsThatContradict: declarations that contradict the schema or the file are
// refused.
func TestDeclarationsThatContradict(t *testing.T) {
	schema := &Schema{
		Label:  LabelSpec{Column: "y"},
		Groups: []GroupSpec{{Column: "sex"}, {Column: "age", Cuts: []float64{40}, Levels: []string{"young", "old"}}},
	}
	for want, opts := range map[string]Options{
		`column "sex" can't be declared: group sex is made of its values as categories`: {Numeric: []string{"sex"}},
		`column "age" can't be declared: group age cuts it as a number`:                 {Categorical: []string{"age"}},
		`column "y" can't be declared: it is the label or the weight`:                   {Numeric: []string{"y"}},
		`there is no column "height", which is to be a number or a category`:            {Categorical: []string{"height"}},
		`column job: value "cook", expected a number`:                                   {Numeric: []string{"job"}},
		`column "job" can't be monotone: it is a category`:                              {Monotone: map[string]string{"job": "+"}},
		`column "y" can't be monotone: it is the label or the weight`:                   {Monotone: map[string]string{"y": "+"}},
		`there is no column "height", which is to be monotone`:                          {Monotone: map[string]string{"height": "+"}},
	} {
		_, err := Read(strings.NewReader("sex,age,job,y\nf,30,cook,1\nm,50,smith,0\n"), schema, opts)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestAmountsOfOtherCountries: columns with other separators and signs are numbers; codes, days and
// numbers to call are none.
func TestAmountsOfOtherCountries(t *testing.T) {
	for values, want := range map[string]ColumnSpec{
		"19'220.40|850|1'000.55":                       {As: Standardise},
		"19\u00a0220,40|850|\u22121\u202f000,5":        {As: Standardise, Decimal: ","},
		"€ 19.220,40|€ 850|€ 1.000":                    {As: Standardise, Decimal: ",", Unit: "€"},
		"USD 19,220|USD 850|USD 1,000.5":               {As: Standardise, Unit: "USD"},
		"CHF 19'220.40|850.20 CHF|70":                  {As: Standardise, Unit: "CHF"},
		"12 345|850|7":                                 {As: OneHot, MinCount: rareCount},
		"612 345 678|612 345 679|612 345 670":          {As: OneHot, MinCount: rareCount},
		"12'345|01'234|7":                              {As: OneHot, MinCount: rareCount},
		"LH 400|LH 401|LH 402":                         {As: OneHot, MinCount: rareCount},
		"12 345 Ulm|12 346 Bern|12 347 Ulm":            {As: OneHot, MinCount: rareCount},
		"2020\u22122024|2021\u22122025|2022\u22122026": {As: OneHot, MinCount: rareCount},
	} {
		text := "x;y\n"
		for k, value := range strings.Split(values, "|") {
			text += fmt.Sprintf("%s;%d\n", value, k%2)
		}
		spec, _ := readTable(t, text, nil).Schema.column("x")
		if want.Name = "x"; want.Decimal == "" {
			spec.Decimal = ""
		}
		if diff := cmp.Diff(want, spec); diff != "" {
			t.Errorf("%s (-want +got)\n%s", values, diff)
		}
	}
	names := readTable(t, "EUR 2023;EUR 2024;y\n1.5;2.5;0\n2.5;3.5;1\n", nil)
	if names.Rows != 2 || names.Column("EUR 2024") == nil {
		t.Errorf("%d rows: names of columns are taken for amounts", names.Rows)
	}
}

// typedTexts is a source of one column of numbers x and a label y.
type typedTexts struct {
	texts []string
	read  bool
}

func (s *typedTexts) Columns() []SourceColumn {
	return []SourceColumn{{Name: "x", Number: true}, {Name: "y"}}
}

func (s *typedTexts) Next([]bool) (int, []Values, error) {
	if s.read {
		return 0, nil, nil
	}
	s.read = true
	labels := make(texts, len(s.texts))
	for k := range labels {
		labels[k] = []string{"no", "yes"}[k%2]
	}
	return len(s.texts), []Values{texts(s.texts), labels}, nil
}

func (s *typedTexts) Locate(delimited.Place) (file, part string) { return "f", "" }

// TestDecimalsOfTypes: numbers of a column that has a type have decimals behind a point, without a
// note.
func TestDecimalsOfTypes(t *testing.T) {
	src := &typedTexts{texts: []string{"3.283", "525", "1.462", "990"}}
	table, err := Collect(src, nil, Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if x := numbersOf(table.Column("x")); x[0] != 3.283 || len(table.Notes) > 0 {
		t.Errorf("numbers %v, notes %v", x, table.Notes)
	}
}

// noFlags compares notes without their flags.
var noFlags = cmpopts.IgnoreFields(Note{}, "Flag")
