package table

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeysByName: a column that numbers rows or people by its name is no feature, also where its numbers alone can't tell.
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
	if said, ok := spec.SeveralRows(); !ok || said != "its 24 values are in 60 rows, and its name is that of people or the like" {
		t.Errorf("%+v", spec)
	}
}
