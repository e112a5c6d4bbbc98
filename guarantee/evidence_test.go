package guarantee

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMoments compares sums with the moments of values that are far from 0.
func TestMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, 200_000)
	var all Sums
	var parts [2]Sums
	for i := range values {
		values[i] = 0.9 + float64(0.01*r.Float64()*r.Float64())
		all.Add(values[i], false)
		parts[i/150_000].Add(values[i], false)
	}
	one, other := parts[0].scores(), parts[1].scores()
	want, got := newScores(values), one.with(other)
	for name, of := range map[string]func(scores) float64{
		"mean": func(s scores) float64 { return s.mean }, "sum2": func(s scores) float64 { return s.sum2 },
		"sum3": func(s scores) float64 { return s.sum3 }, "sum4": func(s scores) float64 { return s.sum4 },
	} {
		if a, b := of(want), of(got); math.Abs(a-b) > 1e-9*math.Abs(a)+1e-16*float64(len(values)) {
			t.Errorf("%s: %v, want %v", name, b, a)
		}
	}
	if got.values != nil || other.values != nil {
		t.Errorf("values of %d rows are stored", got.count)
	}
}

// TestTogether: scores of unlike rows together, and scaled ones, have the moments of all of them.
func TestTogether(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		score := rapid.Float64Range(0, 1)
		few, many := rapid.SliceOfN(score, 0, 5).Draw(r, "few"), rapid.SliceOfN(score, 1, 30).Draw(r, "many")
		for i := range few {
			few[i] /= 10
		}
		factor, shift := rapid.Float64Range(-2, 2).Draw(r, "factor"), rapid.Float64Range(-1, 1).Draw(r, "shift")
		all := slices.Concat(few, many)
		scaled := make([]float64, len(all))
		for i, x := range all {
			scaled[i] = factor*x + shift
		}
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*float64(1+len(all)) })
		both := newScores(few).with(newScores(many))
		for _, pair := range [][2]scores{{both, newScores(all)}, {newScores(many).with(newScores(few)), newScores(slices.Concat(many, few))}, {both.scaled(factor, shift), newScores(scaled)}} {
			if diff := cmp.Diff(pair[1], pair[0], near, cmp.AllowUnexported(scores{})); diff != "" {
				r.Errorf("%v and %v, times %v plus %v (-all at once +together):\n%s", few, many, factor, shift, diff)
			}
		}
	})
}

// TestAddedErrors: sums that are of other rows, or of none.
func TestAddedErrors(t *testing.T) {
	q := []Requirement{{Spec: "difference", Group: "g", Bound: 0.1}}
	for name, a := range map[string]*Added{
		"no rows":    {Groups: map[string]AddedGroups{"g": {Names: []string{"a"}, Sums: make([]Sums, 4)}}},
		"other rows": {Rows: 3, Groups: map[string]AddedGroups{"g": {Names: []string{"a"}, Sums: make([]Sums, 4)}}},
		"few sums":   {Groups: map[string]AddedGroups{"g": {Names: []string{"a"}, Sums: make([]Sums, 2)}}},
		"no groups":  {},
	} {
		if _, err := Test(q, a, 0.95); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
