package main

import (
	"testing"

	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// TestFrontierFailure gives one of two classifiers every way to end.
func TestFrontierFailure(t *testing.T) {
	report := func(status solver.Status, residual float64, satisfied bool) *train.Report {
		return &train.Report{
			Status: status, KKTResidual: residual, Tolerance: 1e-3,
			Constraints: []train.Constraint{{Satisfied: satisfied}},
		}
	}
	for _, test := range []struct {
		report *train.Report
		ending string
		code   int
	}{
		{report(solver.Converged, 1e-4, true), "converged", 0},
		{report(solver.Exhausted, 1e-4, true), "budget", 0},
		{report(solver.Exhausted, 1e-2, true), "budget", exitNotReached},
		{report(solver.Converged, 1e-4, false), "violated", exitNotReached}, // by decisions
		{report(solver.Converged, 1e-2, true), "not reached", exitNotReached},
		{report(train.Infeasible, 1e-2, false), "infeasible", exitNotReached},
		{report(solver.Diverged, 1e-4, true), "diverged", exitDiverged},
	} {
		r := &train.FrontierReport{
			Unconstrained: &train.FrontierPoint{Report: report(solver.Converged, 0, true)},
			Points:        []*train.FrontierPoint{{Report: test.report}},
		}
		if code := exitCode(frontierFailure(r)); code != test.code || ending(test.report) != test.ending {
			t.Errorf("%+v: %s, exit code %d, want %s, %d", test.report, ending(test.report), code, test.ending, test.code)
		}
	}
}
