package research

import (
	"fmt"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/internal/naming"
	"github.com/fairtrain/fairtrain/results"
)

// ruleOutcome is the result of a rule of selection in the output of cutest table --rules
// --json.
type ruleOutcome struct {
	Rule benchmark.Selection `json:"rule"`
	*benchmark.Table
	Pairs []benchmark.Pair `json:"pairs"`
}

// cutestRules prints the results of every rule of selection on the stored runs. With a method
// in against there are only the pairs with this method.
func (p program) cutestRules(dir, against string, format results.TableFormat) error {
	var outcomes []ruleOutcome
	for _, rule := range benchmark.Selections {
		table, err := loadTable(dir, rule)
		if err != nil {
			return err
		}
		pairs, err := pairsWith(table, against)
		if err != nil {
			return err
		}
		outcomes = append(outcomes, ruleOutcome{rule, table, pairs})
	}
	if p.JSON {
		return p.PrintJSON(outcomes)
	}
	return p.PrintTables(format, "", winsByRule(outcomes), pairsByRule(outcomes))
}

// pairsWith are the pairs of every method with the given one, or all pairs for "".
func pairsWith(table *benchmark.Table, against string) ([]benchmark.Pair, error) {
	var with []benchmark.Pair
	for _, pair := range table.Pairs() {
		if pair.Method == against {
			pair = benchmark.Pair{Method: pair.Against, Against: pair.Method, Wins: pair.Losses, Losses: pair.Wins}
		}
		if against == "" || pair.Against == against {
			with = append(with, pair)
		}
	}
	if len(with) == 0 && against != "" {
		return nil, command.Usagef("--against %s: no pairs with such a method", against)
	}
	return with, nil
}

// winsByRule has the wins against all methods together.
func winsByRule(outcomes []ruleOutcome) results.Table {
	t := results.Table{Columns: []string{"method"}, Notes: []string{outcomes[0].Caption(), "wins, in brackets the median score"}}
	for _, o := range outcomes {
		t.Columns = append(t.Columns, string(o.Rule))
	}
	for i, method := range outcomes[0].Methods {
		row := []results.Entry{{Text: naming.Method(method.Name), Key: method.Name}}
		for _, o := range outcomes {
			m := o.Methods[i]
			row = append(row, results.Entry{
				Parts:  []results.Part{{Name: " wins", Value: float64(m.Wins), Digits: 4}, {Name: " median score", Value: float64(m.Score), Digits: 3}},
				Layout: "%s (%s)",
			})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// pairsByRule has the wins of every method against every other.
func pairsByRule(outcomes []ruleOutcome) results.Table {
	t := results.Table{Columns: []string{"problems won by one of two methods"}, Wide: true}
	for _, o := range outcomes {
		t.Columns = append(t.Columns, string(o.Rule))
	}
	for i, pair := range outcomes[0].Pairs {
		row := []string{naming.Method(pair.Method) + " : " + naming.Method(pair.Against)}
		for _, o := range outcomes {
			row = append(row, fmt.Sprintf("%d : %d", o.Pairs[i].Wins, o.Pairs[i].Losses))
		}
		t.Rows = append(t.Rows, results.Row(row...))
	}
	return t
}
