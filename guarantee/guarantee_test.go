package guarantee

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// people are rows of groups with given numbers of positive decisions; the labels
// alternate.
func people(groups ...count) Evidence {
	e := Evidence{Threshold: 0.5, Groups: map[string][]Group{}}
	n := 0
	for _, g := range groups {
		n += g.rows
	}
	at := 0
	for k, g := range groups {
		member := make([]bool, n)
		for i := range g.rows {
			member[at+i] = true
			score := 0.2
			if i < g.positive {
				score = 0.8
			}
			e.Scores = append(e.Scores, score)
			e.Labels = append(e.Labels, int8(1-2*(i%2)))
		}
		at += g.rows
		e.Groups["g"] = append(e.Groups["g"], Group{Name: "g=" + string(rune('a'+k)), Member: member})
	}
	return e
}

func parity(bound float64) []Requirement {
	return []Requirement{{Spec: "parity", Kind: MaxDifference, Group: "g", Bound: bound}}
}

func judge(t *testing.T, rs []Requirement, e Evidence) *Report {
	t.Helper()
	r, err := Test(rs, e, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Requirements {
		within, beyond := *v.Upper <= v.Bound, *v.Lower > v.Bound
		if v.AtLeast {
			within, beyond = *v.Lower >= v.Bound, *v.Upper < v.Bound
		}
		if v.Holds != within || (v.Answer == Violated) != beyond || v.Holds != (v.Answer == Satisfied) {
			t.Errorf("%s: holds is %v and the verdict %s, but the limits are %v and %v and the bound %v", v.Spec, v.Holds,
				v.Answer, *v.Lower, *v.Upper, v.Bound)
		}
		if e := v.Estimate; e != nil && (*e > *v.Upper || *e < *v.Lower) {
			t.Errorf("%s: %v is not between %v and %v", v.Spec, *e, *v.Lower, *v.Upper)
		}
	}
	return r
}

// TestAllHold: requirements hold together only if each one does, in whatever order they come.
func TestAllHold(t *testing.T) {
	e := people(count{270, 600}, count{240, 600})
	for _, test := range []struct {
		bounds []float64
		holds  bool
	}{{[]float64{0.3, 0.2}, true}, {[]float64{0.3, 0.06}, false}, {[]float64{0.06, 0.3}, false}} {
		var both []Requirement
		for _, bound := range test.bounds {
			both = append(both, parity(bound)...)
		}
		if r := judge(t, both, e); r.Holds != test.holds {
			t.Errorf("bounds %v: hold is %v, of %+v", test.bounds, r.Holds, r.Requirements)
		}
	}
}

func TestParity(t *testing.T) {
	r := judge(t, parity(0.1), people(count{270, 600}, count{240, 600}))
	v := r.Requirements[0]
	if !r.Holds || r.RowsNeeded != nil || r.Method != "berger-boos" || r.Rows != 1200 {
		t.Errorf("%+v", r)
	}
	if math.Abs(*v.Estimate-0.05) > 1e-12 || v.Worst != "g=a above g=b" ||
		!slices.Equal(v.WorstGroups, []string{"g=a", "g=b"}) ||
		v.Measure != "selection_rate_difference" || v.On != "decisions" {
		t.Errorf("%+v, estimate %v", v, *v.Estimate)
	}

	r = judge(t, parity(0.07), people(count{270, 600}, count{240, 600}))
	// (1.645 + 1.282)²·4·0.243/0.02² = 20 800 rows leave an estimate of 0.05 at 0.07.
	if r.Holds || r.RowsNeeded == nil || *r.RowsNeeded < 20_000 || *r.RowsNeeded > 22_000 {
		t.Errorf("%+v", r)
	}
	if small := r.Requirements[0].TooSmall; len(small) != 1 || small[0].Needed < 900 || small[0].Needed > 1200 {
		// (1.645 + 1.645)²·2·0.243/0.07² = 1070 each pass on both sides if they are equal
		t.Errorf("600 rows for 0.07: %+v", small)
	}

	r = judge(t, parity(0.02), people(count{270, 600}, count{240, 600}))
	if r.RowsNeeded != nil {
		t.Errorf("an estimate above the bound needs %d rows", *r.RowsNeeded)
	}
}

// TestAllSidesCount: with many groups every pair must pass, whichever comes first.
func TestAllSidesCount(t *testing.T) {
	groups := []count{{400, 1000}, {410, 1000}, {405, 1000}, {12, 30}}
	r := judge(t, parity(0.1), people(groups...))
	v := r.Requirements[0]
	if r.Holds || len(v.TooSmall) != 1 || v.TooSmall[0].Group != "g=d" ||
		v.TooSmall[0].Rows != 30 || v.TooSmall[0].Needed < 250 {
		t.Errorf("%+v", v)
	}
	slices.Reverse(groups)
	if again := judge(t, parity(0.1), people(groups...)).Requirements[0]; *again.Upper != *v.Upper {
		t.Errorf("upper limits %v and %v", *v.Upper, *again.Upper)
	}
	if r := judge(t, parity(0.1), people(groups[1:]...)); !r.Holds {
		t.Errorf("without the small group: %+v", r.Requirements[0])
	}
}

// TestOrderOfRows shuffles the rows.
func TestOrderOfRows(t *testing.T) {
	e := people(count{120, 300}, count{130, 300})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range e.Scores {
		e.Scores[i] = math.Abs(e.Scores[i] - 0.2*r.Float64())
	}
	rs := []Requirement{
		{Spec: "eo", Kind: MaxDifference, Group: "g", Labels: []int8{1, -1}, Bound: 0.2},
		{Spec: "loss", Kind: MaxRate, Rate: Wrong, Scores: true, Group: "g", Bound: 0.6},
		{Spec: "scores", Kind: MaxDifference, Group: "g", Scores: true, Bound: 0.15},
		{Spec: "share", Kind: MinShare, Group: "one", Bound: 0.4},
		{Spec: "ratio", Kind: MinRatio, Group: "g", Bound: 0.7},
	}
	e.Groups["one"] = e.Groups["g"][:1]
	want := judge(t, rs, e)
	p := r.Perm(len(e.Scores))
	shuffled := Evidence{Threshold: e.Threshold, Groups: map[string][]Group{}}
	for _, i := range p {
		shuffled.Scores, shuffled.Labels = append(shuffled.Scores, e.Scores[i]), append(shuffled.Labels, e.Labels[i])
	}
	for spec, groups := range e.Groups {
		for _, g := range groups {
			member := make([]bool, len(p))
			for k, i := range p {
				member[k] = g.Member[i]
			}
			shuffled.Groups[spec] = append(shuffled.Groups[spec], Group{Name: g.Name, Member: member})
		}
	}
	got := judge(t, rs, shuffled)
	limit := func(v Verdict) float64 {
		if v.Upper != nil {
			return *v.Upper
		}
		return *v.Lower
	}
	for k, v := range want.Requirements {
		if w := got.Requirements[k]; v.Holds != w.Holds || math.Abs(limit(v)-limit(w)) > 1e-9 {
			t.Errorf("%s: %v and, shuffled, %v", v.Spec, limit(v), limit(w))
		}
		t.Logf("%s: estimate %.4f, limit %.4f, holds %v", v.Spec, *v.Estimate, limit(v), v.Holds)
	}
}

// TestNothingIsGuaranteedWithoutRows: no rows of a group or a label are a refusal.
func TestNothingIsGuaranteedWithoutRows(t *testing.T) {
	e := people(count{50, 100}, count{50, 100})
	for i := range e.Labels {
		e.Labels[i] = 1
	}
	r := judge(t, []Requirement{{Spec: "eo", Kind: MaxDifference, Group: "g", Labels: []int8{1, -1}, Bound: 0.99}}, e)
	if v := r.Requirements[0]; r.Holds || len(v.Without) != 2 || *v.Upper != 1 || r.RowsNeeded != nil {
		t.Errorf("%+v", v)
	}
	everyone := Evidence{Scores: []float64{1, 0}, Groups: map[string][]Group{"g": {{Name: "g=a", Member: []bool{true, true}}}}}
	for _, kind := range []Kind{MaxDifference, MinRatio} {
		r = judge(t, []Requirement{{Spec: "alone", Kind: kind, Group: "g", Bound: 0.9}}, everyone)
		if r.Holds {
			t.Errorf("a group that is compared with nobody passes: %+v", r.Requirements[0])
		}
	}
	r = judge(t, []Requirement{{Spec: "none", Kind: MinRatio, Group: "g", Bound: 0.1}},
		people(count{0, 50}, count{0, 50}))
	if v := r.Requirements[0]; r.Holds || *v.Lower != 0 {
		t.Errorf("no positive decision at all: %+v, ratio at least %v", v, *v.Lower)
	}
}

func TestErrors(t *testing.T) {
	good := people(count{5, 10}, count{5, 10})
	overlap := people(count{5, 10}, count{5, 10})
	overlap.Groups["g"][0].Member[15] = true
	unlabelled := good
	unlabelled.Labels = nil
	high := people(count{5, 10}, count{5, 10})
	high.Scores[3] = 1.5
	for name, test := range map[string]struct {
		e          Evidence
		r          Requirement
		confidence float64
		want       string
	}{
		"confidence":      {good, parity(0.1)[0], 95, "confidence is 95"},
		"overlap":         {overlap, parity(0.1)[0], 0.95, "row 16 is in group g=b and in another one"},
		"no labels":       {unlabelled, Requirement{Kind: MaxDifference, Group: "g", Labels: []int8{1}}, 0.95, "needs the labels"},
		"no loss labels":  {unlabelled, Requirement{Kind: MaxRate, Rate: Wrong, Scores: true, Group: "g", Bound: 0.3}, 0.95, "needs the labels"},
		"score":           {high, parity(0.1)[0], 0.95, "the score of row 4 is 1.5"},
		"unknown group":   {good, Requirement{Group: "h"}, 0.95, `there are no groups "h"`},
		"bound":           {good, parity(1)[0], 0.95, "the bound is 1"},
		"share of two":    {good, Requirement{Kind: MinShare, Group: "g", Bound: 0.3}, 0.95, "names 2 groups"},
		"unknown kind":    {good, Requirement{Kind: MinShare + 1, Group: "g"}, 0.95, "the kind 5"},
		"labels of share": {good, Requirement{Kind: MinShare, Group: "one", Bound: 0.3, Labels: []int8{1}}, 0.95, "one of the scores of all rows"},
		"no rows":         {Evidence{}, parity(0.1)[0], 0.95, "no rows"},
	} {
		if _, err := Test([]Requirement{test.r}, test.e, test.confidence); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
	if _, err := Test(nil, good, 0.95); err == nil {
		t.Error("no requirement is accepted")
	}
}

// TestUpperLimit brackets the limit of a test that is known.
func TestUpperLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := fixed{rapid.Float64Range(-0.9, 0.9).Draw(t, "limit"), rapid.Float64Range(-2, 2).Draw(t, "guess")}
		if got := upperLimit(f, -1, 1); !(got >= f.limit && got <= f.limit+0.01) {
			t.Errorf("%v, want %v", got, f.limit)
		}
	})
}

type fixed struct{ limit, first float64 }

func (f fixed) excludes(bound float64) bool  { return bound >= f.limit }
func (f fixed) guess() (bound, step float64) { return f.first, 0.1 }

// TestPlanFindsThePower simulates as many rows as planned.
func TestPlanFindsThePower(t *testing.T) {
	p := Prospect{Groups: map[string][]float64{"g": {0.3}}, Rate: 0.4, Gap: 0.03}
	n, err := Plan(parity(0.1), p, 0.95, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	passes, draws := 0, 200
	for range draws {
		var a, b count
		for range n {
			if r.Float64() < 0.3 {
				a.add(r.Float64() < 0.37)
			} else {
				b.add(r.Float64() < 0.4)
			}
		}
		if pairOf(a, b, difference, 1, 0.05).excludes(0.1) && pairOf(b, a, difference, 1, 0.05).excludes(0.1) {
			passes++
		}
	}
	t.Logf("%d rows: %d of %d pass", n, passes, draws)
	// Small groups, and rates at an end, are nothing that a normal approximation knows about.
	for _, few := range []struct {
		kind               Kind
		bound, share, rate float64
	}{{MaxDifference, 0.3, 0.05, 0}, {MaxRate, 0.3, 0.2, 0}, {MinRatio, 0.8, 0.02, 0.99}, {MaxDifference, 0.1, 0.05, 0.01}} {
		wanted := []Requirement{{Spec: "few", Kind: few.kind, Group: "g", Bound: few.bound}}
		p := Prospect{Groups: map[string][]float64{"g": {few.share, 1 - few.share}}, Rate: few.rate, Positive: 0.5}
		n, err := Plan(wanted, p, 0.95, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		passes := 0
		for range draws {
			if judge(t, wanted, p.draw(&wanted[0], n, r)).Holds {
				passes++
			}
		}
		if share := float64(passes) / float64(draws); share < 0.85 {
			t.Errorf("%+v: %d rows have the power %v, want 0.9", few, n, share)
		}
	}
	if share := float64(passes) / float64(draws); share < 0.85 || share > 0.95 {
		t.Errorf("%d rows have the power %v, want 0.9", n, share)
	}
	for _, c := range []struct {
		bound float64
		p     Prospect
		want  error
	}{
		{0.1, Prospect{Groups: map[string][]float64{"g": {0.3}}, Rate: 0.4, Gap: 0.2}, ErrNotWithin},
		{0.1, Prospect{Groups: map[string][]float64{"g": {1e-12}}, Rate: 0.4}, ErrTooMany},
		{1e-10, Prospect{Groups: map[string][]float64{"g": {0.3}}, Rate: 0.4}, ErrTooMany},
	} {
		if n, err := Plan(parity(c.bound), c.p, 0.95, 0.9); !errors.Is(err, c.want) {
			t.Errorf("%+v: %d rows, error %v", c.p, n, err)
		}
	}
	for _, p := range []Prospect{
		{Groups: map[string][]float64{"g": {0.6, 0.6}}, Rate: 0.4},
		{Groups: map[string][]float64{"g": {0.3}}, Rate: 1.4},
		{},
	} {
		if n, err := Plan(parity(0.1), p, 0.95, 0.9); err == nil {
			t.Errorf("%+v: %d rows", p, n)
		}
	}
	all, errs := Plan(parity(0.1), Prospect{Groups: map[string][]float64{"g": {0.6, 0.4}}, Rate: 0.4}, 0.95, 0.9)
	half, err := Plan(parity(0.1), Prospect{Groups: map[string][]float64{"g": {0.3, 0.2}}, Rate: 0.4}, 0.95, 0.9)
	if err = errors.Join(errs, err); err != nil || math.Abs(float64(half-2*all)) > 2 {
		t.Errorf("%d rows if all people are compared, %d if half of them are (%v)", all, half, err)
	}
}

func (c *count) add(positive bool) {
	c.rows++
	if positive {
		c.positive++
	}
}

// TestMargin: with training to the bound that Margin returns most tests pass, though the
// true gap differs from the gap in training.
func TestMargin(t *testing.T) {
	const rows = 3000
	bound, err := Margin(parity(0.1)[0], people(count{400, 1000}, count{1600, 4000}), rows, 0.95, 0.85, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 9))
	passes, draws := 0, 200
	for range draws {
		// The true gap differs from the gap in training by the error that 1000 and 4000 rows
		// leave.
		gap := bound + r.NormFloat64()*math.Sqrt(0.24/1000+0.24/4000)
		var a, b count
		for i := range rows {
			if i%5 == 0 {
				a.add(r.Float64() < 0.4+gap)
			} else {
				b.add(r.Float64() < 0.4)
			}
		}
		if pairOf(a, b, difference, 1, 0.05).excludes(0.1) {
			passes++
		}
	}
	t.Logf("bound %v: %d of %d pass", bound, passes, draws)
	if share := float64(passes) / float64(draws); share < 0.85 {
		t.Errorf("training to %v, %v of the tests pass, want 0.85", bound, share)
	}
	ratio := Requirement{Kind: MinRatio, Group: "g", Bound: 0.8}
	if bound, err = Margin(ratio, people(count{400, 1000}, count{1600, 4000}), rows, 0.95, 0.85,
		1); err != nil || !(bound > 0.85 && bound <= 1) {
		t.Errorf("ratio 0.8: %v (%v)", bound, err)
	}
	share := Requirement{Kind: MinShare, Group: "one", Bound: 0.1}
	training := people(count{400, 1000}, count{1600, 4000})
	training.Groups["one"] = training.Groups["g"][:1]
	// The scores have the mean 0.44; the estimate of E[(0.1 − 1_G)σ] has a standard error of
	// about 0.2/√3000, of which 2.7 + 1.44·√(1 + 3/5) are 0.016, and 0.016/0.44 is 0.037.
	if bound, err = Margin(share, training, rows, 0.95, 0.85, 1); err != nil || math.Abs(bound-0.137) > 0.008 {
		t.Errorf("share 0.1: %v (%v)", bound, err)
	}
	if bound, err = Margin(parity(0.01)[0], people(count{40, 100}, count{160, 400}), 300, 0.95,
		0.85, 0); err != nil || bound != 0 {
		t.Errorf("too few rows: %v (%v)", bound, err)
	}
}

// BenchmarkTest is of a million rows of ten groups, 180 comparisons.
func BenchmarkTest(b *testing.B) {
	var groups []count
	for k := range 10 {
		groups = append(groups, count{20_000 + 200*k, 100_000})
	}
	e := people(groups...)
	odds := []Requirement{{Spec: "odds", Kind: MaxDifference, Group: "g", Labels: []int8{1, -1}, Bound: 0.05}}
	for b.Loop() {
		if r, err := Test(odds, e, 0.95); err != nil || !r.Holds {
			b.Fatalf("%+v (%v)", r, err)
		}
	}
}

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
		e.Groups["g"] = append(e.Groups["g"], Group{Name: name, Member: member})
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
