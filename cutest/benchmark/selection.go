package benchmark

import "github.com/fairtrain/fairtrain/results"

// Selection is a rule by which the result of a method on a problem is chosen from its
// candidates.
type Selection string

// The rules. All use exact values, which no method sees.
const (
	// Stated is the paper's rule: of all iterates of all candidates that are feasible
	// enough, the one with the smallest stationarity; if there is none, the iterate with the
	// smallest feasibility error.
	Stated Selection = "stated"
	// LeastScore takes the best iterate of each candidate by the stated rule, and of these
	// the one with the least score.
	LeastScore Selection = "least-score"
	// LastIterate takes the last iterate of each candidate, as a user would who can't
	// compare iterates, and of these the best one by the stated rule.
	LastIterate Selection = "last-iterate"
)

// Selections are all rules.
var Selections = []Selection{Stated, LeastScore, LastIterate}

// choose returns the result of a method on a problem, and the trial that found it, by a
// rule. The first of equals wins; without any iterate it is the first trial.
func choose(trials []results.Trial, by Selection, threshold float64) (best results.Judged, chosen int) {
	best = results.Nowhere
	for i, t := range trials {
		j := t.Best
		if by == LastIterate {
			j = t.Last
		}
		if by == LeastScore && j.Score() < best.Score() || by != LeastScore && j.Better(best, threshold) {
			best, chosen = j, i
		}
	}
	return best, chosen
}
