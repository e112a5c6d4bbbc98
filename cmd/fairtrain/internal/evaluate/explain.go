package evaluate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
)

// ExplainCommand is fairtrain explain.
func ExplainCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "explain",
		Usage: "what a model uses, and how strongly, in the units of the data",
		Description: `Prints the columns of a model, the strongest first, with their effects on the log-odds of a
positive label, and marks sensitive attributes ("group") and their proxies (AUC ≥ 0.7): docs/explain.md.

   fairtrain explain --model fair.json
   fairtrain explain --model old.json --data people.csv --json`,
		Flags: append(command.TalkFlags(),
			input.ModelFlag(),
			input.DataFlag("", "compare with the rows of `NAME|FILE`, labelled or not, in place of the training rows"),
		),
		Action: command.Action(readExplain, program{p}.explain),
	}
}

// explainOptions are the options of explain.
type explainOptions struct {
	model input.ModelOptions
	data  string // to compare with; "" for the training rows
}

func readExplain(c *cli.Context) (explainOptions, error) {
	o := explainOptions{model: input.ModelOptions{Path: c.String("model")}, data: c.String("data")}
	files := []string{o.model.Path}
	if c.IsSet("data") {
		files = append(files, o.data)
	}
	return o, command.CheckNames(files...)
}

func (p program) explain(ctx context.Context, o explainOptions) error {
	m, err := input.LoadModel(ctx, p.Program, o.model)
	if err != nil {
		return err
	}
	groups := constrainedGroups(m)
	if o.data != "" {
		from := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: groups}
		d, err := from.Read(o.data, tabular.Options{AnyLabels: true})
		if err != nil {
			return err
		}
		if m.Reference, err = m.Features.Measure(d, groups); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		m.Reference.OtherRows = true
	}
	e := m.Explain(groups)
	if p.JSON {
		return p.PrintJSON(e)
	}
	title := "What " + o.model.Path + " uses, the strongest column first"
	if e.Label != "" {
		title += "; label " + e.Label
	}
	return p.PrintTables(results.Text, results.Wrap(title, command.ReportWidth)+"\n\n", explanationTable(e))
}

// explanationTable has a row for every effect of the strongest columns.
func explanationTable(e *classifier.Explanation) results.Table {
	const mostColumns = 50
	number := func(v *float64, digits int) results.Entry {
		if v == nil {
			return results.Entry{}
		}
		return results.Single(*v, digits)
	}
	t := results.Table{
		Columns: []string{"column or level", "log-odds", "odds ratio", "log-odds per sd", "share", "from", "sensitive"},
		Wide:    true, Notes: explanationNotes(e),
	}
	columns := e.Columns
	if len(columns) > mostColumns {
		t.Notes = append(t.Notes, fmt.Sprintf("%d weaker columns are left out, --json has all", len(columns)-mostColumns))
		columns = columns[:mostColumns]
	}
	add := func(x *classifier.Effect, mark string) {
		logOdds := results.Single(x.LogOdds, 4)
		if x.Reference {
			logOdds = results.Entry{Text: "reference", Right: true}
		}
		var odds results.Entry
		if x.OddsRatio != nil {
			odds = results.Entry{Text: classifier.OddsText(*x.OddsRatio, 3), Right: true}
		}
		t.Rows = append(t.Rows, []results.Entry{
			{Text: x.Feature}, logOdds, odds, number(x.LogOddsSD, 4), number(x.Share, 4), number(x.From, 7), {Text: mark},
		})
	}
	for k := range columns {
		mark := ""
		switch {
		case len(columns[k].Groups) > 0:
			mark = "group"
		case len(columns[k].Proxies) > 0:
			mark = "proxy"
		}
		for i := range columns[k].Effects {
			add(&columns[k].Effects[i], mark)
		}
	}
	add(&classifier.Effect{Feature: "(everybody)", LogOdds: e.Constant}, "")
	if !e.Probability {
		t.Columns = slices.Delete(t.Columns, 2, 3)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], 2, 3)
		}
	}
	return t
}

// explanationNotes say how to read the table, and have what does not fit into it.
func explanationNotes(e *classifier.Explanation) []string {
	unit := "for one unit more of a number, or a level in place of the reference, the most frequent one; all else being equal"
	notes := []string{"log-odds, odds ratio: of the score, the model's probability of a positive label, " + unit}
	if !e.Probability {
		notes[0] = "log-odds: of the score, " + unit +
			"; the scores are no probabilities, so that there are no odds ratios"
	}
	notes = append(notes, "a score has the log-odds of (everybody) and, of every column, the effect of the row's level, or of a number's distance from the value in the column from; (rare) or (other) is any value without a line of its own")
	if r := e.Reference; r != nil {
		notes = append(notes, fmt.Sprintf("per sd: for one standard deviation; share: of the %d rows, rounded to multiples of %d people; a person who is average in everything has the score %.4f", r.Rows, r.MinCount, r.Score))
		if r.Sample > 0 {
			notes = append(notes, fmt.Sprintf("proxies, and columns that predict the label, were looked for among %d of the rows, drawn at random", r.Sample))
		}
	} else {
		notes = append(notes, "the model file does not describe the training rows: the reference is a category's first level, and proxies are not known; --data measures both on other rows")
	}
	if warning := words.Leaks(e.Leaks); warning != "" {
		notes = append(notes, warning)
	}
	for _, column := range e.Columns {
		if len(column.Groups) > 0 {
			notes = append(notes, fmt.Sprintf("group: %s is a feature, and groups of the sensitive attribute %s are made of it", column.Column, strings.Join(column.Groups, ", ")))
		}
		for _, proxy := range column.Proxies {
			notes = append(notes, fmt.Sprintf("proxy: %s for %s (AUC %.3g)", column.Column, proxy.Group, proxy.AUC))
		}
	}
	for _, d := range e.Dropped {
		notes = append(notes, fmt.Sprintf("not used: %s (%s)", d.Column, d.Reason))
	}
	return notes
}
