package benchmark

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// exhaustive applies the paper's criterion to points with all values known.
func exhaustive(points []results.Judged, threshold float64) results.Judged {
	best := results.Nowhere
	for _, p := range points {
		if float64(p.Feasibility) <= threshold && (float64(best.Feasibility) > threshold ||
			p.Stationarity < best.Stationarity) {
			best = p
		}
	}
	if best != results.Nowhere {
		return best
	}
	for _, p := range points {
		if p.Feasibility < best.Feasibility {
			best = p
		}
	}
	return best
}

// TestJudge compares the judge, which leaves out what it can, with all exact values of
// all iterates, where no, some and all iterates are feasible enough.
func TestJudge(t *testing.T) {
	preset := loadPreset(t, "paper-cutest-1e-2")
	for _, threshold := range []float64{0, 1e-3, 0.1, math.Inf(1)} {
		for _, m := range preset.Methods {
			exact, err := load(t, circle)[0].Open()
			if err != nil {
				t.Fatal(err)
			}
			noisy, err := problem.NewNoisy(exact, preset.Benchmark.Noise)
			if err != nil {
				t.Fatal(err)
			}
			method, err := constants{2, 3, 2}.method(preset.Candidates(&m, 0)[2])
			if err != nil {
				t.Fatal(err)
			}
			var points []results.Judged
			v := problem.NewValues(2, 1)
			all := func(s *solver.Snapshot) (bool, error) {
				if s.Iterate.K > 0 {
					exact.Evaluate(v, s.Iterate.X, nil)
					score := kkt.NewEvaluator(exact).Score(v)
					points = append(points, results.Judged{Stationarity: results.Number(score.Stationarity), Feasibility: results.Number(score.Feasibility), Iteration: s.Iterate.K})
				}
				return false, nil
			}
			judge := newJudge(exact, threshold)
			settings := solver.Settings{MaxSamples: 600}
			if _, err := solver.Run(t.Context(), noisy, method, settings, solver.NewStreams(1, 0),
				all, judge.record); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(exhaustive(points, threshold), judge.result()); diff != "" {
				t.Errorf("%s, threshold %v (-exhaustive +judge):\n%s", m.Method, threshold, diff)
			}
		}
	}
}

// TestJudgeNothing has only iterates without values to choose from.
func TestJudgeNothing(t *testing.T) {
	p, err := load(t, circle)[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	j := newJudge(p, 1e-4)
	for k := range 3 {
		if _, err := j.record(&solver.Snapshot{Iterate: &solver.Iterate{K: k, X: []float64{math.NaN(), 1}}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := j.result(); got != results.Nowhere || !math.IsInf(got.Score(), 1) {
		t.Errorf("best is %v, want nothing", got)
	}
}

// TestJudgeDomain has the iterate of smallest feasibility where the objective √x is
// undefined.
func TestJudgeDomain(t *testing.T) {
	p, err := load(t, root)[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, threshold := range []float64{1e-4, 0.2} {
		j := newJudge(p, threshold)
		for k, x := range []float64{5, 0.5, -0.1} {
			if _, err := j.record(&solver.Snapshot{Iterate: &solver.Iterate{K: k, X: []float64{x}}}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(results.Judged{Stationarity: 0, Feasibility: 0.5, Iteration: 1}, j.result()); diff != "" {
			t.Errorf("threshold %v: (-want +got):\n%s", threshold, diff)
		}
	}
}

// TestChoose has three candidates, of which one is feasible enough.
func TestChoose(t *testing.T) {
	at := func(stationarity, feasibility float64) results.Judged {
		return results.Judged{Stationarity: results.Number(stationarity), Feasibility: results.Number(feasibility), Iteration: 9}
	}
	trials := []results.Trial{{Best: at(1e-5, 1e-1)}, {Best: at(2e-2, 1e-5)}, {Best: at(1e-2, 1e-3)}}
	if _, got := choose(trials, 1e-4); got != 1 {
		t.Errorf("candidate %d, want 1", got)
	}
	if best, got := choose([]results.Trial{{Best: results.Nowhere}}, 1e-4); best != results.Nowhere || got != 0 {
		t.Errorf("without any iterate: %+v of candidate %d", best, got)
	}
}
