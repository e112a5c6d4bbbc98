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
