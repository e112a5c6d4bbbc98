package tabular

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestKeysByName: a column that numbers rows or people by its name is no feature, also where its
// numbers alone can't tell.
func TestKeysByName(t *testing.T) {
	var text strings.Builder
	text.WriteString(",id,visit_no,y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%d,%d,%d\n", 100+(7*i)%61, i*i%25, i%7, i%2)
	}
	table := readTable(t, text.String(), &Schema{})
	for k, want := range map[string]string{
		"column1": "whole numbers that all differ, and it has no name: an identifier (--numeric keeps it)",
		"id":      "",
	} {
		spec := table.Schema.Columns[table.Schema.index()[k]]
		if spec.As != Standardise && want == "" || spec.As != Drop && want != "" || spec.Reason != want {
			t.Errorf("%s: %+v, want %q", k, spec, want)
		}
	}

	text.Reset()
	text.WriteString("id,y\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%d,%d\n", i*i%47, i%2)
	}
	spec := readTable(t, text.String(), &Schema{}).Schema.Columns[0]
	if r := spec.SeveralRows; r == nil || r.String() != "its 24 values are in 60 rows" {
		t.Errorf("%+v", spec)
	}
}

// TestMissingNumbers: a number that stands for a missing value does so however it is written.
func TestMissingNumbers(t *testing.T) {
	for _, text := range []string{
		"w,y\n1.5,0\n9999.0,1\n2.5,0\n9999,1\n",
		"w;y\n1,5;0\n9999,00;1\n2,5;0\n9999;1\n",
		"w,y\n" + strings.Repeat("1.5,0\n9999.0,1\n2.5,1\n3.5,0\n", 3000),
	} {
		c := readTable(t, text, &Schema{Missing: []string{"9999"}}).Column("w")
		want := strings.Count(text, "9999")
		if c == nil || c.Numbers == nil {
			t.Fatalf("%.20q: no numbers", text)
		}
		missing := 0
		for _, v := range c.Numbers {
			if math.IsNaN(v) {
				missing++
			}
		}
		if missing != want {
			t.Errorf("%.20q: %d are missing, want %d", text, missing, want)
		}
	}
}
