package benchmark

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/results"
)

// columns are the figures of the table, for a summary.
var columns = []struct {
	name   string
	format func(*Summary) string
}{
	{"wins", func(s *Summary) string { return strconv.Itoa(s.Wins) }},
	{"median score", func(s *Summary) string { return scientific(s.Score) }},
	{"median stationarity", func(s *Summary) string { return scientific(s.Stationarity) }},
	{"median feasibility", func(s *Summary) string { return scientific(s.Feasibility) }},
}

func scientific(x results.Number) string { return fmt.Sprintf("%.3e", float64(x)) }

// ByMethod is the paper's table: a row for every method, the paper's figures next to ours.
func (t *Table) ByMethod() results.Table {
	table := results.Table{Caption: t.Caption(), Columns: []string{"method"}, Wide: true}
	for _, c := range columns {
		table.Columns = append(table.Columns, c.name, "paper")
	}
	for i := range t.Methods {
		row := []string{names.Method(t.Methods[i].Name)}
		paper := paperFigures(t.Noise, t.Methods[i].Name)
		for _, c := range columns {
			theirs := "–"
			if paper != nil {
				theirs = c.format(paper)
			}
			row = append(row, c.format(&t.Methods[i]), theirs)
		}
		table.Rows = append(table.Rows, results.Row(row...))
	}
	if note := t.paperNote(); note != "" {
		table.Notes = []string{note}
	}
	return table
}

// Caption says what was compared.
func (t *Table) Caption() string {
	text := fmt.Sprintf("problems: %d, noise %g, %d samples per run", t.Problems, t.Noise, t.Budget)
	if t.Bounded > 0 {
		text += fmt.Sprintf("; bounds ignored on %d", t.Bounded)
	}
	if t.Missing > 0 {
		text += fmt.Sprintf("; %d more lack results", t.Missing)
	}
	return text
}

// ByProblem has a row for every method on every problem.
func (t *Table) ByProblem() results.Table {
	table := results.Table{Columns: []string{
		"problem", "n", "m", "fixed", "bounded", "method", "score", "stationarity", "feasibility", "wins",
		"batch", "options", "iteration", "candidates", "diverged", "seconds",
	}}
	float := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for i := range t.Rows {
		r := &t.Rows[i]
		p := r.Instance
		for k, cell := range r.Cells {
			chosen := cell.Trials[cell.Chosen]
			wins := 0
			if r.Wins(k) {
				wins = 1
			}
			diverged, seconds := 0, 0.0
			for _, trial := range cell.Trials {
				if trial.Status == results.Diverged {
					diverged++
				}
				seconds += trial.Seconds
			}
			table.Rows = append(table.Rows, results.Row(
				p.Name, strconv.Itoa(p.N), strconv.Itoa(p.M), strconv.Itoa(p.Fixed), strconv.Itoa(p.Bounded),
				cell.Method, float(cell.Best.Score()), float(float64(cell.Best.Stationarity)), float(float64(cell.Best.Feasibility)), strconv.Itoa(wins),
				strconv.Itoa(chosen.Batch), optionText(chosen.Options), strconv.Itoa(cell.Best.Iteration),
				strconv.Itoa(len(cell.Trials)), strconv.Itoa(diverged), fmt.Sprintf("%.3f", seconds),
			))
		}
	}
	return table
}

// optionText writes options as "name=value", sorted by name.
func optionText(options map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, options[name]))
	}
	return strings.Join(parts, " ")
}

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

// paperNote says what the paper's figures are of; "" if the table has none of them.
func (t *Table) paperNote() string {
	for _, s := range t.Methods {
		if paperFigures(t.Noise, s.Name) != nil {
			return "the paper's figures are of 138 problems, which it does not list, with 75 candidates " +
				"per method and 3000 samples per run"
		}
	}
	return ""
}
