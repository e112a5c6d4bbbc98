package guarantee

import (
	"math"
	"testing"
)

// TestAnswers: gaps far inside, far beyond and near the bound, of few and many rows.
func TestAnswers(t *testing.T) {
	e := people(count{500, 1000}, count{500, 1000})
	far := people(count{700, 1000}, count{300, 1000})
	near := people(count{545, 1000}, count{500, 1000})
	over := people(count{555, 1000}, count{500, 1000})
	none, one := people(count{0, 0}, count{5, 10}), people(count{1, 1}, count{0, 1})
	many := people(count{500, 1000}, count{500, 1000}, count{900, 1000}, count{500, 1000})
	for _, c := range []struct {
		name  string
		of    Evidence
		r     Requirement
		want  Answer
		least int // rows needed
	}{
		{"equal", e, Requirement{Bound: 0.1}, Satisfied, 0},
		{"far", far, Requirement{Bound: 0.1}, Violated, 0},
		{"near", near, Requirement{Bound: 0.05}, Undecided, 100_000},
		{"over", over, Requirement{Bound: 0.05}, Undecided, 100_000},
		{"no rows", none, Requirement{Bound: 0.1}, Undecided, 0},
		{"one row", one, Requirement{Bound: 0.1}, Undecided, 1},
		{"ratio of equal groups", e, Requirement{Kind: MinRatio, Bound: 0.8}, Satisfied, 0},
		{"far ratio", far, Requirement{Kind: MinRatio, Bound: 0.8}, Violated, 0},
		{"several groups", many, Requirement{Bound: 0.1}, Violated, 0},
		{"labels", far, Requirement{Bound: 0.1, Labels: []int8{1, -1}}, Violated, 0},
		{"scores", far, Requirement{Bound: 0.1, Scores: true}, Violated, 0},
		{"equal scores", e, Requirement{Bound: 0.2, Scores: true}, Satisfied, 0},
		{"loss", e, Requirement{Kind: MaxLoss, Bound: 0.3}, Violated, 0},
		{"small loss", e, Requirement{Kind: MaxLoss, Bound: 0.6}, Satisfied, 0},
	} {
		c.r.Group = "g"
		list, err := Judge([]Requirement{c.r}, c.of, 0.95)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		j := list[0]
		if j.Verdict != c.want || j.RowsNeeded == nil != (c.least == 0) || c.least > 0 && *j.RowsNeeded < c.least {
			t.Errorf("%s: %+v, %v to %v, rows %v", c.name, j, *j.Lower, *j.Upper, j.RowsNeeded)
		}
		if math.Signbit(*j.Lower) || *j.Lower > *j.Upper || j.Value != nil && (*j.Value < *j.Lower || *j.Value > *j.Upper) {
			t.Errorf("%s: %v is not between %v and %v", c.name, j.Value, *j.Lower, *j.Upper)
		}
		judge(t, []Requirement{c.r}, c.of)
	}
}
