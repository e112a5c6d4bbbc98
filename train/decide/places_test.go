package decide

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// inPlaces are places that have some of the rows each.
type inPlaces []*dataset.Dataset

func (p inPlaces) Decided(q *Question) (answers []*Answer, err error) {
	for _, d := range p {
		a, err := q.Answer(d)
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	return answers, nil
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

// TestPlaces compares what is found with the help of two places, which have the same rows, with what
// is found among these rows twice.
func TestPlaces(t *testing.T) {
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
		there := NewJudge(sample, sample, NewShares(sample.Weights, sample.Rows()), []*model.Requirement{inSample}, inPlaces{d, d})

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
			t.Fatalf("accuracy %v and excess %v with thresholds, want %v and %v", found.Accuracy, found.Excess, best.Accuracy, best.Excess)
		}
	})
}

// TestPlacesErrors has a place that lost rows, and one with a row whose features say another group.
func TestPlacesErrors(t *testing.T) {
	d := &dataset.Dataset{Attributes: []dataset.Attribute{{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.CodesOf(0, 0, 1, 1)}}}
	rows := func(of ...int) (*sparse.Matrix, []int8) {
		var b sparse.Builder
		for i, feature := range of {
			b.Add(int8(2*(i%2)-1), []int{feature}, nil)
		}
		return b.Finish(2)
	}
	d.X, d.Y = rows(0, 0, 1, 1)
	other := *d
	other.X, other.Y = rows(0, 0, 1, 0)
	sample := sampleOfTwo(d)
	requirement, err := model.NewRequirement(model.DemographicParity.For("g", 0.1), sample, model.Decisions)
	if err != nil {
		t.Fatal(err)
	}
	judge := func(places ...*dataset.Dataset) *Judge {
		return NewJudge(sample, sample, NewShares(sample.Weights, 4), []*model.Requirement{requirement}, inPlaces(places))
	}
	if p := judge(d, d).NewPartition("g", true); len(p.features) != 2 {
		t.Errorf("features %v tell groups apart, want both", p.features)
	}
	if p := judge(d, &other).NewPartition("g", true); p != nil {
		t.Errorf("features %v tell groups apart, want none", p.features)
	}
	j := judge(d)
	j.Measure(NewMargins(sample, []float64{1, 0}, 0), NewMargins(sample, []float64{1, 0}, 0), 0, 0)
	if err := j.Err(); err == nil || !strings.Contains(err.Error(), "4 rows were counted, expected 8") {
		t.Errorf("error %v, want 4 rows of 8", err)
	}
}
