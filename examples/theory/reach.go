package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// reached is how runs with one target and one epoch length went.
type reached struct {
	epsilon   float64
	tau       int
	papers    bool // the step is the paper's, 1/(4L_k)
	eta       float64
	runs      int
	stayed    int // runs whose residual stayed at or below ε
	quartiles [3]float64
	residual  float64 // at the end, median
}

const (
	seeds      = 10
	iterations = 200
	// A residual has stayed below ε if it did so in the last half of a run.
	stay = iterations / 2
)

// reach runs Algorithm 1 on the sphere with the batches of Corollary estimator-error for
// ε̄ = ε/2, from several seeds.
func reach(ctx context.Context, epsilon float64, tau int, papers bool) (reached, error) {
	p := newSphere(10, 1<<15, 4, 0.3, rand.New(rand.NewPCG(1, 2)))
	constants := p.constants(0.7, 1.4)
	out := reached{epsilon: epsilon, tau: tau, papers: papers, runs: seeds}
	var samples, residuals []float64
	for seed := range seeds {
		s := solver.DefaultFSFO()
		s.Rule, s.Tau, s.EpsBar, s.Constants = solver.Theory, tau, epsilon/2, constants
		if !papers {
			s.Eta = 0.2 / constants.Lf
		}
		below, at, last, eta := 0.0, 0, math.Inf(1), 0.0
		exact := problem.NewValues(10, 1)
		record := func(snapshot *solver.Snapshot) (bool, error) {
			p.Evaluate(exact, snapshot.Iterate.X, nil)
			if last = residual(exact); last > epsilon {
				below, at = math.Inf(1), snapshot.Iterate.K+1
			} else if snapshot.Iterate.K == at {
				below = float64(snapshot.Counters.Samples())
			}
			if snapshot.Iterate.K > 0 {
				eta = snapshot.Iterate.Diag.Eta
			}
			return false, nil
		}
		if _, err := solver.Run(ctx, p, s, solver.Settings{MaxIterations: iterations},
			solver.NewStreams(1, seed), record); err != nil {
			return out, err
		}
		if at <= iterations-stay {
			out.stayed++
		} else {
			below = math.Inf(1)
		}
		samples, residuals, out.eta = append(samples, below), append(residuals, last), eta
	}
	slices.Sort(samples)
	slices.Sort(residuals)
	for i := range out.quartiles {
		out.quartiles[i] = stat.Quantile(0.25*float64(i+1), stat.Empirical, samples, nil)
	}
	out.residual = stat.Quantile(0.5, stat.Empirical, residuals, nil)
	return out, nil
}

// reachAll runs all of them: with SPIDER, τ = ⌈1/ε⌉, and without, τ = 1; SPIDER with the paper's step.
func reachAll(ctx context.Context, epsilons []float64) ([]reached, error) {
	var rows []reached
	for _, kind := range []struct{ spider, papers bool }{{true, false}, {false, false}, {true, true}} {
		for _, epsilon := range epsilons {
			tau := 1
			if kind.spider {
				tau = int(math.Ceil(1 / epsilon))
			}
			r, err := reach(ctx, epsilon, tau, kind.papers)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func printReached(w io.Writer, rows []reached) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "step\tη\tε\tτ\tstayed\tsamples: median\tquartiles\tresidual at the end\t")
	for _, r := range rows {
		step := "0.2/L_f"
		if r.papers {
			step = "1/(4L_k)"
		}
		median, quartiles := "–", "–"
		if r.stayed == r.runs {
			median = fmt.Sprintf("%.0f", r.quartiles[1])
			quartiles = fmt.Sprintf("%.0f–%.0f", r.quartiles[0], r.quartiles[2])
		}
		fmt.Fprintf(t, "%s\t%.2g\t%g\t%d\t%d of %d\t%s\t%s\t%.3f\t\n", step, r.eta, r.epsilon,
			r.tau, r.stayed, r.runs, median, quartiles, r.residual)
	}
	t.Flush()
}
