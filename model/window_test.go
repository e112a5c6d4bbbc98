package model

import (
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// TestWindowsOfProblem: equal streams draw equal batches, whatever was drawn from other streams,
// and the mean of many batches is the mean of all rows.
func TestWindowsOfProblem(t *testing.T) {
	people, _ := census.Synthetic()
	within := func(lo, hi int) {
		if lo < 0 || hi < lo || hi > people.Rows() {
			t.Fatalf("rows %d to %d of %d are needed", lo, hi, people.Rows())
		}
	}
	people.Mapped = &dataset.Mapped{Bytes: 1, Sampled: func(bool) {}, Need: within, Done: within}
	o := DefaultOptions()
	o.Windows = true
	p, err := New(people, people, []Constraint{EqualizedOdds.For("72", 0.02)}, o)
	if err != nil {
		t.Fatal(err)
	}
	x, c, mean, exact := make([]float64, p.n), make([]float64, p.m), make([]float64, p.m), make([]float64, p.m)
	x[0], x[71] = 0.5, -1
	p.Constraint(exact, x, nil)
	first, other := rng.New(1, "a"), rng.New(2, "b")
	again := rng.New(1, "a")
	var b, same problem.Batch
	objective := 0.0
	const batches, size = 2000, 64
	for range batches {
		p.DrawObjective(&b, size, first)
		objective += p.Objective(x, &b) / batches
		p.DrawConstraint(&b, size, first)
		p.Constraint(c, x, &b)
		for j := range c {
			mean[j] += c[j] / batches
		}
		p.DrawObjective(&same, size, again)
		p.DrawConstraint(&same, size, again)
		if !slices.Equal(b.Index, same.Index) {
			t.Fatal("equal streams draw different rows")
		}
		p.DrawConstraint(&same, size, other)
	}
	// The standard errors are below 0.003, as are those of a mean of 128 000 independent rows.
	if want := p.Objective(x, nil); math.Abs(objective-want) > 0.01 {
		t.Errorf("objective %v on average, want %v", objective, want)
	}
	for j := range exact {
		if math.Abs(mean[j]-exact[j]) > 0.015 {
			t.Errorf("constraint %d is %v on average, want %v", j, mean[j], exact[j])
		}
	}
}

// TestWindowsOfCells draws rows of a large and of a small group, spread over the file, in batches as they come: all
// rows drawn were asked for, and no more of the file than its share of the cell makes necessary.
func TestWindowsOfCells(t *testing.T) {
	const rows, rare, block, draws = 2_000_000, 500, 1000, 200_000
	group := make([]float64, rows)
	for i := range group {
		if i%rare == rare/3 {
			group[i] = 1
		}
	}
	strata, _ := dataset.StrataOf(group)
	of := cellOf(new([2][]int32))
	of[0] = make([]int32, strata.Len())
	of[1] = slices.Repeat([]int32{noCell}, strata.Len())
	var cells []cell
	for k := range strata.Len() {
		of[0][k] = int32(k)
		cells = append(cells, cell{tuple: []float64{1}, factor: []float64{1, 1}, rows: strata.Size(k)})
	}
	s := newSampling(cells, of, strata, true)
	for k, c := range cells {
		asked, held := 0, map[int]int{}
		w := s.window(k, block, &dataset.Mapped{
			Need: func(lo, hi int) { asked += hi - lo; held[lo] = hi },
			Done: func(lo, hi int) { delete(held, lo) },
		})
		r := rng.New(1, "window")
		for draw := range draws {
			if draw%1000 == 0 {
				w.Begin()
			}
			row := s.row(&s.cells[k], w.Draw(r))
			if int(of[0][strata.Of(row)]) != k {
				t.Fatalf("row %d is not of cell %d", row, k)
			}
			within := false
			for lo, hi := range held {
				within = within || row >= lo && row < hi
			}
			if !within {
				t.Fatalf("row %d of cell %d was not asked for", row, k)
			}
		}
		spread := float64(rows) / float64(c.rows)
		if most := draws*spread + 64*block; float64(asked) > 1.1*most {
			t.Errorf("cell %d, one row of %v: %d rows of the file were asked for, at most %v are enough", k, spread, asked, most)
		}
	}
}
