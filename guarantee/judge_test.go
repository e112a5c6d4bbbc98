package guarantee

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestAnswers: gaps far inside, far beyond and near the bound, of few and many rows.
func TestAnswers(t *testing.T) {
	e := people(count{500, 1000}, count{500, 1000})
	far := people(count{700, 1000}, count{300, 1000})
	near := people(count{545, 1000}, count{500, 1000})
	over := people(count{555, 1000}, count{500, 1000})
	none, one := people(count{0, 0}, count{5, 10}), people(count{1, 1}, count{0, 1})
	few := people(count{500, 1000}, count{500, 1000}, count{20, 20})
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
		{"a small group", few, Requirement{Bound: 0.1}, Violated, 0},
		{"without small groups", few, Requirement{Bound: 0.1, MinRows: 30}, Satisfied, 0},
		{"labels", far, Requirement{Bound: 0.1, Labels: []int8{1, -1}}, Violated, 0},
		{"scores", far, Requirement{Bound: 0.1, Scores: true}, Violated, 0},
		{"equal scores", e, Requirement{Bound: 0.2, Scores: true}, Satisfied, 0},
		{"loss", e, Requirement{Kind: MaxRate, Rate: Wrong, Scores: true, Bound: 0.3}, Violated, 0},
		{"small loss", e, Requirement{Kind: MaxRate, Rate: Wrong, Scores: true, Bound: 0.6}, Satisfied, 0},
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
		{Group: "g", Kind: MaxRate, Rate: Wrong, Scores: true, Bound: 0.6},
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

// TestAnswersOfEveryOutcome adds up, for true shares of small groups, the probabilities of all outcomes
// with a wrong answer, and of those whose interval misses the truth.
func TestAnswersOfEveryOutcome(t *testing.T) {
	for _, c := range []struct {
		rows       []int
		kind       Kind
		bound      float64
		confidence float64
	}{
		{[]int{7, 7}, MaxDifference, 0.2, 0.8},
		{[]int{3, 9}, MaxDifference, 0.1, 0.6},
		{[]int{1, 6}, MaxDifference, 0.3, 0.9},
		{[]int{8, 8}, MaxDifference, 0, 0.6},
		{[]int{8, 6}, MinRatio, 0.7, 0.7},
		{[]int{3, 4, 3}, MaxDifference, 0.25, 0.6},
	} {
		r := Requirement{Spec: "r", Kind: c.kind, Group: "g", Bound: c.bound}
		type outcome struct {
			counts       []int
			test, judged Answer
			low, high    float64
		}
		var outcomes []outcome
		for counts := range tuples(c.rows) {
			var groups []count
			for k, x := range counts {
				groups = append(groups, count{x, c.rows[k]})
			}
			e := people(groups...)
			report, err := Test([]Requirement{r}, e, c.confidence)
			if err != nil {
				t.Fatal(err)
			}
			list, err := Judge([]Requirement{r}, e, c.confidence)
			if err != nil {
				t.Fatal(err)
			}
			outcomes = append(outcomes, outcome{slices.Clone(counts), report.Requirements[0].Answer, list[0].Verdict, *list[0].Lower, *list[0].Upper})
		}
		const steps = 20
		grid := slices.Repeat([]int{steps}, len(c.rows))
		delta, most := 1-c.confidence, 0.0
		for at := range tuples(grid) {
			low, high := float64(slices.Min(at))/steps, float64(slices.Max(at))/steps
			value := high - low
			within, beyond := value <= c.bound+1e-12, value >= c.bound-1e-12
			if c.kind == MinRatio {
				if high == 0 {
					continue
				}
				value = low / high
				within, beyond = value >= c.bound-1e-12, value <= c.bound+1e-12
			}
			var satisfied, violated, judgedSatisfied, judgedViolated, missed float64
			for _, o := range outcomes {
				p := 1.0
				for k, x := range o.counts {
					p *= mass(distuv.Binomial{N: float64(c.rows[k]), P: float64(at[k]) / steps}, x)
				}
				add := func(sum *float64, is bool) {
					if is {
						*sum += p
					}
				}
				add(&satisfied, o.test == Satisfied)
				add(&violated, o.test == Violated)
				add(&judgedSatisfied, o.judged == Satisfied)
				add(&judgedViolated, o.judged == Violated)
				add(&missed, o.low > value+1e-9 || o.high < value-1e-9)
			}
			wrong := missed
			if within {
				wrong = max(wrong, violated, judgedViolated)
			}
			if beyond {
				wrong = max(wrong, satisfied, 2*judgedSatisfied)
			}
			if most = max(most, wrong); wrong > delta {
				t.Fatalf("%+v, shares %v of %d: satisfied %v, %v, violated %v, %v, missed %v", c, at, steps, satisfied, judgedSatisfied,
					violated, judgedViolated, missed)
			}
		}
		t.Logf("%+v: wrong with probability %.4f", c, most)
	}
}

// tuples are all tuples of numbers from 0 to the given ones.
func tuples(most []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		at := make([]int, len(most))
		for {
			if !yield(at) {
				return
			}
			k := 0
			for ; k < len(at) && at[k] == most[k]; k++ {
				at[k] = 0
			}
			if k == len(at) {
				return
			}
			at[k]++
		}
	}
}

// TestLimitsOfLargeGroups compares limits of many rows with those of normal estimates.
func TestLimitsOfLargeGroups(t *testing.T) {
	const rows = 3000
	z := distuv.UnitNormal.Quantile
	for _, shares := range [][]float64{{0.5, 0.4}, {0.3, 0.35, 0.42}, slices.Repeat([]float64{0.3, 0.32, 0.34, 0.45}, 15)} {
		var groups []count
		for _, p := range shares {
			groups = append(groups, count{int(math.Round(p * rows)), rows})
		}
		low, high := slices.Min(shares), slices.Max(shares)
		gap, pairs := high-low, float64(len(shares)*(len(shares)-1))/2
		se := math.Sqrt((low*(1-low) + high*(1-high)) / rows)
		for _, scores := range []bool{false, true}[:1+3/max(3, len(shares))] {
			r := Requirement{Spec: "r", Group: "g", Bound: 0.05, Scores: scores}
			list, err := Judge([]Requirement{r}, people(groups...), 0.95)
			if err != nil {
				t.Fatal(err)
			}
			below, above := (gap-*list[0].Lower)/se, (*list[0].Upper-gap)/se
			least, most := 0.95, 1.07
			if scores { // 0.2 and 0.8, so that a mean is 0.2 + 0.6 p
				below, above = (0.6*gap-*list[0].Lower)/(0.6*se), (*list[0].Upper-0.6*gap)/(0.6*se)
				least, most = 1, 1.9 // nothing is assumed about their distribution
			}
			if zl, zu := z(1-0.025/pairs), z(1-0.025); below < least*zl || below > most*zl || above < least*zu || above > most*zu {
				t.Errorf("%d groups, scores %v: %v below and %v above, normal %v and %v", len(shares), scores, below, above, zl, zu)
			}
		}
	}
}

// TestRowsNeeded: with the rows that an undecided requirement needs, its answer is found as often as Power
// says, if the truth is as estimated.
func TestRowsNeeded(t *testing.T) {
	for _, c := range []struct {
		kind  Kind
		bound float64
		a, b  count
		want  Answer
	}{
		{MaxDifference, 0.1, count{45, 100}, count{40, 100}, Satisfied},
		{MaxDifference, 0.1, count{55, 100}, count{40, 100}, Violated},
		{MaxDifference, 0.03, count{55, 100}, count{40, 100}, Violated}, // where which is above takes more rows
		{MinRatio, 0.8, count{45, 100}, count{50, 100}, Satisfied},
		{MinRatio, 0.8, count{35, 100}, count{50, 100}, Violated},
	} {
		r := Requirement{Spec: "r", Group: "g", Kind: c.kind, Bound: c.bound}
		report, err := Test([]Requirement{r}, people(c.a, c.b), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		v := report.Requirements[0]
		if v.Answer != Undecided || v.RowsNeeded == nil {
			t.Fatalf("%+v: %+v", c, v)
		}
		d := drawn{rows: [][2]int{{*v.RowsNeeded / 2, 0}, {*v.RowsNeeded / 2, 0}}, shares: [][2]float64{{c.a.share()}, {c.b.share()}}}
		random := rand.New(rand.NewPCG(1, 2))
		const draws = 150
		found := 0
		for range draws {
			report, err := Test([]Requirement{r}, d.draw(random), 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if report.Requirements[0].Answer == c.want {
				found++
			}
		}
		t.Logf("%+v: %d rows, found in %d of %d", c, *v.RowsNeeded, found, draws)
		if share := float64(found) / draws; math.Abs(share-Power) > 0.08 {
			t.Errorf("%+v: %d rows find the answer with probability %v", c, *v.RowsNeeded, share)
		}
	}
}
