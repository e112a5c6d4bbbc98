package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/report"
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
   fairtrain explain --model fair.json --plot shapes.svg
   fairtrain explain --model old.json --data people.csv --json
   fairtrain explain --points --format csv > card.csv`,
		Flags: append(command.TalkFlags(),
			input.ModelFlag(),
			input.DataFlag("", "compare with the rows of `NAME|FILE`, labelled or not, in place of the training rows"),
			&cli.StringFlag{Name: "plot", Category: "Output", Usage: "draw the effects of the strongest columns into `FILE`: .svg, .png or .pdf", DefaultText: "none"},
			&cli.BoolFlag{Name: "points", Category: "Output", Usage: "print the scorecard of a model of train --points", DisableDefaultText: true},
			&cli.StringFlag{Name: "format", Category: "Output", Value: "text", Usage: "print the scorecard as `FORMAT`: text|markdown|csv"},
			command.ForceFlag(),
		),
		Action: command.Action(readExplain, program{p}.explain),
	}
}

// explainOptions are the options of explain.
type explainOptions struct {
	model input.ModelOptions
	data  string // to compare with; "" for the training rows
	plot  string // path of a figure; "" for none
	// format is that of the scorecard; "" for the effects.
	format results.TableFormat
}

func readExplain(c *cli.Context) (o explainOptions, err error) {
	o = explainOptions{model: input.ModelOptions{Path: c.String("model")}, data: c.String("data"), plot: c.String("plot")}
	if !c.Bool("points") {
		err = command.CheckAlone(c, "points", "format")
	} else {
		o.format, err = command.OneOf(c, "format", results.Text, results.Markdown, results.CSV)
	}
	if err != nil {
		return o, err
	}
	files := []string{o.model.Path}
	if c.IsSet("data") {
		files = append(files, o.data)
	}
	if !c.IsSet("plot") {
		return o, errors.Join(command.CheckNames(files...), command.CheckAlone(c, "plot", "force"))
	}
	if !slices.Contains(plots.Formats, strings.ToLower(filepath.Ext(o.plot))) {
		return o, command.Usagef("--plot %s: the name must end in .svg, .png or .pdf", o.plot)
	}
	f := command.NewFiles(c)
	f.Reads("model", o.model.Path)
	if o.data != "" {
		f.ReadsData("data", o.data)
	}
	f.Writes("plot", o.plot, command.Figure)
	return o, errors.Join(command.CheckNames(files...), f.Check())
}

func (p program) explain(ctx context.Context, o explainOptions) error {
	m, err := input.LoadModel(ctx, p.Program, o.model)
	if err != nil {
		return err
	}
	if o.format != "" && m.Points == nil {
		return command.Advise(fmt.Errorf("%s: the model has no points", o.model.Path), "fairtrain train --points rounds a model to a scorecard")
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
	if o.plot != "" {
		if err := p.plotEffects(e, o); err != nil {
			return err
		}
	}
	if o.format != "" {
		return p.printScorecard(m, o.format)
	}
	if p.JSON {
		return p.PrintJSON(e)
	}
	title := "What " + o.model.Path + " uses, the strongest column first"
	if e.Label != "" {
		title += "; label " + e.Label
	}
	t := explanationTable(e)
	if u := m.Training.Unseen; u != nil && u.Changes != nil {
		if larger := words.Larger(u.Changes); larger != "" {
			t.Notes = append(t.Notes, "the constraint costs: "+larger)
		}
	}
	return p.PrintTables(results.Text, results.Wrap(title, command.ReportWidth)+"\n\n", t)
}

// plotEffects draws the effects of the strongest columns.
func (p program) plotEffects(e *classifier.Explanation, o explainOptions) error {
	pictures, left := report.Pictures(e)
	if len(pictures) == 0 {
		return command.Advise(fmt.Errorf("--plot %s: %s has numbers without ranges alone, whose effects are lines", o.plot, o.model.Path),
			"fairtrain train --model-class additive gives numbers of a table shapes")
	}
	rows := "the training rows"
	if o.data != "" {
		rows = "the rows of " + o.data
	}
	caption := "By how much each value raises the log-odds, compared with the mean over " + rows + ". Percentages are shares of the rows; ! marks sensitive attributes and proxies for them."
	if left > 0 {
		caption += fmt.Sprintf(" Columns that are left out: %d.", left)
	}
	var list []plots.Effects
	for _, picture := range pictures {
		list = append(list, picture.Effects)
	}
	size := plots.DefaultOptions()
	size.Height = 2.2
	figure, err := plots.EffectsOf(list, size, caption)
	if err != nil {
		return err
	}
	content, err := figure.Encode(o.plot)
	if err != nil {
		return err
	}
	return p.WriteOutput(o.plot, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

const (
	mostLines  = 100 // of the table, about
	mostRanges = 8   // lines of a column
)

// number is an entry of a table, empty for what is unknown.
func number(v *float64, digits int) results.Entry {
	if v == nil {
		return results.Entry{}
	}
	return results.Single(*v, digits)
}

// explanationTable has the effects of the strongest columns, of many bins or levels summed up.
func explanationTable(e *classifier.Explanation) results.Table {
	t := results.Table{
		Columns: []string{"column or level", "log-odds", "unconstrained", "odds ratio", "log-odds per sd", "share", "from", "sensitive"},
		Wide:    true, Notes: explanationNotes(e),
	}
	add := func(x *classifier.Effect, mark string) {
		var odds results.Entry
		if x.OddsRatio != nil {
			odds = results.Entry{Text: classifier.OddsText(*x.OddsRatio, 3), Right: true}
		}
		t.Rows = append(t.Rows, []results.Entry{
			{Text: x.Feature},
			results.Single(x.LogOdds, 4), number(x.Unconstrained, 4), odds, number(x.LogOddsSD, 4),
			number(x.Share, 3), number(x.From, 7),
			{Text: mark},
		})
	}
	for k := range e.Columns {
		c := &e.Columns[k]
		if len(t.Rows) >= mostLines {
			t.Notes = append(t.Notes, fmt.Sprintf("%d weaker columns are left out, --json has all", len(e.Columns)-k))
			break
		}
		mark := ""
		switch {
		case len(c.Groups) > 0:
			mark = "group"
		case len(c.Proxies) > 0:
			mark = "proxy"
		}
		effects, left := c.Summary(mostRanges)
		for i := range effects {
			add(&effects[i], mark)
		}
		if left > 0 {
			t.Rows = append(t.Rows, slices.Concat([]results.Entry{{Text: fmt.Sprintf("%s: %d further levels", c.Column, left)}}, make([]results.Entry, 7)))
		}
	}
	add(&classifier.Effect{Feature: "(everybody)", LogOdds: e.Constant}, "")
	t.DropEmpty()
	return t
}

// explanationNotes say how to read the table, and have what does not fit into it.
func explanationNotes(e *classifier.Explanation) []string {
	unit := "for a level or a range of a number, compared with the mean of the training rows, or for one unit more of a number that has no ranges"
	notes := []string{"log-odds, odds ratio: of the score, the model's probability of a positive label, " + unit}
	if !e.Probability {
		notes[0] = "log-odds: of the score, " + unit +
			"; the scores are no probabilities, so that there are no odds ratios"
	}
	if slices.ContainsFunc(e.Columns, func(c classifier.ColumnEffect) bool { return len(c.Effects) > 0 && c.Effects[0].Unconstrained != nil }) {
		notes = append(notes, "unconstrained: the log-odds without the constraint")
	}
	notes = append(notes, "a score has the log-odds of (everybody) and, of every column, the effect of the row's value, or of a number's distance from the value in the column from; (rare) or (other) is any value without a line of its own; a range has the mean of its bins, --json has each bin, --plot FILE draws them")
	if r := e.Reference; r != nil {
		notes = append(notes, fmt.Sprintf("per sd: for one standard deviation; share: of the %d rows, rounded to multiples of %d people; a person who is average in everything has the score %.4f", r.Rows, r.MinCount, r.Score))
		if r.Sample > 0 {
			notes = append(notes, fmt.Sprintf("proxies, and columns that predict the label, were looked for among %d of the rows, drawn at random", r.Sample))
		}
	} else {
		notes = append(notes, "the model file does not describe the training rows: effects are compared with the mean of a category's levels, and proxies are not known; --data measures both on other rows")
	}
	if text := informationNote(e); text != "" {
		notes = append(notes, text)
	}
	if warning := words.Leaks(e.Leaks); warning != "" {
		notes = append(notes, warning)
	}
	for _, column := range e.Columns {
		if len(column.Groups) > 0 {
			notes = append(notes, fmt.Sprintf("group: %s is a feature, and groups of the sensitive attribute %s are made of it", column.Column, strings.Join(column.Groups, ", ")))
		}
		if column.Opposed != nil {
			notes = append(notes, fmt.Sprintf("against its association: %s, of which the values that raise the score have fewer positive labels (correlation %.2g on the training rows); predict --reasons leaves it out", column.Column, *column.Opposed))
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

// informationNote has the information values of the strongest columns; "" if none are known.
func informationNote(e *classifier.Explanation) string {
	const most = 12
	var list []string
	for _, c := range e.Columns {
		if c.InformationValue != nil && len(list) < most {
			list = append(list, fmt.Sprintf("%s %.2f", c.Column, *c.InformationValue))
		}
	}
	if list == nil {
		return ""
	}
	return "information value of the column alone for the label (docs/scorecard.md): " + strings.Join(list, ", ")
}
