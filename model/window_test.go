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

// TestWindowIsUniform counts how often each row is drawn, early and late in the life of windows,
// also of a last block with fewer rows.
func TestWindowIsUniform(t *testing.T) {
	const rows, block, streams = 105, 10, 8000
	for _, draws := range []int{1, 2 * block, 3 * windowBlocks * block} {
		count := make([]float64, rows)
		for k := range streams {
			r := rng.New(uint64(k), "window")
			w := newWindow(rows, block, func(int, int) {}, func(int, int) {})
			for range draws - 1 {
				w.draw(r)
			}
			count[w.draw(r)]++
		}
		mean := float64(streams) / rows
		for row, n := range count {
			// Poisson: five standard deviations are beyond chance among 315 counts.
			if math.Abs(n-mean) > 5*math.Sqrt(mean) {
				t.Errorf("row %d is draw %d of %v streams, want about %v", row, draws, n, mean)
			}
		}
	}
}

// TestWindowReads counts what a window needs of a file: each block about once for as many draws
// as it has rows, and rows only of what it asked for.
func TestWindowReads(t *testing.T) {
	const rows, block, draws = 1_000_000, 100, 50_000
	var asked []int // and not done
	done := 0
	w := newWindow(rows, block, func(lo, hi int) {
		if hi-lo != block || lo%block != 0 {
			t.Fatalf("rows %d to %d are no block", lo, hi)
		}
		asked = append(asked, lo)
	}, func(lo, hi int) {
		k := slices.Index(asked, lo)
		if k < 0 || hi-lo != block {
			t.Fatalf("rows %d to %d were not needed", lo, hi)
		}
		asked = slices.Delete(asked, k, k+1)
		done++
	})
	r := rng.New(1, "window")
	for range draws {
		if row := w.draw(r); !slices.Contains(asked, row-row%block) {
			t.Fatalf("row %d was not asked for", row)
		}
	}
	if n := done + len(asked); n < draws/block-windowBlocks || n > draws/block+windowBlocks || len(asked) > windowBlocks {
		t.Errorf("%d blocks for %d draws from blocks of %d, %d of them at the end", n, draws, block, len(asked))
	}
}

// TestWindowsOfProblem: equal streams draw equal batches, whatever was drawn from other streams,
// and the mean of many batches is the mean of all rows.
func TestWindowsOfProblem(t *testing.T) {
	people, _ := census.Synthetic()
	within := func(lo, hi int) {
		if lo < 0 || hi < lo || hi > people.Rows() {
			t.Fatalf("rows %d to %d of %d are needed", lo, hi, people.Rows())
		}
	}
	people.Mapped = &dataset.Mapped{Bytes: 1, Need: within, Done: within}
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
