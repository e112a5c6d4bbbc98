package solver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// candidate is a method set up for the conformance suite's problems: quadratics with a
// population of 64, H between I and 5I and constraint gradients of length 1.
type candidate struct {
	name string
	make func() solver.Method
	// exact says that the method reaches a solution to 1e-6 on noisy data, because it
	// has full passes.
	exact bool
	// penalty says that the method has no multiplier: its points stay λ/ρ_k away from
	// the constraint, with ρ_k growing slowly.
	penalty bool
	// unconstrained says that the method sees the objective alone, so that its solution is
	// that without constraints.
	unconstrained bool
	// deterministic says that the method sees no noise, and may end before its budget.
	deterministic bool
}

func candidates() []candidate {
	fixed := func() *solver.FSFO {
		s := solver.DefaultFSFO()
		s.Rule, s.Tau, s.Eta = solver.Fixed, 4, 0.1
		s.BatchF, s.BatchC, s.BatchJ = 8, 8, 8
		return s
	}
	return []candidate{
		{name: "fsfo fixed", make: func() solver.Method { return fixed() }},
		{name: "fsfo gauss-newton", make: func() solver.Method {
			s := fixed()
			s.Normal, s.W, s.Damping = solver.GaussNewton, 0.1, 1e-6
			return s
		}},
		{name: "fsfo theory", make: func() solver.Method {
			s := fixed()
			s.Rule = solver.Theory
			s.Constants = problem.Constants{G: 20, M: 10, Lf: 5, Lc: 2, LJ: 0.1, Lhf: 0.1, Lhc: 0.1, SigmaF: 0.5, SigmaC: 0.5, SigmaJ: 0.5, Nu: 0.5}
			s.Truncate, s.EpsBar, s.CEta = true, 0.5, 100
			return s
		}},
		{name: "adaptive", make: func() solver.Method { return solver.DefaultAdaptive() }},
		{name: "ssqp", make: func() solver.Method {
			s := solver.DefaultSSQP()
			s.H, s.Tau0, s.L, s.Gamma = 5, 1, 5, 0.1
			s.Beta = 0.3
			return s
		}},
		{name: "slqpm", penalty: true, make: func() solver.Method {
			s := solver.DefaultSLQPM()
			s.Rho, s.PRho, s.Eta, s.PEta = 4, 0.35, 0.4, 0.1
			return s
		}},
		{name: "stoc-ialm", make: func() solver.Method {
			s := solver.DefaultStocIALM()
			s.Beta0, s.Growth, s.Lf, s.Lc, s.Gamma, s.Eta = 5, 1.1, 5, 1, 10, 0.5
			return s
		}},
		{name: "sgd", unconstrained: true, make: func() solver.Method {
			s := solver.DefaultSGD()
			s.Eta = 0.3
			return s
		}},
		{name: "sqp", exact: true, deterministic: true, make: func() solver.Method { return solver.DefaultSQP() }},
		{name: "finite-sum", exact: true, make: func() solver.Method { return solver.DefaultFiniteSum() }},
	}
}

// conformanceProblem is a quadratic in standard form, with inequalities or equalities.
func conformanceProblem(t *testing.T, m int, noise float64, inequality bool) (*problemtest.Quadratic, *problem.Standard) {
	t.Helper()
	q := problemtest.NewQuadratic(12, m, 64, 5, noise, rand.New(rand.NewPCG(11, uint64(m))))
	if inequality {
		q = q.AtMost(all(m)...)
	}
	p, err := problem.NewStandard(q, scales(q))
	if err != nil {
		t.Fatal(err)
	}
	return q, p
}

func each(t *testing.T, test func(t *testing.T, c candidate)) {
	for _, c := range candidates() {
		t.Run(c.name, func(t *testing.T) { test(t, c) })
	}
}

func TestReachesSolution(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		for _, inequality := range []bool{false, true} {
			for _, m := range []int{1, 3} {
				q, p := conformanceProblem(t, m, 0.05, inequality)
				x, _ := q.Solution(all(m))
				switch {
				case c.unconstrained:
					x, _ = q.Solution(nil)
				case inequality:
					x, _ = q.SolutionInequality()
				}
				r, err := solver.Run(t.Context(), p, c.make(), solver.Settings{MaxSamples: 100_000},
					solver.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				tolerance := 0.1 // what constant steps leave of this noise
				if c.exact {
					tolerance = 1e-6
				}
				if d := floats.Distance(p.X(r.X), x, 2); !(d <= tolerance) {
					t.Errorf("m = %d, inequality %v: distance to the solution is %g, want ≤ %g", m,
						inequality, d, tolerance)
				}
			}
		}
	})
}

func TestRefusesInequalities(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		q, _ := conformanceProblem(t, 3, 0.1, false)
		_, err := solver.Run(t.Context(), q.AtMost(1, 2), c.make(),
			solver.Settings{MaxIterations: 1}, solver.NewStreams(1, 0))
		if err == nil || !strings.Contains(err.Error(), "2 of the 3 constraints are inequalities") {
			t.Errorf("two inequalities without slacks: error %v", err)
		}
	})
}

func TestStepDoesNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		for _, m := range []int{1, 3} {
			_, p := conformanceProblem(t, m, 0.05, true)
			method := c.make()
			it := iterate(p)
			if err := method.Init(p, solver.NewStreams(1, 0), it); err != nil {
				t.Fatal(err)
			}
			step := func() {
				if err := method.Step(it); err != nil && !errors.Is(err, solver.ErrStalled) {
					t.Fatal(err)
				}
				it.K++
			}
			for range 20 { // batches grow to their size
				step()
			}
			if allocs := testing.AllocsPerRun(200, step); allocs != 0 {
				t.Errorf("m = %d: %v allocations a step", m, allocs)
			}
		}
	})
}

func iterate(p problem.Problem) *solver.Iterate {
	n, m := p.Dims()
	it := &solver.Iterate{X: make([]float64, n), Y: make([]float64, m)}
	p.Start(it.X)
	return it
}

func TestSameStreamsSameRun(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		_, p := conformanceProblem(t, 3, 0.1, true)
		var results []*solver.Result
		for _, run := range []int{0, 0, 1} {
			r, err := solver.Run(t.Context(), p, c.make(), solver.Settings{MaxSamples: 5000}, solver.NewStreams(4, run))
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
		if !slices.Equal(results[0].X, results[1].X) || results[0].Counters != results[1].Counters {
			t.Error("two runs with the same streams differ")
		}
		if !c.deterministic && slices.Equal(results[0].X, results[2].X) {
			t.Error("another run's streams gave the same iterates: the method sees no noise")
		}
	})
}

func TestStopsWithinOneStepOfTheBudget(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		_, p := conformanceProblem(t, 1, 0.1, true)
		const budget = 3000
		var counts []int64
		recorder := func(s *solver.Snapshot) (bool, error) {
			counts = append(counts, s.Counters.Samples())
			return false, nil
		}
		r, err := solver.Run(t.Context(), p, c.make(), solver.Settings{MaxSamples: budget},
			solver.NewStreams(1, 0), recorder)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Exhausted {
			t.Errorf("status %q, want %q", r.Status, solver.Exhausted)
		}
		last := len(counts) - 1
		if counts[last] < budget || counts[last-1] >= budget {
			t.Errorf("the last two records are at %d and %d samples, budget %d", counts[last-1], counts[last], budget)
		}
	})
}

func TestRecordsAreSpread(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		if c.deterministic {
			t.Skip("all of its values are exact")
		}
		_, p := conformanceProblem(t, 1, 0.1, true)
		records := 0
		recorder := func(s *solver.Snapshot) (bool, error) {
			if s.Iterate.Exact == nil {
				records++
			}
			return false, nil
		}
		settings := solver.Settings{MaxSamples: 20_000, Records: 50}
		if _, err := solver.Run(t.Context(), p, c.make(), settings, solver.NewStreams(1, 0), recorder); err != nil {
			t.Fatal(err)
		}
		if records < 25 || records > 52 {
			t.Errorf("%d records, asked for 50", records)
		}
	})
}

func TestStopsOnCancel(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		_, p := conformanceProblem(t, 1, 0.1, true)
		ctx, cancel := context.WithCancel(t.Context())
		recorder := func(s *solver.Snapshot) (bool, error) {
			if s.Iterate.K == 7 {
				cancel()
			}
			return false, nil
		}
		r, err := solver.Run(ctx, p, c.make(), solver.Settings{MaxIterations: 1000}, solver.NewStreams(1, 0), recorder)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Interrupted || r.Iterations != 7 {
			t.Errorf("status %q after %d steps, want %q after 7", r.Status, r.Iterations, solver.Interrupted)
		}
	})
}

// poisoned returns NaN from one oracle after some calls.
type poisoned struct {
	problem.Problem
	oracle string
	calls  int
}

func (p *poisoned) Slacks() []int { return problem.SlacksOf(p.Problem) }

func (p *poisoned) bad(oracle string) bool {
	if oracle != p.oracle {
		return false
	}
	p.calls++
	return p.calls > 5
}

func (p *poisoned) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	p.Problem.Evaluate(out, x, b)
	if out.Gradient != nil && p.bad("gradient") {
		out.Gradient[0] = math.NaN()
	}
	if out.Constraint != nil && p.bad("constraint") {
		out.Constraint[0] = math.NaN()
	}
	if out.WantJacobian() && p.bad("jacobian") {
		out.Jacobian.Data[0] = math.Inf(1)
	}
}

func TestNaNOracleDiverges(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		oracles := []string{"gradient", "constraint", "jacobian"}
		if c.unconstrained {
			oracles = oracles[:1]
		}
		for _, oracle := range oracles {
			for _, m := range []int{1, 3} {
				_, p := conformanceProblem(t, m, 0.1, true)
				r, err := solver.Run(t.Context(), &poisoned{Problem: p, oracle: oracle}, c.make(),
					solver.Settings{MaxIterations: 100_000}, solver.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				if r.Status != solver.Diverged {
					t.Errorf("NaN in the %s, m = %d: status %q after %d steps, want %q", oracle, m,
						r.Status, r.Iterations, solver.Diverged)
				}
			}
		}
	})
}

func TestRankDeficientJacobian(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		q := problemtest.NewQuadratic(12, 3, 64, 5, 0, rand.New(rand.NewPCG(7, 7)))
		q.RepeatConstraint()
		p, err := problem.NewStandard(q, scales(q))
		if err != nil {
			t.Fatal(err)
		}
		x, _ := q.Solution([]int{0, 1})
		if c.unconstrained {
			x, _ = q.Solution(nil)
		}
		r, err := solver.Run(t.Context(), p, c.make(), solver.Settings{MaxSamples: 200_000}, solver.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		tolerance := 1e-4
		if c.penalty {
			tolerance = 0.05
		}
		if d := floats.Distance(r.X, x, 2); !(d <= tolerance) {
			t.Errorf("distance to the solution is %g with a repeated constraint, want ≤ %g", d, tolerance)
		}
	})
}

func TestOutputs(t *testing.T) {
	_, p := conformanceProblem(t, 1, 0.1, true)
	var points [][]float64
	recorder := func(s *solver.Snapshot) (bool, error) {
		points = append(points, slices.Clone(s.Iterate.X))
		s.Residual = math.Abs(float64(s.Iterate.K) - 13) // the "best" is iterate 13
		return false, nil
	}
	chosen := map[solver.Output][]float64{}
	for _, output := range []solver.Output{solver.Last, solver.Best, solver.Random} {
		points = nil
		r, err := solver.Run(t.Context(), p, fullBatch(0.01),
			solver.Settings{MaxIterations: 40, Output: output}, solver.NewStreams(1, 0), recorder)
		if err != nil {
			t.Fatal(err)
		}
		chosen[output] = r.X
	}
	if !slices.Equal(chosen[solver.Last], points[40]) {
		t.Error("the last output is not the last iterate")
	}
	if !slices.Equal(chosen[solver.Best], points[13]) {
		t.Error("the best output is not the iterate with the smallest residual")
	}
	if i := slices.IndexFunc(points, func(x []float64) bool { return slices.Equal(x, chosen[solver.Random]) }); i < 0 || i == 40 {
		t.Errorf("the random output is iterate %d, must be one of x₁ … x_K", i)
	}
}

func TestRandomOutputIsUniform(t *testing.T) {
	_, p := conformanceProblem(t, 1, 0, true)
	const steps, runs = 5, 4000
	counts := map[string]int{}
	for run := range runs {
		r, err := solver.Run(t.Context(), p, fullBatch(0.01),
			solver.Settings{MaxIterations: steps, Output: solver.Random}, solver.NewStreams(1, run))
		if err != nil {
			t.Fatal(err)
		}
		counts[fmt.Sprint(r.X)]++
	}
	const mean, deviation = runs / steps, 25.3 // √(N p (1−p))
	for x, count := range counts {
		if math.Abs(float64(count)-mean) > 4.5*deviation {
			t.Errorf("an iterate was chosen %d times of %d: %s", count, runs, x)
		}
	}
	if len(counts) != steps {
		t.Errorf("%d different outputs, want %d", len(counts), steps)
	}
}

func TestParams(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		method := c.make()
		accepted := func(option string, value any) bool {
			options := map[string]any{}
			if _, ok := method.(*solver.FSFO); ok {
				options["rule"] = "theory" // without a rule, the name means another method
			}
			options[option] = value
			m, err := solver.Make(method.Name(), options)
			return err == nil && solver.Validate(m) == nil
		}
		for _, p := range method.Params() {
			for _, bad := range outside(p) {
				if accepted(p.Name, bad) {
					t.Errorf("%s = %v is accepted, range %s", p.Name, bad, p.Range())
				}
			}
		}
		if accepted("no such option", 1.0) {
			t.Error("an unknown option is accepted")
		}
	})
}

// outside lists values that p's own range excludes.
func outside(p solver.Param) []any {
	if _, ok := p.Value.(*bool); ok || len(p.Choices) > 0 {
		return []any{"no such choice", 1.0}
	}
	bad := []any{p.Min - 1, math.NaN(), "text"}
	if p.MinOpen {
		bad = append(bad, p.Min)
	}
	if !math.IsInf(p.Max, 1) {
		bad = append(bad, p.Max+1)
	}
	if _, ok := p.Value.(*int); ok {
		bad = append(bad, p.Min+0.5)
	}
	return bad
}
