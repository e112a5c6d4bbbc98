package decide

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// inShards returns shards of this process.
func inShards(of ...*dataset.Dataset) *shards.Rows {
	r := shards.InMemory(of[0])
	for _, d := range of[1:] {
		r.Shards = append(r.Shards, shards.InMemory(d).Shards...)
	}
	return r
}

// withValues returns the rows with a further feature, which has these values.
func withValues(d *dataset.Dataset, values []float64) *dataset.Dataset {
	var b sparse.Builder
	last := d.Features()
	for i := range d.Rows() {
		var columns []int
		var row []float64
		for j, v := range d.X.Row(i) {
			columns, row = append(columns, j), append(row, v)
		}
		b.Add(d.Y[i], append(columns, last), append(row, values[i]))
	}
	with := *d
	with.X, with.Y = b.Finish(last + 1)
	return &with
}

// sampleOfTwo returns the rows as a sample of twice as many.
func sampleOfTwo(d *dataset.Dataset) *dataset.Dataset {
	s, stands := *d, slices.Repeat([]float64{1}, d.Rows())
	s.SampleOf = 2 * d.Rows()
	s.Weights = stands
	return &s
}

// TestShards compares what is found with the help of two shards, which have the same rows, with
// what is found among these rows twice.
func TestShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(2, 3).Draw(t, "groups")
		d := drawRows(t, "D", groups)
		d.Weights = nil
		d = withValues(d, drawIntegers(t, d.Rows(), "value"))
		var twice []int
		for i := range 2 * d.Rows() {
			twice = append(twice, i%d.Rows())
		}
		whole, sample := d.Pick(twice, "twice"), sampleOfTwo(d)
		constraint := drawConstraint(t)
		const centre = 0.3
		here, requirements := newTestJudge(t, whole, whole, []model.Constraint{constraint})
		here.weight = here.weight.Worth(whole.Y, centre)
		inSample, err := model.NewRequirement(constraint, sample, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		there := NewJudge(sample, sample, NewShares(sample.Weights, sample.Rows()),
			[]*model.Requirement{inSample}, inShards(d, d))

		x, direction := drawIntegers(t, groups+1, "weight"), drawIntegers(t, groups+1, "slope")
		line := func(d *dataset.Dataset) Line {
			m, along := NewMargins(d, x, 1), NewMargins(d, direction, -1)
			return Line{T: m, D: along, TS: m, DS: along, Low: -2, High: 3}
		}
		l, lThere := line(whole), line(sample)
		want, got := here.Measure(l.T, l.T, centre, 0), there.Measure(lThere.T, lThere.T, centre, 0)
		if math.Abs(want.Accuracy-got.Accuracy) > 1e-12 || math.Abs(want.Excess-got.Excess) > 1e-12 {
			t.Fatalf("accuracy %v and excess %v, want %v and %v", got.Accuracy, got.Excess, want.Accuracy, want.Excess)
		}
		g := there.newGrid(l.Low, l.High)
		onGrid, wantOnGrid := there.gridBest(lThere, g, centre), here.gridBest(l, g, centre)
		if !sameMerit(onGrid, wantOnGrid) {
			t.Fatalf("the best point of the grid is %+v, want %+v", onGrid, wantOnGrid)
		}
		if best := there.Best(lThere, centre); !sameMerit(best, onGrid) && !best.Better(onGrid) {
			t.Fatalf("the best point is %+v, worse than %+v of the grid", best, onGrid)
		}
		spec := constraint.(model.Grouped).Groups()[0]
		p, pThere := here.NewPartition(spec, true), there.NewPartition(spec, true)
		if !slices.Equal(pThere.features, p.features) {
			t.Fatalf("features %v tell groups apart, want %v", pThere.features, p.features)
		}
		best := judgedAt(t, whole, here, p, l.T, centre, requirements)
		add := there.Thresholds(pThere, lThere.T, centre)
		if err := there.Err(); add == nil || err != nil {
			t.Fatalf("thresholds %v: %v", add, err)
		}
		var decisions []bool
		for i, m := range l.T.kept {
			decisions = append(decisions, m+add[p.Group(i)] >= centre)
		}
		if found := judged(whole, decisions, decisions, requirements); !sameMerit(found, best) {
			t.Fatalf("accuracy %v and excess %v with thresholds, want %v and %v", found.Accuracy,
				found.Excess, best.Accuracy, best.Excess)
		}
	})
}

// TestShardsErrors has a shard that lacks the group.
func TestShardsErrors(t *testing.T) {
	d := &dataset.Dataset{Attributes: []dataset.Attribute{{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.CodesOf(0, 0, 1, 1)}}}
	rows := func(of ...int) (*sparse.Matrix, []int8) {
		var b sparse.Builder
		for i, feature := range of {
			b.Add(int8(2*(i%2)-1), []int{feature}, nil)
		}
		return b.Finish(2)
	}
	d.X, d.Y = rows(0, 0, 1, 1)
	sample := sampleOfTwo(d)
	requirement, err := model.NewRequirement(model.DemographicParity.For("g", 0.1), sample, model.Decisions)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(of ...*dataset.Dataset) *Judge {
		return NewJudge(sample, sample, NewShares(sample.Weights, 4),
			[]*model.Requirement{requirement}, inShards(of...))
	}
	if p := judge(d, d).NewPartition("g", true); len(p.features) != 2 {
		t.Errorf("features %v tell groups apart, want both", p.features)
	}
	lacking := *d
	lacking.Attributes = nil
	j := judge(d, &lacking)
	j.Measure(NewMargins(sample, []float64{1, 0}, 0), NewMargins(sample, []float64{1, 0}, 0), 0, 0)
	if j.Err() == nil {
		t.Error("no error for rows without the column of the groups")
	}
}
