package decide

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// choices calls yield with the decisions of every choice of a threshold for each cell.
func choices(p *Partition, margins []float64, yield func(decisions []bool)) {
	rows := make([][]int, p.cells)
	for i := range p.Rows() {
		c := p.Group(i)
		rows[c] = append(rows[c], i)
	}
	decisions := make([]bool, len(margins))
	var choose func(k int)
	choose = func(k int) {
		if k == len(rows) {
			yield(decisions)
			return
		}
		cuts := []float64{math.Inf(1)}
		for _, i := range rows[k] {
			cuts = append(cuts, margins[i])
		}
		slices.Sort(cuts)
		for _, cut := range slices.Compact(cuts) {
			for _, i := range rows[k] {
				decisions[i] = margins[i] >= cut
			}
			choose(k + 1)
		}
	}
	choose(0)
}

// TestThresholds compares the thresholds found for groups with all possible ones.
func TestThresholds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, "D", rapid.IntRange(2, 3).Draw(t, "groups"))
		constraint := drawConstraint(t)
		spec := constraint.(model.Grouped).Groups()[0]
		j, requirements := newTestJudge(t, d, d, []model.Constraint{constraint})
		margins := drawIntegers(t, d.Rows(), "margin")
		p := j.NewPartition(spec, true)
		if p == nil {
			t.Fatal("the features do not tell the groups apart")
		}
		want := Point{Excess: math.Inf(1)}
		choices(p, margins, func(decisions []bool) {
			if q := judged(d, decisions, decisions, requirements); q.Better(want) {
				want = q
			}
		})

		const centre = 0.3
		got := judgedAt(t, d, j, p, Margins{kept: margins}, centre, requirements)
		if got.Excess > 0 || !sameMerit(got, want) {
			t.Fatalf("accuracy %v and excess %v, want %v and %v", got.Accuracy, got.Excess, want.Accuracy, want.Excess)
		}
		got = judgedAt(t, d, j, p, computed(margins), centre, requirements)
		if got.Excess > 0 || !sameMerit(got, want) {
			t.Fatalf("on a grid accuracy %v and excess %v, want %v and %v", got.Accuracy,
				got.Excess, want.Accuracy, want.Excess)
		}
	})
}

// judgedAt judges the decisions at the best thresholds.
func judgedAt(t *rapid.T, d *dataset.Dataset, j *Judge, p *Partition, margins Margins, centre float64, requirements []*model.Requirement) Point {
	add := j.Thresholds(p, margins, centre)
	if add == nil {
		t.Fatal("no thresholds, but constant decisions satisfy all")
	}
	decisions := make([]bool, d.Rows())
	for i, m := range margins.Range(make([]float64, d.Rows()), 0, d.Rows()) {
		decisions[i] = m+add[p.Group(i)] >= centre
	}
	return judged(d, decisions, decisions, requirements)
}

// TestThresholdsOfSomeGroups has rows that are in no group: their decisions stay as they
// are.
func TestThresholdsOfSomeGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, "D", 3)
		part := dataset.Attribute{Name: "h", Levels: []string{"a", "b"}, Codes: dataset.MakeCodes(d.Rows(), 1)}
		for i := range d.Rows() {
			part.Codes.Put(i, min(d.Attributes[0].Codes.At(i), 1))
		}
		d.Attributes = append(d.Attributes, part)
		const spec = "h=b*g" // the groups 1 and 2 of g
		j, requirements := newTestJudge(t, d, d, []model.Constraint{model.EqualOpportunity.For(spec, 0.1)})
		p := j.NewPartition(spec, true)
		if p == nil || p.cells != 3 {
			t.Fatalf("partition %+v, want 3 cells", p)
		}
		margins := drawIntegers(t, d.Rows(), "margin")
		want := Point{Excess: math.Inf(1)}
		choices(p, margins, func(decisions []bool) {
			if q := judged(d, decisions, decisions, requirements); q.Better(want) {
				want = q
			}
		})
		if got := judgedAt(t, d, j, p, Margins{kept: margins}, 0, requirements); !sameMerit(got, want) {
			t.Fatalf("accuracy %v and excess %v, want %v and %v", got.Accuracy, got.Excess, want.Accuracy, want.Excess)
		}
	})
}

// TestShift moves the margins of each group by as much as it is told to.
func TestShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, "D", rapid.IntRange(2, 3).Draw(t, "groups"))
		p := NewJudge(d, d, NewShares(nil, d.Rows()), nil, nil).NewPartition("g", rapid.Bool().Draw(t, "intercept"))
		want := drawIntegers(t, p.cells, "change")
		x := make([]float64, d.Features()+1)
		if !p.Shift(x, want) {
			t.Fatal("no change of the weights")
		}
		for i := range p.Rows() {
			c := p.Group(i)
			got := x[len(x)-1]
			for j, v := range d.X.Row(i) {
				got += v * x[j]
			}
			if math.Abs(got-want[c]) > 1e-9 {
				t.Fatalf("row %d of group %d moves by %v, want %v", i, c, got, want[c])
			}
		}
	})
}

// TestPartitionNeedsFeatures has groups that no feature tells apart.
func TestPartitionNeedsFeatures(t *testing.T) {
	var b sparse.Builder
	for range 4 {
		b.Add(1, []int{0}, nil)
	}
	d := new(dataset.Dataset)
	d.X, d.Y = b.Finish(1)
	d.Attributes = []dataset.Attribute{{Name: "g", Levels: []string{"0", "1"}, Codes: dataset.CodesOf(0, 1, 0, 1)}}
	if p := NewJudge(d, d, NewShares(nil, d.Rows()), nil, nil).NewPartition("g", true); p != nil {
		t.Errorf("partition %+v", p)
	}
}
