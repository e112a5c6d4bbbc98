package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTurned compares products by column with products by row, by bits, with rows of all numbers
// of entries, in two parts.
func TestTurned(t *testing.T) {
	for _, values := range []string{"ones", "any", "ones and others"} {
		t.Run(values, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 1))
			const rows, lo, hi = TurnedRows + 5000, 1000, TurnedRows + 4000
			var b Builder
			for i := range rows {
				cols := make([]int, i%9)
				for k := range cols {
					cols[k] = r.IntN(manyColumns)
				}
				slices.Sort(cols)
				cols = slices.Compact(cols)
				vals := make([]float64, len(cols))
				for k := range vals {
					if vals[k] = 1; values == "any" || values != "ones" && r.IntN(2) == 0 {
						vals[k] = r.NormFloat64()
					}
				}
				b.Add(1, cols, vals)
			}
			m, _ := b.Finish(manyColumns)
			if m.Binary() != (values == "ones") {
				t.Fatalf("values are ones: %v", m.Binary())
			}
			x := make([]float64, manyColumns)
			for j := range x {
				x[j] = r.NormFloat64()
			}
			want, got := make([]float64, hi-lo), make([]float64, hi-lo)
			m.MulRange(want, x, lo, hi)
			wantSum, gotSum := slices.Clone(x), slices.Clone(x)
			m.AddTransRange(wantSum, want, lo, hi)

			turned := m.Turned(lo, hi)
			if len(turned.Parts) != 2 || m.Turned(lo, hi) != turned {
				t.Fatalf("%d parts", len(turned.Parts))
			}
			var sums turnedSums
			for k := range turned.Parts {
				p := &turned.Parts[k]
				p.mul(got[p.Lo-lo:], x, &sums)
				var coef [TurnedRows]float64
				copy(coef[:], got[p.Lo-lo:p.Hi-lo])
				p.addTrans([]combination{{gotSum, &coef}})
			}
			if !slices.Equal(got, want) {
				t.Error("products differ")
			}
			if !slices.Equal(gotSum, wantSum) {
				t.Error("sums of rows differ")
			}
		})
	}
}

// TestTurnedRefuses has few columns, and few entries beside the columns.
func TestTurnedRefuses(t *testing.T) {
	for _, cols := range []int{manyColumns - 1, 4*3*100 + manyColumns} {
		var b Builder
		for range 100 {
			b.Add(1, []int{0, 5, 9}, []float64{1, 2, 3})
		}
		m, _ := b.Finish(cols)
		if m.Turned(0, 100) != nil {
			t.Errorf("rows of %d columns are turned", cols)
		}
	}
}
