package guarantee

import (
	"math"
	"testing"
	"time"
)

// TestMultiplied: the rows themselves, repeated, decide with about the rows needed, and not with a fourth of
// them, however small the groups are; the nearer the bound, the more are needed.
func TestMultiplied(t *testing.T) {
	for _, c := range []struct {
		name   string
		r      Requirement
		groups []count
		bounds []float64 // ever nearer the value
	}{
		{"few rows", Requirement{}, []count{{3, 5}, {6, 7}}, []float64{0.02, 0.05, 0.1, 0.2}},
		{"groups of one", Requirement{}, []count{{0, 1}, {1, 1}, {300, 600}, {280, 500}}, []float64{0.1, 0.3, 0.6, 0.9}},
		{"within", Requirement{}, []count{{3, 10}, {4, 10}, {300, 900}}, []float64{0.5, 0.3, 0.2, 0.12}},
		{"labels", Requirement{Labels: []int8{1, -1}}, []count{{3, 6}, {6, 7}}, []float64{0.05, 0.1, 0.2}},
		{"ratio", Requirement{Kind: MinRatio}, []count{{3, 9}, {6, 9}}, []float64{0.9, 0.8, 0.6}},
		{"ratio kept", Requirement{Kind: MinRatio}, []count{{5, 9}, {6, 9}}, []float64{0.3, 0.6, 0.8}},
		{"highest rate", Requirement{Kind: MaxRate}, []count{{3, 9}, {1, 9}}, []float64{0.1, 0.2, 0.3}},
		{"lowest rate", Requirement{Kind: MinRate}, []count{{5, 9}, {8, 9}}, []float64{0.3, 0.4, 0.5}},
		{"scores", Requirement{Scores: true}, []count{{3, 9}, {6, 9}}, []float64{0.05, 0.1, 0.15}},
	} {
		before := 0
		for _, bound := range c.bounds {
			r := c.r
			r.Spec, r.Group, r.Bound = c.name, "g", bound
			verdict := func(k int) Judgment {
				e := people(c.groups...)
				var repeated []int
				for i := range k * len(e.Scores) {
					repeated = append(repeated, i%len(e.Scores))
				}
				list, err := Judge([]Requirement{r}, e.pick(repeated), 0.95)
				if err != nil {
					t.Fatal(err)
				}
				return list[0]
			}
			rows := 0
			for _, g := range c.groups {
				rows += g.rows
			}
			v := verdict(1)
			if v.Verdict != Undecided {
				continue
			}
			if v.RowsNeeded == nil || *v.RowsNeeded < before {
				t.Errorf("%s, bound %v: %v rows, with a bound further away %d", c.name, bound, v.RowsNeeded, before)
				continue
			}
			before = *v.RowsNeeded
			k := int(math.Ceil(float64(before) / float64(rows)))
			few := max(1, k/4)
			if enough, before := verdict(k).Verdict, verdict(few).Verdict; enough == Undecided || before != Undecided {
				t.Errorf("%s, bound %v: with %d times the rows %s, with %d times %s", c.name, bound, k, enough, few, before)
			}
		}
		if before == 0 {
			t.Errorf("%s: nothing is undecided", c.name)
		}
	}
	list, err := Judge([]Requirement{{Spec: "r", Group: "g", Bound: 0.25}}, people(count{1, 4}, count{2, 4}), 0.95)
	if err != nil || list[0].RowsNeeded != nil {
		t.Errorf("a value at the bound: %v, %v", list, err)
	}
}

// TestNeededOfManyGroups: of 200 groups with 40 000 sides few are multiplied.
func TestNeededOfManyGroups(t *testing.T) {
	var groups []count
	for k := range 200 {
		n := 1 + 3*k
		groups = append(groups, count{n * (40 + k%7) / 100, n})
	}
	e, err := people(groups...).added()
	if err != nil {
		t.Fatal(err)
	}
	r := Requirement{Spec: "r", Group: "g", Bound: 0.1}
	sides, err := r.sides(e, 0.025)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	n := r.toViolate(sides, tails{beyond: 0.05 / float64(len(sides))}, e)
	if took := time.Since(from); n == nil || took > 20*time.Second {
		t.Errorf("%v rows, found in %v", n, took)
	}
}
