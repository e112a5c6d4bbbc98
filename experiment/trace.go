package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// Trace runs a method from a seed until the budget is used up and records its trajectory.
// measure fills in the exact values at an iterate, and the multiplier.
func Trace(ctx context.Context, p problem.Problem, method solver.Method, size RunSpec, seed uint64, measure func(*results.Point, *solver.Iterate)) (results.Run, error) {
	run := results.Run{Method: method.Name(), Seed: seed}
	for _, option := range method.Params() {
		run.Params = append(run.Params, results.Param{Name: option.Name, Value: option.Current()})
	}
	recorder := func(s *solver.Snapshot) (bool, error) {
		point := results.Point{
			Samples: s.Counters.Samples(), Passes: problem.Passes(p, s.Counters.Samples()), Seconds: s.Elapsed.Seconds(),
			Step: s.Iterate.Diag.Eta, Rho: s.Iterate.Diag.Rho, SigmaMin: s.Iterate.Diag.SigmaMin,
		}
		measure(&point, s.Iterate)
		run.Points = append(run.Points, point)
		return false, nil
	}
	settings := solver.Settings{MaxSamples: size.Budget, Records: size.Records}
	r, err := solver.Run(ctx, p, method, settings, solver.NewStreams(seed, 0), recorder)
	if err != nil {
		return run, err
	}
	if r.Status == solver.Interrupted {
		return run, errors.Join(ctx.Err(), errors.New("interrupted"))
	}
	for _, constant := range solver.Known(method) {
		run.Params = append(run.Params, results.Param{Name: "known_" + constant.Name, Value: fmt.Sprint(constant.Value)})
	}
	run.Status = results.Status(r.Status)
	run.Iterations = r.Iterations
	run.Seconds = r.Elapsed.Seconds()
	run.Counters = results.Counters{
		Objective: results.Count(r.Counters.Objective), Gradient: results.Count(r.Counters.Gradient),
		Constraint: results.Count(r.Counters.Constraint), Jacobian: results.Count(r.Counters.Jacobian),
	}
	return run, nil
}
