package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// TestWindowIsUniform counts how often each row is drawn, early and late in the life of windows,
// also of a last block with fewer rows.
func TestWindowIsUniform(t *testing.T) {
	const rows, block, streams = 105, 10, 8000
	for _, draws := range []int{1, 2 * block, 3 * windowBlocks * block} {
		count := make([]float64, rows)
		for k := range streams {
			r := rng.New(uint64(k), "window")
			w := NewWindow(rows, block, func(int, int) {}, func(int, int) {})
			for range draws - 1 {
				w.Draw(r)
			}
			count[w.Draw(r)]++
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
	w := NewWindow(rows, block, func(lo, hi int) {
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
	for k := range draws {
		if k%(3*block) == 0 {
			w.Begin()
		}
		if row := w.Draw(r); !slices.Contains(asked, row-row%block) {
			t.Fatalf("row %d was not asked for", row)
		}
	}
	w.Begin()
	if n := done + len(asked); n < draws/block-windowBlocks || n > draws/block+windowBlocks || len(asked) > windowBlocks {
		t.Errorf("%d blocks for %d draws from blocks of %d, %d of them at the end", n, draws, block, len(asked))
	}
}

// TestWindowOfFewBlocks has blocks that are chosen twice: these are needed once, until both are given up.
func TestWindowOfFewBlocks(t *testing.T) {
	const rows, block = 35, 10
	asked := map[int]bool{}
	w := NewWindow(rows, block, func(lo, hi int) {
		if asked[lo] || hi != min(lo+block, rows) {
			t.Fatalf("rows %d to %d are needed, and %v already", lo, hi, asked)
		}
		asked[lo] = true
	}, func(lo, hi int) {
		if !asked[lo] || hi != min(lo+block, rows) {
			t.Fatalf("rows %d to %d are done, of %v", lo, hi, asked)
		}
		delete(asked, lo)
	})
	r := rng.New(1, "window")
	for range 500 {
		w.Begin()
		var batch []int
		for range 25 {
			batch = append(batch, w.Draw(r))
		}
		for _, row := range batch {
			if !asked[row-row%block] {
				t.Fatalf("row %d of a batch is not needed", row)
			}
		}
	}
	if w.Close(); len(asked) > 0 {
		t.Errorf("blocks %v are not given up", asked)
	}
}
