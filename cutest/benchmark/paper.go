package benchmark

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/internal/names"
)

// The paper's experiment.
const (
	paperProblems   = 138 // it does not list them
	paperCandidates = 75  // per method and problem
	paperBudget     = 3000
)

// published is the paper's table (Table semantic-fair-summary) by noise level.
var published = map[float64][]Summary{
	1e-2: {
		{"fsfo", 103, 1.997e-3, 3.331e-4, 1.404e-3},
		{"ssqp", 25, 3.454e-3, 1.132e-3, 2.135e-3},
		{"slqpm", 12, 8.388e-2, 9.467e-3, 1.640e-2},
		{"stoc-ialm", 8, 9.364e-2, 9.534e-3, 4.634e-2},
	},
	1e-4: {
		{"fsfo", 104, 2.606e-4, 5.913e-5, 1.191e-4},
		{"ssqp", 26, 5.829e-4, 1.413e-4, 2.797e-4},
		{"slqpm", 10, 7.993e-2, 9.482e-3, 1.397e-2},
		{"stoc-ialm", 7, 9.164e-2, 2.654e-3, 3.681e-2},
	},
}

// paperFigures returns the paper's results for a method at a noise level, nil if it has
// none.
func paperFigures(noise float64, method string) *Summary {
	for i := range published[noise] {
		if s := &published[noise][i]; s.Name == method {
			return s
		}
	}
	return nil
}

// paperNote says how the experiment of the paper's figures differs from this one; "" if there are
// no such figures beside the methods of the table.
func (t *Table) paperNote() string {
	var theirs, ours []string
	for _, s := range published[t.Noise] {
		theirs = append(theirs, names.Method(s.Name))
	}
	for _, s := range t.Methods {
		ours = append(ours, names.Method(s.Name))
	}
	if !slices.ContainsFunc(ours, func(name string) bool { return slices.Contains(theirs, name) }) {
		return ""
	}
	parts := []string{fmt.Sprintf("%d problems, which it does not list (here %d)", paperProblems, t.Problems)}
	if least, most := t.candidates(); least != paperCandidates || most != paperCandidates {
		here := fmt.Sprint(least)
		if least < most {
			here += fmt.Sprintf(" to %d", most)
		}
		parts = append(parts, fmt.Sprintf("%d candidates per method (here %s)", paperCandidates, here))
	}
	if t.Budget != paperBudget {
		parts = append(parts, fmt.Sprintf("%d samples per run (here %d)", paperBudget, t.Budget))
	}
	if !slices.Equal(slices.Sorted(slices.Values(theirs)), slices.Sorted(slices.Values(ours))) {
		parts = append(parts, fmt.Sprintf("the methods %s (here %s)", strings.Join(theirs, ", "),
			strings.Join(ours, ", ")))
	}
	return "the paper's figures are of another experiment: " + strings.Join(parts, "; ")
}

// candidates are the least and the largest number of candidates of a method on a problem.
func (t *Table) candidates() (least, most int) {
	for i, row := range t.Rows {
		for k, cell := range row.Cells {
			if n := len(cell.Trials); i == 0 && k == 0 {
				least, most = n, n
			} else {
				least, most = min(least, n), max(most, n)
			}
		}
	}
	return least, most
}
