package thresholds

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// drawn are rows with a group each, and perhaps a second one.
type drawn struct {
	*dataset.Dataset
	scores []float64
	cells  []int
}

// drawRows draws 2 to 5 rows of each group, of both labels, with scores of few different values, so that
// there are ties.
func drawRows(t *rapid.T, groups int) drawn {
	var b sparse.Builder
	d := drawn{Dataset: &dataset.Dataset{Name: "drawn"}}
	a := dataset.Attribute{Name: "g"}
	for g := range groups {
		a.Levels = append(a.Levels, fmt.Sprint(g))
		for k := range rapid.IntRange(2, 5).Draw(t, "size") {
			label := rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			if k < 2 {
				label = int8(2*k - 1)
			}
			b.Add(label, []int{0}, []float64{1})
			d.scores = append(d.scores, float64(rapid.IntRange(-3, 3).Draw(t, "score"))/2)
			d.cells = append(d.cells, g)
		}
	}
	d.X, d.Y = b.Finish(1)
	a.Codes = dataset.CodesOf(d.cells...)
	d.Attributes = []dataset.Attribute{a}
	if rapid.Bool().Draw(t, "weighted") {
		for range d.Y {
			d.Weights = append(d.Weights, float64(rapid.IntRange(0, 4).Draw(t, "weight"))/4+0.125)
		}
	}
	return d
}

func requirement(t *rapid.T, d *dataset.Dataset, c model.Constraint) *model.Requirement {
	r, err := model.NewRequirement(c, d, model.Decisions)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func drawConstraint(t *rapid.T) model.Constraint {
	bound := rapid.SampledFrom([]float64{0, 0.05, 0.125, 0.3, 0.5}).Draw(t, "bound")
	return rapid.SampledFrom([]model.Constraint{
		model.DemographicParity.For("g", bound),
		model.EqualOpportunity.For("g", bound),
		model.EqualizedOdds.For("g", bound),
		model.RateRatio.For("g", 1-bound),
		model.EqualOpportunity.For("g=0|1", bound),
		model.ErrorParity.For("g", bound),
		model.PredictiveEquality.For("g", bound),
		model.MaxSelection.For("g", bound+0.1),
		model.BoundedGroupLoss.For("g", bound+0.45),
		model.GroupConstraint{Family: model.MinRate, Group: "g", Rate: model.TPR, Level: 1 - bound},
		model.GroupConstraint{Family: model.MinRate, Group: "g", Rate: model.TNR, Level: 0.5 + bound},
	}).Draw(t, "constraint")
}

func (d drawn) problem(requirements ...*model.Requirement) *Problem {
	return &Problem{Scores: d.scores, Cells: d.cells, Count: slices.Max(d.cells) + 1, Labels: d.Y, Weight: d.Weight, Worth: [2]float64{1, 1}, Requirements: requirements}
}

func solve(t interface {
	Context() context.Context
	Fatal(...any)
}, p *Problem,
) Solution {
	found, err := p.Solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// judged returns the worth of the right decisions of thresholds, and whether they satisfy the
// requirements, row by row.
func (p *Problem) judged(thresholds []float64) (right float64, satisfied bool) {
	decisions := make([]float64, len(p.Scores))
	for i, score := range p.Scores {
		if score >= thresholds[p.Cells[i]] {
			decisions[i] = 1
		}
		if (decisions[i] == 1) == (p.Labels[i] > 0) {
			right += p.worth(i)
		}
	}
	return right, !slices.ContainsFunc(p.Requirements, func(r *model.Requirement) bool { return r.Judge(decisions).Excess > 0 })
}

// exact returns the problem in which no group is held to its bound within one decision.
func (p *Problem) exact() *Problem {
	q := *p
	q.Requirements = nil
	for _, r := range p.Requirements {
		r := *r
		r.Comparisons = slices.Clone(r.Comparisons)
		for k := range r.Comparisons {
			c := &r.Comparisons[k]
			c.Groups = slices.Clone(c.Groups)
			for g := range c.Groups {
				c.Groups[g].Unit = 0
			}
		}
		q.Requirements = append(q.Requirements, &r)
	}
	return &q
}

// excess returns by how much the decisions of thresholds violate the requirements.
func (p *Problem) excess(thresholds []float64) float64 {
	worst := math.Inf(-1)
	decisions := make([]float64, len(p.Scores))
	for i, score := range p.Scores {
		if score >= thresholds[p.Cells[i]] {
			decisions[i] = 1
		}
	}
	for _, r := range p.Requirements {
		worst = max(worst, r.Judge(decisions).Excess)
	}
	return worst
}

// all is what exhaustive search finds: the most right decisions of thresholds that satisfy the requirements,
// whether those that decide everybody alike have as many, and the least violation.
type all struct {
	right  float64
	alike  bool
	excess float64
}

// exhaustive tries all thresholds.
func (p *Problem) exhaustive() all {
	options := make([][]float64, p.Count)
	for at := range options {
		options[at] = []float64{math.Inf(1)}
	}
	for i, cell := range p.Cells {
		if !slices.Contains(options[cell], p.Scores[i]) {
			options[cell] = append(options[cell], p.Scores[i])
		}
	}
	found, alike := all{right: math.Inf(-1), excess: math.Inf(1)}, math.Inf(-1)
	thresholds := make([]float64, len(options))
	var try func(at int)
	try = func(at int) {
		if at == len(options) {
			found.excess = min(found.excess, p.excess(thresholds))
			if right, ok := p.judged(thresholds); ok {
				if found.right = max(found.right, right); p.alike(thresholds) {
					alike = max(alike, right)
				}
			}
			return
		}
		for _, thresholds[at] = range options[at] {
			try(at + 1)
		}
	}
	try(0)
	found.alike = alike >= found.right-1e-9
	return found
}

// alike reports whether thresholds decide everybody alike.
func (p *Problem) alike(thresholds []float64) bool {
	positive := 0
	for i, score := range p.Scores {
		if score >= thresholds[p.Cells[i]] {
			positive++
		}
	}
	return positive == 0 || positive == len(p.Scores)
}

// check compares with all thresholds: those that satisfy the requirements exactly come first, and the
// tolerance of one decision is for where only decisions that are all alike do. Where none satisfy them
// within it, the least violation wins, which is never further away than the threshold before.
func check(t *rapid.T, p *Problem) {
	found := solve(t, p)
	exactly, within := p.exact().exhaustive(), p.exhaustive()
	right, satisfied := p.judged(found.Thresholds)
	if satisfied != found.Satisfied || math.Abs(right-found.Right) > 1e-9 || found.Impossible == satisfied {
		t.Fatalf("%+v: of which %v are right, satisfied %v", found, right, satisfied)
	}
	if !satisfied {
		if excess := p.excess(found.Thresholds); !math.IsInf(within.right, -1) || excess > within.excess+1e-8 {
			t.Fatalf("%+v: violated by %v, others %+v", found, excess, within)
		}
		return
	}
	want := exactly.right
	if p.exact().excess(found.Thresholds) > 0 { // within one decision only
		if want = within.right; !exactly.alike && !math.IsInf(exactly.right, -1) {
			t.Fatalf("%+v within one decision, but exactly others %+v", found, exactly)
		}
	} else if p.alike(found.Thresholds) && within.right > exactly.right+1e-9 {
		t.Fatalf("%+v: all alike, others %+v", found, within)
	}
	if found.Gap != 0 || math.Abs(right-want) > 1e-9 {
		t.Fatalf("%+v: %v right decisions, but others %v", found, right, want)
	}
}

// TestSolve compares with all thresholds, for one constraint and for two on the same groups.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, rapid.IntRange(2, 5).Draw(t, "groups"))
		list := []*model.Requirement{requirement(t, d.Dataset, drawConstraint(t))}
		if rapid.Bool().Draw(t, "two") {
			list = append(list, requirement(t, d.Dataset, drawConstraint(t)))
		}
		p := d.problem(list...)
		p.Worth = rapid.SampledFrom([][2]float64{{1, 1}, {0.25, 1.75}}).Draw(t, "worth")
		p.Before = rapid.SampledFrom([]float64{0, -0.75, 0.5, 3}).Draw(t, "before")
		check(t, p)
	})
}

// TestCells: a cell may have rows of several groups, as where small groups share a threshold, and a
// group is compared with all others.
func TestCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, last, c := drawRows(t, 4), 2, drawConstraint(t)
		if rapid.Bool().Draw(t, "one") {
			last, c = 1, model.EqualizedOdds.For("g=0", 0.125)
		}
		for i, cell := range d.cells {
			d.cells[i] = min(cell, last)
		}
		check(t, d.problem(requirement(t, d.Dataset, c)))
	})
}

// TestGroupsInCells: where groups are in several cells, thresholds of the cells satisfy the constraints
// on all of them, and are better than to decide everybody alike.
func TestGroupsInCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, 4)
		second := dataset.Attribute{Name: "h", Levels: []string{"a", "b"}}
		var codes []int
		for i, cell := range d.cells {
			codes = append(codes, cell%2)
			d.cells[i] = cell
		}
		second.Codes = dataset.CodesOf(codes...)
		first := &d.Attributes[0]
		var halves []int
		for _, cell := range d.cells {
			halves = append(halves, cell/2)
		}
		first.Levels, first.Codes = []string{"0", "1"}, dataset.CodesOf(halves...)
		d.Attributes = append(d.Attributes, second)
		bound := rapid.SampledFrom([]float64{0.05, 0.3}).Draw(t, "bound")
		p := d.problem(requirement(t, d.Dataset, model.DemographicParity.For("g", bound)),
			requirement(t, d.Dataset, model.EqualOpportunity.For("h", bound)))
		found := solve(t, p)
		right, satisfied := p.judged(found.Thresholds)
		if !satisfied || !found.Satisfied || math.Abs(right-found.Right) > 1e-9 {
			t.Fatalf("%+v: of which %v are right, satisfied %v", found, right, satisfied)
		}
		of := p
		if p.exact().excess(found.Thresholds) <= 0 && !p.alike(found.Thresholds) {
			of = p.exact()
		}
		if best := of.exhaustive().right; right > best+1e-9 || best > right+found.Gap+1e-9 {
			t.Fatalf("%+v, but %v right decisions are possible", found, best)
		}
	})
}

// TestMany: on many rows the search ends with no gap.
func TestMany(t *testing.T) {
	for _, c := range []model.Constraint{
		model.DemographicParity.For("g", 0.02), model.EqualOpportunity.For("g", 0.02),
		model.EqualizedOdds.For("g", 0.02), model.RateRatio.For("g", 0.9),
	} {
		random := rand.New(rand.NewPCG(1, 2))
		const rows, groups = 20_000, 4
		var b sparse.Builder
		d := drawn{Dataset: &dataset.Dataset{Name: "drawn"}}
		for range rows {
			g, label := random.IntN(groups), int8(-1)
			score := random.NormFloat64() + float64(g)/2 - 1
			if random.Float64() < 1/(1+math.Exp(-1.5*score)) {
				label = 1
			}
			b.Add(label, []int{0}, []float64{1})
			d.scores, d.cells = append(d.scores, score), append(d.cells, g)
		}
		d.X, d.Y = b.Finish(1)
		d.Attributes = []dataset.Attribute{{Name: "g", Levels: []string{"0", "1", "2", "3"}, Codes: dataset.CodesOf(d.cells...)}}
		r, err := model.NewRequirement(c, d.Dataset, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		p := d.problem(r)
		found := solve(t, p)
		if right, satisfied := p.judged(found.Thresholds); !satisfied || found.Gap > 0 || right != found.Right {
			t.Errorf("%v: %+v, of which %v are right, satisfied %v", c, found, right, satisfied)
		}
	}
}

// TestManyInCells: on many rows of groups that overlap, a tight constraint costs little more than the dual
// says that it must.
func TestManyInCells(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var b sparse.Builder
	d := drawn{Dataset: &dataset.Dataset{Name: "drawn"}}
	var first, second []int
	for range 6000 {
		g, h, label := random.IntN(2), random.IntN(3), int8(-1)
		score := random.NormFloat64() + float64(g)/2
		if random.NormFloat64() < score {
			label = 1
		}
		b.Add(label, []int{0}, []float64{1})
		d.scores, d.cells = append(d.scores, math.Round(50*score)/50), append(d.cells, 3*g+h)
		first, second = append(first, g), append(second, h)
	}
	d.X, d.Y = b.Finish(1)
	d.Attributes = []dataset.Attribute{
		{Name: "g", Levels: []string{"0", "1"}, Codes: dataset.CodesOf(first...)},
		{Name: "h", Levels: []string{"a", "b", "c"}, Codes: dataset.CodesOf(second...)},
	}
	var list []*model.Requirement
	for _, c := range []model.Constraint{model.EqualizedOdds.For("g", 0.01), model.DemographicParity.For("h", 0.05)} {
		r, err := model.NewRequirement(c, d.Dataset, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	p := d.problem(list...)
	found := solve(t, p)
	if right, satisfied := p.judged(found.Thresholds); !satisfied || right != found.Right || found.Gap > 0.01*found.Total {
		t.Errorf("%+v, of which %v are right, satisfied %v", found, right, satisfied)
	}
}

// TestWithin: groups compared within many levels of a column, beside others that overlap, take seconds, and
// a cancelled search ends.
func TestWithin(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const rows, levels = 6000, 40
	var b sparse.Builder
	d := drawn{Dataset: &dataset.Dataset{Name: "drawn"}}
	var codes [3][]int
	for range rows {
		g, h, city, label := random.IntN(2), random.IntN(4), random.IntN(levels), int8(-1)
		score := random.NormFloat64() + float64(g)/2 - float64(h)/4
		if random.NormFloat64() < score {
			label = 1
		}
		b.Add(label, []int{0}, []float64{1})
		d.scores, d.cells = append(d.scores, score), append(d.cells, (4*g+h)*levels+city)
		for k, code := range []int{g, h, city} {
			codes[k] = append(codes[k], code)
		}
	}
	d.X, d.Y = b.Finish(1)
	for k, name := range []string{"g", "h", "city"} {
		a := dataset.Attribute{Name: name, Codes: dataset.CodesOf(codes[k]...)}
		for level := range slices.Max(codes[k]) + 1 {
			a.Levels = append(a.Levels, fmt.Sprint(level))
		}
		d.Attributes = append(d.Attributes, a)
	}
	var list []*model.Requirement
	for _, c := range []model.Constraint{
		model.GroupConstraint{Family: model.DemographicParity, Group: "g", Level: 0.05, Within: "city"},
		model.EqualOpportunity.For("h", 0.05),
	} {
		r, err := model.NewRequirement(c, d.Dataset, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	p := d.problem(list...)
	start := time.Now()
	found := solve(t, p)
	if right, satisfied := p.judged(found.Thresholds); !satisfied || right != found.Right || found.Gap > 0.1*found.Total {
		t.Errorf("%+v, of which %v are right, satisfied %v", found, right, satisfied)
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Errorf("took %v", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Solve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
