package rowspace_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/model/rowspace"
	"github.com/fairtrain/fairtrain/problem"
)

// texts returns rows with many of far more features, each apart from the next one, in three groups.
func texts(apart int) *dataset.Dataset {
	const rows, features, entries = 2500, 160_000, 120
	r := rand.New(rand.NewPCG(1, 0))
	var b sparse.Builder
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.MakeCodes(rows, 2)}
	for i := range rows {
		g.Codes.Put(i, r.IntN(3))
		columns, values := make([]int, entries), make([]float64, entries)
		for k := range columns {
			columns[k], values[k] = apart*r.IntN(features), r.NormFloat64()
		}
		slices.Sort(columns)
		columns = slices.Compact(columns)
		b.Add(int8(2*r.IntN(2)-1), columns, values[:len(columns)])
	}
	x, y := b.Finish(apart * features)
	return &dataset.Dataset{Name: "texts", X: x, Y: y, Attributes: []dataset.Attribute{g}}
}

var neighbours = sync.OnceValue(func() *dataset.Dataset { return texts(1) })

func state(t *testing.T, d *dataset.Dataset, o model.Options) *model.Fair {
	t.Helper()
	c, err := model.ParseConstraint("demographic-parity:group=g,bound=0.02")
	if err != nil {
		t.Fatal(err)
	}
	p, err := model.New(d, d, []model.Constraint{c}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unscaled returns a problem in its row space with scales of 1, its start, and room for values.
func unscaled(t *testing.T, p *model.Fair) (q *rowspace.Problem, z []float64, v *problem.Values) {
	t.Helper()
	n, m := p.Dims()
	ones := slices.Repeat([]float64{1}, n)
	q, err := rowspace.New(p, ones, ones)
	if err != nil || q == nil {
		t.Fatalf("%v, %v", q, err)
	}
	size, _ := q.Dims()
	z = make([]float64, size)
	q.Start(z)
	return q, z, problem.NewValues(size, m)
}

// TestFeatures compares values, gradients and their products with those of the problem in the features,
// from a start with weights on.
func TestFeatures(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	random := func(n int, draw func() float64) []float64 {
		x := make([]float64, n)
		for j := range x {
			x[j] = draw()
		}
		return x
	}
	for _, apart := range []int{1, 6} {
		d, o := neighbours(), model.DefaultOptions()
		if apart > 1 {
			d = texts(apart)
		}
		_, features := d.X.Dims()
		o.Intercept, o.Weights = true, random(d.Rows(), r.Float64)
		o.Start = random(features+1, r.NormFloat64)
		floats.Scale(0.01, o.Start)
		p := state(t, d, o)
		n, m := p.Dims()
		own := n - len(p.RootMeanSquares()) + 1 + 1 // intercept and base
		scale, perUnit := random(n, r.Float64), random(n, r.Float64)
		for j := n - own; j < n; j++ {
			scale[j], perUnit[j] = 1, 1
		}
		q, err := rowspace.New(p, scale, perUnit)
		if err != nil || q == nil {
			t.Fatalf("%v, %v", q, err)
		}

		// A point that steps lead to.
		size, _ := q.Dims()
		z, v := make([]float64, size), problem.NewValues(size, m)
		q.Start(z)
		for _, length := range []float64{-2, 1} {
			problem.Exact(q, v, z)
			floats.AddScaled(z, length, v.Gradient)
			floats.AddScaled(z, length/3, linalg.Row(v.Jacobian, 1).Data)
		}
		problem.Exact(q, v, z)
		x, want := make([]float64, n), problem.NewValues(n, m)
		q.X(x, z)
		problem.Exact(p, want, x)

		near := func(what string, got, want, size float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-10*size) {
				t.Errorf("%s is %v, want %v", what, got, want)
			}
		}
		near("the objective", v.Objective, want.Objective, want.Objective)
		near("the largest difference of constraints", floats.Distance(v.Constraint, want.Constraint, math.Inf(1)), 0, 1)
		stored, long := [][]float64{v.Gradient}, [][]float64{want.Gradient}
		for i := range m {
			stored, long = append(stored, linalg.Row(v.Jacobian, i).Data), append(long, linalg.Row(want.Jacobian, i).Data)
		}
		dot := func(a, b, scale []float64) float64 {
			sum := 0.0
			for j := range a {
				sum += a[j] * b[j] * scale[j] * scale[j]
			}
			return sum
		}
		for i, a := range long {
			for k, b := range long {
				size := math.Sqrt(dot(a, a, scale) * dot(b, b, scale))
				near("a product", q.Space().Dot(stored[i], stored[k]), dot(a, b, scale), size)
				size = math.Sqrt(dot(a, a, perUnit) * dot(b, b, perUnit))
				near("a product in units", q.InUnits()[i*(m+1)+k], dot(a, b, perUnit), size)
			}
		}

		near("the objective alone", q.Objective(z, nil), v.Objective, v.Objective)
		inUnits, c, g, j := slices.Clone(q.InUnits()), make([]float64, m), make([]float64, size), problem.NewJacobian(m, size)
		q.Constraint(c, z, nil)
		q.Gradient(g, z, nil)
		q.Jacobian(j, z, nil)
		if !slices.Equal(c, v.Constraint) || !slices.Equal(g, v.Gradient) || !slices.Equal(j.Data, v.Jacobian.Data) {
			t.Error("values one by one differ from those together")
		}
		if q.Gradient(g, v.Gradient, nil); !slices.Equal(q.InUnits(), inUnits) {
			t.Error("products in units are no longer those of Exact")
		}
	}
}

// TestTraces has scores of 1 but for e⁻⁶⁰⁰, in whose slopes are numbers close to the least ones.
func TestTraces(t *testing.T) {
	d, o := neighbours(), model.DefaultOptions()
	_, features := d.X.Dims()
	o.Intercept, o.Start = true, make([]float64, features+1)
	o.Start[features] = 600
	q, z, v := unscaled(t, state(t, d, o))
	problem.Exact(q, v, z)
	coefficients := make([]float64, len(z)/2)
	for _, stored := range [][]float64{v.Gradient, linalg.Row(v.Jacobian, 0).Data} {
		linalg.Split(coefficients, nil, stored)
		if slices.ContainsFunc(coefficients[:d.Rows()], func(c float64) bool { return c != 0 && math.Abs(c) < 1e-100 }) {
			t.Error("traces are left")
		}
	}
}

// TestTrialsCount counts a point that is rejected for its values, and one that is not.
func TestTrialsCount(t *testing.T) {
	d := neighbours()
	q, z, v := unscaled(t, state(t, d, model.DefaultOptions()))
	counted := problem.NewCounted(q)
	for points, accept := range []bool{false, true} {
		if counted.ExactIf(v, z, func() bool { return accept }) != accept {
			t.Error("the answer is not accept's")
		}
		c, all := counted.Counters, int64(d.Rows())
		if gradients := int64(points) * all; c.Constraint.Samples != gradients+all || c.Gradient.Samples != gradients || c.Jacobian.Samples != gradients {
			t.Errorf("accepted %v: counts are %+v", accept, c)
		}
	}
}

// TestWorkers compares results by bits.
func TestWorkers(t *testing.T) {
	p := state(t, neighbours(), model.DefaultOptions())
	evaluate := func(workers int) (*problem.Values, []float64) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		q, z, v := unscaled(t, p)
		problem.Exact(q, v, z)
		return v, q.InUnits()
	}
	one, inUnits := evaluate(1)
	four, inUnits4 := evaluate(4)
	if !slices.Equal(one.Gradient, four.Gradient) || !slices.Equal(one.Jacobian.Data, four.Jacobian.Data) || !slices.Equal(inUnits, inUnits4) {
		t.Error("results depend on the number of workers")
	}
}

// TestNot has problems that are not for a row space.
func TestNot(t *testing.T) {
	d := neighbours()
	few := *d
	var b sparse.Builder
	for i := range d.Rows() {
		b.Add(int8(2*(i%2)-1), []int{i % 7, 7 + i%50}, nil)
	}
	few.X, few.Y = b.Finish(57)
	c, err := model.ParseConstraint("demographic-parity:group=g,bound=0.02")
	if err != nil {
		t.Fatal(err)
	}
	others, err := model.New(d, &few, []model.Constraint{c}, model.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*model.Fair{
		"L2":              state(t, d, model.Options{Alpha: 2, L2: 0.1}),
		"few features":    state(t, &few, model.DefaultOptions()),
		"constraint data": others,
	} {
		n, _ := p.Dims()
		ones := slices.Repeat([]float64{1}, n)
		if q, err := rowspace.New(p, ones, ones); q != nil || err != nil {
			t.Errorf("%s: %v, %v", name, q, err)
		}
	}
}
