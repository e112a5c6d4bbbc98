package tabular

import (
	"slices"
	"testing"
)

// TestMergeMissing: a group may merge missing values, and values that no row has are named.
func TestMergeMissing(t *testing.T) {
	const text = "sex,y\nf,0\nm,1\n?,0\nx,1\n,1\n"
	for _, c := range []struct {
		merge  map[string][]string
		levels []string
		codes  []int
		notes  []string
	}{
		{map[string][]string{"other": {"x", "(missing)"}}, []string{"f", "m", "other"}, []int{0, 1, 2, 2, 2}, nil},
		{map[string][]string{"other": {""}}, []string{"f", "m", "other", "x"}, []int{0, 1, 2, 3, 2}, nil},
		{map[string][]string{"m": {"", "x"}}, []string{"f", "m"}, []int{0, 1, 1, 1, 1}, nil},
		{map[string][]string{"other": {"X"}}, []string{"f", "m", "x", "(missing)"}, []int{0, 1, 3, 2, 3}, []string{`"X"`}},
	} {
		table := readTable(t, text, &Schema{Groups: []GroupSpec{{Column: "sex", Merge: c.merge}}})
		a := table.Attributes(table.Schema.Groups, inOrder(5))[0]
		var notes []string
		for _, n := range table.Notes {
			if n.Kind == NothingMerged {
				notes = append(notes, n.Text)
			}
		}
		if !slices.Equal(a.Levels, c.levels) || !slices.Equal(slices.Collect(a.Codes.All()),
			c.codes) || !slices.Equal(notes, c.notes) {
			t.Errorf("%v: levels %q, codes %v, notes %q", c.merge, a.Levels, slices.Collect(a.Codes.All()), notes)
		}
	}
	blank := readTable(t, text, &Schema{Missing: []string{}, Groups: []GroupSpec{{Column: "sex"}}})
	a := blank.Attributes(blank.Schema.Groups, inOrder(5))[0]
	if codes := slices.Collect(a.Codes.All()); !slices.Equal(a.Levels,
		[]string{"", "?", "f", "m", "x"}) || !slices.Equal(codes, []int{2, 3, 1, 4, 0}) {
		t.Errorf("where nothing is missing: levels %q, codes %v", a.Levels, codes)
	}
	table := readTable(t, "sex,y\nf,0\nm,1\n", &Schema{Groups: []GroupSpec{{Column: "sex", Merge: map[string][]string{"other": {""}}}}})
	if a := table.Attributes(table.Schema.Groups, inOrder(2))[0]; !slices.Equal(a.Levels, []string{"f", "m"}) {
		t.Errorf("levels %q although nothing is missing", a.Levels)
	}
}
