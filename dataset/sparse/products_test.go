package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestProductsThroughColumns compares products with those of the rows one by one, of two vectors, for rows in two
// parts, with the entries of a column times its number. Entries are 1, others, or either.
func TestProductsThroughColumns(t *testing.T) {
	for what, ones := range map[string]float64{"ones": 1, "others": 0, "either": 0.5} {
		t.Run(what, func(t *testing.T) { testProducts(t, ones) })
	}
}

func testProducts(t *testing.T, ones float64) {
	const rows, cols, entries = TurnedRows + 1000, manyColumns + 5000, 12
	r := rand.New(rand.NewPCG(7, 2))
	var b Builder
	for range rows {
		columns := make([]int, entries)
		for k := range columns {
			columns[k] = r.IntN(cols)
		}
		slices.Sort(columns)
		columns = slices.Compact(columns)
		values := make([]float64, len(columns))
		for k := range values {
			if values[k] = r.NormFloat64(); r.Float64() < ones {
				values[k] = 1
			}
		}
		b.Add(1, columns, values)
	}
	m, _ := b.Finish(cols)
	p := m.Products()
	if mixed := ones == 0.5; p.parts[0].mixed != mixed {
		t.Fatalf("mixed: %v", p.parts[0].mixed)
	}
	c, got, want := make([][]float64, 2), make([][]float64, 2), make([]float64, rows)
	for v := range c {
		c[v], got[v] = make([]float64, rows), make([]float64, rows)
	}
	for range 2 { // memory is used again
		for v := range c {
			for i := range c[v] {
				c[v][i] = r.NormFloat64()
			}
		}
		p.Do(got, c, func(_, lo int, part [][]float64) {
			for _, u := range part {
				for j := range u {
					u[j] *= float64(lo + j)
				}
			}
		})
		for v := range c {
			x := make([]float64, cols)
			m.AddTransRange(x, c[v], 0, rows)
			for j := range x {
				x[j] *= float64(j)
			}
			m.MulRange(want, x, 0, rows)
			if off := floats.Distance(got[v], want, math.Inf(1)); !(off <= 1e-12*floats.Norm(want, math.Inf(1))) {
				t.Errorf("vector %d: products differ by %v", v, off)
			}
		}
	}
	if m.Turned(0, TurnedRows).Parts[0].value == nil || &m.Turned(0, rows).Parts[0].value[0] != &p.parts[0].value[0] {
		t.Error("rows by column are there twice")
	}
}
