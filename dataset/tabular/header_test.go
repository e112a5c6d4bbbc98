package tabular

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

// TestAboveHeader: what stands above a header is left out, if it is a header. Faults are where they
// are.
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
		if want := fmt.Sprintf("f.csv:%d:1: there is no column", above+1); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestAboveLaterHeader: titles of a file are known by the header of an earlier one, however few its
// rows are. Rows are no titles.
func TestAboveLaterHeader(t *testing.T) {
	const first = "age,job,y\n31,cook,1\n42,nurse,0\n53,cook,1\n"
	for later, want := range map[string]string{
		"People\nage,job,y\n64,cook,0\n":                "",
		"People\n,,\n\njob,age,y\ncook,64,0\n":          "",
		"64,cook,0\nage,job,y\n75,cook,0\n":             `g.csv:1:1: column 1 is called "64", expected "age" as in f.csv`,
		"People\n64,cook,0\nage,job,y\n75,cook,0\n":     "g.csv:1:1: a header of 1 columns, expected the 3 of f.csv",
		"People\nage,job,size\n64,cook,0\n75,cook,0\n1": "g.csv:1:1: a header of 1 columns, expected the 3 of f.csv",
	} {
		files := []File{{Reader: strings.NewReader(first), Name: "f.csv"}, {Reader: strings.NewReader(later), Name: "g.csv"}}
		table, err := ReadFiles(func() (f File, err error) {
			if len(files) == 0 {
				return f, io.EOF
			}
			f, files = files[0], files[1:]
			return f, nil
		}, nil, Options{})
		switch {
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: error %v, want %s", later, err, want)
		case want == "" && (err != nil || table.Rows != 4 || table.Column("age").numbersAt([]int{3})[0] != 64 || table.Above == 0):
			t.Errorf("%q: %+v (%v)", later, table, err)
		}
	}
}

// TestSurvey: the questions and import ids of a survey, which are below its header, are no rows.
// Faults are where they are.
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
			f, files = File{Reader: strings.NewReader(files[0]), Name: "f.csv"}, files[1:]
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

// TestBlankLabels: a blank is a label if the schema says so, and in no other column a value.
func TestBlankLabels(t *testing.T) {
	const text = "age,sex,y\n1,f,Y\n2,m,\n,,\n4,NA,Y\n"
	s := &Schema{Label: LabelSpec{Column: "y", Positive: []string{"Y"}, Negative: []string{""}}, Missing: []string{"NA"}, Groups: []GroupSpec{{Column: "sex"}}}
	table := readTable(t, text, s)
	labels, rule, err := table.Labels(table.Schema.Label, inOrder(4))
	if err != nil || !slices.Equal(labels, []int8{1, -1, -1, 1}) || rule != `y: "" → −1, "Y" → +1` {
		t.Errorf("labels %v, %s (%v)", labels, rule, err)
	}
	if a := table.Attributes(table.Schema.Groups, inOrder(4))[0]; !slices.Equal(a.Levels,
		[]string{"f", "m", "(missing)"}) || table.Column("age").Numbers == nil {
		t.Errorf("levels %q", a.Levels)
	}
	again := readTable(t, text, table.Schema)
	if labels, _, err := again.Labels(table.Schema.Label, inOrder(4)); err != nil ||
		!slices.Equal(labels, []int8{1, -1, -1, 1}) {
		t.Errorf("by the schema found: labels %v (%v)", labels, err)
	}
	other, err := Read(strings.NewReader(text+"5,f,N\n"), s, Options{Name: "f.csv"})
	if err == nil {
		_, _, err = other.Labels(other.Schema.Label, inOrder(5))
	}
	if err == nil || !strings.Contains(err.Error(), `f.csv:6:5: label "N", expected "Y", ""`) {
		t.Errorf("another label: %v", err)
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
