package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// TestVeryManyFeatures adds features that no row has, until rows are evaluated by column: values
// keep their bits.
func TestVeryManyFeatures(t *testing.T) {
	const few, many, rows = 120_000, 1<<17 + 1, 20_000
	data := func(features int) *dataset.Dataset {
		r := rand.New(rand.NewPCG(3, 1))
		var b sparse.Builder
		for i := range rows {
			columns, values := []int{}, []float64{}
			for j := i % 2; j < 2+few; j += 1 + r.IntN(few/8) {
				columns, values = append(columns, j), append(values, r.NormFloat64())
			}
			b.Add(int8(1-2*(i%3%2)), columns, values)
		}
		d := &dataset.Dataset{Name: "rows"}
		d.X, d.Y = b.Finish(features)
		return d
	}
	constraints := []model.Constraint{model.DemographicParity.For("1", 0.01), model.EqualizedOdds.For("2", 0.02)}
	x := make([]float64, few)
	for j := range x {
		x[j] = float64(j%7) / 7
	}
	values := func(features int) *problem.Values {
		d := data(features)
		if turned := d.X.Turned(0, rows) != nil; turned != (features == many) {
			t.Fatalf("rows of %d features are evaluated by column: %v", features, turned)
		}
		o := model.DefaultOptions()
		p, err := model.New(d, d, constraints, o)
		if err != nil {
			t.Fatal(err)
		}
		n, m := p.Dims()
		v := problem.NewValues(n, m)
		p.Exact(v, append(slices.Clone(x), make([]float64, n-few)...))
		return v
	}
	want, got := values(few+100), values(many)
	if got.Objective != want.Objective || !slices.Equal(got.Constraint, want.Constraint) {
		t.Errorf("f = %v and c = %v, want %v and %v", got.Objective, got.Constraint, want.Objective, want.Constraint)
	}
	if !slices.Equal(got.Gradient[:few], want.Gradient[:few]) {
		t.Error("gradients differ")
	}
	for i := range got.Constraint {
		row := func(v *problem.Values) []float64 { return v.Jacobian.Data[i*v.Jacobian.Stride:][:few] }
		if !slices.Equal(row(got), row(want)) {
			t.Errorf("gradients of constraint %d differ", i)
		}
	}
}
