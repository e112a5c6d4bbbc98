package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// smooth is a deterministic problem of given functions.
type smooth struct {
	start        []float64
	m            int
	inequalities []int
	// objective stores ∇f in g and returns f, constraint stores c and J.
	objective  func(g, x []float64) float64
	constraint func(c []float64, j blas64.General, x []float64)
}

func (p *smooth) Dims() (n, m int)                               { return len(p.start), p.m }
func (p *smooth) Populations() (int, int)                        { return 1, 1 }
func (p *smooth) Inequalities() []int                            { return p.inequalities }
func (p *smooth) NonNegative() []int                             { return nil }
func (p *smooth) Start(x []float64)                              { copy(x, p.start) }
func (p *smooth) DrawObjective(*problem.Batch, int, *rand.Rand)  {}
func (p *smooth) DrawConstraint(*problem.Batch, int, *rand.Rand) {}

func (p *smooth) Evaluate(out *problem.Values, x []float64, _ *problem.Batch) {
	all := problem.NewValues(len(x), p.m)
	all.Objective = p.objective(all.Gradient, x)
	p.constraint(all.Constraint, all.Jacobian, x)
	if out.WantObjective {
		out.Objective = all.Objective
	}
	copy(out.Gradient, all.Gradient)
	copy(out.Constraint, all.Constraint)
	for i := range out.Jacobian.Rows {
		copy(linalg.Row(out.Jacobian, i).Data, linalg.Row(all.Jacobian, i).Data)
	}
}

// solveSQP runs the method until no variable is further from x than 1e-6 in its unit. nil units
// stand for 1 each. It returns the number of passes; more passes than most are an error.
func solveSQP(t *testing.T, p *problem.Standard, x, units []float64, most int) int {
	t.Helper()
	closest, passes := math.Inf(1), 0
	recorder := func(s *solver.Snapshot) (bool, error) {
		distance := 0.0
		for i, xi := range p.X(s.Iterate.X) {
			d := math.Abs(xi - x[i])
			if units != nil {
				d /= units[i]
			}
			distance = max(distance, d)
		}
		passes = int(problem.Passes(p, s.Counters.Samples()))
		closest = min(closest, distance)
		return distance <= 1e-6, nil
	}
	r, err := solver.Run(t.Context(), p, solver.DefaultSQP(), solver.Settings{MaxIterations: most},
		solver.NewStreams(1, 0), recorder)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || passes > most {
		t.Errorf("%s after %d steps, %d passes: the closest point is %g away", r.Status, r.Iterations, passes, closest)
	}
	return passes
}

func TestSQPClosedForm(t *testing.T) {
	for _, n := range []int{5, 50, 200} {
		for _, m := range []int{1, 3, 5} {
			for _, inequality := range []bool{false, true} {
				q := problemtest.NewQuadratic(n, m, 1, 10, 0, rand.New(rand.NewPCG(uint64(n), uint64(m))))
				x, _ := q.Solution(all(m))
				if inequality {
					x, _ = q.SolutionInequality()
					q = q.AtMost(all(m)...)
				}
				p, err := problem.NewStandard(q, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("n = %d, m = %d, inequalities %v: %d passes", n, m, inequality, solveSQP(t, p, x, nil, 60))
			}
		}
	}
}

// combined has further constraints. Each is a combination of the inner problem's constraints
// plus a constant.
type combined struct {
	*problemtest.Quadratic
	factors [][]float64
	offset  []float64
}

func (p *combined) Dims() (n, m int) {
	n, _ = p.Quadratic.Dims()
	return n, len(p.factors)
}

func (p *combined) Inequalities() []int { return all(len(p.factors)) }

func (p *combined) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	n, m := p.Quadratic.Dims()
	inner := problem.NewValues(n, m)
	p.Quadratic.Evaluate(inner, x, b)
	if out.WantObjective {
		out.Objective = inner.Objective
	}
	copy(out.Gradient, inner.Gradient)
	for i, f := range p.factors {
		if out.Constraint != nil {
			out.Constraint[i] = floats.Dot(f, inner.Constraint) + p.offset[i]
		}
		if !out.WantJacobian() {
			continue
		}
		row := linalg.Row(out.Jacobian, i).Data
		clear(row)
		for k, w := range f {
			floats.AddScaled(row, w, linalg.Row(inner.Jacobian, k).Data)
		}
	}
}

// TestSQPRedundant adds up to 40 inequalities to a few: copies, multiples, weaker forms and
// means of the few. The solution stays the same.
func TestSQPRedundant(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4} {
		for _, m := range []int{10, 40} {
			for _, scale := range []float64{1, 10, 1000} { // of multiples
				const inner = 5
				r := rand.New(rand.NewPCG(seed, 40))
				q := problemtest.NewQuadratic(30, inner, 1, 10, 0, r)
				x, _ := q.SolutionInequality()
				p := &combined{Quadratic: q}
				for i := range m {
					f, offset := make([]float64, inner), 0.0
					f[i%inner] = 1
					switch {
					case i < inner:
					case i%4 == 1: // a multiple
						f[i%inner] = scale
					case i%4 == 2: // weaker
						offset = -r.Float64()
					case i%4 == 3: // implied by two
						f[(i+1)%inner] = r.Float64()
					}
					p.factors, p.offset = append(p.factors, f), append(p.offset, offset)
				}
				standard, err := problem.NewStandard(p, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("seed %d, m = %d, scale %g: %d passes", seed, m, scale, solveSQP(t, standard, x, nil, 60))
			}
		}
	}
}

// rescaled has variables x_j/unit_j.
type rescaled struct {
	*problemtest.Quadratic
	unit []float64
}

func (p *rescaled) inner(x []float64) []float64 {
	return floats.DivTo(make([]float64, len(x)), x, p.unit)
}

func (p *rescaled) Start(x []float64) {
	p.Quadratic.Start(x)
	floats.Mul(x, p.unit)
}

func (p *rescaled) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	p.Quadratic.Evaluate(out, p.inner(x), b)
	if out.Gradient != nil {
		floats.Div(out.Gradient, p.unit)
	}
	for i := range out.Jacobian.Rows {
		floats.Div(linalg.Row(out.Jacobian, i).Data, p.unit)
	}
}

// TestSQPBadlyScaled measures variables in units from 10^−k to 10^k.
func TestSQPBadlyScaled(t *testing.T) {
	for _, n := range []int{6, 20} {
		for _, decades := range []float64{1, 2, 4} {
			q := problemtest.NewQuadratic(n, 3, 1, 10, 0, rand.New(rand.NewPCG(uint64(n), 5)))
			x, _ := q.SolutionInequality()
			p := &rescaled{q.AtMost(all(3)...), make([]float64, n)}
			for j := range p.unit {
				p.unit[j] = math.Pow(10, decades*(2*float64(j)/float64(n-1)-1))
			}
			floats.Mul(x, p.unit)
			standard, err := problem.NewStandard(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("n = %d, units 10^±%g: %d passes", n, decades, solveSQP(t, standard, x, p.unit, 1500))
		}
	}
}

// TestSQPSmall has small problems with solutions that can be seen.
func TestSQPSmall(t *testing.T) {
	// towards is the squared distance to a point, halved.
	towards := func(point ...float64) func(g, x []float64) float64 {
		return func(g, x []float64) float64 {
			floats.SubTo(g, x, point)
			return floats.Dot(g, g) / 2
		}
	}
	for _, test := range []struct {
		name       string
		p          *smooth
		inequality []int
		want       []float64
	}{
		{"satisfied at the start and inactive", &smooth{
			start: []float64{0, 0}, m: 1, objective: towards(0.5, 0.25),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0] = x[0] + x[1] - 1
				copy(j.Data[:2], []float64{1, 1})
			},
		}, []int{0}, []float64{0.5, 0.25}},
		{"active at the start and left", &smooth{
			start: []float64{1, 0}, m: 1, objective: towards(-1, 0.25),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0] = x[0] - 1
				copy(j.Data[:2], []float64{1, 0})
			},
		}, []int{0}, []float64{-1, 0.25}},
		{"onto a circle", &smooth{
			start: []float64{3, 1}, m: 1, objective: towards(2, 2),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0] = x[0]*x[0] + x[1]*x[1] - 1
				copy(j.Data[:2], []float64{2 * x[0], 2 * x[1]})
			},
		}, nil, []float64{math.Sqrt2 / 2, math.Sqrt2 / 2}},
		{"out of a circle, from where no direction leads out", &smooth{
			start: []float64{0, 0}, m: 1, objective: towards(0.3, 0.4),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0] = 1 - x[0]*x[0] - x[1]*x[1]
				copy(j.Data[:2], []float64{-2 * x[0], -2 * x[1]})
			},
		}, []int{0}, []float64{0.6, 0.8}},
		{"linearisations that contradict each other", &smooth{ // at 0.1, x² ≥ 1 reads x ≥ 5.05
			start: []float64{0.1, 0}, m: 2, objective: towards(0, 1),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0], c[1] = 1-x[0]*x[0], x[0]-2
				j.Data[0], j.Data[1] = -2*x[0], 0
				j.Data[j.Stride], j.Data[j.Stride+1] = 1, 0
			},
		}, []int{0, 1}, []float64{1, 1}},
		{"a constraint that nothing changes", &smooth{
			start: []float64{3, 3}, m: 2, objective: towards(2, 2),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0], c[1] = x[0]-1, 0.5
				j.Data[0], j.Data[1] = 1, 0
				clear(j.Data[j.Stride : j.Stride+2])
			},
		}, []int{0, 1}, []float64{1, 2}},
		{"constraints that can't hold together", &smooth{ // least violation between −1 and 1
			start: []float64{5, 5}, m: 2, objective: towards(0.25, 2),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0], c[1] = 1-x[0], x[0]+1
				j.Data[0], j.Data[1] = -1, 0
				j.Data[j.Stride], j.Data[j.Stride+1] = 1, 0
			},
		}, []int{0, 1}, []float64{0.25, 2}},
		{"scaled constraints", &smooth{
			start: []float64{5, 5}, m: 2, objective: towards(2, 2),
			constraint: func(c []float64, j blas64.General, x []float64) {
				c[0], c[1] = 1e4*(x[0]-1), 1e-4*(x[1]-1)
				j.Data[0], j.Data[1] = 1e4, 0
				j.Data[j.Stride], j.Data[j.Stride+1] = 0, 1e-4
			},
		}, []int{0, 1}, []float64{1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.p.inequalities = test.inequality
			p, err := problem.NewStandard(test.p, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d passes", solveSQP(t, p, test.want, nil, 100))
		})
	}
}

// TestSQPCurved goes along a sphere, far from its solution. Where the step is a straight line it
// must be short, as every full step leaves the sphere by more than it gains (Maratos 1978): that
// takes 55 passes, an arc 18.
func TestSQPCurved(t *testing.T) {
	const n = 10
	target, start := make([]float64, n), make([]float64, n)
	for i := range target {
		target[i] = math.Sqrt(float64(i+1) / (n * (n + 1) / 2))
	}
	start[0], start[1] = -0.6, 0.8
	for _, inequalities := range [][]int{nil, {0}} {
		p, err := problem.NewStandard(&smooth{
			start: start, m: 1, inequalities: inequalities,
			objective: func(g, x []float64) float64 {
				floats.ScaleTo(g, -1, target)
				return -floats.Dot(target, x)
			},
			constraint: func(c []float64, j blas64.General, x []float64) {
				const steep = 10
				c[0] = steep * (floats.Dot(x, x) - 1)
				floats.ScaleTo(j.Data[:n], 2*steep, x)
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("inequalities %v: %d passes", inequalities, solveSQP(t, p, target, nil, 30))
	}
}

// TestSQPStalls tests that Step ends at a solution that can't be improved because of rounding.
func TestSQPStalls(t *testing.T) {
	_, p := conformanceProblem(t, 3, 0, true)
	r, err := solver.Run(t.Context(), p, solver.DefaultSQP(),
		solver.Settings{MaxIterations: 10_000}, solver.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Exhausted || r.Iterations == 10_000 {
		t.Errorf("status %q after %d steps", r.Status, r.Iterations)
	}
}

// TestSQPContradiction tests that Step ends where constraints contradict each other, near the point
// that violates them least in sum: x² + y² ≤ −1 and 4x ≥ 4 at (1, 0). Left of it the second
// violation grows faster than the first falls.
func TestSQPContradiction(t *testing.T) {
	p, err := problem.NewStandard(&smooth{
		start: []float64{3, -2}, m: 2, inequalities: []int{0, 1},
		objective: func(g, x []float64) float64 {
			copy(g, []float64{1, 1})
			return x[0] + x[1]
		},
		constraint: func(c []float64, j blas64.General, x []float64) {
			c[0], c[1] = x[0]*x[0]+x[1]*x[1]+1, 4*(1-x[0])
			copy(j.Data[:2], []float64{2 * x[0], 2 * x[1]})
			copy(j.Data[j.Stride:j.Stride+2], []float64{-4, 0})
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := solver.Run(t.Context(), p, solver.DefaultSQP(),
		solver.Settings{MaxIterations: 10_000}, solver.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	x := p.X(r.X)
	if r.Status != solver.Exhausted || r.Iterations > 200 || math.Abs(x[0]-1) > 1e-3 || math.Abs(x[1]) > 1e-3 {
		t.Errorf("status %q after %d steps at %v, want to end at (1, 0)", r.Status, r.Iterations, x)
	}
}

// TestSQPManyBounds has two inequalities with opposite gradients for each variable, most of which say
// nothing at the solution: the nearest point of a box.
func TestSQPManyBounds(t *testing.T) {
	const n = 60
	r := rand.New(rand.NewPCG(11, 1))
	target, solution, p := make([]float64, n), make([]float64, n), &smooth{start: make([]float64, n), m: 2 * n}
	for j := range target {
		target[j] = 3 * r.NormFloat64()
		solution[j] = min(max(target[j], -2), 2)
		p.start[j] = 5 * r.NormFloat64()
		p.inequalities = append(p.inequalities, 2*j, 2*j+1)
	}
	p.objective = func(g, x []float64) (sum float64) {
		for j := range x {
			g[j] = float64(j%5+1) * (x[j] - target[j])
			sum += g[j] * (x[j] - target[j]) / 2
		}
		return sum
	}
	p.constraint = func(c []float64, jacobian blas64.General, x []float64) {
		for j := range x {
			c[2*j], c[2*j+1] = x[j]-2, -x[j]-2
			jacobian.Data[2*j*jacobian.Stride+j], jacobian.Data[(2*j+1)*jacobian.Stride+j] = 1, -1
		}
	}
	standard, err := problem.NewStandard(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	solveSQP(t, standard, solution, nil, 60)
}
