package model

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// TestKeptRows has few positive labels, whose rows are kept. A batch has the values that its rows have in their place,
// for constraints of scores and of tempered scores together, and so has its support.
func TestKeptRows(t *testing.T) {
	people, _ := census.Synthetic()
	people.Weights = make([]float64, people.Rows())
	positives := 0
	for i, y := range people.Y {
		people.Weights[i] = 0.5 + float64(i%3)
		if y > 0 {
			if positives++; positives%5 > 0 {
				people.Y[i] = -1
			}
		}
	}
	constraints := []Constraint{EqualizedOdds.For("72", 0.02), Tempered(EqualizedOdds.For("2", 0.1)), Tempered(DemographicParity.For("72", 0.1))}
	o := DefaultOptions()
	o.Temperature, o.Centre, o.Intercept = 0.5, 0.1, true
	direct, err := New(people, people, constraints, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Windows = true
	p, err := New(people, people, constraints, o)
	if err != nil {
		t.Fatal(err)
	}
	if p.kept == nil {
		t.Fatal("no rows are kept")
	}
	var origin []int // of the kept rows
	for row := range people.Rows() {
		for phase, cells := range p.cellOf {
			if k := cells[p.strata.Of(row)]; k != noCell && p.kept.members[k] != nil {
				origin = append(origin, row+phase*people.Rows())
			}
		}
	}
	members, cells := 0, 0
	for k, list := range p.kept.members {
		members += len(list)
		if list != nil {
			cells++
			if len(list) != p.cells[k].rows || keptShare*len(list) > people.Rows() {
				t.Errorf("cell %d of %d rows has %d members", k, p.cells[k].rows, len(list))
			}
		}
	}
	if members != len(origin) || cells < 2 || cells == len(p.cells) {
		t.Fatalf("%d of %d cells are kept with %d rows, want some with %d", cells, len(p.cells), members, len(origin))
	}
	x := make([]float64, p.n)
	for j := range x {
		x[j] = math.Sin(float64(j))
	}
	r := rng.New(1, "batch")
	drawn := problem.Batch{Sparse: true}
	for range 3 {
		p.DrawConstraint(&drawn, 1000, r)
		inPlace := problem.Batch{Size: drawn.Size, Index: slices.Clone(drawn.Index), Weight: drawn.Weight, Sparse: true}
		kept := 0
		for i, row := range inPlace.Index {
			if number := row - phases*people.Rows(); number >= 0 {
				inPlace.Index[i] = origin[number]
				kept++
			}
		}
		if kept < 100 {
			t.Fatalf("%d of 1000 rows are kept", kept)
		}
		direct.findSupport(&inPlace, direct.s)
		if !slices.Equal(inPlace.Support, drawn.Support) {
			t.Error("supports differ")
		}
		c, want := make([]float64, p.m), make([]float64, p.m)
		p.Constraint(c, x, &drawn)
		direct.Constraint(want, x, &inPlace)
		if !floats.EqualApprox(c, want, 1e-12) {
			t.Errorf("c = %v, want %v", c, want)
		}
		j, wantJ := problem.NewJacobian(p.m, p.n), problem.NewJacobian(p.m, p.n)
		drawn.Support, inPlace.Support = nil, nil
		p.Jacobian(j, x, &drawn)
		direct.Jacobian(wantJ, x, &inPlace)
		if !floats.EqualApprox(j.Data, wantJ.Data, 1e-12) {
			t.Error("Jacobians differ")
		}
	}
}

// TestKeptInMemory keeps the smallest cells, as far as there is memory: the positive ones of two kinds of scores.
func TestKeptInMemory(t *testing.T) {
	defer memory.SetBudget(0)
	people, _ := census.Synthetic()
	positives := 0
	for i := range people.Y {
		people.Y[i] = -1
		if i%20 == 0 {
			people.Y[i] = 1
			positives++
		}
	}
	o := DefaultOptions()
	o.Windows = true
	kept := func(budget float64) (p *Fair, cells, rows int) {
		memory.SetBudget(int64(budget))
		p, err := New(people, people, []Constraint{EqualizedOdds.For("72", 0.02), Tempered(EqualizedOdds.For("72", 0.02))}, o)
		if err != nil {
			t.Fatal(err)
		}
		if p.kept == nil {
			return p, 0, 0
		}
		for _, list := range p.kept.members {
			if list != nil {
				cells++
			}
		}
		rows, _ = p.kept.rows.Dims()
		return p, cells, rows
	}
	p, cells, rows := kept(0)
	if cells != 2 || rows != 2*positives {
		t.Fatalf("%d cells are kept with %d rows, want 2 with %d", cells, rows, 2*positives)
	}
	one := keptMemory * p.keptBytes(positives)
	if stored := float64(len(p.kept.factor)*8 + p.kept.rows.NNZ()); 2*one < keptMemory*stored {
		t.Errorf("%v bytes are reckoned with for rows of at least %v", 2*one/keptMemory, stored)
	}
	for budget, want := range map[float64]int{0.99 * one: 0, 1.01 * one: 1, 1.99 * one: 1, 2.01 * one: 2} {
		if _, cells, rows := kept(budget); cells != want || rows != want*positives {
			t.Errorf("%d cells are kept with %d rows and a budget of %v, want %d", cells, rows, budget, want)
		}
	}
}
