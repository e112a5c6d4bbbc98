package train

import (
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
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
		r := &frontier.Report{
			Unconstrained: &frontier.Point{Report: report(solver.Converged)},
			Points:        []*frontier.Point{{Report: report(test.status)}},
		}
		if code := command.ExitCode(frontierFailure(r)); code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.status, code, test.code)
		}
	}
}
