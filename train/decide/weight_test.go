package decide

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// count adds up the decisions on rows to train on that are those of the constraints.
func count(j *Judge, margins []float64, centre float64) Tally {
	m := Margins{kept: margins}
	return j.Count(m, m, centre)
}

// TestBestWeight compares the best change of one weight with all changes: between and
// beyond the points at which a decision changes.
func TestBestWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawRows(t, "d", rapid.IntRange(2, 3).Draw(t, "groups"))
		j, _ := newTestJudge(t, d, d, []model.Constraint{drawConstraint(t)})
		const centre = 0.25 // which no margin is
		margins := drawIntegers(t, d.Rows(), "margin")
		col := Column{}
		for i, v := range drawIntegers(t, d.Rows(), "value") {
			if v != 0 {
				col.rows, col.values = append(col.rows, int32(i)), append(col.values, v)
			}
		}
		moved := func(theta float64) []float64 {
			m := slices.Clone(margins)
			for k, i := range col.rows {
				m[i] += theta * col.values[k]
			}
			return m
		}
		judged := func(theta float64) Point {
			tally := count(j, moved(theta), centre)
			return Point{theta, tally.Accuracy, j.Excess(&tally)}
		}
		want := judged(0)
		thetas := []float64{0}
		for k, i := range col.rows {
			thetas = append(thetas, (centre-margins[i])/col.values[k])
		}
		slices.Sort(thetas)
		thetas = append([]float64{thetas[0] - 2}, append(thetas, floats.Max(thetas)+2)...)
		for k := range len(thetas) - 1 {
			if p := judged((thetas[k] + thetas[k+1]) / 2); thetas[k] < thetas[k+1] && p.Better(want) {
				want = p
			}
		}
		got := j.bestWeight(col, margins, count(j, margins, centre), centre)
		if at := judged(got.Theta); math.Abs(at.Accuracy-got.Accuracy) > rounding ||
			math.Abs(at.Excess-got.Excess) > rounding {
			t.Fatalf("said to be %+v, is %+v", got, at)
		}
		got.Accuracy += rounding
		got.Excess -= rounding
		if want.Better(got) {
			t.Fatalf("found %+v, best is %+v", got, want)
		}
	})
}

// TestSweepIgnoresChance has a feature whose 100 rows are all positive, and a feature with
// 51 positive and 49 negative rows. A margin of −1 decides all rows negatively. Moving the
// first weight makes 100 more decisions right, moving the second only two more, of the 100
// that change.
func TestSweepIgnoresChance(t *testing.T) {
	var b sparse.Builder
	for i := range 200 {
		label := int8(1)
		if i >= 151 {
			label = -1
		}
		b.Add(label, []int{i / 100}, nil)
	}
	d := &dataset.Dataset{Name: "two features"}
	d.X, d.Y = b.Finish(2)
	j := NewJudge(d, d, NewShares(nil, d.Rows()), nil, nil)
	margins := slices.Repeat([]float64{-1}, d.Rows())
	if x := j.Sweep(Columns(d, false, []float64{1, 1}), make([]float64, 2), Margins{kept: margins},
		0); !(x[0] > 1) || x[1] != 0 {
		t.Errorf("weights %v: the first should be more than 1, the other 0", x)
	}
}
