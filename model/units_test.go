package model_test

import (
	"math"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// TestUnits has a feature that is 0 or 1, one of values 3 and 4, one standardised, one that
// only the constraint data have and one that no row has.
func TestUnits(t *testing.T) {
	rows := func(name string, columns [][]int, values [][]float64) *dataset.Dataset {
		var b sparse.Builder
		for i := range columns {
			b.Add(int8(1-2*(i%2)), columns[i], values[i])
		}
		d := &dataset.Dataset{Name: name}
		d.X, d.Y = b.Finish(5)
		return d
	}
	third := math.Sqrt(1.0 / 3) // 1/3 + 1/3 + 7/3 = 3
	d := rows("D",
		[][]int{{0, 1, 2}, {1, 2}, {2}},
		[][]float64{{1, 3, third}, {4, -third}, {math.Sqrt(7.0 / 3)}})
	s := rows("S",
		[][]int{{0, 1, 3}, {3}, {0}},
		[][]float64{{1, 100, -2}, {2}, {1}})
	o := model.DefaultOptions()
	o.Intercept = true
	p, err := model.New(d, s, []model.Constraint{model.Share.For("1", 0.3)}, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{1, math.Sqrt(12.5), 1, 2, 1, 1}
	got := p.Units()
	for j := range want {
		if got[j] != want[j] {
			t.Errorf("unit of variable %d is %v, want %v", j, got[j], want[j])
		}
	}
}
