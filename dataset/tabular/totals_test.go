package tabular

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTotals: a last row that adds up the others, or is called so, is nobody. Other last rows are
// somebody, and rows of a model's schema are what they are.
func TestTotals(t *testing.T) {
	var text strings.Builder
	text.WriteString("sex,age,income,hired\n")
	age, income, hired := 0, 0, 0
	for i := range 60 {
		a, pay, h := 20+i%40, 1000+37*i, i*i%7%2
		fmt.Fprintf(&text, "%c,%d,%d,%d\n", "MF"[i%2], a, pay, h)
		age, income, hired = age+a, income+pay, hired+h
	}
	for last, want := range map[string]string{
		fmt.Sprintf("Total,,%d,%d", income, hired):   `it adds up the rows above: income, hired, and is called "Total"`,
		fmt.Sprintf(",%d,%d,%d", age, income, hired): "it adds up the rows above: age, income, hired",
		"Average,39.5,2000,0.5":                      `a total row, by its name "Average"`,
		"M,25,2000,1":                                "",
		"Other,25,2000,1":                            "",
	} {
		table := readTable(t, text.String()+last+"\n", &Schema{Label: LabelSpec{Column: "hired"}})
		at := slices.IndexFunc(table.Notes, func(n Note) bool { return n.Kind == Totals })
		switch {
		case want == "" && (at >= 0 || table.Rows != 61):
			t.Errorf("%s: %+v", last, table.Notes)
		case want != "" && (at < 0 || table.Notes[at].Text != "the last row is left out: "+want || table.Rows != 60):
			t.Errorf("%s: %d rows, %+v, want %s", last, table.Rows, table.Notes, want)
		case want != "" && (!slices.Equal(table.Column("sex").Levels, []string{"F", "M"}) ||
			!slices.Equal(table.Schema.Label.Positive, []string{"1"}) || len(table.Column("income").Numbers) != 60):
			t.Errorf("%s: %+v", last, table.Schema.Label)
		}
		if want != "" {
			text := strings.Replace(text.String(), "M,22", "Total,,,\nM,22", 1) + "Total,,,\n"
			blank, err := Read(strings.NewReader(text), &Schema{Label: LabelSpec{Column: "hired"}}, Options{Name: "f"})
			if err != nil || blank.Rows != 60 || len(blank.Notes) == 0 || blank.Notes[0].Text != "total rows without a label are left out: 2" {
				t.Errorf("without labels: %+v (%v)", blank, err)
			}
		}
		average := strings.Replace(text.String(), "M,22", "average,21,,\naverage,22,5,1\nM,22", 1)
		if _, err := Read(strings.NewReader(average), &Schema{Label: LabelSpec{Column: "hired"}}, Options{Name: "f"}); err == nil ||
			!strings.Contains(err.Error(), "f:4:13: the label hired is missing") {
			t.Errorf("average is a level: %v", err)
		}
		declared := &Schema{Others: Drop, Columns: []ColumnSpec{{Name: "income", As: Standardise}}}
		if n := readTable(t, text.String()+last+"\n", declared).Rows; n != 61 {
			t.Errorf("%s: %d rows with a schema for all columns", last, n)
		}
	}
}
