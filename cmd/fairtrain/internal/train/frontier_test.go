package train

import (
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// pointOf is a classifier at a bound.
func pointOf(bound, accuracy fairness.Value) *frontier.Point {
	figures := &fairness.Report{Metrics: fairness.Metrics{Accuracy: accuracy}}
	return &frontier.Point{Bound: bound, Report: &train.Report{
		Status: solver.Converged, Loss: train.Logistic, Train: &train.Figures{Report: figures},
	}}
}

// TestFrontierTrainedFor: a row says for which bound its classifier was trained if that is another
// one, in CSV always.
func TestFrontierTrainedFor(t *testing.T) {
	none, own, borrowed := pointOf(fairness.Undefined(), 0.7), pointOf(0.05, 0.6), pointOf(0.1, 0.6)
	text := func(format results.TableFormat) string {
		var b strings.Builder
		r := &frontier.Report{On: train.Decisions, Unconstrained: none, Points: []*frontier.Point{own, borrowed}}
		if err := frontierTable(r, format).Write(&b, format); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if table := text(results.Text); strings.Contains(table, "trained for") {
		t.Errorf("each classifier stands at its own bound:\n%s", table)
	}
	if table := text(results.CSV); !strings.Contains(table, "0.1,false,false,0.1,converged,logistic,") {
		t.Errorf("CSV lacks the bound trained for:\n%s", table)
	}
	borrowed.TrainedFor = &own.Bound
	for format, want := range map[results.TableFormat]string{
		results.Text: "0.1    0.05 ", results.CSV: "0.1,false,false,0.05,",
	} {
		if table := text(format); !strings.Contains(table, want) || !strings.Contains(table, "trained for") {
			t.Errorf("%s lacks %q:\n%s", format, want, table)
		}
	}
}

// TestFrontierFailure gives one of two classifiers every way to end.
func TestFrontierFailure(t *testing.T) {
	report := func(status solver.Status) *train.Report { return &train.Report{Status: status} }
	for status, code := range map[solver.Status]int{
		solver.Converged: 0,
		solver.Exhausted: command.ExitNotReached,
		train.NotReached: command.ExitNotReached,
		solver.Diverged:  command.ExitDiverged,
	} {
		r := &frontier.Report{
			Unconstrained: &frontier.Point{Report: report(solver.Converged)},
			Points:        []*frontier.Point{{Report: report(status)}},
		}
		if got := command.ExitCode(frontierFailure(r)); got != code {
			t.Errorf("%s: exit code %d, want %d", status, got, code)
		}
	}
}
