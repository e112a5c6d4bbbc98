package model

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// TestSampling draws groups of any sizes with row weights of any size and tests that
// every row with a weight counts 1/|S| in expectation, that a sample's mean squared norm
// is at most that of uniform sampling, and that cells occur as often as they should.
func TestSampling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.IntRange(1, 40), 2, 5).Draw(t, "group sizes")
		idle := rapid.IntRange(0, 30).Draw(t, "rows without a group")
		population := idle
		for _, n := range groups {
			population += n
		}
		constraints := make([]Inequality, len(groups))
		row := idle
		for j, n := range groups {
			constraints[j].Weight = make([]float64, population)
			for range n {
				size := rapid.Float64Range(0.1, 3).Draw(t, "row weight")
				constraints[j].Weight[row] = size * float64(population) / float64(n)
				row++
			}
		}
		for j := range constraints {
			r := &constraints[j]
			r.Strata, r.Weight = dataset.StrataOf(r.Weight)
		}
		strata, _ := shareStrata(constraints)
		stratified := rapid.Bool().Draw(t, "stratified")
		cells, of := newCells(constraints, stratified)
		if of == nil {
			t.Fatal("the cells are not disjoint")
		}
		s := newSampling(cells, of, strata, stratified)

		ours, uniform, q := 0.0, 0.0, make([]float64, len(cells))
		for k, c := range cells {
			q[k] = s.upTo[k]
			if k > 0 {
				q[k] -= s.upTo[k-1]
			}
			if stratified && math.Abs(q[k]*float64(len(cells))-1) > 1e-9 {
				t.Fatalf("cell %d of %d is drawn with probability %v", k, len(cells), q[k])
			}
			n := float64(c.rows)
			if chance := q[k] / n; math.Abs(chance*s.weight[k]*float64(population)-1) > 1e-9 {
				t.Fatalf("cell %d: drawn with probability %v and weighted by %v", k, chance, s.weight[k])
			}
			squares := 0.0
			for stratum, f := range c.factor {
				squares += float64(strata.Size(stratum)) * math.Pow(f*floats.Norm(c.tuple, 2), 2)
			}
			ours += q[k] / n * s.weight[k] * s.weight[k] * squares
			uniform += squares / float64(population)
		}
		if !stratified && !(ours <= uniform*(1+1e-9)) {
			t.Fatalf("mean squared norm %v, %v of uniform sampling", ours, uniform)
		}

		const size = 4000
		var b problem.Batch
		s.draw(&b, size, cells, population, rng.New(1, "sampling"))
		count := make([]float64, len(cells))
		for i, row := range b.Index {
			k := of[0][strata.Of(row)]
			if b.Weight[i] != s.weight[k] {
				t.Fatalf("a row of cell %d has the weight %v, want %v", k, b.Weight[i], s.weight[k])
			}
			count[k]++
		}
		for k := range cells {
			if sd := math.Sqrt(q[k] * (1 - q[k]) / size); math.Abs(count[k]/size-q[k]) > 6*sd+1e-9 {
				t.Fatalf("cell %d: a share of %v of the batch, want %v", k, count[k]/size, q[k])
			}
		}
	})
}

// TestStratified: half of the rows that a constraint of a small group draws are of the group, and
// their mean is that of all rows.
func TestStratified(t *testing.T) {
	const rows, small, size = 1000, 50, 20_000
	var b sparse.Builder
	g := dataset.Attribute{Name: "g", Levels: []string{"few", "many"}, Codes: dataset.MakeCodes(rows, 1)}
	for i := range rows {
		b.Add(int8(2*(i%2)-1), []int{0}, []float64{float64(i%7) - 3})
		if i >= small {
			g.Codes.Put(i, 1)
		}
	}
	x, y := b.Finish(1)
	d := &dataset.Dataset{Name: "d", X: x, Y: y, Attributes: []dataset.Attribute{g}}
	for _, spec := range []string{"share:group=g=few,omega=0.3", "demographic-parity:group=g,bound=0.1"} {
		c, err := ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultOptions()
		o.Intercept, o.Stratified = true, true
		p, err := New(d, d, []Constraint{c}, o)
		if err != nil {
			t.Fatal(err)
		}
		var batch problem.Batch
		p.DrawConstraint(&batch, size, rng.New(1, "stratified"))
		n, m := p.Dims()
		at, exact, mean := slices.Repeat([]float64{0.5}, n), make([]float64, m), make([]float64, m)
		few := 0
		for _, row := range batch.Index {
			if row%rows < small {
				few++
			}
		}
		if share := float64(few) / size; math.Abs(share-0.5) > 0.02 {
			t.Errorf("%s: %v of the rows drawn are of the group", spec, share)
		}
		p.Evaluate(&problem.Values{Constraint: exact}, at, nil)
		p.Evaluate(&problem.Values{Constraint: mean}, at, &batch)
		for j := range exact {
			if math.Abs(mean[j]-exact[j]) > 0.02 {
				t.Errorf("%s: a mean of %v over the batch, %v over all rows", spec, mean[j], exact[j])
			}
		}
	}
}
