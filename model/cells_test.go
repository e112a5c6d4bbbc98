package model

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
)

// TestCellsRestoreTheWeights draws weights from a few values, so that rows share cells, or from
// all numbers, so that they do not, and puts the weight of every row together again.
func TestCellsRestoreTheWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		population := rapid.IntRange(1, 150).Draw(t, "population")
		value := rapid.SampledFrom([]float64{0, 0, 1, -1, 0.5, 3, math.Copysign(0, -1)})
		if rapid.Bool().Draw(t, "unstructured") {
			value = rapid.Float64Range(-10, 10)
		}
		constraints := make([]Inequality, rapid.IntRange(1, 4).Draw(t, "m"))
		for j := range constraints {
			w := rapid.SliceOfN(value, population, population).Draw(t, fmt.Sprint("weights ", j))
			if j > 0 && rapid.Bool().Draw(t, "a multiple") {
				factor := rapid.SampledFrom([]float64{-1, 2, 0}).Draw(t, "factor")
				for i := range w {
					w[i] = factor * constraints[0].Weight[i]
				}
			}
			constraints[j].Weight = w
		}

		for j := range constraints {
			r := &constraints[j]
			r.Strata, r.Weight = dataset.StrataOf(r.Weight)
		}
		strata, _ := shareStrata(constraints)
		cells, of := newCells(constraints, false)
		if len(cells) > mostCells(len(constraints)) {
			t.Fatalf("%d cells", len(cells))
		}
		got := make([][]float64, len(constraints))
		for j := range got {
			got[j] = make([]float64, population)
			for n, c := range cells {
				for i := range population {
					k := strata.Of(i)
					got[j][i] += c.tuple[j] * c.factor[k]
					if of != nil && c.factor[k] != 0 && of[0][k] != int32(n) {
						t.Fatalf("row %d is in cell %d and in cell %d", i, n, of[0][k])
					}
				}
			}
			for i := range population {
				w := constraints[j].Of(i)
				// below the normal numbers; a factor of up to 10 multiplies it
				const lost = 20 * math.SmallestNonzeroFloat64
				if !(math.Abs(got[j][i]-w) <= 1e-15*math.Abs(w)*4+lost) {
					t.Fatalf("weight %d of constraint %d is %v, from the cells %v", i, j, w, got[j][i])
				}
			}
		}
	})
}

// TestGroupsMakeFewCells counts the cells of the constraints that people use.
func TestGroupsMakeFewCells(t *testing.T) {
	const population = 1000
	inA := func(i int) bool { return i%3 == 0 }
	positive := func(i int) bool { return i%5 < 2 }
	row := func(weight func(i int) float64) Inequality {
		w := make([]float64, population)
		for i := range w {
			w[i] = weight(i)
		}
		return Inequality{Weight: w}
	}
	share := row(func(i int) float64 {
		if inA(i) {
			return -0.7
		}
		return 0.3
	})
	opportunity := func(sign float64) Inequality {
		return row(func(i int) float64 {
			switch {
			case !positive(i):
				return 0
			case inA(i):
				return sign * 3
			}
			return -sign * 1.5
		})
	}
	for _, test := range []struct {
		name        string
		constraints []Inequality
		want        int
	}{
		{"one constraint", []Inequality{share}, 1},
		{"both sides", []Inequality{opportunity(1), opportunity(-1)}, 1},
		{"nothing", []Inequality{row(func(int) float64 { return 0 })}, 0},
		{"share and opportunity", []Inequality{share, opportunity(1), opportunity(-1)}, 3},
	} {
		for j := range test.constraints {
			r := &test.constraints[j]
			r.Strata, r.Weight = dataset.StrataOf(r.Weight)
		}
		shareStrata(test.constraints)
		cells, _ := newCells(test.constraints, false)
		if got := len(cells); got != test.want {
			t.Errorf("%s: %d cells, want %d", test.name, got, test.want)
		}
	}
}
