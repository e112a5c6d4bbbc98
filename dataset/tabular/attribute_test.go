package tabular

import (
	"slices"
	"testing"
)

// TestMergeMissing: a group may merge missing values.
func TestMergeMissing(t *testing.T) {
	const text = "sex,y\nf,0\nm,1\n?,0\nx,1\n,1\n"
	for _, c := range []struct {
		merge  map[string][]string
		levels []string
		codes  []int
	}{
		{map[string][]string{"other": {"x", "(missing)"}}, []string{"f", "m", "other"}, []int{0, 1, 2, 2, 2}},
		{map[string][]string{"other": {""}}, []string{"f", "m", "other", "x"}, []int{0, 1, 2, 3, 2}},
		{map[string][]string{"m": {"", "x"}}, []string{"f", "m"}, []int{0, 1, 1, 1, 1}},
		{map[string][]string{"other": {"X"}}, []string{"f", "m", "x", "(missing)"}, []int{0, 1, 3, 2, 3}},
	} {
		table := readTable(t, text, &Schema{Groups: []GroupSpec{{Column: "sex", Merge: c.merge}}})
		a := table.Attributes(table.Schema.Groups, inOrder(5))[0]
		if !slices.Equal(a.Levels, c.levels) || !slices.Equal(slices.Collect(a.Codes.All()), c.codes) {
			t.Errorf("%v: levels %q, codes %v", c.merge, a.Levels, slices.Collect(a.Codes.All()))
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
