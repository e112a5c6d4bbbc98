package tabular

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestAboveHeader: titles above a header are left out, if it is one for sure.
func TestAboveHeader(t *testing.T) {
	rows := "age,job,y\n" + strings.Repeat("31,cook,1\n42,nurse,0\n53,cook,1\n", 5)
	for text, want := range map[string]struct{ above, line int }{
		rows:                                       {0, 1},
		"\n\n" + rows:                              {0, 3},
		"sep=,\n" + rows:                           {1, 2},
		"\"sep=,\"\r\n" + rows:                     {1, 2},
		"People\n" + rows:                          {1, 2},
		"People,,\nof 2025,,\n\n" + rows:           {2, 4},
		"\"People\nof 2025\"\n" + rows:             {1, 3},
		"# People\n" + rows:                        {0, 2}, // a comment
		"31,cook,1\n42\n" + rows[10:]:              {},     // the first row is one of data
		"Report\n31,cook,1\n42,nurse,0\n":          {},     // no header below
		"People,,\n31,,1\n42,nurse,0\n53,cook,1\n": {},
		"age,,\n31,5,1\n42,6,0\n53,7,1\n":          {}, // a header with one name
		strings.Repeat("x\n", 30) + rows:           {}, // too much
		"Of one column\nage\n1\n2\n3\n4\n5\n":      {},
	} {
		table, err := Read(strings.NewReader(text), nil, Options{Name: "f.csv"})
		if want.line == 0 {
			if err == nil && table.Above != 0 {
				t.Errorf("%q: %d rows are left out", text, table.Above)
			}
			continue
		}
		if err != nil || table.Rows != 15 || table.Above != want.above || table.Column("job") == nil {
			t.Fatalf("%q: %+v (%v)", text, table, err)
		}
		for column, want := range map[string]string{
			"job":  fmt.Sprintf("f.csv:%d:4: ", want.line+1),
			"size": fmt.Sprintf("f.csv:%d:1: there is no column", want.line),
		} {
			_, err = Read(strings.NewReader(text), nil, Options{Name: "f.csv", Numeric: []string{column}})
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: error %v, want one at %s", text, err, want)
			}
		}
		expectSame(t, text, nil, Options{Name: "f.csv"}, 2, 40)
	}
}

// TestShortHeader: a header may lack the name of the first column, if that names the rows, as R writes
// tables, or of a last column without values.
func TestShortHeader(t *testing.T) {
	for text, want := range map[string]string{
		"\"age\" \"job\" \"y\"\n\"1\" 31 \"a cook\" 1\n\"2\" 42 \"nurse\" 0\n\"3\" 53 \"a cook\" 1\n": "column1 age job y",
		"age,job,y\nann,31,cook,1\nbob,42,nurse,0\ncid,53,cook,1\n":                                   "column1 age job y",
		"age,job,y\n31,cook,1,\n42,nurse,0,\n53,cook,1,\n":                                            "age job y column4",
		"age,job,y\n31,cook,x,1\n31,nurse,x,0\n53,cook,y,1\n":                                         "f:2:11: the row has 4 values, expected 3",
		"31,cook,1\nann,31,cook,1\nbob,42,nurse,0\n":                                                  "f:2:13: the row has 4 values, expected 3",
	} {
		table, err := Read(strings.NewReader(text), nil, Options{Name: "f"})
		var names []string
		if err == nil {
			names = append(names, table.Schema.Label.Column)
			for _, c := range table.Schema.Columns {
				names = append(names, c.Name)
			}
			slices.Sort(names)
			if table.Column("age") == nil || table.Column("age").Numbers == nil || table.Column("age").Numbers[1] != 42 {
				t.Errorf("%q: age is %+v", text, table.Column("age"))
			}
			expectSame(t, text, nil, Options{Name: "f"}, 2, 40)
		}
		expected := strings.Fields(want)
		slices.Sort(expected)
		if err == nil && !slices.Equal(names, expected) || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: columns %q, error %v, want %s", text, names, err, want)
		}
	}
}

// TestLaterHeader: later files have the columns of the first one, in any order.
func TestLaterHeader(t *testing.T) {
	const first = "age,job,y\n31,cook,1\n42,nurse,0\n53,cook,1\n"
	for later, want := range map[string]string{
		"People\nage,job,y\n64,cook,0\n":          "",
		"People\n,,\n\njob,age,y\ncook,64,0\n":    "",
		"64,cook,0\nage,job,y\n75,cook,0\n":       `g.csv:1:1: column 1 is called "64", expected "age" as in f.csv`,
		"job,age,job\ncook,64,0\n":                "g.csv:1:1: the header is not that of f.csv: a name occurs twice",
		"People\nage,job\n64,cook\n75,cook\n1":    "g.csv:2:1: a header of 2 columns, expected the 3 of f.csv",
		"People\n64,cook,0\nage,job,y\n75,cook,0": "g.csv:1:1: a header of 1 columns, expected the 3 of f.csv",
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
		case want == "" && (err != nil || table.Rows != 4 || table.Column("age").Numbers[3] != 64 || table.Above == 0):
			t.Errorf("%q: %+v (%v)", later, table, err)
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
