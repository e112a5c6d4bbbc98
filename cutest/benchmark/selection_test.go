package benchmark

import (
	"testing"

	"github.com/fairtrain/fairtrain/results"
)

// TestSelection chooses among three candidates by every rule.
func TestSelection(t *testing.T) {
	at := func(stationarity, feasibility float64) results.Judged {
		return results.Judged{Stationarity: results.Number(stationarity), Feasibility: results.Number(feasibility), Iteration: 9}
	}
	trials := []results.Trial{
		{Best: at(1e-5, 1e-1), Last: at(1e-3, 1e-5)},
		{Best: at(2e-2, 1e-5), Last: results.Nowhere},
		{Best: at(1e-2, 1e-3), Last: at(1e-1, 1e-6)},
	}
	for by, want := range map[Selection]int{
		Stated:      1, // the only one that is feasible enough
		LeastScore:  2,
		LastIterate: 0,
	} {
		if _, got := choose(trials, by, 1e-4); got != want {
			t.Errorf("%s: candidate %d, want %d", by, got, want)
		}
	}
	if best, got := choose([]results.Trial{{Best: results.Nowhere}}, Stated, 1e-4); best != results.Nowhere || got != 0 {
		t.Errorf("without any iterate: %+v of candidate %d", best, got)
	}
}

// TestLast measures last iterates, of which the best one is at least as good by the rule as
// stated.
func TestLast(t *testing.T) {
	r := small(t)
	stated := runAll(t, r)
	table, err := LoadTable(r.Dir, LastIterate)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range table.Rows {
		for k, cell := range row.Cells {
			best := stated.Rows[i].Cells[k].Best
			if cell.Best.Better(best, r.Preset.Benchmark.Feasible) || cell.Best.Iteration == 0 {
				t.Errorf("%s on %s: the last iterate %+v, the best one %+v", cell.Method, row.Instance.Name, cell.Best, best)
			}
			if last := cell.Trials[cell.Chosen]; cell.Best.Iteration != last.Iterations {
				t.Errorf("%s on %s: iteration %d of %d is the last one", cell.Method, row.Instance.Name, cell.Best.Iteration, last.Iterations)
			}
		}
	}
}
