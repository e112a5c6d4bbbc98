package benchmark

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/internal/naming"
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

func scientific(x Number) string { return fmt.Sprintf("%.3e", float64(x)) }

// cells returns the table with its header; the paper's figures follow ours in each
// column.
func (t *Table) cells() [][]string {
	header := []string{"method"}
	for _, c := range columns {
		header = append(header, c.name, "paper")
	}
	table := [][]string{header}
	for i := range t.Methods {
		row := []string{naming.Method(t.Methods[i].Name)}
		paper := Published(t.Noise, t.Methods[i].Name)
		for _, c := range columns {
			theirs := "–"
			if paper != nil {
				theirs = c.format(paper)
			}
			row = append(row, c.format(&t.Methods[i]), theirs)
		}
		table = append(table, row)
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

// WriteText writes the table for a terminal.
func (t *Table) WriteText(w io.Writer) error {
	rows := t.cells()
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Caption())
	for _, row := range rows {
		line := fmt.Sprintf("%-*s", widths[0], row[0])
		for j, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[j+1], cell)
		}
		fmt.Fprintln(&b, line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the table for a document.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Caption())
	for i, row := range t.cells() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("---:|", len(row)-1))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes a line for every method on every problem.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{
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
			diverged := 0
			for _, trial := range cell.Trials {
				if trial.Status == "diverged" {
					diverged++
				}
			}
			rows = append(rows, []string{
				p.Name, strconv.Itoa(p.N), strconv.Itoa(p.M), strconv.Itoa(p.Fixed), strconv.Itoa(p.Bounded),
				cell.Method, float(cell.Best.Score()), float(float64(cell.Best.Stationarity)), float(float64(cell.Best.Feasibility)), strconv.Itoa(wins),
				strconv.Itoa(chosen.Batch), optionText(chosen.Options), strconv.Itoa(cell.Best.Iteration),
				strconv.Itoa(len(cell.Trials)), strconv.Itoa(diverged), fmt.Sprintf("%.3f", cell.Seconds),
			})
		}
	}
	return c.WriteAll(rows)
}
