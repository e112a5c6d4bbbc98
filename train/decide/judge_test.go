package decide

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// drawRows draws labelled rows of several groups, each of 2 to 8 rows of both labels. The first
// features say which group a row is of, and the last one is a small integer, so that there are ties.
func drawRows(t *rapid.T, groups int) *dataset.Dataset {
	var b sparse.Builder
	d := &dataset.Dataset{Name: "drawn"}
	group := dataset.Attribute{Name: "g"}
	var codes []int
	for g := range groups {
		group.Levels = append(group.Levels, fmt.Sprint(g))
		for k := range rapid.IntRange(2, 8).Draw(t, "size") {
			label := rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			if k < 2 {
				label = int8(2*k - 1)
			}
			b.Add(label, []int{g, groups}, []float64{1, float64(rapid.IntRange(-4, 4).Draw(t, "value"))})
			codes = append(codes, g)
		}
	}
	d.X, d.Y = b.Finish(groups + 1)
	group.Codes = dataset.CodesOf(codes...)
	d.Attributes = []dataset.Attribute{group}
	if rapid.Bool().Draw(t, "weighted") {
		for range d.Y {
			d.Weights = append(d.Weights, float64(rapid.IntRange(1, 3).Draw(t, "weight")))
		}
	}
	return d
}

// drawConstraint draws a constraint that compares rates of the groups.
func drawConstraint(t *rapid.T) model.Constraint {
	bound := rapid.SampledFrom([]float64{0, 0.05, 0.125, 0.3, 0.5}).Draw(t, "bound")
	return rapid.SampledFrom([]model.Constraint{
		model.DemographicParity.For("g", bound),
		model.EqualOpportunity.For("g", bound),
		model.EqualizedOdds.For("g", bound),
		model.RateRatio.For("g", 1-bound),
		model.DemographicParity.For("g=0", bound),
	}).Draw(t, "constraint")
}

// drawLinear draws a classifier of small integers, so that few points change decisions.
func drawLinear(t *rapid.T, features int, label string) Linear {
	l := Linear{Intercept: float64(rapid.IntRange(-2, 2).Draw(t, label))}
	for range features {
		l.Weights = append(l.Weights, float64(rapid.IntRange(-4, 4).Draw(t, label)))
	}
	return l
}

func requirement(t *rapid.T, c model.Constraint, d *dataset.Dataset) []*model.Requirement {
	r, err := model.NewRequirement(c, d, model.Decisions)
	if err != nil {
		t.Fatal(err)
	}
	return []*model.Requirement{r}
}

// judged computes row by row what a judge should find at a point of a line.
func judged(d, s *dataset.Dataset, at, along Linear, theta, centre float64, worth [2]float64, r *model.Requirement) Measured {
	decide := func(d *dataset.Dataset) []float64 {
		decisions := make([]float64, d.Rows())
		for i := range decisions {
			margin := at.Intercept + theta*along.Intercept
			for j, v := range d.X.Row(i) {
				margin += (at.Weights[j] + theta*along.Weights[j]) * v
			}
			if margin >= centre {
				decisions[i] = 1
			}
		}
		return decisions
	}
	right, all := 0.0, 0.0
	for i, decision := range decide(d) {
		all += d.Weight(i)
		if (decision == 1) == (d.Y[i] > 0) {
			right += d.Weight(i) * worth[(d.Y[i]+1)/2]
		}
	}
	return Measured{Accuracy: right / all, Excess: r.Judge(decide(s)).Excess}
}

// same reports whether two classifiers were judged alike, but for rounding.
func same(a, b Measured) bool {
	return math.Abs(a.Accuracy-b.Accuracy) < 1e-9 && math.Abs(a.Excess-b.Excess) < 1e-9
}

// TestBest compares the best point of a line with all points between two at which a decision
// changes, on the same rows and on rows of the constraints' own.
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(2, 3).Draw(t, "groups")
		d := drawRows(t, groups)
		s := d
		if rapid.Bool().Draw(t, "other rows") {
			s = drawRows(t, groups)
		}
		r := requirement(t, drawConstraint(t), s)
		worth := rapid.SampledFrom([][2]float64{{1, 1}, {0.25, 1.75}}).Draw(t, "worth")
		j := NewJudge(d, s, worth, r, nil, nil)
		at, along := drawLinear(t, groups+1, "at"), drawLinear(t, groups+1, "along")
		const centre = 0.3
		if got, want := j.Measure(at, centre, 0), judged(d, s, at, along, 0, centre, worth, r[0]); !same(got, want) {
			t.Fatalf("measured %+v, want %+v", got, want)
		}
		const length = 3.0
		found := judged(d, s, at, along, j.Best(at, along, centre, length), centre, worth, r[0])
		changes := []float64{0, length}
		for _, rows := range []*dataset.Dataset{d, s} {
			for i := range rows.Rows() {
				margin, slope := at.Intercept, along.Intercept
				for k, v := range rows.X.Row(i) {
					margin, slope = margin+at.Weights[k]*v, slope+along.Weights[k]*v
				}
				if theta := (centre - margin) / slope; theta > changes[0] && theta < changes[1] {
					changes = append(changes, theta)
				}
			}
		}
		slices.Sort(changes)
		for k := range changes[1:] {
			const narrow = 0.01 // than steps of the grid
			if changes[k+1]-changes[k] < narrow {
				continue
			}
			theta := (changes[k] + changes[k+1]) / 2
			other := judged(d, s, at, along, theta, centre, worth, r[0])
			if other.Better(found) && !same(other, found) {
				t.Fatalf("found %+v, but %+v at %v", found, other, theta)
			}
		}
	})
}

// TestShards compares a sample, of whose rows two shards have the same ones each, with these rows
// twice.
func TestShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(2, 3).Draw(t, "groups")
		d := drawRows(t, groups)
		d.Weights = nil
		var twice []int
		for i := range 2 * d.Rows() {
			twice = append(twice, i%d.Rows())
		}
		whole, sample := d.Pick(twice, "twice"), *d
		sample.SampleOf, sample.Weights = 2*d.Rows(), slices.Repeat([]float64{1}, d.Rows())
		c, worth := drawConstraint(t), [2]float64{0.25, 1.75}
		here := NewJudge(whole, whole, worth, requirement(t, c, whole), nil, nil)
		there := NewJudge(&sample, &sample, worth, requirement(t, c, &sample), nil, shards.Cut(whole, 0, d.Rows()))
		at, along := drawLinear(t, groups+1, "at"), drawLinear(t, groups+1, "along")
		const centre = 0.3
		if got, want := there.Measure(at, centre, 0), here.Measure(at, centre, 0); !same(got, want) {
			t.Fatalf("measured %+v, want %+v", got, want)
		}
		if got, want := there.Best(at, along, centre, 3), here.Best(at, along, centre, 3); got != want {
			t.Fatalf("best point %v, want %v", got, want)
		}
		lacking := *d
		lacking.Attributes = nil
		lost := shards.InMemory(d)
		lost.Shards = append(lost.Shards, shards.InMemory(&lacking).Shards...)
		j := NewJudge(&sample, &sample, worth, requirement(t, c, &sample), nil, lost)
		if j.Measure(at, centre, 0); j.Err() == nil {
			t.Fatal("no error for rows without the column of the groups")
		}
	})
}

// TestScoresAndDecisions: requirements on scores and on decisions, by other strata, are judged
// together.
func TestScoresAndDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, 3)
		share, err := model.NewRequirement(model.Share.For("g=0", 0.3), d, model.Scores)
		if err != nil {
			t.Fatal(err)
		}
		both := append(requirement(t, drawConstraint(t), d), share)
		c := drawLinear(t, 4, "at")
		measured := NewJudge(d, d, [2]float64{1, 1}, both, nil, nil).Measure(c, 0, 0)
		want := NewJudge(d, d, [2]float64{1, 1}, both[:1], nil, nil).Measure(c, 0, 0).Excess
		want = max(want, NewJudge(d, d, [2]float64{1, 1}, both[1:], nil, nil).Measure(c, 0, 0).Excess)
		if measured.Excess != want {
			t.Fatalf("excess %v, want %v", measured.Excess, want)
		}
	})
}
