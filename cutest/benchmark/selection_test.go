package benchmark

import (
	"math"
	"strings"
	"testing"
)

// TestSelection chooses among three candidates by every rule.
func TestSelection(t *testing.T) {
	inf := Number(math.Inf(1))
	last := func(stationarity, feasibility Number) *Point { return &Point{stationarity, feasibility, 9} }
	c := Cell{Method: "fsfo", Problem: "HS6", Trials: []Trial{
		{Best: Point{1e-5, 1e-1, 3}, Last: last(1e-3, 1e-5)},
		{Best: Point{2e-2, 1e-5, 4}, Last: last(inf, inf)},
		{Best: Point{1e-2, 1e-3, 5}, Last: last(1e-1, 1e-6)},
	}}
	for by, want := range map[Selection]int{
		Stated:      1, // the only one that is feasible enough
		LeastScore:  2,
		LastIterate: 0,
	} {
		if err := c.chooseBy(by, 1e-4); err != nil || c.Chosen != want {
			t.Errorf("%s: candidate %d (%v), want %d", by, c.Chosen, err, want)
		}
	}
	c.Trials[1].Last = nil
	if err := c.chooseBy(LastIterate, 1e-4); err == nil || !strings.Contains(err.Error(), "fsfo on HS6 has no last iterates") {
		t.Errorf("error %v, want one that says what is missing", err)
	}
}

// TestLast measures last iterates, of which the best one is at least as good by the rule as
// stated.
func TestLast(t *testing.T) {
	r := small(t)
	stated := runAll(t, r)
	table, err := LoadTableBy(r.Dir, LastIterate)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range table.Rows {
		for k, cell := range row.Cells {
			best := stated.Rows[i].Cells[k].Best
			if cell.Best.better(best, r.Preset.Feasible) || cell.Best.Iteration == 0 {
				t.Errorf("%s on %s: the last iterate %+v, the best one %+v", cell.Method, cell.Problem, cell.Best, best)
			}
			if last := cell.Trials[cell.Chosen]; cell.Best.Iteration != last.Iterations {
				t.Errorf("%s on %s: iteration %d of %d is the last one", cell.Method, cell.Problem, cell.Best.Iteration, last.Iterations)
			}
		}
	}
}
