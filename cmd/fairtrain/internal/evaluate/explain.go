package evaluate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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
		Description: `Prints the columns of a model, the strongest first, and their effects on the log-odds of a
positive label: the effect of one unit and of one standard deviation of a number, and of a
level of a category in place of the most frequent level, and what to add them to for the
log-odds of a score. Where scores are probabilities, e to the power of the effect is the
odds ratio: the factor by which the odds of the score change, all else being equal. The
effects say what the model does, and not what causes what. A column's strength is the
standard deviation, over the training rows, of what the column adds to the log-odds.

Columns that define a protected group are marked "group", and columns that predict one
"proxy": by this column alone, members can be told from other people with an AUC of at least
0.7 on the training rows. Older model files lack the figures for this; --data measures them,
and frequencies and standard deviations, on other rows.

   fairtrain explain --model fair.json
   fairtrain explain --model fair.json --format markdown
   fairtrain explain --model old.json --data people.csv --json`,
		Flags: append(command.TalkFlags(),
			input.ModelFlag(),
			input.DataFlag("", "compare with the rows of `NAME|FILE`, labelled or not, in place of the training rows"),
			&cli.StringFlag{Name: "format", Category: "Output", Value: "text", Usage: "print the table as `FORMAT`: text|markdown|csv|json"},
		),
		Action: command.Action(program{p}.readExplain, program{p}.explain),
	}
}

// explainOptions are the flags of explain.
type explainOptions struct {
	model, data string // data is "" for the training rows
	format      results.TableFormat
}

func (p program) readExplain(c *cli.Context) (o explainOptions, err error) {
	o.model, o.data = c.String("model"), c.String("data")
	if o.format, err = p.frameFormat(c); err != nil {
		return o, err
	}
	if c.IsSet("data") {
		return o, command.CheckNames(o.model, o.data)
	}
	return o, command.CheckNames(o.model)
}

// explain prints what a model uses.
func (p program) explain(ctx context.Context, o explainOptions) error {
	m, err := input.LoadModel(ctx, p.Program, input.ModelOptions{Path: o.model})
	if err != nil {
		return err
	}
	groups := constrainedGroups(m)
	if o.data != "" {
		d, err := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: groups}.Read(o.data, tabular.Options{AnyLabels: true})
		if err != nil {
			return err
		}
		if m.Reference, err = m.Features.Measure(d, groups); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
		m.Reference.Elsewhere = true
	}
	e := m.Explain(groups)
	switch o.format {
	case jsonFormat:
		return p.PrintJSON(e)
	case results.Text:
		var b bytes.Buffer
		writeExplanation(&b, o.model, e)
		return p.Print(b.Bytes())
	}
	return p.PrintTables(o.format, "", explanationTable(e))
}

// writeExplanation writes an explanation for a person at a terminal.
func writeExplanation(b *bytes.Buffer, model string, e *classifier.Explanation) {
	const mostColumns = 50
	title := "What " + model + " uses, the strongest column first"
	if e.Label != "" {
		title += "; label " + e.Label
	}
	fmt.Fprintf(b, "%s\n\n", results.Wrap(title, command.ReportWidth))
	rows := [][]string{{"column or level", "log-odds", "odds ratio", "per sd", "share/mean", "told"}}
	shown := e.Columns[:min(mostColumns, len(e.Columns))]
	for _, column := range shown {
		rows = append(rows, columnRows(&column)...)
	}
	rows = append(rows, []string{everybody, fmt.Sprintf("%+.4g", e.Constant), "", "", "", ""})
	if !e.Probability {
		for k := range rows {
			rows[k] = slices.Delete(rows[k], 2, 3)
		}
	}
	command.WriteTable(b, rows[0], rows[1:])
	b.WriteByte('\n')
	if more := len(e.Columns) - mostColumns; more > 0 {
		fmt.Fprintf(b, "%d weaker columns are left out; --format csv and --json have all.\n", more)
	}
	if others := unseen(shown); others != "" {
		b.WriteString(results.Wrap("Values that nearly no row of training has have the log-odds: "+others+".", command.ReportWidth) + "\n")
	}
	for _, note := range explanationNotes(e) {
		b.WriteString(results.Wrap(note, command.ReportWidth) + "\n")
	}
}

// everybody is the name of what all effects are added to.
const everybody = "(everybody)"

// odds writes an odds ratio, nothing for none.
func odds(ratio *float64) string {
	if ratio == nil {
		return ""
	}
	return classifier.OddsText(*ratio, 3)
}

// columnRows are the rows of a column: its name alone, if it has levels, and its effects.
func columnRows(column *classifier.ColumnEffect) [][]string {
	const width = 28
	cut := func(name string) string {
		if utf8.RuneCountInString(name) <= width {
			return name
		}
		return string([]rune(name)[:width-1]) + "…"
	}
	row := func(name string, effect *classifier.Effect, told string) []string {
		share := optional("%.3g", effect.Share)
		if effect.From != nil && *effect.From != 0 {
			share = fmt.Sprintf("%.7g", *effect.From)
		}
		cells := []string{cut(name), optional("%+.4g", &effect.LogOdds), odds(effect.OddsRatio), optional("%+.3g", effect.LogOddsSD), share, told}
		if effect.Reference {
			cells[1], cells[2] = "reference", ""
		}
		return cells
	}
	told := tells(column)
	if len(column.Effects) == 1 && column.Effects[0].Level == "" {
		return [][]string{row(column.Column, &column.Effects[0], told)}
	}
	rows := [][]string{{cut(column.Column), "", "", "", "", told}}
	for k := range column.Effects {
		if column.Effects[k].Other && !occursOther(column) {
			continue // a note has it
		}
		name := cmp.Or(column.Effects[k].Level, "one more")
		rows = append(rows, row("  "+name, &column.Effects[k], ""))
	}
	return rows
}

// occursOther reports whether training rows may have values without a level: the shares of the levels leave room for
// some, or are not known.
func occursOther(column *classifier.ColumnEffect) bool {
	const nearly = 0.98 // shares are rounded
	sum := 0.0
	for k := range column.Effects {
		switch e := &column.Effects[k]; {
		case e.Other:
		case e.Share == nil:
			return true
		default:
			sum += *e.Share
		}
	}
	return sum < nearly
}

// unseen says what values count that have no level, and that no row of training had.
func unseen(columns []classifier.ColumnEffect) string {
	var list []string
	for k := range columns {
		for _, e := range columns[k].Effects {
			if e.Other && !occursOther(&columns[k]) {
				list = append(list, fmt.Sprintf("%s %+.4g", e.Feature, e.LogOdds))
			}
		}
	}
	return strings.Join(list, ", ")
}

// tells is the mark of a column that defines a group or predicts one.
func tells(column *classifier.ColumnEffect) string {
	switch {
	case len(column.Groups) > 0:
		return "group"
	case len(column.Proxies) > 0:
		return "proxy"
	}
	return ""
}

// optional writes a figure that may be unknown.
func optional(format string, v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf(format, *v)
}

// explanationNotes say how to read the table, and have what does not fit into it.
func explanationNotes(e *classifier.Explanation) []string {
	var notes []string
	if e.Probability {
		notes = append(notes, "log-odds, odds ratio: of the score, the model's probability of a positive label, for one unit more of a number, or for a level against the reference, the most frequent one; all else being equal.")
	} else {
		notes = append(notes, "log-odds: of the score, for one unit more of a number, or for a level against the reference, the most frequent one; all else being equal. The scores of this model are no probabilities, as constraints bound them or nothing could be fitted to labels that margins separate, so that there are no odds ratios.")
	}
	notes = append(notes, "The log-odds of a score are the number of (everybody) and, of every column, the effect of the row's level, none for the reference, or a number's effect for each unit above its mean, or above 0 where none is shown. (rare) is any value without a line of its own, (other) is one where there is no (rare).")
	if r := e.Reference; r != nil {
		notes = append(notes, fmt.Sprintf("per sd: for one standard deviation of a number. share: of the %d rows, rounded to multiples of %d people. A person who is average in everything has the score %.4f; predict --reasons compares with this person.", r.Rows, r.MinCount, r.Score))
	} else {
		notes = append(notes, "The model file does not tell what the training rows were like: the reference is a category's first level, the order assumes levels of equal frequency, and proxies are not known. --data measures all of this on other rows.")
	}
	if r := e.Reference; r != nil && r.Sample > 0 {
		notes = append(notes, fmt.Sprintf("Proxies, and columns that predict the label, were looked for among %d rows drawn at random from these.", r.Sample))
	}
	if warning := words.Leaks(e.Leaks); warning != "" {
		notes = append(notes, warning)
	}
	for _, column := range e.Columns {
		if len(column.Groups) > 0 {
			notes = append(notes, fmt.Sprintf("group: the model uses the column %s directly, of which groups are made: %s.", column.Column, strings.Join(column.Groups, ", ")))
		}
	}
	for _, column := range e.Columns {
		for _, proxy := range column.Proxies {
			notes = append(notes, fmt.Sprintf("proxy: %s for %s (AUC %.3g).", column.Column, proxy.Group, proxy.AUC))
		}
	}
	for _, d := range e.Dropped {
		notes = append(notes, fmt.Sprintf("not used: %s (%s)", d.Column, d.Reason))
	}
	return notes
}

// explanationTable has a row for every effect, with the same figures as JSON.
func explanationTable(e *classifier.Explanation) results.Table {
	t := results.Table{
		Columns: []string{"column", "level", "strength", "log-odds", "odds ratio", "sd", "log-odds per sd", "odds ratio per sd", "share", "groups", "proxy of", "from"},
		Notes:   explanationNotes(e),
	}
	text := func(s string) results.Entry { return results.Entry{Text: s} }
	number := func(v *float64) results.Entry {
		if v == nil {
			return results.Single(math.NaN(), 3)
		}
		return results.Single(*v, 4)
	}
	exactly := func(v *float64) results.Entry {
		if v == nil {
			return number(nil)
		}
		return results.Single(*v, 7)
	}
	for _, column := range e.Columns {
		var proxies []string
		for _, proxy := range column.Proxies {
			proxies = append(proxies, fmt.Sprintf("%s (%.3g)", proxy.Group, proxy.AUC))
		}
		for _, effect := range column.Effects {
			t.Rows = append(t.Rows, []results.Entry{
				text(column.Column), text(effect.Level), number(&column.Strength), number(&effect.LogOdds), number(effect.OddsRatio),
				number(effect.SD), number(effect.LogOddsSD), number(effect.OddsRatioSD), number(effect.Share),
				text(strings.Join(column.Groups, ", ")), text(strings.Join(proxies, ", ")), exactly(effect.From),
			})
		}
	}
	constant := make([]results.Entry, len(t.Columns))
	constant[0], constant[3] = text(everybody), number(&e.Constant)
	t.Rows = append(t.Rows, constant)
	return t
}
