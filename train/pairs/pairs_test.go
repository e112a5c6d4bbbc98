package pairs

import (
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// drawn returns columns of so many levels, labels that depend on the first two columns, more where
// these have the same level, and margins without that.
func drawn(rows, levels, columns int, seed uint64, more float64) (*dataset.Dataset, []float64, []*encoding.Coarse) {
	r, d, list := rng.New(seed, "pairs"), &dataset.Dataset{Y: make([]int8, rows)}, []*encoding.Coarse(nil)
	for range columns {
		list = append(list, &encoding.Coarse{Column: encoding.Column{As: tabular.OneHot, Levels: make([]string, levels)}, Codes: make([]uint8, rows)})
	}
	margins := make([]float64, rows)
	for i := range rows {
		for _, c := range list {
			c.Codes[i] = uint8(r.IntN(levels))
		}
		a, b := list[0].Codes[i], list[1].Codes[i]
		p := 0.2 + 0.05*float64(a+b)
		d.Y[i], margins[i] = -1, math.Log(p/(1-p))
		if a == b {
			p += more
		}
		if r.Float64() < p {
			d.Y[i] = 1
		}
	}
	return d, margins, list
}

// TestChance: without interactions, what a pair explains is χ², whatever the unit of the weights.
func TestChance(t *testing.T) {
	sum, squares, freedom := 0.0, 0.0, 0.0
	const tables = 400
	for seed := range uint64(tables) {
		d, margins, columns := drawn(1000, 4, 2, seed, 0)
		pair := Pair{columns[0], columns[1]}
		square, free := pair.interaction(residualsOf(d, margins))
		d.Weights = make([]float64, len(d.Y))
		for i := range d.Weights {
			d.Weights[i] = 1e-3
		}
		if again, _ := pair.interaction(residualsOf(d, margins)); math.Abs(again-square) > 1e-9 {
			t.Fatalf("%g with weights of 1, %g of 0.001", square, again)
		}
		sum, squares, freedom = sum+square, squares+square*square, free
	}
	mean := sum / tables
	variance := squares/tables - mean*mean
	if freedom != 9 || math.Abs(mean-freedom) > 4*math.Sqrt(2*freedom/tables) || math.Abs(variance/(2*freedom)-1) > 0.4 {
		t.Errorf("mean %.2f and variance %.2f of freedom %g, want 9 and 18", mean, variance, freedom)
	}
}

// TestPromising: of many pairs, the one that matters is found, and none where none does.
func TestPromising(t *testing.T) {
	for _, columns := range []int{8, mostColumns + 8} {
		d, margins, list := drawn(3000, 4, columns, 5, 0.2)
		found := Promising(d, margins, list)
		if len(found) != 1 || !slices.Contains(found[0][:], list[0]) || !slices.Contains(found[0][:], list[1]) {
			t.Errorf("of %d columns, %d pairs are promising", columns, len(found))
		}
		d, margins, list = drawn(3000, 4, columns, 5, 0)
		if found := Promising(d, margins, list); len(found) > 0 {
			t.Errorf("of %d columns without interactions, %d pairs are promising", columns, len(found))
		}
	}
}
