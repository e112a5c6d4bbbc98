package solver_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// fewOfMany is a problem of many variables. A sample depends on few of them. f is the logistic
// loss on sparse rows, and c_i(x) is the mean of w_i tanh(aᵀx) − 0.01. The first constraints
// are inequalities, the others equalities.
type fewOfMany struct {
	n            int
	inequalities []int
	cols         [][]int
	values       [][]float64
	label        []float64
	weight       [][]float64 // m×rows
}

func newFewOfMany(n, m, inequalities, rows int) *fewOfMany {
	r := rand.New(rand.NewPCG(3, uint64(10*m+inequalities)))
	p := &fewOfMany{n: n}
	for range rows {
		cols := r.Perm(n)[:4]
		cols[0] = r.IntN(20) // what rows have in common
		slices.Sort(cols)
		cols = slices.Compact(cols)
		values := make([]float64, len(cols))
		for k := range values {
			values[k] = r.NormFloat64()
		}
		p.cols, p.values = append(p.cols, cols), append(p.values, values)
		p.label = append(p.label, float64(2*r.IntN(2)-1))
	}
	for i := range m {
		if i < inequalities {
			p.inequalities = append(p.inequalities, i)
		}
		weights := make([]float64, rows)
		for k := range weights {
			weights[k] = r.NormFloat64()
		}
		p.weight = append(p.weight, weights)
	}
	return p
}

func (p *fewOfMany) Dims() (n, m int)        { return p.n, len(p.weight) }
func (p *fewOfMany) Populations() (f, c int) { return len(p.cols), len(p.cols) }
func (p *fewOfMany) Inequalities() []int     { return p.inequalities }
func (p *fewOfMany) NonNegative() []int      { return nil }
func (p *fewOfMany) Start(x []float64)       { clear(x) }
func (p *fewOfMany) Entries() float64        { return 4 }

func (p *fewOfMany) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	b.DrawUniform(size, len(p.cols), r)
	b.Support = nil
	if !b.Sparse {
		return
	}
	for _, i := range b.Index {
		b.Support = append(b.Support, p.cols[i]...)
	}
	slices.Sort(b.Support)
	b.Support = slices.Compact(b.Support)
}

func (p *fewOfMany) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	p.DrawObjective(b, size, r)
}

// mean calls a function with every row of the batch, its share in the mean, and aᵀx.
func (p *fewOfMany) mean(x []float64, b *problem.Batch, do func(row int, share, t float64)) {
	rows := len(p.cols)
	if b != nil {
		rows = len(b.Index)
	}
	for k := range rows {
		i := k
		if b != nil {
			i = b.Index[k]
		}
		t := 0.0
		for k, j := range p.cols[i] {
			t += p.values[i][k] * x[j]
		}
		do(i, 1/float64(rows), t)
	}
}

func (p *fewOfMany) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	if out.WantObjective {
		out.Objective = p.objective(x, b)
	}
	if out.Gradient != nil {
		p.gradient(out.Gradient, x, b)
	}
	if out.Constraint != nil {
		p.constraint(out.Constraint, x, b)
	}
	if out.WantJacobian() {
		p.jacobian(out.Jacobian, x, b)
	}
}

func (p *fewOfMany) objective(x []float64, b *problem.Batch) float64 {
	sum := 0.0
	p.mean(x, b, func(i int, share, t float64) { sum += share * math.Log1p(math.Exp(-p.label[i]*t)) })
	return sum
}

func (p *fewOfMany) gradient(dst, x []float64, b *problem.Batch) {
	b.Clear(dst)
	p.mean(x, b, func(i int, share, t float64) {
		slope := -p.label[i] / (1 + math.Exp(p.label[i]*t))
		for k, j := range p.cols[i] {
			dst[j] += share * slope * p.values[i][k]
		}
	})
}

func (p *fewOfMany) constraint(dst, x []float64, b *problem.Batch) {
	for c := range dst {
		dst[c] = -0.01
	}
	p.mean(x, b, func(i int, share, t float64) {
		for c, w := range p.weight {
			dst[c] += share * w[i] * math.Tanh(t)
		}
	})
}

func (p *fewOfMany) jacobian(dst blas64.General, x []float64, b *problem.Batch) {
	for c := range p.weight {
		b.Clear(dst.Data[c*dst.Stride:][:p.n])
	}
	p.mean(x, b, func(i int, share, t float64) {
		slope := 1 - math.Tanh(t)*math.Tanh(t)
		for c, w := range p.weight {
			for k, j := range p.cols[i] {
				dst.Data[c*dst.Stride+j] += share * w[i] * slope * p.values[i][k]
			}
		}
	})
}

// hidden is a problem that does not say that it is sparse.
type hidden struct{ problem.Problem }

// TestLazySteps compares steps that leave out variables with steps in all variables. Up to
// rounding the iterates are the same, for equalities and inequalities, and for variables in
// different units.
func TestLazySteps(t *testing.T) {
	const n, rows, passes = 4000, 900, 8
	for _, kind := range []struct{ m, inequalities int }{{1, 1}, {1, 0}, {3, 3}, {4, 2}} {
		t.Run(fmt.Sprintf("m = %d, inequalities %d", kind.m, kind.inequalities), func(t *testing.T) {
			scale := make([]float64, n)
			for j := range scale {
				scale[j] = 0.5 + float64(j%7)/4
			}
			rescaled, err := problem.NewRescaled(newFewOfMany(n, kind.m, kind.inequalities, rows), scale)
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.NewStandard(rescaled, slices.Repeat([]float64{3}, kind.m))
			if err != nil {
				t.Fatal(err)
			}
			run := func(p problem.Problem, samples int64) (*solver.Result, int) {
				incomplete := 0
				r, err := solver.Run(t.Context(), p, solver.DefaultFiniteSum(),
					solver.Settings{MaxSamples: samples, Records: 10}, solver.NewStreams(1, 0),
					func(s *solver.Snapshot) (bool, error) {
						if s.Iterate.Incomplete {
							incomplete++
						}
						return false, nil
					})
				if err != nil {
					t.Fatal(err)
				}
				return r, incomplete
			}
			for samples := int64(3 * rows); samples < passes*3*rows; samples += 3111 { // amid epochs, too
				lazy, incomplete := run(p, samples)
				dense, _ := run(hidden{p}, samples)
				if incomplete > 0 {
					t.Errorf("%d records of incomplete points", incomplete)
				}
				if lazy.Iterations != dense.Iterations || lazy.Counters != dense.Counters {
					t.Fatalf("%d steps and %+v, in all variables %d and %+v", lazy.Iterations, lazy.Counters, dense.Iterations, dense.Counters)
				}
				if !floats.EqualApprox(lazy.X, dense.X, 1e-9) || !floats.EqualApprox(lazy.Y, dense.Y, 1e-7) {
					t.Fatalf("after %d steps: x differs by %g, multipliers %v and %v",
						lazy.Iterations, floats.Distance(lazy.X, dense.X, math.Inf(1)), lazy.Y, dense.Y)
				}
			}
		})
	}
}

// TestSparseProblem checks the problem of the test above.
func TestSparseProblem(t *testing.T) {
	p, err := problem.NewStandard(newFewOfMany(30, 2, 1, 40), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []problem.Batch{{}, {Sparse: true}} {
		p.DrawObjective(&b, 3, rand.New(rand.NewPCG(1, 1)))
		if (b.Support != nil) != b.Sparse {
			t.Errorf("support %v of a batch that asks for it: %v", b.Support, b.Sparse)
		}
	}
	o := problemtest.DefaultOptions()
	problemtest.Check(t, p, o)
}
