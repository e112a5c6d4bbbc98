package guarantee

import (
	"errors"
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

// TestWeights: equal weights change nothing but by bets, others count as fewer rows, and a test refuses
// them.
func TestWeights(t *testing.T) {
	e := people(count{300, 1000}, count{280, 1000})
	rs := []Requirement{
		{Group: "g", Bound: 0.1},
		{Group: "g", Kind: MinRatio, Bound: 0.5},
		{Group: "g", Bound: 0.1, Labels: []int8{1, -1}},
		{Group: "g", Bound: 0.1, Scores: true},
		{Group: "g", Kind: MaxLoss, Bound: 0.6},
		{Group: "one", Kind: MinShare, Bound: 0.4},
	}
	e.Groups["one"] = e.Groups["g"][:1]
	plain, err := Judge(rs, e, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for range e.Scores {
		e.Weights = append(e.Weights, 7)
	}
	equal, err := Judge(rs, e, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range plain {
		got := equal[k]
		near := 1e-9
		if want.On == onScores { // bets are smaller
			near = 0.02
		}
		if math.Abs(*got.Value-*want.Value) > 1e-9 || math.Abs(*got.Lower-*want.Lower) > near || math.Abs(*got.Upper-*want.Upper) > near ||
			!got.Approximate || want.Approximate || got.Verdict != want.Verdict {
			t.Errorf("%s: %v in [%v, %v], without weights %v in [%v, %v]", want.Measure, *got.Value, *got.Lower, *got.Upper,
				*want.Value, *want.Lower, *want.Upper)
		}
	}
	if _, err := Test(rs, e, 0.95); !errors.Is(err, ErrWeighted) {
		t.Errorf("a test of weighted rows: %v", err)
	}
	// Of rows with the weights 1 and 3 in turn, whatever their decision, 16 say as much as 20 of equal weight.
	p := &WeightedPowers{}
	for i := range 2000 {
		p.add(float64(i/2%2)-centre, float64(1+i%2*2))
	}
	if s := p.scores(); s.count != 1600 || math.Abs(s.mean-0.5) > 1e-12 || math.Abs(s.variance()-0.25) > 1e-12 {
		t.Errorf("%d rows, mean %v, variance %v", s.count, s.mean, s.variance())
	}
	// The moments after a change of units are those of the changed values.
	q := &WeightedPowers{}
	for i := range 2000 {
		q.add(0.3*float64(i/2%2)+0.2-centre, float64(1+i%2*2))
	}
	for k, x := range p.scaled(0.3, 0.2).Once {
		if math.Abs(x-q.Once[k]) > 1e-9*q.Once[0] {
			t.Errorf("power %d: %v, want %v", k, x, q.Once[k])
		}
	}
}
