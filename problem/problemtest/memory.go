package problemtest

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// destinations tests that results do not depend on what their memory held before, that nothing
// around this memory is touched, and that x and the batches survive.
func (c *checker) destinations(t *testing.T, x []float64) {
	const padding = 3
	x0 := slices.Clone(x)
	index := [][]int{slices.Clone(c.objective.Index), slices.Clone(c.constraint.Index)}
	for _, b := range []struct {
		name                  string
		objective, constraint *problem.Batch
	}{{"nil", nil, nil}, {"drawn", &c.objective, &c.constraint}} {
		want := c.evaluate(x, b.objective, b.constraint)
		jacobian := blas64.General{Rows: c.m, Cols: c.n, Stride: c.n + padding, Data: make([]float64, c.m*(c.n+padding))}
		got := &problem.Values{
			Gradient:   make([]float64, c.n),
			Constraint: make([]float64, c.m),
			Jacobian:   jacobian,
		}
		for _, dst := range [][]float64{got.Gradient, got.Constraint, jacobian.Data} {
			for k := range dst {
				dst[k] = math.NaN()
			}
		}
		c.evaluateTo(got, x, b.objective, b.constraint)
		for i := range c.m {
			row := jacobian.Data[i*jacobian.Stride:][:jacobian.Stride]
			for _, v := range row[c.n:] {
				if !math.IsNaN(v) {
					t.Errorf("%s batch: row %d of J: wrote %v beyond its columns", b.name, i, v)
				}
			}
		}
		compact := problem.NewJacobian(c.m, c.n)
		for i := range c.m {
			copy(compact.Data[i*c.n:][:c.n], jacobian.Data[i*jacobian.Stride:])
		}
		got.Jacobian = compact
		near(t, b.name+" batch: a second evaluation and the first", got, want, 0)
	}
	if !slices.Equal(x, x0) {
		t.Error("an evaluation modified x")
	}
	if !slices.Equal(c.objective.Index, index[0]) || !slices.Equal(c.constraint.Index, index[1]) {
		t.Error("an evaluation modified a batch")
	}
}

// allocations tests that neither drawing nor evaluating allocates once batches have their
// size.
func (c *checker) allocations(t *testing.T, x []float64) {
	v := problem.NewValues(c.n, c.m)
	objective := &problem.Values{WantObjective: true, Gradient: v.Gradient}
	constraint := &problem.Values{Constraint: v.Constraint, Jacobian: v.Jacobian}
	r := rng.New(1, "problemtest", "allocations")
	for _, call := range []struct {
		name string
		f    func()
	}{
		{"DrawObjective", func() { c.p.DrawObjective(&c.objective, c.objective.Size, r) }},
		{"DrawConstraint", func() { c.p.DrawConstraint(&c.constraint, c.constraint.Size, r) }},
		{"Evaluate of the objective", func() { c.p.Evaluate(objective, x, &c.objective) }},
		{"Evaluate of the constraints", func() { c.p.Evaluate(constraint, x, &c.constraint) }},
		{"Evaluate of everything", func() { c.p.Evaluate(v, x, nil) }},
	} {
		if allocs := testing.AllocsPerRun(10, call.f); allocs != 0 {
			t.Errorf("%s allocates %v times", call.name, allocs)
		}
	}
}
