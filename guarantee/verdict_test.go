package guarantee

import "testing"

// TestRatioOfNobody: where nobody is selected, no ratio is known; where some are, that of a group
// without any is 0.
func TestRatioOfNobody(t *testing.T) {
	const rows = 300
	e := Evidence{Threshold: 0.5, Scores: make([]float64, rows), Groups: map[string][]Group{}}
	for g, name := range []string{"a", "b", "c"} {
		member := make([]bool, rows)
		for i := range member {
			member[i] = i%3 == g
		}
		e.Groups["g"] = append(e.Groups["g"], Group{name, member})
	}
	ratio := []Requirement{{Spec: "ratio", Kind: MinRatio, Group: "g", Bound: 0.8}}
	r, err := Test(ratio, e, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Requirements[0]; v.Estimate != nil || v.Holds {
		t.Errorf("nobody is selected: %+v", v)
	}
	for i := 2; i < rows; i += 6 { // half of c
		e.Scores[i] = 1
	}
	if r, err = Test(ratio, e, 0.95); err != nil {
		t.Fatal(err)
	}
	if v := r.Requirements[0]; v.Estimate == nil || *v.Estimate != 0 || v.Holds {
		t.Errorf("nobody of two groups is selected: %+v", v)
	}
}

// TestNeedGroups: a group that needs six times its rows needs six times all rows, unless nobody is
// in it, or no number is enough.
func TestNeedGroups(t *testing.T) {
	report := func(needed *int, rows int) *Report {
		return &Report{Rows: 1001, RowsNeeded: needed, Requirements: []Verdict{{TooSmall: []SmallGroup{{Rows: rows, Needed: 60}}}}}
	}
	for _, c := range []struct{ before, rows, want int }{{500, 10, 6006}, {7000, 10, 7000}, {500, 7, 8580}, {500, 0, 500}} {
		r := report(new(c.before), c.rows)
		if r.needGroups(); *r.RowsNeeded != c.want {
			t.Errorf("%d rows were needed, a group of %d needs 60: %d, want %d", c.before, c.rows,
				*r.RowsNeeded, c.want)
		}
	}
	impossible := report(nil, 10)
	if impossible.needGroups(); impossible.RowsNeeded != nil {
		t.Errorf("no number of rows is enough, but %d are", *impossible.RowsNeeded)
	}
}
