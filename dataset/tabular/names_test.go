package tabular

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepeatedNames: a header may repeat names. A column with the values of the one whose name it has is
// no feature; one with others is named apart, unless the name is used: then nobody knows which is meant.
func TestRepeatedNames(t *testing.T) {
	file := func(header string, same bool) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range 60 {
			x := i * i % 17
			other := x
			if !same && i == 40 {
				other++
			}
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", x, i%7, other, i%2)
		}
		return b.String()
	}
	used := &Schema{Others: Drop, Columns: []ColumnSpec{{Name: "x", As: Raw}}, Label: LabelSpec{Column: "y"}}
	for _, test := range []struct {
		text   string
		schema *Schema
		opts   Options
		want   string // an error, or x.1 and its notes
	}{
		{file("x,z,x,y", true), nil, Options{}, "drop the same values as x, whose name it has in the header"},
		{file("x,z,x,y", false), nil, Options{}, "standardise in the header x, as another column with other values"},
		{file("z,x,x,y", false), used, Options{}, "f:4:5: column x.1: has \"4\" here"},
		{file("x,z,x,y", true), used, Options{}, "drop the schema does not declare it"},
		{file("x,z,x,y", false), used, Options{}, "f:42:5: column x.1: has \"3\" here, and column 1, which has the same name, \"2\": which one is meant? (rename one, or drop \"x.1\", --drop, to use column 1)"},
		{file("x,z,x,y", false), nil, Options{Categorical: []string{"x"}}, "f:42:5: column x.1: has"},
		{file("x,z,x,y", false), nil, Options{Monotone: map[string]string{"X": "+"}}, "standardise in the"},
		{file("x,z,x,y", false), &Schema{Columns: []ColumnSpec{{Name: "x", As: Raw}, {Name: "x.1", As: Drop}}}, Options{}, "drop"},
		{file("x,x.1,x,y", false), used, Options{}, "f:42:5: column x.2: has"},
		{file("y,z,x,y", false), nil, Options{Each: map[string]func(string) error{"y": func(string) error { return nil }}}, "f:4:7: column y.1: has"},
		{file("y,z,x,y", false), &Schema{Others: Drop, Columns: []ColumnSpec{{Name: "z", As: Raw}}, Label: LabelSpec{Column: "x", Positive: []string{">3"}}}, Options{}, "drop the schema does not declare it"},
	} {
		test.opts.Name = "f"
		got := ""
		table, err := Read(strings.NewReader(test.text), test.schema, test.opts)
		if err != nil {
			got = err.Error()
		} else {
			k := slices.IndexFunc(table.Schema.Columns, func(c ColumnSpec) bool { return strings.HasSuffix(c.Name, ".1") })
			got = table.Schema.Columns[k].As + " " + table.Schema.Columns[k].Reason
			for _, n := range table.Notes {
				if n.Kind == Repeated {
					got += n.Text
				}
			}
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%q…, %+v: %s, want %s", test.text[:8], test.schema, got, test.want)
		}
	}
}

// TestSpellings: columns are found however their names are spelled, but not one of two.
func TestSpellings(t *testing.T) {
	schema := func() *Schema {
		return &Schema{
			Label: LabelSpec{Column: "paid next month"}, OtherNames: map[string]string{"outcome": "paid next month"},
			Columns: []ColumnSpec{{Name: "hours-per-week", As: Raw}, {Name: "x", As: Raw}},
		}
	}
	for header, want := range map[string]string{
		"hours-per-week,x,paid next month":           "",
		"hours.per.week,X,paid.next.month":           "",
		"hours_per_week,x,PaidNextMonth":             "",
		"Hours per week,x,\"paid\nnext month\"":      "",
		"HoursPerWeek,x,Outcome":                     "",
		"hours per week,hours.per.week,Outcome":      `there is no column "hours-per-week"`,
		"hours per weeks,x,Outcome":                  `there is no column "hours-per-week", which is a feature`,
		"hours-per-week,x,unpaid":                    `there is no column "PAID.next.month"`,
		"Results\nhours.per.week,x,paid.next.month":  "",
		"A,B,C\nhours.per.week,x,paid.next.month":    "", // a header of two lines
		"A,B,C\nx y,B,D\nhours.per.week,x,outcome":   "",
		"hours-per-week,x,paid next month\n7,x,kg/m": `column x: value "x", expected a number`,
	} {
		opts := Options{Name: "f", Needed: []string{"PAID.next.month"}}
		table, err := Read(strings.NewReader(header+"\n40,1,0\n41,2,1\n42,3,0\n"), schema(), opts)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v, want %s", header, err, want)
		case err == nil:
			if diff := cmp.Diff([]float64{40, 41, 42}, table.Column("hours-per-week").Numbers); diff != "" {
				t.Errorf("%q: %s", header, diff)
			}
		}
	}
}
