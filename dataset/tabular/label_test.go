package tabular

import (
	"slices"
	"strings"
	"testing"
)

// TestLabelConditions: a condition is the label of all numbers that meet it, and other numbers are
// of the other class.
func TestLabelConditions(t *testing.T) {
	for _, test := range []struct {
		given  string // labels with a comma between them
		values string
		want   []int8
		rule   string
	}{
		{">0", "0 1 12 -3 0.5 1e-9", []int8{-1, 1, 1, -1, 1, 1}, `y: "<=0" → −1, ">0" → +1`},
		{">=2.5", "2.5 2.49 2.50 3", []int8{1, -1, 1, 1}, `y: "<2.5" → −1, ">=2.5" → +1`},
		{"< 7", "6 7 7.0 8", []int8{1, -1, -1, -1}, `y: ">= 7" → −1, "< 7" → +1`},
		{"<=-1", "-1 -2 0", []int8{1, 1, -1}, `y: ">-1" → −1, "<=-1" → +1`},
		{">5,<2", "1 2 5 6", []int8{1, -1, -1, 1}, `y: other numbers → −1, ">5", "<2" → +1`},
		{">50K", ">50K <=50K >50K", []int8{1, -1, 1}, `y: "<=50K" → −1, ">50K" → +1`}, // no numbers
		{">50", ">50 <50 >50", []int8{1, -1, 1}, `y: "<50" → −1, ">50" → +1`},         // a level itself
	} {
		values := strings.Fields(test.values)
		text := "y,a\n"
		for k, v := range values {
			text += v + "," + "xyz"[k%3:][:1] + "\n"
		}
		table := readTable(t, text, &Schema{Label: LabelSpec{Column: "y", Positive: strings.Split(test.given, ",")}})
		got, rule, err := table.Labels(table.Schema.Label, inOrder(len(values)))
		if err != nil || !slices.Equal(got, test.want) || rule != test.rule {
			t.Errorf("%s of %s: %v, %s (%v)", test.given, test.values, got, rule, err)
		}
		if err := table.Schema.Validate(); err != nil {
			t.Errorf("%s: %v", test.given, err)
		}
		if table.Notes != nil {
			t.Errorf("%s: noted %+v", test.given, table.Notes)
		}
	}
}

// TestLabelConditionsElsewhere: numbers that training had not have classes, too, but words have
// none.
func TestLabelConditionsElsewhere(t *testing.T) {
	learned := readTable(t, "y,a\n0,x\n3,y\n5,x\n",
		&Schema{Label: LabelSpec{Column: "y", Positive: []string{">2"}}}).Schema
	for text, want := range map[string]string{"y,a\n4,x\n1,y\n": "", "y,a\n4,x\nmany,y\n": `f:3:1: label "many", expected ">2", "<=2"`} {
		later, err := Read(strings.NewReader(text), learned, Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		labels, _, err := later.Labels(learned.Label, inOrder(2))
		switch {
		case want == "" && (err != nil || !slices.Equal(labels, []int8{1, -1})):
			t.Errorf("%q: labels %v (%v)", text, labels, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	of := readTable(t, "y,a\n-9,x\n0,x\n1,y\n", &Schema{Label: LabelSpec{Column: "y", Positive: []string{">0"}, Skip: []string{"<0"}}})
	if of.Rows != 2 {
		t.Errorf("%d rows are left, want 2", of.Rows)
	}
}
