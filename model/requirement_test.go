package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// oneRate is what a requirement compares: the rate of a group among the rows of a label.
type oneRate struct {
	name       string
	rate, unit float64 // unit is the mean share of a row
	rows       int
}

func ratesOf(d *dataset.Dataset, values []float64, label int8) []oneRate {
	a := d.Attributes[0]
	var rates []oneRate
	for code, level := range a.Levels {
		in := func(i int) bool { return a.Codes.At(i) == code && (label == 0 || d.Y[i] == label) }
		r := oneRate{name: "g=" + level, rate: meanOver(d, values, in)}
		for i := range values {
			if in(i) {
				r.rows++
			}
		}
		r.unit = 1 / float64(r.rows)
		rates = append(rates, r)
	}
	return rates
}

// drawValues draws scores, or decisions.
func drawValues(t *rapid.T, rows int, on string) []float64 {
	values := make([]float64, rows)
	for i := range values {
		if on == model.Decisions {
			values[i] = float64(rapid.IntRange(0, 1).Draw(t, "decision"))
		} else {
			values[i] = rapid.Float64Range(0, 1).Draw(t, "score")
		}
	}
	return values
}

// TestJudge compares judgements of comparisons with all pairs of groups, one by one, at
// bounds of any size and at bounds that are just met.
func TestJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		on := rapid.SampledFrom([]string{model.Scores, model.Decisions}).Draw(t, "on")
		values := drawValues(t, d.Rows(), on)
		kind := rapid.SampledFrom([]string{"demographic-parity", "equal-opportunity", "equalized-odds", "rate-ratio"}).Draw(t, "kind")
		labels := map[string][]int8{"demographic-parity": {0}, "equal-opportunity": {+1}, "equalized-odds": {+1, -1}, "rate-ratio": {0}}[kind]
		ratio := kind == "rate-ratio"

		achieved := 0.0
		if ratio {
			achieved = 1
		}
		for _, label := range labels {
			rates := ratesOf(d, values, label)
			for _, g := range rates {
				for _, h := range rates {
					switch {
					case !ratio:
						achieved = max(achieved, g.rate-h.rate)
					case h.rate > 0:
						achieved = min(achieved, g.rate/h.rate)
					}
				}
			}
		}
		bound := rapid.Float64Range(0.01, 0.99).Draw(t, "bound")
		just := rapid.Bool().Draw(t, "just met") && achieved > 0 && achieved < 1
		if just {
			bound = achieved
		}

		const rounding = 1e-12
		excess := math.Inf(-1)
		strained := map[string]bool{}
		for _, label := range labels {
			rates := ratesOf(d, values, label)
			for _, g := range rates {
				for _, h := range rates {
					if ratio {
						excess = max(excess, bound*h.rate-g.rate)
						continue
					}
					allowed := bound
					for _, one := range []oneRate{g, h} {
						isTiny := on == model.Decisions && one.unit > bound
						if isTiny {
							allowed += one.unit
						}
						if isTiny && math.Abs(g.rate-h.rate) > bound+2*rounding {
							strained[one.name] = true
						}
					}
					if g.name != h.name {
						excess = max(excess, g.rate-h.rate-allowed)
					}
				}
			}
		}

		c := map[string]model.Constraint{
			"demographic-parity": model.DemographicParity.For("g", bound),
			"equal-opportunity":  model.EqualOpportunity.For("g", bound),
			"equalized-odds":     model.EqualizedOdds.For("g", bound),
			"rate-ratio":         model.RateRatio.For("g", bound),
		}[kind]
		r, err := model.NewRequirement(c, d, on)
		if err != nil {
			t.Fatal(err)
		}
		j := r.Judge(values)
		if math.Abs(j.Achieved-achieved) > rounding {
			t.Fatalf("%s: achieved %v, from the pairs %v", c, j.Achieved, achieved)
		}
		checkExtremes(t, d, values, kind, j)
		if just && j.Excess > 0 {
			t.Fatalf("%s: just met, but judged to be exceeded by %v", c, j.Excess)
		}
		if math.Abs(excess) > 2*rounding && (j.Excess > 0) != (excess > 0) {
			t.Fatalf("%s on %s: excess %v, from the pairs %v", c, on, j.Excess, excess)
		}
		var names []string
		for name := range strained {
			names = append(names, name)
		}
		slices.Sort(names)
		if diff := cmp.Diff(names, j.WithinOneDecision); diff != "" && !just {
			t.Fatalf("%s: groups within one decision (-pairs +judge):\n%s", c, diff)
		}
	})
}

// checkExtremes tests that the groups named are those that make what was achieved, with their rates
// and rows.
func checkExtremes(t *rapid.T, d *dataset.Dataset, values []float64, kind string, j model.Judgement) {
	e := j.Extremes
	if e == nil {
		if !(j.Achieved <= 1e-12 || kind == "rate-ratio" && j.Achieved >= 1-1e-9) {
			t.Fatalf("no extremes, achieved %v", j.Achieved)
		}
		return
	}
	if gap := e.Highest.Value - e.Lowest.Value; kind != "rate-ratio" && gap != j.Achieved {
		t.Fatalf("%+v: rates are %v apart, achieved %v", e, gap, j.Achieved)
	} else if kind == "rate-ratio" && e.Highest.Value > 0 && e.Lowest.Value/e.Highest.Value != j.Achieved {
		t.Fatalf("%+v: achieved %v", e, j.Achieved)
	}
	label := int8(0)
	switch {
	case strings.Contains(e.Rate, "positives") || e.Rate == "true_positive_rate":
		label = 1
	case strings.Contains(e.Rate, "negatives") || e.Rate == "false_positive_rate":
		label = -1
	}
	rates := ratesOf(d, values, label)
	if len(rates) != e.Groups {
		t.Fatalf("%d groups, want %d", e.Groups, len(rates))
	}
	for _, got := range []model.GroupRate{e.Lowest, e.Highest} {
		at := slices.IndexFunc(rates, func(r oneRate) bool { return r.name == got.Group })
		if at < 0 || math.Abs(rates[at].rate-got.Value) > 1e-12 || rates[at].rows != got.Rows {
			t.Fatalf("%+v, want one of %+v", got, rates)
		}
	}
}

// TestOnDecisionsAllowsWhatJudgeAllows tests that decisions satisfy the rows of OnDecisions
// just where they satisfy the requirement.
func TestOnDecisionsAllowsWhatJudgeAllows(t *testing.T) {
	tiny := 0
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		values := drawValues(t, d.Rows(), model.Decisions)
		bound := rapid.Float64Range(0.01, 0.6).Draw(t, "bound")
		for _, c := range []model.Constraint{
			model.DemographicParity.For("g", bound),
			model.EqualOpportunity.For("g", bound),
			model.EqualizedOdds.For("g", bound),
			model.RateRatio.For("g", bound),
			model.BoundedGroupLoss.For("g", bound),
			model.Share.For("g=level 0", bound),
		} {
			r, err := model.NewRequirement(c, d, model.Decisions)
			if err != nil {
				t.Fatal(err)
			}
			j := r.Judge(values)
			rows, at := rowsAt(t, model.OnDecisions(c), d, values)
			for _, row := range rows {
				if !row.Tempered {
					t.Fatalf("%s: %s is not tempered", c, row.Name)
				}
			}
			const rounding = 1e-11
			if got := floats.Max(at); math.Abs(got) > rounding && (got > 0) != (j.Excess > 0) {
				t.Fatalf("%s: the rows' excess is %v, the requirement's %v", c, got, j.Excess)
			}
			tiny += len(j.WithinOneDecision)
		}
	})
	if tiny == 0 {
		t.Error("no group was tiny")
	}
}

// TestRequirements states every kind of constraint on four people.
func TestRequirements(t *testing.T) {
	d := &dataset.Dataset{Name: "four", Attributes: []dataset.Attribute{{
		Name: "sex", Levels: []string{"f", "m"}, Codes: dataset.CodesOf(0, 0, 1, 1),
	}}}
	var b sparse.Builder
	for _, label := range []int8{1, -1, 1, -1} {
		b.Add(label, []int{0}, nil)
	}
	d.X, d.Y = b.Finish(1)
	values := map[string][]float64{
		model.Scores:    {0.5, 0.1, 0.9, 0.3}, // means: f 0.3, m 0.6
		model.Decisions: {0, 0, 1, 1},
	}
	for _, test := range []struct {
		spec, on, measure string
		bound             float64
		atLeast           bool
		achieved, excess  float64
		tiny              string
	}{
		{"demographic-parity:group=sex,bound=0.2", model.Scores, "mean_score_difference", 0.2, false, 0.3, 0.1, ""},
		{"demographic-parity:group=sex,bound=0.6", model.Scores, "mean_score_difference", 0.6, false, 0.3, -0.3, ""},
		{"demographic-parity:group=sex,bound=0.6", model.Decisions, "selection_rate_difference", 0.6, false, 1, 0.4, ""},
		{"demographic-parity:group=sex,bound=0.4", model.Decisions, "selection_rate_difference", 0.4, false, 1, -0.4, "sex=f sex=m"},
		{"equal-opportunity:group=sex=m,bound=0.1", model.Scores, "mean_score_of_positives_difference", 0.1, false, 0.4, 0.3, ""},
		{"equal-opportunity:group=sex,bound=0.1", model.Decisions, "true_positive_rate_difference", 0.1, false, 1, -1.1, "sex=f sex=m"},
		{"equalized-odds:group=sex,bound=0.3", model.Scores, "equalized_odds_difference", 0.3, false, 0.4, 0.1, ""},
		{"equalized-odds:group=sex,bound=0.3", model.Decisions, "equalized_odds_difference", 0.3, false, 1, -1.3, "sex=f sex=m"},
		{"rate-ratio:group=sex,min=0.8", model.Scores, "mean_score_ratio", 0.8, true, 0.5, 0.18, ""},
		{"rate-ratio:group=sex,min=0.8", model.Decisions, "selection_rate_ratio", 0.8, true, 0, 0.8, ""},
		{"share:group=sex=f,omega=0.3", model.Scores, "share", 0.3, true, 1. / 3, -0.015, ""},
		{"share:group=sex=f,omega=share", model.Decisions, "share", 0.5, true, 0, 0.25, ""},
		{"bounded-group-loss:group=sex,bound=0.25", model.Scores, "largest_group_loss", 0.25, false, 0.3, 0.05, ""},
		{"bounded-group-loss:group=sex,bound=0.5", model.Decisions, "largest_group_loss", 0.5, false, 0.5, 0, ""},
		{"none", model.Decisions, "value", 0, false, -1, -1, ""},
	} {
		t.Run(test.spec+" on "+test.on, func(t *testing.T) {
			c, err := model.ParseConstraint(test.spec)
			if err != nil {
				t.Fatal(err)
			}
			r, err := model.NewRequirement(c, d, test.on)
			if err != nil {
				t.Fatal(err)
			}
			if r.Spec != test.spec || r.On != test.on || r.Measure != test.measure ||
				r.Bound != test.bound || r.AtLeast != test.atLeast {
				t.Errorf("%s on %s: %s, bound %v, at least: %v", r.Spec, r.On, r.Measure, r.Bound, r.AtLeast)
			}
			j := r.Judge(values[test.on])
			const rounding = 1e-11
			if math.Abs(j.Achieved-test.achieved) > rounding || math.Abs(j.Excess-test.excess) > rounding {
				t.Errorf("achieved %v with an excess of %v, want %v and %v", j.Achieved, j.Excess,
					test.achieved, test.excess)
			}
			if got := strings.Join(j.WithinOneDecision, " "); got != test.tiny {
				t.Errorf("within one decision are %q, want %q", got, test.tiny)
			}
			if test.excess == 0 && j.Excess > 0 {
				t.Errorf("a bound that is just met is exceeded by %v", j.Excess)
			}
		})
	}
}

// TestAllowed: two groups in each of which one decision moves the rate by more than the bound may
// differ by one decision of each, beyond the bound; that is more than one decision can mend.
func TestAllowed(t *testing.T) {
	const a, b = 21, 19
	var rows sparse.Builder
	var codes []int
	var decisions []float64
	for k := range a + b {
		rows.Add(1, []int{0}, nil)
		codes, decisions = append(codes, k/a), append(decisions, 1)
	}
	decisions[a+b-1], decisions[a+b-2] = 0, 0 // selection rates are 21/21 and 17/19
	d := &dataset.Dataset{Name: "forty", Attributes: []dataset.Attribute{{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.CodesOf(codes...)}}}
	d.X, d.Y = rows.Finish(1)
	for _, test := range []struct {
		bound, allowed float64
		holds          bool
	}{
		{0.01, 0.01 + 1./a + 1./b, true},
		{0.05, 0.05 + 1./b, false}, // one decision of the group a is within the bound
		{0.06, 0.06, false},
	} {
		r, err := model.NewRequirement(model.DemographicParity.For("g", test.bound), d, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		const rounding = 1e-11
		j := r.Judge(decisions)
		if math.Abs(j.Allowed-test.allowed) > rounding || j.Excess <= 0 != test.holds ||
			j.Achieved <= j.Allowed != test.holds {
			t.Errorf("bound %v: %v of the allowed %v with an excess of %v, want %v allowed",
				test.bound, j.Achieved, j.Allowed, j.Excess, test.allowed)
		}
		if r, err = model.NewRequirement(model.DemographicParity.For("g", test.bound), d, model.Scores); err != nil {
			t.Fatal(err)
		}
		if j := r.Judge(decisions); j.Allowed != test.bound || j.WithinOneDecision != nil ||
			math.Abs(j.Excess-(j.Achieved-test.bound)) > rounding {
			t.Errorf("bound %v of scores: %+v, want no allowance of decisions", test.bound, j)
		}
	}
}

// TestHeavyRow: a row that has half of the weight of its group excuses no gap beyond one decision of the
// mean row.
func TestHeavyRow(t *testing.T) {
	const rows = 200
	var b sparse.Builder
	d := &dataset.Dataset{Name: "heavy"}
	codes, decisions := make([]int, rows), make([]float64, rows)
	for i := range rows {
		b.Add(1, []int{0}, nil)
		codes[i], d.Weights = i%2, append(d.Weights, 1)
	}
	d.X, d.Y = b.Finish(1)
	d.Attributes = []dataset.Attribute{{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.CodesOf(codes...)}}
	d.Weights[0], decisions[0] = 99, 1 // rates are 0.5 and 0
	for _, test := range []struct {
		bound, allowed float64
	}{{0.05, 0.05}, {0.005, 0.005 + 2./100}} {
		r, err := model.NewRequirement(model.DemographicParity.For("g", test.bound), d, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		if j := r.Judge(decisions); math.Abs(j.Achieved-0.5) > 1e-12 || math.Abs(j.Allowed-test.allowed) > 1e-12 || j.Excess <= 0 {
			t.Errorf("bound %v: %+v, want a violation, and %v allowed", test.bound, j, test.allowed)
		}
	}
}

// TestConstantDecisionsAreFair tests that the same answer for everybody meets whatever
// compares groups.
func TestConstantDecisionsAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		bound := rapid.SampledFrom([]float64{0, 1e-6, 0.1}).Draw(t, "bound")
		for _, c := range []model.Constraint{
			model.DemographicParity.For("g", bound),
			model.EqualOpportunity.For("g", bound),
			model.EqualizedOdds.For("g", bound),
			model.RateRatio.For("g", 1-bound),
			model.Share.For("g=level 1", 0),
		} {
			r, err := model.NewRequirement(c, d, model.Decisions)
			if err != nil {
				t.Fatal(err)
			}
			for _, answer := range []float64{0, 1} {
				if j := r.Judge(slices.Repeat([]float64{answer}, d.Rows())); j.Excess > 0 ||
					j.WithinOneDecision != nil {
					t.Fatalf("%s of decisions %v: %+v", c, answer, j)
				}
			}
		}
	})
}

// shared is a constraint of a user, with a base: no score mean of 2 groups is outside of
// an interval of a length.
type shared struct{ length float64 }

func (c shared) String() string { return fmt.Sprint("shared:", c.length) }

func (c shared) Inequalities(s *dataset.Dataset) ([]model.Inequality, error) {
	first, second := make([]float64, s.Rows()), make([]float64, s.Rows())
	first[0], second[1] = float64(s.Rows()), -float64(s.Rows())
	return []model.Inequality{
		{Name: "first", Weight: first, Constant: -c.length, Base: "shared", Slope: -1},
		{Name: "second", Weight: second, Base: "shared", Slope: 1},
	}, nil
}

// TestRequirementOfAnyConstraint judges rows with a base at the base that suits them best.
func TestRequirementOfAnyConstraint(t *testing.T) {
	d := random(3, 2, 1)
	r, err := model.NewRequirement(shared{0.5}, d, model.Scores)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ first, second, want float64 }{
		{0.9, 0.5, -0.05},
		{0.9, 0.2, 0.1},
		{0.2, 0.9, -0.6},
	} {
		j := r.Judge([]float64{test.first, test.second, 0})
		if math.Abs(j.Excess-test.want) > 1e-11 || math.Abs(j.Achieved-test.want) > 1e-11 {
			t.Errorf("scores %v and %v: %+v, want %v", test.first, test.second, j, test.want)
		}
	}
}

func TestRequirementsSayWhatIsWrong(t *testing.T) {
	d := random(40, 4, 2)
	for _, c := range []model.Constraint{
		model.DemographicParity.For("g", 1),
		model.DemographicParity.For("9", 0.1),
		model.EqualOpportunity.For("g", -1),
		model.EqualizedOdds.For("g", math.NaN()),
		model.RateRatio.For("g", 0),
		model.Share.For("1", 1),
		model.Share.For("g", 0.5),
		model.BoundedGroupLoss.For("g", 0),
	} {
		_, want := c.Inequalities(d)
		_, err := model.NewRequirement(c, d, model.Scores)
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%s: error %v, that of Inequalities is %v", c, err, want)
		}
	}
}

// TestSmallGroups: min-rows leaves groups of fewer rows out, and nothing else does.
func TestSmallGroups(t *testing.T) {
	rows := func(sizes ...int) *dataset.Dataset {
		var b sparse.Builder
		d := &dataset.Dataset{Name: "sizes"}
		g := dataset.Attribute{Name: "g"}
		var codes []int
		for k, size := range sizes {
			g.Levels = append(g.Levels, string(rune('a'+k)))
			for i := range size {
				b.Add(int8(2*(i%2)-1), []int{k}, []float64{1})
				codes = append(codes, k)
			}
		}
		d.X, d.Y = b.Finish(len(sizes))
		g.Codes = dataset.CodesOf(codes...)
		d.Attributes = []dataset.Attribute{g}
		return d
	}
	for _, c := range []struct {
		spec  string
		sizes []int
		small []string
		fault string
	}{
		{"demographic-parity:group=g,bound=0.1", []int{40, 30, 3}, nil, ""},
		{"demographic-parity:group=g,bound=0.001", []int{400, 300, 90}, nil, ""},
		{"demographic-parity:group=g,bound=0.1,min-rows=4", []int{40, 30, 3}, []string{"g=c"}, ""},
		{"demographic-parity:group=g,bound=0.1,min-rows=31", []int{40, 30, 33}, []string{"g=b"}, ""},
		{"demographic-parity:group=g,bound=0.1,min-rows=50", []int{40, 30, 3}, nil, "min-rows=50 leaves too few groups"},
		{"equal-opportunity:group=g,bound=0.1,min-rows=7", []int{40, 30, 12}, []string{"g=c"}, ""}, // 6 have the label
		{"rate-ratio:group=g,min=0.8,min-rows=5", []int{40, 30, 4}, []string{"g=c"}, ""},
		{"min-rate:group=g,of=tpr,min=0.5", []int{40, 30, 2}, nil, ""},
		{"min-rate:group=g,of=tpr,min=0.5,min-rows=2", []int{40, 30, 2}, []string{"g=c"}, ""},
		{"min-rate:group=g,of=tpr,min=0.5,min-rows=50", []int{40, 30, 2}, nil, "min-rows=50 leaves too few groups"},
	} {
		constraint, err := model.ParseConstraint(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := model.NewRequirement(constraint, rows(c.sizes...), model.Decisions)
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want an error with %q", c.spec, err, c.fault)
			}
		case err != nil:
			t.Errorf("%s: %v", c.spec, err)
		case !slices.Equal(r.Small, c.small):
			t.Errorf("%s of %d rows leaves out %v, want %v", c.spec, c.sizes, r.Small, c.small)
		}
		if err != nil {
			continue
		}
		rowsOf, err := model.OnDecisions(constraint).Inequalities(rows(c.sizes...))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rowsOf {
			for _, name := range c.small {
				if strings.Contains(row.Name, name) {
					t.Errorf("%s is trained for %s", c.spec, row.Name)
				}
			}
		}
	}
}

// TestRoundingOfWholeRates: of decisions that are the same for everybody, sums of weights are not exactly
// 1; what is more has no variance, and nothing is undefined.
func TestRoundingOfWholeRates(t *testing.T) {
	constraint, err := model.ParseConstraint("min-rate:group=g,of=tpr,min=0.9")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 0))
		var b sparse.Builder
		d := &dataset.Dataset{Name: "everybody"}
		g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}}
		var codes []int
		for i := range 300 {
			b.Add(1, []int{0}, []float64{1})
			codes, d.Weights = append(codes, i%3), append(d.Weights, random.ExpFloat64())
		}
		d.X, d.Y = b.Finish(1)
		g.Codes = dataset.CodesOf(codes...)
		d.Attributes = []dataset.Attribute{g}
		r, err := model.NewRequirement(constraint, d, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		everybody := slices.Repeat([]float64{1}, 300)
		j := r.Judge(everybody)
		if excess := r.ExcessBeyond(everybody, 0.5); !(excess <= 0) || j.Achieved != 1 || j.SE != 0 {
			t.Errorf("seed %d: excess %v, rate %v ± %v, want none, 1 ± 0", seed, excess, j.Achieved, j.SE)
		}
	}
}
