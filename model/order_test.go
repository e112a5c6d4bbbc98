package model_test

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// wide returns rows with one of many features each, so that leaves have more rows.
func wide(rows, cols int) *dataset.Dataset {
	r := rand.New(rand.NewPCG(1, 0))
	var b sparse.Builder
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b"}, Codes: dataset.MakeCodes(rows, 1)}
	for i := range rows {
		g.Codes.Put(i, r.IntN(2))
		b.Add(int8(2*r.IntN(2)-1), []int{r.IntN(cols)}, []float64{r.NormFloat64()})
	}
	x, y := b.Finish(cols)
	return &dataset.Dataset{Name: "wide", X: x, Y: y, Attributes: []dataset.Attribute{g}}
}

// atLeaves returns shards that have whole leaves each, given the leaves before them.
func atLeaves(d *dataset.Dataset, leaf int, cuts []int) *shards.Rows {
	first := []int{0}
	for _, leaves := range cuts {
		if cut := leaves * leaf; cut < d.Rows() {
			first = append(first, cut)
		}
	}
	slices.Sort(first)
	return shards.Cut(d, slices.Compact(first)...)
}

// TestSameBits evaluates any number of rows with any number of workers, in memory and in any
// number of shards that have whole leaves.
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	all := []*dataset.Dataset{random(140_000, 3, 1), wide(100_000, 1500)}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(all).Draw(t, "data")
		d = d.Pick(upTo(rapid.IntRange(1000, d.Rows()).Draw(t, "rows")), d.Name)
		o := model.Options{Alpha: 2, Temperature: 0.5}
		constraints := []model.Constraint{model.Tempered(model.DemographicParity.For("g", 0.1)), model.BoundedGroupLoss.For("g", 0.4)}
		constraints = constraints[:rapid.IntRange(1, 2).Draw(t, "constraints")]
		var want *problem.Values
		leaf := 2048
		if d.Features() > 3 { // as they then are, or parts of these
			leaf = 1 << 15
		}
		for _, rows := range []*shards.Rows{
			nil, nil, shards.InMemory(d), atLeaves(d, leaf,
				rapid.SliceOfN(rapid.IntRange(1, d.Rows()/leaf+1), 0, 9).Draw(t, "cuts")),
		} {
			runtime.GOMAXPROCS(rapid.IntRange(1, 5).Draw(t, "workers"))
			o.Shards = rows
			p, err := model.New(d, d, constraints, o)
			if err != nil {
				t.Fatal(err)
			}
			n, m := p.Dims()
			x, got := make([]float64, n), problem.NewValues(n, m)
			r := rand.New(rand.NewPCG(2, 0))
			for j := range x {
				x[j] = r.NormFloat64()
			}
			p.Evaluate(got, x, nil)
			if want == nil {
				want = got
			}
			if p.Err() != nil || !reflect.DeepEqual(want, got) { // much quicker than cmp
				t.Fatalf("%v (-first +%v):\n%s", p.Err(), rows, cmp.Diff(want, got))
			}
		}
	})
}

// TestManyRows evaluates the formulas of the package comment on trees of several leaves, other ones
// for the objective and for the constraints.
func TestManyRows(t *testing.T) {
	d, s := random(200_000, 4, 1), random(150_000, 4, 2)
	v := variant{constraints: []model.Constraint{model.EqualizedOdds.For("1", 0.1)}, options: model.Options{Alpha: 2, Intercept: true}}
	p, err := model.New(d, s, v.constraints, v.options)
	if err != nil {
		t.Fatal(err)
	}
	n, m := p.Dims()
	got := problem.NewValues(n, m)
	x := []float64{1, -2, 0.5, 0.1, 0.3}
	p.Evaluate(got, x, nil)
	if diff := cmp.Diff(formula(t, d, s, v, x), got, cmpopts.EquateApprox(1e-12, 1e-13)); diff != "" {
		t.Errorf("exact values (-formula +model):\n%s", diff)
	}
	if allocations := testing.AllocsPerRun(10, func() { x[0]++; p.Evaluate(got, x, nil) }); allocations > 5 {
		t.Errorf("%v allocations in a pass", allocations)
	}
}

// upTo returns the numbers of the first rows.
func upTo(rows int) []int {
	list := make([]int, rows)
	for i := range list {
		list[i] = i
	}
	return list
}
