// Package problemtest holds what a test of a problem or of a method needs: Check, the
// promises of problem.Problem as a test suite, and Quadratic, a problem with a known
// solution.
package problemtest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// Options adapt Check to a problem.
type Options struct {
	// Points are where the problem is examined besides its start and a random point.
	Points [][]float64
	// Tolerance is the relative error granted to central finite differences.
	Tolerance float64
	// AllConstraint is the batch of constraint samples whose mean is exact. nil stands for
	// every row once.
	AllConstraint *problem.Batch
}

// DefaultOptions suit a smooth function with values and derivatives of about 1.
func DefaultOptions() Options { return Options{Tolerance: 1e-6} }

// Check tests that p keeps the promises of problem.Problem:
//
//   - inequalities and bounds are on rows and variables that exist, each named once, in order;
//   - gradients and Jacobians agree with finite differences, exactly and on batches;
//   - what is evaluated together and what is evaluated alone has the same values;
//   - batch means are unbiased, and for finite data a batch of all rows is the nil batch
//     and the mean of a batch is the mean of its samples;
//   - evaluations repeat to the last bit, overwrite all of their destination and nothing
//     else, leave x alone and do not allocate.
func Check(t *testing.T, p problem.Problem, o Options) {
	t.Helper()
	n, m := p.Dims()
	if n < 1 || m < 1 {
		t.Fatalf("dimensions %d and %d, want at least 1", n, m)
	}
	increasing(t, "inequality", p.Inequalities(), m)
	increasing(t, "bounded variable", p.NonNegative(), n)
	c := &checker{p: p, n: n, m: m, tolerance: o.Tolerance, allConstraint: o.AllConstraint}
	start, random := make([]float64, n), make([]float64, n)
	p.Start(start)
	r := rng.New(1, "problemtest", "point")
	for j := range random {
		random[j] = start[j] + r.NormFloat64()
	}
	points := append([][]float64{start, random}, o.Points...)
	p.DrawObjective(&c.objective, 7, rng.New(1, "problemtest", "objective"))
	p.DrawConstraint(&c.constraint, 5, rng.New(1, "problemtest", "constraint"))

	t.Run("derivatives", func(t *testing.T) {
		for _, x := range points {
			c.derivatives(t, x, nil, nil)
			c.derivatives(t, x, &c.objective, &c.constraint)
		}
	})
	t.Run("joint", func(t *testing.T) {
		for _, x := range points {
			c.joint(t, x)
		}
	})
	t.Run("means", func(t *testing.T) {
		for _, x := range points {
			c.means(t, x)
		}
	})
	t.Run("unbiased", func(t *testing.T) { c.unbiased(t, random) })
	t.Run("destinations", func(t *testing.T) { c.destinations(t, random) })
	t.Run("allocations", func(t *testing.T) { c.allocations(t, random) })
}

// increasing tests that indices increase within 0 … size−1.
func increasing(t *testing.T, what string, indices []int, size int) {
	t.Helper()
	last := -1
	for _, i := range indices {
		if i <= last || i >= size {
			t.Fatalf("%s %d after %d, want increasing indices below %d", what, i, last, size)
		}
		last = i
	}
}

// checker is a problem under test with a batch of each kind.
type checker struct {
	p                     problem.Problem
	n, m                  int
	tolerance             float64
	objective, constraint problem.Batch
	allConstraint         *problem.Batch // nil: every row once
}

// evaluate returns all four quantities at x on the given batches.
func (c *checker) evaluate(x []float64, objective, constraint *problem.Batch) *problem.Values {
	v := problem.NewValues(c.n, c.m)
	c.evaluateTo(v, x, objective, constraint)
	return v
}

// evaluateTo evaluates one quantity at a time.
func (c *checker) evaluateTo(v *problem.Values, x []float64, objective, constraint *problem.Batch) {
	v.Objective = problem.Objective(c.p, x, objective)
	c.p.Evaluate(&problem.Values{Gradient: v.Gradient}, x, objective)
	c.p.Evaluate(&problem.Values{Constraint: v.Constraint}, x, constraint)
	c.p.Evaluate(&problem.Values{Jacobian: v.Jacobian}, x, constraint)
}

// derivatives compares ∇F and J with central differences of F and C.
func (c *checker) derivatives(t *testing.T, x []float64, objective, constraint *problem.Batch) {
	t.Helper()
	v := c.evaluate(x, objective, constraint)
	x = slices.Clone(x)
	above, below := make([]float64, c.m), make([]float64, c.m)
	for j, xj := range x {
		h := math.Cbrt(0x1p-52) * max(1, math.Abs(xj))
		x[j] = xj + h
		up := problem.Objective(c.p, x, objective)
		c.p.Evaluate(&problem.Values{Constraint: above}, x, constraint)
		x[j] = xj - h
		down := problem.Objective(c.p, x, objective)
		c.p.Evaluate(&problem.Values{Constraint: below}, x, constraint)
		width := (xj + h) - (xj - h)
		x[j] = xj

		c.compare(t, "∂F", j, v.Gradient[j], (up-down)/width, v.Objective)
		for i := range c.m {
			c.compare(t, "∂C", j, v.Jacobian.Data[i*v.Jacobian.Stride+j], (above[i]-below[i])/width, v.Constraint[i])
		}
	}
}

// compare grants the error of a difference of two values that are as large as value.
func (c *checker) compare(t *testing.T, what string, j int, got, difference, value float64) {
	t.Helper()
	if !(math.Abs(got-difference) <= c.tolerance*max(1, math.Abs(difference), math.Abs(value))) {
		t.Errorf("%s/∂x[%d] is %v, the finite difference %v", what, j, got, difference)
	}
}

// joint compares quantities that are evaluated together with those evaluated one at a time.
func (c *checker) joint(t *testing.T, x []float64) {
	t.Helper()
	exact := problem.NewValues(c.n, c.m)
	c.p.Evaluate(exact, x, nil)
	near(t, "joint and separate exact values", exact, c.evaluate(x, nil, nil), 1e-13)

	batch := &problem.Values{WantObjective: true, Gradient: make([]float64, c.n)}
	c.p.Evaluate(batch, x, &c.objective)
	constraint := &problem.Values{Constraint: make([]float64, c.m), Jacobian: problem.NewJacobian(c.m, c.n)}
	c.p.Evaluate(constraint, x, &c.constraint)
	batch.Constraint, batch.Jacobian = constraint.Constraint, constraint.Jacobian
	near(t, "joint and separate values of batches", batch, c.evaluate(x, &c.objective, &c.constraint), 1e-13)
}

// means compares batches of rows with the means of their samples, and the batch of all
// rows with the nil batch. Samples that are not rows have no such structure.
func (c *checker) means(t *testing.T, x []float64) {
	t.Helper()
	if len(c.objective.Index) == 0 || len(c.constraint.Index) == 0 {
		t.Skip("the samples are not rows of data")
	}
	mean := problem.NewValues(c.n, c.m)
	for k := range c.objective.Index {
		one := sample(&c.objective, k)
		part := c.evaluate(x, one, &c.constraint)
		w := 1 / float64(c.objective.Size)
		mean.Objective += w * part.Objective
		floats.AddScaled(mean.Gradient, w, part.Gradient)
	}
	for k := range c.constraint.Index {
		one := sample(&c.constraint, k)
		part := c.evaluate(x, &c.objective, one)
		w := 1 / float64(c.constraint.Size)
		floats.AddScaled(mean.Constraint, w, part.Constraint)
		floats.AddScaled(mean.Jacobian.Data, w, part.Jacobian.Data)
	}
	near(t, "a batch and the mean of its samples", c.evaluate(x, &c.objective, &c.constraint), mean, 1e-13)

	objective, constraint := c.p.Populations()
	rows := c.allConstraint
	if rows == nil {
		rows = all(constraint)
	}
	near(t, "all rows and the nil batch", c.evaluate(x, all(objective), rows), c.evaluate(x, nil, nil), 1e-11)
}

// sample is the batch of sample k of b.
func sample(b *problem.Batch, k int) *problem.Batch {
	one := &problem.Batch{Size: 1, Index: b.Index[k : k+1]}
	if b.Weight != nil {
		one.Weight = b.Weight[k : k+1]
	}
	return one
}

// all is the batch of every row of a population.
func all(population int) *problem.Batch {
	b := &problem.Batch{Size: population, Index: make([]int, population)}
	for i := range b.Index {
		b.Index[i] = i
	}
	return b
}

// unbiased reports entries of (f, ∇f, c, J) whose means over batches are not exact.
func (c *checker) unbiased(t *testing.T, x []float64) {
	for _, bias := range c.biases(x) {
		t.Error(bias)
	}
}

// biases compares the means of many drawn batches with the exact values. Five standard
// errors are exceeded once in a million. The batches are the same in every run. An entry that
// is the same on all batches must be exact, unless rare samples, which were not drawn, may
// make the difference.
func (c *checker) biases(x []float64) []string {
	const batches, size, errors = 2000, 3, 5
	ro, rc := rng.New(1, "problemtest", "unbiased f"), rng.New(1, "problemtest", "unbiased c")
	var objective, constraint problem.Batch
	exact := flatten(c.evaluate(x, nil, nil))
	sum, squares := make([]float64, len(exact)), make([]float64, len(exact))
	for range batches {
		c.p.DrawObjective(&objective, size, ro)
		c.p.DrawConstraint(&constraint, size, rc)
		for k, v := range flatten(c.evaluate(x, &objective, &constraint)) {
			d := v - exact[k] // small, so that the squares lose nothing
			sum[k] += d
			squares[k] += d * d
		}
	}
	var found []string
	for k := range exact {
		mean := sum[k] / batches
		deviation := math.Sqrt(max(0, squares[k]/batches-mean*mean))
		rounding := 1e-12 * max(1, math.Abs(exact[k]))
		bound := errors*deviation/math.Sqrt(batches) + rounding
		constant := deviation <= math.Sqrt(0x1p-52)*math.Abs(mean) // up to rounding
		switch {
		case math.Abs(mean) <= bound:
		case constant && c.rare(x, k, exact[k]+mean, batches*size):
		default:
			found = append(found, fmt.Sprintf("entry %d of (f, ∇f, c, J): the mean over %d batches is off by %.3g, five standard errors are %.3g", k, batches, mean, bound))
		}
	}
	return found
}

// rare reports whether so many draws may well have missed all rows on which entry k of
// (f, ∇f, c, J) differs from the given value. It is false for samples that are not rows.
func (c *checker) rare(x []float64, k int, value float64, draws int) bool {
	const unlikely = 1e-6
	one := &problem.Batch{Size: 1, Index: make([]int, 1)}
	drawn, objective, constraint := &c.objective, one, &c.constraint
	population, ofConstraint := c.p.Populations()
	if k > c.n { // after f and ∇f
		drawn, objective, constraint, population = &c.constraint, &c.objective, one, ofConstraint
	}
	if len(drawn.Index) == 0 {
		return false
	}
	others := 0
	for i := range population {
		one.Index[0] = i
		if v := flatten(c.evaluate(x, objective, constraint))[k]; math.Abs(v-value) > 1e-12*max(1, math.Abs(value)) {
			others++
		}
	}
	return math.Pow(1-float64(others)/float64(population), float64(draws)) > unlikely
}

// flatten lists f, ∇f, c and J.
func flatten(v *problem.Values) []float64 {
	return slices.Concat([]float64{v.Objective}, v.Gradient, v.Constraint, v.Jacobian.Data)
}

// near reports entries of got and want that differ by more than tol relative to the
// largest entry of their kind.
func near(t *testing.T, what string, got, want *problem.Values, tol float64) {
	t.Helper()
	compare := func(kind string, got, want []float64) {
		t.Helper()
		scale := max(1, floats.Norm(want, math.Inf(1)))
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= tol*scale) {
				t.Errorf("%s: entry %d of %s: %v and %v", what, k, kind, got[k], want[k])
				return
			}
		}
	}
	compare("f", []float64{got.Objective}, []float64{want.Objective})
	compare("∇f", got.Gradient, want.Gradient)
	compare("c", got.Constraint, want.Constraint)
	compare("J", got.Jacobian.Data, want.Jacobian.Data)
}
