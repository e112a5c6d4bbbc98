package decide

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// drawRows draws labelled rows of several groups, each of 2 to 8 rows of both labels. The
// features say which group a row is of.
func drawRows(t *rapid.T, name string, groups int) *dataset.Dataset {
	var b sparse.Builder
	d := &dataset.Dataset{Name: name}
	group := dataset.Attribute{Name: "g"}
	var codes []int
	for g := range groups {
		group.Levels = append(group.Levels, fmt.Sprint(g))
		for k := range rapid.IntRange(2, 8).Draw(t, "size") {
			label := rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			if k < 2 {
				label = int8(2*k - 1)
			}
			b.Add(label, []int{g}, nil)
			codes = append(codes, g)
		}
	}
	d.X, d.Y = b.Finish(groups)
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

// drawIntegers draws few distinct numbers, so that there are ties and zeros.
func drawIntegers(t *rapid.T, rows int, label string) []float64 {
	numbers := make([]float64, rows)
	for i := range numbers {
		numbers[i] = float64(rapid.IntRange(-4, 4).Draw(t, label))
	}
	return numbers
}

// newTestJudge returns the judge of constraints on decisions, and their requirements.
func newTestJudge(t *rapid.T, d, s *dataset.Dataset, constraints []model.Constraint) (*Judge, []*model.Requirement) {
	var requirements []*model.Requirement
	for _, c := range constraints {
		r, err := model.NewRequirement(c, s, model.Decisions)
		if err != nil {
			t.Fatal(err)
		}
		requirements = append(requirements, r)
	}
	return NewJudge(d, s, NewShares(d.Weights, d.Rows()), requirements, nil), requirements
}

// judged computes by other means what a judge should find for decisions.
func judged(d *dataset.Dataset, onD, onS []bool, requirements []*model.Requirement) Point {
	p := Point{Excess: math.Inf(-1)}
	right, all := 0.0, 0.0
	for i, y := range d.Y {
		w := 1.0
		if d.Weights != nil {
			w = d.Weights[i]
		}
		all += w
		if onD[i] == (y > 0) {
			right += w
		}
	}
	p.Accuracy = right / all
	decisions := make([]float64, len(onS))
	for i := range onS {
		if onS[i] {
			decisions[i] = 1
		}
	}
	for _, r := range requirements {
		p.Excess = max(p.Excess, r.Judge(decisions).Excess)
	}
	if p.Excess <= slack { // as it is, but for rounding
		p.Excess = min(p.Excess, 0)
	}
	return p
}

// sameMerit reports whether neither point is the better choice, but for rounding.
func sameMerit(a, b Point) bool {
	const rounding = 1e-8
	if (a.Excess <= 0) != (b.Excess <= 0) {
		return false
	}
	if a.Excess <= 0 {
		return math.Abs(a.Accuracy-b.Accuracy) <= rounding
	}
	return math.Abs(a.Excess-b.Excess) <= rounding
}

// computed returns margins that are not kept, as those of Many rows.
func computed(margins []float64) Margins {
	var b sparse.Builder
	for _, m := range margins {
		b.Add(1, []int{0}, []float64{m})
	}
	d := new(dataset.Dataset)
	d.X, d.Y = b.Finish(1)
	return Margins{d: d, weights: []float64{1}}
}

// decide returns the decisions at θ.
func decide(t, d []float64, theta, centre float64) []bool {
	decisions := make([]bool, len(t))
	for i := range t {
		decisions[i] = t[i]+theta*d[i] >= centre
	}
	return decisions
}

// TestBestOfLine compares the best point of a line with the best of all its intervals
// between points at which a decision changes.
func TestBestOfLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.IntRange(2, 3).Draw(t, "groups")
		d := drawRows(t, "D", groups)
		s := d
		same := rapid.Bool().Draw(t, "S is D")
		if !same {
			s = drawRows(t, "S", groups)
		}
		constraints := []model.Constraint{drawConstraint(t)}
		if rapid.Bool().Draw(t, "loss") {
			constraints = append(constraints, model.BoundedGroupLoss.For("g", 0.4))
		}
		if rapid.Bool().Draw(t, "share") {
			constraints = append(constraints, model.Share.For("g=1", 0))
		}
		j, requirements := newTestJudge(t, d, s, constraints)

		onT, onD := drawIntegers(t, d.Rows(), "t"), drawIntegers(t, d.Rows(), "d")
		onTS, onDS := onT, onD
		if !same {
			onTS, onDS = drawIntegers(t, s.Rows(), "ts"), drawIntegers(t, s.Rows(), "ds")
		}
		l := Line{T: Margins{kept: onT}, D: Margins{kept: onD}, TS: Margins{kept: onTS}, DS: Margins{kept: onDS}}
		l.Low = rapid.SampledFrom([]float64{0, -1.3, math.Inf(-1)}).Draw(t, "low")
		l.High = rapid.SampledFrom([]float64{1, 4, math.Inf(1)}).Draw(t, "high")
		centre := rapid.SampledFrom([]float64{0, 0.5, -1}).Draw(t, "centre")

		const far = 1e3 // beyond all changes
		ends := []float64{max(l.Low, -far), min(l.High, far)}
		for i := range onT {
			ends = append(ends, (centre-onT[i])/onD[i])
		}
		for i := range onTS {
			ends = append(ends, (centre-onTS[i])/onDS[i])
		}
		ends = slices.DeleteFunc(ends, func(theta float64) bool { return !(theta >= l.Low && theta <= l.High) || math.IsInf(theta, 0) })
		slices.Sort(ends)
		want := Point{Excess: math.Inf(1)}
		for k := range ends[1:] {
			if ends[k+1]-ends[k] < 1e-12 {
				continue // one point, but for rounding
			}
			theta := (ends[k] + ends[k+1]) / 2
			if p := judged(d, decide(onT, onD, theta, centre), decide(onTS, onDS, theta, centre),
				requirements); p.Better(want) {
				want = p
			}
		}

		got := j.Best(l, centre)
		if !sameMerit(got, want) {
			t.Fatalf("accuracy %v and excess %v at θ = %v, want %v and %v", got.Accuracy,
				got.Excess, got.Theta, want.Accuracy, want.Excess)
		}
		if !(got.Theta >= l.Low && got.Theta <= l.High) {
			t.Fatalf("θ = %v is not from %v to %v", got.Theta, l.Low, l.High)
		}
		if at := judged(d, decide(onT, onD, got.Theta, centre),
			decide(onTS, onDS, got.Theta, centre), requirements); !sameMerit(at, got) {
			t.Fatalf("at θ = %v accuracy %v and excess %v, said to be %v and %v", got.Theta,
				at.Accuracy, at.Excess, got.Accuracy, got.Excess)
		}

		l.T, l.D, l.TS, l.DS = computed(onT), computed(onD), computed(onTS), computed(onDS)
		if grid := j.Best(l, centre); !sameMerit(grid, want) {
			t.Fatalf("on a grid accuracy %v and excess %v at θ = %v, want %v and %v", grid.Accuracy,
				grid.Excess, grid.Theta, want.Accuracy, want.Excess)
		}
	})
}

// TestInfiniteMargins has rows whose decision changes nowhere that is a number.
func TestInfiniteMargins(t *testing.T) {
	d := &dataset.Dataset{Y: []int8{1, -1, 1}}
	j := NewJudge(d, d, NewShares(nil, 3), nil, nil)
	inf := math.Inf(1)
	t0, slopes := []float64{inf, -inf, -1}, []float64{inf, inf, 1}
	l := Line{T: Margins{kept: t0}, D: Margins{kept: slopes}, Low: math.Inf(-1), High: inf}
	if p := j.Best(l, 0); !(p.Theta > 1) || p.Accuracy != 2.0/3 {
		t.Errorf("the best point is %+v, want one beyond 1 with an accuracy of 2/3", p)
	}
	col := Column{rows: []int32{0, 1, 2}, values: slopes, unit: 1}
	if p := j.bestWeight(col, t0, j.Count(l.T, l.T, 0), 0); !(p.Theta > 1) {
		t.Errorf("the best change of the weight is %+v, want more than 1", p)
	}
}

func TestSortCrossings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		list := make([]crossing, rapid.IntRange(0, 2000).Draw(t, "rows"))
		near := rapid.SampledFrom([]float64{0, 1e-3, 1e-12, 1e-16}).Draw(t, "distance of neighbours; 0 for any")
		for i := range list {
			list[i] = crossing{theta: math.Round(10*r.NormFloat64()) * math.Pow(10, float64(r.IntN(9)-4)), row: int32(i)}
			if near > 0 {
				list[i].theta = math.Round(r.NormFloat64()) + near*math.Round(100*r.NormFloat64())
			}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b crossing) int { return cmp.Compare(a.theta, b.theta) })
		got := slices.Clone(list)
		sortCrossings(got, make([]crossing, len(got)))
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("crossing %d of %d is %v, want %v", i, len(list), got[i], want[i])
			}
		}
		slices.SortFunc(got, func(a, b crossing) int { return cmp.Compare(a.row, b.row) })
		if !slices.Equal(got, list) {
			t.Fatal("crossings were lost")
		}
	})
}
