package guarantee

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMerged compares tests of rows in parts, with groups in another order, with tests of all of them.
func TestMerged(t *testing.T) {
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })
	for _, rows := range []int{300, 3 * fewRows} {
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		draw := func(rows int, names ...string) Evidence {
			e := Evidence{Threshold: 0.6, Groups: map[string][]Group{}}
			for _, name := range names {
				e.Groups["g"] = append(e.Groups["g"], Group{name, make([]bool, rows)})
			}
			for i := range rows {
				score, label := math.Sqrt(r.Float64()), int8(-1)
				if r.Float64() < score {
					label = 1
				}
				e.Scores, e.Labels = append(e.Scores, score), append(e.Labels, label)
				if g := r.IntN(1 + len(names)); g < len(names) {
					e.Groups["g"][g].Member[i] = true
				}
			}
			return e
		}
		one, two := draw(rows, "a", "b"), draw(rows, "b", "a")
		all := Evidence{Scores: slices.Concat(one.Scores, two.Scores), Labels: slices.Concat(one.Labels, two.Labels), Threshold: 0.6}
		all.Groups = map[string][]Group{"g": {
			{"a", slices.Concat(one.Groups["g"][0].Member, two.Groups["g"][1].Member)},
			{"b", slices.Concat(one.Groups["g"][1].Member, two.Groups["g"][0].Member)},
		}}
		parts := new(Added)
		for _, e := range []Evidence{one, two} {
			a, err := e.added()
			if err != nil {
				t.Fatal(err)
			}
			parts.Merge(a)
		}
		requirements := []Requirement{
			{Spec: "difference", Group: "g", Bound: 0.1},
			{Spec: "rates", Group: "g", Labels: []int8{-1, 1}, Bound: 0.1},
			{Spec: "score ratio", Kind: MinRatio, Group: "g", Scores: true, Bound: 0.8},
			{Spec: "loss", Kind: MaxLoss, Group: "g", Bound: 0.4},
		}
		want, err := Test(requirements, all, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Test(requirements, parts, 0.95)
		if diff := cmp.Diff(want, got, near); diff != "" || err != nil {
			t.Errorf("%d rows: %v (-all +merged):\n%s", rows, err, diff)
		}
	}
}

// TestMoments compares sums with the moments of kept values that are far from 0.
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
		t.Errorf("values of %d rows are kept", got.count)
	}
	parts[1].Merge(&parts[0])
	if a, b := all.scores(), parts[1].scores(); math.Abs(a.sum4-b.sum4) > 1e-16*float64(len(values)) {
		t.Errorf("sums depend on the order of rows: %v, %v", a, b)
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
		"no rows":    {Groups: map[string]AddedGroups{"g": {[]string{"a"}, make([]Sums, 4)}}},
		"other rows": {Rows: 3, Groups: map[string]AddedGroups{"g": {[]string{"a"}, make([]Sums, 4)}}},
		"few sums":   {Groups: map[string]AddedGroups{"g": {[]string{"a"}, make([]Sums, 2)}}},
		"no groups":  {},
	} {
		if _, err := Test(q, a, 0.95); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
