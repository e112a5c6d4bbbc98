package table

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/delimited"
)

// TestInferredColumns: 24 rows, each column of another sort.
func TestInferredColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,name,amount,rate,term,coded,band,same,none,half,chief,y\n")
	for i := range 24 {
		fmt.Fprintf(&text, "%d,p%d,\"$%d,000\",%d.5%%,%d months,%d,%c,k,?,%s,g%d,%d\n",
			i+1, i, i*i%11+1, i%7, 12*(1+i%3), i%2, 'A'+rune(i%3), []string{"h", "?"}[i%2], i%5, i*i%2)
	}
	got := readTable(t, text.String(), &Schema{Groups: []GroupSpec{{Column: "chief"}}}).Schema.Columns
	want := []ColumnSpec{
		{Name: "id", As: Drop, Reason: "it counts the rows"},
		{Name: "name", As: Drop, Reason: "24 distinct values in 24 rows, too many for a category"},
		{Name: "amount", As: Standardise, Unit: "$"},
		{Name: "rate", As: Standardise, Unit: "%"},
		{Name: "term", As: Standardise, Unit: "months"},
		{Name: "coded", As: OneHot, MinCount: 10},
		{Name: "band", As: OneHot, MinCount: 10},
		{Name: "same", As: Drop, Reason: "all its values are equal"},
		{Name: "none", As: Drop, Reason: "it has no values"},
		{Name: "half", As: OneHot, MinCount: 10},
		{Name: "chief", As: OneHot, MinCount: 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestAlmostNumbers: the values that keep a column from being numbers are named.
func TestAlmostNumbers(t *testing.T) {
	rows := ""
	for i := range 29 {
		rows += fmt.Sprintf("%d,%d\n", 1000+i*i, i%2)
	}
	for text, want := range map[string]string{
		"dollars,0\n" + rows:           `29 of 30 are numbers, "dollars" in the way, in the first row, which may be a second header (--missing "dollars")`,
		rows + "n.a.,0\n":              `29 of 30 are numbers, "n.a." in the way (--missing "n.a.")`,
		"?,0\nn.a.,1\n" + rows:         `29 of 30 are numbers, "n.a." in the way (--missing "n.a.")`,
		"n.a.,0\nn.a.,1\n" + rows:      `29 of 31 are numbers, "n.a." in the way (--missing "n.a.")`,
		"n.a.,0\n" + rows + "none,0\n": `29 of 31 are numbers, "n.a.", "none" in the way (--missing "n.a." --missing "none")`,
	} {
		_, got, _ := strings.Cut(readTable(t, "pay,y\n"+text, &Schema{}).Schema.Columns[0].Reason, "; ")
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestOtherColumns(t *testing.T) {
	s := people()
	s.Others = Drop
	table := readTable(t, "age,job,city,rich,more\n31,cook,Bern,yes,1\n42,x,Ulm,no,2\n", s)
	more, ok := table.Schema.column("more")
	if !ok || more.As != Drop || more.Reason != "the schema does not declare it" || table.Column("more") != nil {
		t.Errorf("the undeclared column becomes %+v", more)
	}
}

func TestInferredLabel(t *testing.T) {
	for text, want := range map[string]LabelSpec{
		"a,y\n1,0\n2,1\n3,1\n":                {Column: "y", Positive: []string{"1"}, Negative: []string{"0"}},
		"a,y\n1,-1\n2,+1\n3,-1\n":             {Column: "y", Positive: []string{"+1"}, Negative: []string{"-1"}},
		"Class,a\n1,1\n2,2\n1,3\n":            {Column: "Class", Positive: []string{"2"}, Negative: []string{"1"}},
		"a,b\n1,No\n2,Yes\n3,No\n":            {Column: "b", Positive: []string{"Yes"}, Negative: []string{"No"}},
		"a,b\n1,FALSE\n2,TRUE\n3,TRUE\n":      {Column: "b", Positive: []string{"TRUE"}, Negative: []string{"FALSE"}},
		"a,b\n1,good\n2,bad\n3,bad\n":         {Column: "b"},
		"a,b\n1,x\n2,y\n3,z\n":                {},
		"a,b\n1,x\n2,y\n3,?\n":                {},
		"a,label\n1,x\n2,y\n3,\n":             {},
		"outcome,target,b\n1,0,2\n2,1,4\n,1,": {Column: "target", Positive: []string{"1"}, Negative: []string{"0"}},
	} {
		got := readTable(t, text, &Schema{}).Schema.Label
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// TestLabelSpellings: a label is the same in any case, and however a number is written.
func TestLabelSpellings(t *testing.T) {
	for text, positive := range map[string][]string{
		"a,hired\n1,Yes\n2,yes\n3,No\n4,YES\n5,no\n": {"YES", "Yes", "yes"},
		"a,hired\n1,1\n2,1.0\n3,0\n4,0.0\n5,1\n":     {"1", "1.0"},
	} {
		given := LabelSpec{Column: "hired", Positive: positive[len(positive)-1:]}
		for _, s := range []*Schema{nil, {Label: given}} {
			table := readTable(t, text, s)
			got := slices.Sorted(slices.Values(table.Schema.Label.Positive))
			if labels, _, err := table.Labels(table.Schema.Label, inOrder(5)); err != nil || !slices.Equal(got, positive) || labels[2] != -1 || labels[0] != 1 {
				t.Errorf("%q: positive are %q, labels %v (%v)", text, got, labels, err)
			}
			if err := table.Schema.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	later, err := Read(strings.NewReader("a,hired\n1,1.0\n2,0\n"), &Schema{Label: LabelSpec{Column: "hired", Positive: []string{"1"}, Negative: []string{"0.0"}}}, Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if labels, _, err := later.Labels(later.Schema.Label, inOrder(2)); err != nil || !slices.Equal(labels, []int8{1, -1}) {
		t.Errorf("labels %v (%v)", labels, err)
	}
	for text, want := range map[string]bool{"a,y\n1,1\n2,2\n3,2\n": true, "a,y\n1,1\n2,0\n3,1\n": false, "a,y\n1,-1.0\n2,1.0\n": false} {
		noted := slices.ContainsFunc(readTable(t, text, nil).Notes, func(n Note) bool { return n.Kind == GuessedLabel })
		if noted != want {
			t.Errorf("%q: noted is %v", text, noted)
		}
	}
}

// TestLabelWithValues: what the schema calls positive, or leaves out, is found in the column
// that could be the label.
func TestLabelWithValues(t *testing.T) {
	const text = "y,b\n1,good\n2,bad\n1,open\n"
	for name, test := range map[string]struct{ given, want LabelSpec }{
		"positive":        {LabelSpec{Positive: []string{"good"}}, LabelSpec{Column: "b", Positive: []string{"good"}, Negative: []string{"bad", "open"}}},
		"skip":            {LabelSpec{Positive: []string{"good"}, Skip: []string{"open"}}, LabelSpec{Column: "b", Positive: []string{"good"}, Negative: []string{"bad"}, Skip: []string{"open"}}},
		"another column":  {LabelSpec{Positive: []string{"2"}}, LabelSpec{Column: "y", Positive: []string{"2"}, Negative: []string{"1"}}},
		"nowhere":         {LabelSpec{Positive: []string{"best"}}, LabelSpec{Positive: []string{"best"}}},
		"nothing remains": {LabelSpec{Positive: []string{"good", "bad", "open"}}, LabelSpec{Positive: []string{"good", "bad", "open"}}},
	} {
		got := readTable(t, text, &Schema{Label: test.given}).Schema.Label
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	// The same is found if rows to skip are kept.
	skip := LabelSpec{Column: "b", Skip: []string{"open"}}
	table, err := Read(strings.NewReader("y,b\n1,yes\n2,no\n1,open\n"), &Schema{Label: skip}, Options{Name: "f.csv", AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Schema.Label; !slices.Equal(got.Positive, []string{"yes"}) || !slices.Equal(got.Negative, []string{"no"}) {
		t.Errorf("with rows to skip: %+v", got)
	}
}

func TestHeaderFound(t *testing.T) {
	for text, want := range map[string]bool{
		"a,b\n1,2\n":           true,
		"a,b\nx,2\na,3\n":      true,  // numbers below
		"a,b\nx,y\nz,y\n":      true,  // no name recurs
		"a,b\nx,y\na,z\n":      false, // a recurs, so it is a value
		"1,b\n2,c\n":           false,
		"a,\nx,y\n":            false,
		"a,?\nx,y\n":           false,
		"a,12%\nx,13%\n":       false,
		"2019,2020\nup,down\n": false,
	} {
		if got := *readTable(t, text, &Schema{}).Format.Header; got != want {
			t.Errorf("%q: header found: %v, want %v", text, got, want)
		}
	}
}

// TestHeaderMentioned: a row with a column of the schema is a header, whatever it looks
// like.
func TestHeaderMentioned(t *testing.T) {
	for name, s := range map[string]*Schema{
		"label":  {Label: LabelSpec{Column: "b"}},
		"group":  {Groups: []GroupSpec{{Column: "b"}}},
		"weight": {Weight: "2019"},
		"column": {Columns: []ColumnSpec{{Name: "b", As: OneHot}}},
	} {
		if table := readTable(t, "2019,b\n1,x\n2,b\n", s); !*table.Format.Header || table.Rows != 2 {
			t.Errorf("%s mentioned: header found: %v", name, *table.Format.Header)
		}
	}
}

// TestFullStops: labels with and without a final full stop mean the same.
func TestFullStops(t *testing.T) {
	s := &Schema{MinCount: 1, Label: LabelSpec{Column: "y", Positive: []string{">50K"}}}
	table := readTable(t, "y,x\n>50K,1\n<=50K.,2\n>50K.,3\n<=50K,4\n", s)
	if diff := cmp.Diff([]string{"<=50K", "<=50K."}, table.Schema.Label.Negative); diff != "" {
		t.Errorf("negative labels (-want +got)\n%s", diff)
	}
	labels, _, err := table.Labels(table.Schema.Label, inOrder(4))
	if diff := cmp.Diff([]int8{1, -1, 1, -1}, labels); err != nil || diff != "" {
		t.Errorf("error %v, labels (-want +got)\n%s", err, diff)
	}
}

func TestSummaries(t *testing.T) {
	table := readTable(t, "y,w,job,age,pay\n1,1,cook,20,\"$1,000\"\n0,2,cook,30,$3000\n0,0,nurse,40,$1000\n1,1,?,50,3000\n0,1,king,,?\n0,1,nurse,60,$2000\n", &Schema{
		Weight: "w",
		Label:  LabelSpec{Column: "y"},
		Groups: []GroupSpec{{Column: "job"}, {Name: "generation", Column: "age", Cuts: []float64{30}, Levels: []string{"young", "old"}}},
		Columns: []ColumnSpec{
			{Name: "job", As: OneHot},
			{Name: "age", As: Bins, Bins: 2},
			{Name: "pay", As: Standardise, Unit: "$"},
		},
	})
	want := []ColumnSummary{
		{Name: "y", Use: "label", Levels: 2, Most: []LevelCount{{"0", 4}, {"1", 2}}},
		{Name: "w", Use: "weight", Number: &NumberRange{Min: 0, Mean: 1, Max: 2}},
		{Name: "job", Use: OneHot, Groups: []string{"job"}, Missing: 1, Levels: 3, Most: []LevelCount{{"cook", 2}, {"nurse", 2}, {"king", 1}}},
		{Name: "age", Use: Bins, Groups: []string{"generation"}, Missing: 1, Number: &NumberRange{Min: 20, Mean: 40, Max: 60}},
		{Name: "pay", Use: Standardise, Missing: 1, Number: &NumberRange{Unit: "$", Min: 1000, Mean: 2000, Max: 3000}},
	}
	if diff := cmp.Diff(want, table.Summaries()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestAboveHeader: what stands above a header is left out, if it is a header. Faults are where they are.
func TestAboveHeader(t *testing.T) {
	rows := "age,job,y\n" + strings.Repeat("31,cook,1\n42,nurse,0\n53,cook,1\n", 5)
	for text, above := range map[string]int{
		rows:                                         0,
		"\n\n" + rows:                                0,
		"sep=,\n" + rows:                             1,
		"\"sep=,\"\r\n" + rows:                       1,
		"People\n" + rows:                            1,
		"People,,\nof 2025,,\n\n" + rows:             3,
		"\"People\nof 2025\"\n" + rows:               2,
		"# People\n" + rows:                          0, // a comment
		"31,cook,1\n42\n" + rows[10:]:                0, // the first row is one of data
		"Report\n31,cook,1\n42,nurse,0\n53,cook,1\n": 0, // no header below
		",,\nPeople,,\nsmith,cook,yes\njones,nurse,no\nblack,cook,no\n": 0, // perhaps none
		"People,,\n31,,1\n42,nurse,0\n53,cook,1\n":                      0,
		"age,,\n31,5,1\n42,6,0\n53,7,1\n":                               0, // a header with one name
		strings.Repeat("x\n", 30) + rows:                                0, // too much
		"Of one column\nage\n1\n2\n3\n4\n5\n":                           0,
	} {
		table, err := Read(strings.NewReader(text), nil, Options{Name: "f.csv"})
		if above == 0 {
			if err == nil && table.Above != 0 {
				t.Errorf("%q: %d lines are left out", text, table.Above)
			}
			continue
		}
		if err != nil || table.Rows != 15 || table.Above != above || table.Column("job") == nil {
			t.Fatalf("%q: %+v (%v)", text, table, err)
		}
		_, err = Read(strings.NewReader(text), nil, Options{Name: "f.csv", Numeric: []string{"job"}})
		if want := fmt.Sprintf("f.csv:%d:4: ", above+2); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want one at %s", text, err, want)
		}
		_, err = Read(strings.NewReader(text), nil, Options{Name: "f.csv", Numeric: []string{"size"}})
		if want := fmt.Sprintf("f.csv:%d:1: there is no column", above+1); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestSurvey: the questions and import ids of a survey, which are below its header, are no rows. Faults are where they are.
func TestSurvey(t *testing.T) {
	const names, questions = "age,job,y\n", "\"How old\nare you?\",Your job,\"Hired? \"\"No\"\" is no.\"\n"
	const ids = `"{""ImportId"":""QID1""}","{""ImportId"":""QID2_TEXT"",""timeZone"":""Z""}","{""ImportId"":""_""}"` + "\n"
	rows := strings.Repeat("31,cook,1\n42,nurse,0\n53,cook,1\n", 5)
	for _, c := range []struct {
		text  string
		below int
		line  int // of the first row
	}{
		{names + questions + ids + rows, 2, 5},
		{"Survey,,\n" + names + questions + ids + rows, 2, 6},
		{names + "\n" + questions + "\n" + ids + rows, 2, 7},
		{names + ids + rows, 1, 3},
		{strings.ReplaceAll(names+questions+ids+rows, "\n", "\r\n"), 2, 5},
	} {
		table, err := Read(strings.NewReader(c.text), nil, Options{Name: "f.csv"})
		if err != nil || table.Rows != 15 || table.Below != c.below || table.Column("age").Numbers == nil {
			t.Fatalf("%q: %+v (%v)", c.text, table, err)
		}
		_, err = Read(strings.NewReader(c.text), nil, Options{Name: "f.csv", Numeric: []string{"job"}})
		if want := fmt.Sprintf("f.csv:%d:4: ", c.line); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want one at %s", c.text, err, want)
		}
		expectRowByRow(t, c.text, nil, Options{Name: "f.csv"}, 2, 40, 1<<16)

		files := []string{c.text, c.text}
		table, err = ReadFiles(func() (f File, err error) {
			if len(files) == 0 {
				return f, io.EOF
			}
			f, files = File{strings.NewReader(files[0]), "f.csv"}, files[1:]
			return f, nil
		}, nil, Options{})
		if err != nil || table.Rows != 30 || table.Below != 2*c.below {
			t.Errorf("%q twice: %+v (%v)", c.text, table, err)
		}
	}
	noHeader := new(bool)
	for text, s := range map[string]*Schema{
		names + questions + rows:                   nil,
		names + questions + questions + ids + rows: nil,
		names + questions + ids + rows:             {Format: delimited.Format{Header: noHeader}},
	} {
		table, err := Read(strings.NewReader(text), s, Options{Name: "f.csv", AnyLabels: true})
		if err != nil || table.Below != 0 || table.Rows <= 15 {
			t.Errorf("%q: %+v (%v)", text, table, err)
		}
	}
}

// TestUnits: a second row of the header is known by texts where all others have numbers.
func TestUnits(t *testing.T) {
	rows := ""
	for i := range 25 {
		rows += fmt.Sprintf("%d,%d,%s,%d\n", 20+i, 1000*i, []string{"cook", "nurse", ""}[i%3], i%2)
	}
	for second, below := range map[string]int{
		"years,USD,,\n":                 1,
		"How old?,\"Pay,\na year\",,\n": 1,
		"years,USD,job,0\n":             0, // a label
		"years,,job,\n":                 0, // perhaps a value
		"?,unknown,cook,\n":             0,
		"unknown,unknown,cook,\n":       0,
		"years,USD,,,\n":                0, // too wide
	} {
		table, err := Read(strings.NewReader("age,pay,job,y\n"+second+rows), nil, Options{Name: "f.csv", AnyLabels: true})
		if below == 0 {
			if err == nil && (table.Below != 0 || table.Rows != 26) {
				t.Errorf("%q: %d rows, %d left out", second, table.Rows, table.Below)
			}
			continue
		}
		if err != nil || table.Below != below || table.Rows != 25 || table.Column("pay").Numbers == nil {
			t.Errorf("%q: %+v (%v)", second, table, err)
		}
		expectRowByRow(t, "age,pay,job,y\n"+second+rows, nil, Options{Name: "f.csv"}, 2, 40, 1<<16)
	}
}

// TestRowsWithoutHeader: a row of data is never taken for what stands above a header.
func TestRowsWithoutHeader(t *testing.T) {
	const rows = "30;1;0\n40;2;1\n50;3;0\n60;4;1\n"
	table, err := Read(strings.NewReader("sep=;\n"+rows), nil, Options{Name: "f.csv"})
	if err != nil || table.Rows != 4 || table.Above != 1 || *table.Format.Header {
		t.Errorf("%+v (%v)", table, err)
	}
	if table, err := Read(strings.NewReader("Report\n"+rows), nil, Options{Name: "f.csv"}); err == nil {
		t.Errorf("a title above no header: %+v", table)
	}
	wide := "Report" + strings.Repeat(",", 6000) + "\n" + strings.Repeat(",", 6000) + "\n"
	for k := range 6000 {
		wide += fmt.Sprintf("expression_of_gene_%d,", k)
	}
	wide += "y\n"
	for k := range 9 {
		wide += strings.Repeat("12,", 6000) + fmt.Sprintln(k%2)
	}
	if table, err := Read(strings.NewReader(wide), nil, Options{Name: "f.csv"}); err == nil && table.Rows < 9 {
		t.Errorf("%d rows", table.Rows)
	}
}
