package solver_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// tally counts samples by a rule of its own. A batch is drawn for one quantity, the quantity
// of its first evaluation, and costs its size once.
type tally struct {
	problem.Problem
	pending map[*problem.Batch]int // size of a batch that was drawn but not used yet
	samples int
}

func (p *tally) Slacks() []int { return problem.SlacksOf(p.Problem) }

func (p *tally) DrawObjective(b *problem.Batch, size int, r *rand.Rand) {
	p.Problem.DrawObjective(b, size, r)
	p.pending[b] = size
}

func (p *tally) DrawConstraint(b *problem.Batch, size int, r *rand.Rand) {
	p.Problem.DrawConstraint(b, size, r)
	p.pending[b] = size
}

func (p *tally) use(b *problem.Batch, population int) {
	if b == nil {
		p.samples += population
		return
	}
	p.samples += p.pending[b]
	delete(p.pending, b)
}

func (p *tally) Evaluate(out *problem.Values, x []float64, b *problem.Batch) {
	objective, constraint := p.Populations()
	if out.Gradient != nil {
		p.use(b, objective)
	}
	if out.Constraint != nil {
		p.use(b, constraint)
	}
	if out.WantJacobian() {
		p.use(b, constraint)
	}
	p.Problem.Evaluate(out, x, b)
}

func TestSampleCounts(t *testing.T) {
	each(t, func(t *testing.T, c candidate) {
		for _, m := range []int{1, 3} {
			_, p := conformanceProblem(t, m, 0.1, true)
			counted := &tally{Problem: p, pending: map[*problem.Batch]int{}}
			r, err := solver.Run(t.Context(), counted, c.make(),
				solver.Settings{MaxSamples: 20_000}, solver.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Counters.Samples(); got != int64(counted.samples) {
				t.Errorf("m = %d: N_sam = %d, counted from the draws %d", m, got, counted.samples)
			}
			if len(counted.pending) > 0 {
				t.Errorf("m = %d: a batch was drawn and never used", m)
			}
		}
	})
}

// TestSamplesPerStep checks what a step costs for the batches of the paper's a9a run.
func TestSamplesPerStep(t *testing.T) {
	fsfo := solver.DefaultFSFO()
	fsfo.Rule, fsfo.Tau, fsfo.Eta = solver.Fixed, 2, 0.01
	fsfo.BatchF, fsfo.BatchC, fsfo.BatchJ = 12, 14, 18
	ssqp := solver.DefaultSSQP()
	ssqp.BatchF, ssqp.BatchC, ssqp.BatchJ = 16, 4, 5
	slqpm := solver.DefaultSLQPM()
	ialm := solver.DefaultStocIALM()
	ialm.Inner, ialm.FirstBatch, ialm.MultiplierBatch = 2, 30, 40
	for _, test := range []struct {
		method solver.Method
		steps  int
		want   int64
	}{
		{fsfo, 5, 5 * (12 + 14 + 18)}, // a recursive step evaluates twice, but counts once
		{ssqp, 5, 5 * (16 + 4 + 5)},
		{slqpm, 5, 5 * (16 + 16 + 16)},
		// Outer iterations of 2 and 4 inner steps, each beginning with the larger batch
		// and ending with the multiplier's.
		{ialm, 6, 3*30 + 3*20 + 40 + 3*30 + 9*20 + 40},
	} {
		_, p := conformanceProblem(t, 1, 0.1, true)
		r, err := solver.Run(t.Context(), p, test.method,
			solver.Settings{MaxIterations: test.steps}, solver.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Counters.Samples(); got != test.want {
			t.Errorf("%s: %d samples in %d steps, want %d", test.method.Name(), got, test.steps, test.want)
		}
	}
}

// TestExactBatches: batches as large as the population, or larger, are all rows. These cost their
// number once a step, and have no error, for every method.
func TestExactBatches(t *testing.T) {
	q := problemtest.NewQuadratic(6, 2, 40, 50, 0, rand.New(rand.NewPCG(4, 4)))
	p, err := problem.NewStandard(q.AtMost(0, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	const large, steps = 1 << 20, 40
	objective, constraint := p.Populations()
	for name, options := range map[string]map[string]any{
		"fsfo":  {"rule": "fixed", "tau": 2, "eta": 0.05, "batch_f": large, "batch_c": large, "batch_j": large},
		"ssqp":  {"batch_f": large, "batch_c": large, "batch_j": large},
		"slqpm": {"batch_f": large, "batch_c": large, "batch_j": large},
	} {
		method, err := solver.Make(name, options)
		if err != nil {
			t.Fatal(err)
		}
		var ends [2][]float64
		for seed := range ends {
			r, err := solver.Run(t.Context(), p, method, solver.Settings{MaxIterations: steps},
				solver.NewStreams(uint64(seed), 0))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := r.Counters.Samples(), int64(steps*(objective+2*constraint)); got != want {
				t.Errorf("%s: %d samples, want %d", name, got, want)
			}
			ends[seed] = r.X
		}
		if !slices.Equal(ends[0], ends[1]) {
			t.Errorf("%s: exact steps depend on the seed", name)
		}
	}
}

// TestSSQPFromFeasible: exact values at points that satisfy the constraints, where the model of the
// step is 0 but for rounding, do not stop the method for good.
func TestSSQPFromFeasible(t *testing.T) {
	for seed := range uint64(20) {
		q := problemtest.NewQuadratic(6, 2, 40, 50, 0, rand.New(rand.NewPCG(seed, 5)))
		p, err := problem.NewStandard(q.AtMost(0, 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		method, err := solver.Make("ssqp", map[string]any{"batch_f": 1 << 20, "batch_c": 1 << 20, "batch_j": 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		rho := math.Inf(1)
		record := func(s *solver.Snapshot) (bool, error) {
			if s.Iterate.K > 0 {
				rho = min(rho, s.Iterate.Diag.Rho)
			}
			return false, nil
		}
		r, err := solver.Run(t.Context(), p, method, solver.Settings{MaxIterations: 100},
			solver.NewStreams(1, 0), record)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == solver.Diverged || !(rho > 0) {
			t.Errorf("seed %d: %s, with τ = %v", seed, r.Status, rho)
		}
	}
}
