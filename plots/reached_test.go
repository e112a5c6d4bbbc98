package plots

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/results"
)

// TestSamplesTo has a method that reaches the residual from one of two seeds, one that never
// does, and one that passes it on the way to its divergence.
func TestSamplesTo(t *testing.T) {
	run := func(label string, seed uint64, residuals ...float64) results.Run {
		r := results.Run{}
		r.Label, r.Seed = label, seed
		for k, residual := range residuals {
			r.Points = append(r.Points, results.Point{Samples: int64(100 * k), Passes: float64(k), Stationarity: residual})
		}
		return r
	}
	runs := []results.Run{run("a", 7, 1, 0.2, 0.1), run("a", 8, 1, 0.3), run("b", 7, 1), run("b", 8, 1)}
	for _, seed := range []uint64{7, 8} {
		lost := run("c", seed, 1, 0.1)
		lost.Status = results.Diverged
		runs = append(runs, lost)
	}
	never := math.Inf(1)
	if diff := cmp.Diff([][]float64{{100, never, never}, {never, never, never}},
		samplesTo(runs, 0.2).Cost); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
}

// TestAboveStart looks for the methods that were thrown far out in the captions of all figures
// of runs.
func TestAboveStart(t *testing.T) {
	runs := sampleRuns("fsfo", "ssqp")
	last := &runs[0].Points[len(runs[0].Points)-1]
	last.Objective, last.Stationarity = 340, 1e-300
	for name, draw := range map[string]func() (*Figure, error){
		"convergence": func() (*Figure, error) { return Convergence(runs, nil, DefaultOptions()) },
		"box":         func() (*Figure, error) { return Box(runs, nil, DefaultOptions()) },
		"profile":     func() (*Figure, error) { return Reached(runs, 0.05, DefaultOptions()) },
	} {
		figure, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(figure.caption, "FSFO: 1 of 5 runs ended above the objective of the start;") || strings.Contains(figure.caption, "SSQP") {
			t.Errorf("%s: caption %q", name, figure.caption)
		}
	}
}
