package benchmark

import (
	"fmt"
	"math"
)

// Selection is a rule by which the result of a method on a problem is chosen from its
// candidates.
type Selection string

// The rules. All use exact values, which no method sees.
const (
	// Stated is the paper's: of all iterates of all candidates the best one by stationarity
	// among those that are feasible enough, or else by feasibility.
	Stated Selection = "stated"
	// LeastScore takes the best iterate of each candidate by the rule as stated, and of
	// these the one with the least score.
	LeastScore Selection = "least-score"
	// LastIterate takes the last iterate of each candidate, as somebody would who can't
	// compare iterates, and of these the best one by the rule as stated.
	LastIterate Selection = "last-iterate"
)

// Selections are all rules.
var Selections = []Selection{Stated, LeastScore, LastIterate}

// chooseBy chooses the result of the cell anew. Its error is that of results that were
// stored without last iterates.
func (c *Cell) chooseBy(s Selection, threshold float64) error {
	c.Best, c.Chosen = nowhere, 0
	for i, t := range c.Trials {
		p := t.Best
		if s == LastIterate {
			if t.Last == nil {
				return fmt.Errorf("%s on %s has no last iterates, as an earlier version of the program ran it", c.Method, c.Problem)
			}
			p = *t.Last
		}
		if s == LeastScore && p.Score() < c.Best.Score() || s != LeastScore && p.better(c.Best, threshold) {
			c.Best, c.Chosen = p, i
		}
	}
	return nil
}

// last is the last iterate of a run that did not diverge.
func (j *judge) last(x []float64, iteration int) Point {
	if iteration == 0 || !j.defined(x) {
		return nowhere
	}
	stationarity := j.stationarity(x) // evaluates c too
	feasibility := 0.0
	for _, c := range j.values.Constraint {
		feasibility = max(feasibility, math.Abs(c)) // NaN if one is
	}
	if math.IsNaN(feasibility) || math.IsInf(float64(stationarity), 1) {
		return nowhere
	}
	return Point{stationarity, Number(feasibility), iteration}
}
