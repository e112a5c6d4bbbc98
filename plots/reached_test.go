package plots

import (
	"math"
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
	if diff := cmp.Diff([][]float64{{100, never, never}, {never, never, never}}, samplesTo(runs, 0.2).Cost); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
	if perPass := samplesPerPass(runs); perPass != 100 {
		t.Errorf("%v samples a pass, want 100", perPass)
	}
}
