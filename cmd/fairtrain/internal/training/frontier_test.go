package training

import (
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// TestFrontierFailure gives one of two classifiers every way to end.
func TestFrontierFailure(t *testing.T) {
	report := func(status solver.Status) *train.Report { return &train.Report{Status: status} }
	for _, test := range []struct {
		status solver.Status
		code   int
	}{
		{solver.Converged, 0},
		{solver.Exhausted, command.ExitNotReached},
		{train.NotReached, command.ExitNotReached},
		{train.Infeasible, command.ExitNotReached},
		{solver.Diverged, command.ExitDiverged},
	} {
		r := &train.FrontierReport{
			Unconstrained: &train.FrontierPoint{Report: report(solver.Converged)},
			Points:        []*train.FrontierPoint{{Report: report(test.status)}},
		}
		if code := command.ExitCode(frontierFailure(r)); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.status, code, test.code)
		}
	}
}
