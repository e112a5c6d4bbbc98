package guarantee

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAdded compares tests of sums with tests of the same rows, in groups of few rows and of many.
func TestAdded(t *testing.T) {
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })
	for _, rows := range []int{300, fewRows + 100, 4 * fewRows} {
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		e := Evidence{Threshold: 0.6, Groups: map[string][]Group{}}
		added := &Added{Rows: rows, Labelled: true, Groups: map[string]AddedGroups{}}
		number := map[string][]int{} // group of each row by specification
		for range rows {
			score, label := math.Sqrt(r.Float64()), int8(-1)
			if r.Float64() < score {
				label = 1
			}
			e.Scores, e.Labels = append(e.Scores, score), append(e.Labels, label)
			number["one"] = append(number["one"], r.IntN(4)/3)
			number["three"] = append(number["three"], r.IntN(4))
		}
		for spec, names := range map[string][]string{"one": {"a"}, "three": {"a", "b", "c"}} {
			sums := make([]Sums, 2*len(names)+2)
			for i, g := range number[spec] {
				sums[2*g+int(e.Labels[i]+1)/2].Add(e.Scores[i], e.Scores[i] >= e.Threshold)
			}
			added.Groups[spec] = AddedGroups{names, sums}
			for g, name := range names {
				member := make([]bool, rows)
				for i := range member {
					member[i] = number[spec][i] == g
				}
				e.Groups[spec] = append(e.Groups[spec], Group{name, member})
			}
		}
		for _, spec := range []string{"one", "three"} {
			requirements := []Requirement{
				{Spec: "difference", Group: spec, Bound: 0.1},
				{Spec: "ratio", Kind: MinRatio, Group: spec, Bound: 0.8},
				{Spec: "rates", Group: spec, Labels: []int8{-1, 1}, Bound: 0.1},
				{Spec: "scores", Group: spec, Scores: true, Bound: 0.05},
				{Spec: "score ratio", Kind: MinRatio, Group: spec, Scores: true, Bound: 0.8},
				{Spec: "rates of scores", Group: spec, Labels: []int8{1}, Scores: true, Bound: 0.05},
				{Spec: "loss", Kind: MaxLoss, Group: spec, Bound: 0.4},
			}
			if spec == "one" {
				requirements = append(requirements, Requirement{Spec: "share", Kind: MinShare, Group: spec, Bound: 0.2},
					Requirement{Spec: "its share", Kind: MinShare, Group: spec})
			}
			want, err := Test(requirements, e, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Test(requirements, added, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Errorf("%d rows, groups %s (-kept +added):\n%s", rows, spec, diff)
			}
			for _, q := range requirements {
				tightest := map[Kind]float64{MinRatio: 1, MinShare: 1}[q.Kind]
				want, err := Margin(q, e, rows, 0.95, 0.9, tightest)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Margin(q, added, rows, 0.95, 0.9, tightest)
				if diff := cmp.Diff(want, got, near); diff != "" || err != nil {
					t.Errorf("%d rows, margin of %s of %s (-kept +added): %v\n%s", rows, q.Spec, spec, err, diff)
				}
			}
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
		if a, b := of(want), of(got); math.Abs(a-b) > 1e-9*math.Abs(a) {
			t.Errorf("%s: %v, want %v", name, b, a)
		}
	}
	if got.values != nil || other.values != nil {
		t.Errorf("values of %d rows are kept", got.count)
	}
	parts[1].Merge(&parts[0])
	if diff := cmp.Diff(all, parts[1]); diff != "" {
		t.Errorf("sums depend on the order of rows:\n%s", diff)
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
