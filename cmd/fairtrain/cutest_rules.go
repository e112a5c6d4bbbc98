package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/internal/naming"
	"github.com/fairtrain/fairtrain/results"
)

// ruleOutcome is what a rule of selection finds in the output of cutest table --rules --json.
type ruleOutcome struct {
	Rule benchmark.Selection `json:"rule"`
	*benchmark.Table
}

// cutestRules prints what every rule of selection makes of the stored results. Results of
// earlier versions have no last iterates, which is noted.
func (p *program) cutestRules(c *cli.Context, dir string, format results.TableFormat) error {
	var outcomes []ruleOutcome
	var notes []string
	for _, rule := range benchmark.Selections {
		table, err := benchmark.LoadTableBy(dir, rule)
		switch {
		case err != nil && rule == benchmark.LastIterate && len(outcomes) > 0:
			notes = append(notes, fmt.Sprintf("%s: %v", rule, err))
		case err != nil:
			return advise(err, "fairtrain cutest run writes a folder of results")
		default:
			outcomes = append(outcomes, ruleOutcome{rule, table})
		}
	}
	if isOn(c, "json") {
		return p.printJSON(outcomes)
	}
	t := results.Table{Columns: []string{"rule"}, Notes: append([]string{
		outcomes[0].Caption(), "wins, in brackets the median score",
	}, notes...)}
	for _, m := range outcomes[0].Methods {
		t.Columns = append(t.Columns, naming.Method(m.Name))
	}
	for _, o := range outcomes {
		row := []results.Entry{{Text: string(o.Rule)}}
		for _, m := range o.Methods {
			row = append(row, results.Entry{
				Parts:  []results.Part{{Name: " wins", Value: float64(m.Wins), Digits: 4}, {Name: " median score", Value: float64(m.Score), Digits: 3}},
				Layout: "%s (%s)",
			})
		}
		t.Rows = append(t.Rows, row)
	}
	return t.Write(p.stdout, format)
}
