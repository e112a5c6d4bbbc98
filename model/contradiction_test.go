package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// crowd returns people with two attributes: rows[k] of them have the level k of g, and a
// label and a level of h in turn.
func crowd(rows ...int) *dataset.Dataset {
	var b sparse.Builder
	g, h := dataset.Attribute{Name: "g"}, dataset.Attribute{Name: "h", Levels: []string{"x", "y"}}
	var ofG, ofH []int
	for level, n := range rows {
		g.Levels = append(g.Levels, string(rune('a'+level)))
		for i := range n {
			ofG, ofH = append(ofG, level), append(ofH, i/2%2)
			b.Add(int8(1-2*(i%2)), []int{0}, nil)
		}
	}
	g.Codes, h.Codes = dataset.CodesOf(ofG...), dataset.CodesOf(ofH...)
	d := &dataset.Dataset{Name: "crowd", Attributes: []dataset.Attribute{g, h}}
	d.X, d.Y = b.Finish(1)
	return d
}

// parse reads specifications; those that begin with "decisions " are on decisions.
func parse(t testing.TB, specs []string) []model.Constraint {
	t.Helper()
	var constraints []model.Constraint
	for _, spec := range specs {
		spec, decisions := strings.CutPrefix(spec, "decisions ")
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		if decisions {
			c = model.OnDecisions(c)
		}
		constraints = append(constraints, c)
	}
	return constraints
}

func TestContradiction(t *testing.T) {
	for _, test := range []struct {
		name  string
		rows  []int
		specs []string
		want  []int // of the specs
	}{
		{"two shares of more than all", []int{50, 50}, []string{"share:group=g=a,omega=0.6", "share:group=g=b,omega=0.5"}, []int{0, 1}},
		{"two shares of all", []int{50, 50}, []string{"share:group=g=a,omega=0.5", "share:group=g=b,omega=0.5"}, nil},
		{"two shares of decisions, which may all be 0", []int{50, 50}, []string{"decisions share:group=g=a,omega=0.6", "decisions share:group=g=b,omega=0.5"}, nil},
		{"half of it on decisions", []int{50, 50}, []string{"share:group=g=a,omega=0.6", "decisions share:group=g=b,omega=0.5"}, nil},
		{"a small group's share and a ratio", []int{10, 90}, []string{"share:group=g=a,omega=0.9", "rate-ratio:group=g,min=0.5"}, []int{0, 1}},
		{"a small group's share alone", []int{10, 90}, []string{"share:group=g=a,omega=0.9"}, nil},
		{"a share and a ratio that go together", []int{10, 90}, []string{"share:group=g=a,omega=0.15", "rate-ratio:group=g,min=0.5"}, nil},
		{"a ratio of three groups", []int{10, 40, 50}, []string{"share:group=g=a,omega=0.9", "rate-ratio:group=g,min=0.5"}, []int{0, 1}},
		{"a share and a difference, which small scores satisfy", []int{10, 90}, []string{"share:group=g=a,omega=0.9", "demographic-parity:group=g,bound=0.05"}, nil},
		{"a share and no difference", []int{10, 90}, []string{"share:group=g=a,omega=0.9", "demographic-parity:group=g,bound=0"}, []int{0, 1}},
		{
			"the others are not named",
			[]int{10, 90},
			[]string{"equalized-odds:group=h,bound=0.1", "share:group=g=a,omega=0.9", "bounded-group-loss:group=g,bound=0.9", "rate-ratio:group=g,min=0.5", "rate-ratio:group=h,min=0.8"},
			[]int{1, 3},
		},
		{
			// Without errors all scores are the labels, of which the groups have half each.
			"a loss and a share", []int{20, 60}, []string{"bounded-group-loss:group=g,bound=0.05", "share:group=g=a,omega=0.5"}, []int{0, 1},
		},
		{"a loss and a share of decisions", []int{20, 60}, []string{"decisions bounded-group-loss:group=g,bound=0.05", "decisions share:group=g=a,omega=0.5"}, []int{0, 1}},
		{"small losses alone", []int{20, 60}, []string{"bounded-group-loss:group=g=a,bound=1e-6"}, nil},
		{
			// Positives have scores of 0.9 on average, negatives of 0.1 at most.
			"a loss and equal rates of labels", []int{20, 60}, []string{"bounded-group-loss:group=g,bound=0.1", "equalized-odds:group=h,bound=0"}, nil,
		},
		{"a group's share, given twice", []int{50, 50}, []string{"share:group=g=a,omega=0.6", "share:group=g=b,omega=0.6", "share:group=g=a,omega=0.6"}, []int{0, 1}},
		{"one inside of the other", []int{50, 50}, []string{"demographic-parity:group=g,bound=0.05", "demographic-parity:group=g,bound=0.02"}, nil},
		{"none", []int{50, 50}, []string{"none"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := crowd(test.rows...)
			p, err := model.New(d, d, parse(t, test.specs), model.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, k := range test.want {
				want = append(want, strings.TrimPrefix(test.specs[k], "decisions "))
			}
			if diff := cmp.Diff(want, p.Contradiction()); diff != "" {
				t.Errorf("contradiction (-want +got):\n%s", diff)
			}
		})
	}
}

// drawConstraints draws constraints on people, whose groups are the levels of g.
func drawConstraints(t *rapid.T, levels int) []model.Constraint {
	var constraints []model.Constraint
	for range rapid.IntRange(1, 4).Draw(t, "constraints") {
		level := rapid.SampledFrom([]float64{1e-7, 0.01, 0.1, 0.3, 0.5, 0.9}).Draw(t, "level")
		group := rapid.SampledFrom([]string{"g", "g=level 0", "g=level 1"}).Draw(t, "group")
		one := fmt.Sprintf("g=level %d", rapid.IntRange(0, levels-1).Draw(t, "shared"))
		c := rapid.SampledFrom([]model.Constraint{
			model.Share.For(one, level),
			model.DemographicParity.For(group, level),
			model.DemographicParity.For(group, 0),
			model.EqualOpportunity.For(group, level),
			model.EqualizedOdds.For(group, level),
			model.RateRatio.For(group, level),
			model.BoundedGroupLoss.For(group, level),
		}).Draw(t, "constraint")
		constraints = append(constraints, c)
	}
	return constraints
}

// leastExcess returns, over all scores in [0, 1] of the rows of d, the least of the largest
// violations of the constraints, from a linear program with a variable for every row and an
// inequality for every pair of groups: no cells and no bases.
func leastExcess(t *rapid.T, d *dataset.Dataset, constraints []model.Constraint) float64 {
	type inequality struct {
		weight   []float64
		constant float64
	}
	var rows []inequality
	for _, c := range constraints {
		all, err := c.Inequalities(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			if r.Base == "" {
				sum := inequality{make([]float64, d.Rows()), r.Constant}
				for i := range sum.weight {
					sum.weight[i] = r.Of(i)
				}
				rows = append(rows, sum)
				continue
			}
			for _, q := range all { // a row above the base and one below it
				if r.Base == q.Base && r.Slope < 0 && q.Slope > 0 {
					sum := inequality{make([]float64, d.Rows()), r.Constant + q.Constant}
					for i := range sum.weight {
						sum.weight[i] = r.Of(i) + q.Of(i)
					}
					rows = append(rows, sum)
				}
			}
		}
	}
	// Columns: scores, the violation, slacks of the rows, slacks of the scores.
	n, m := d.Rows(), len(rows)
	a, b, cost := mat.NewDense(m+n, n+1+m+n, nil), make([]float64, m+n), make([]float64, n+1+m+n)
	for j, r := range rows {
		for i, w := range r.weight {
			a.Set(j, i, w/float64(n))
		}
		a.Set(j, n, -1)
		a.Set(j, n+1+j, 1)
		b[j] = -r.constant
	}
	for i := range n {
		a.Set(m+i, i, 1)
		a.Set(m+i, n+1+m+i, 1)
		b[m+i] = 1
	}
	cost[n] = 1
	least, err := make(chan float64, 1), make(chan error, 1)
	go func() {
		if f, _, e := lp.Simplex(cost, a, b, 1e-10, nil); e != nil {
			err <- e
		} else {
			least <- f
		}
	}()
	select {
	case f := <-least:
		return f
	case e := <-err:
		t.Skipf("the yardstick fails: %v", e)
	case <-time.After(20 * time.Second):
		t.Skip("the yardstick goes round in circles")
	}
	return 0
}

// TestContradictionIsAProof draws constraints on decisions, which scores in [0, 1] satisfy
// or don't, and compares with a linear program over the rows: what is called a contradiction
// is one, of which no part is, and nothing that is one by far is missed.
func TestContradictionIsAProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		constraints := drawConstraints(t, len(d.Attributes[0].Levels))
		var tempered []model.Constraint
		for _, c := range constraints {
			tempered = append(tempered, model.Tempered(c))
		}
		p, err := model.New(d, d, tempered, model.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		conflict := p.Contradiction()
		least := leastExcess(t, d, constraints)
		if conflict == nil {
			if least > 1e-3 {
				t.Fatalf("all scores violate %v by %v, and no contradiction is found", constraints, least)
			}
			return
		}
		if !(least > 1e-7) {
			t.Fatalf("%v are said to contradict each other, but are violated by %v only", conflict, least)
		}
		for k := range conflict {
			var part []model.Constraint
			for _, c := range constraints {
				if slices.Contains(conflict, c.String()) && c.String() != conflict[k] {
					part = append(part, c)
				}
			}
			if len(part) > 0 && leastExcess(t, d, part) > 1e-3 {
				t.Fatalf("of %v, %v alone contradict each other", conflict, part)
			}
		}
	})
}

// TestWhatScoresSatisfyIsNoContradiction scores people at random, or alike, and bounds each
// constraint by what these scores achieve, so that they satisfy all.
func TestWhatScoresSatisfyIsNoContradiction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		size := math.Pow(10, rapid.Float64Range(-9, 0).Draw(t, "log size"))
		scores := make([]float64, d.Rows())
		alike := rapid.Bool().Draw(t, "alike")
		for i := range scores {
			if alike && i > 0 {
				scores[i] = scores[0]
				continue
			}
			scores[i] = size * rapid.Float64Range(0.01, 1).Draw(t, "score")
		}
		var constraints []model.Constraint
		for _, c := range drawConstraints(t, len(d.Attributes[0].Levels)) {
			r, err := model.NewRequirement(c, d, model.Scores)
			if err != nil {
				t.Fatal(err)
			}
			achieved := r.Judge(scores).Achieved
			if achieved > 0 && achieved < 1 {
				constraints = append(constraints, c.(model.GroupConstraint).WithLevel(achieved))
			}
		}
		checkNoContradiction(t, d, constraints)
	})
}

// checkNoContradiction checks constraints that are known to be satisfied by some classifier.
func checkNoContradiction(t *rapid.T, d *dataset.Dataset, constraints []model.Constraint) {
	if len(constraints) == 0 {
		t.Skip("no constraint is left")
	}
	p, err := model.New(d, d, constraints, model.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if conflict := p.Contradiction(); conflict != nil {
		t.Fatalf("%v are said to contradict each other, but are satisfied", conflict)
	}
}

// TestNoContradictionOfConstants draws constraints that compare groups, which constant
// decisions and scores satisfy, and losses that they do.
func TestNoContradictionOfConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		answer := float64(rapid.IntRange(0, 1).Draw(t, "answer"))
		var constraints []model.Constraint
		for _, c := range drawConstraints(t, len(d.Attributes[0].Levels)) {
			decisions := rapid.Bool().Draw(t, "decisions")
			on := map[bool]string{true: model.Decisions, false: model.Scores}[decisions]
			r, err := model.NewRequirement(c, d, on)
			if err != nil {
				t.Fatal(err)
			}
			value := 0.5
			if decisions {
				value = answer
			}
			if r.Judge(slices.Repeat([]float64{value}, d.Rows())).Excess > 0 {
				continue
			}
			if decisions {
				c = model.OnDecisions(c)
			}
			constraints = append(constraints, c)
		}
		checkNoContradiction(t, d, constraints)
	})
}
