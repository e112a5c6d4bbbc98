package evaluate

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// PredictCommand is fairtrain predict.
func PredictCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "predict",
		Usage: "score rows with a model",
		Description: `Prints CSV with the columns score, from 0 to 1, and decision, in the words of the label that the model
was trained on; where a class had several values, 1 or 0. Labels are not needed.
A scorecard (train --points) adds the column points.
--reasons K adds the columns reason_1, contribution_1, …: the column values that lower the
log-odds of the score most, compared with the average training row, but for columns whose
effect runs against their own association with the label: docs/explain.md.

   fairtrain predict --data new.csv --out scores.csv
   fairtrain predict --model fair.json --data new.csv --id number --reasons 4
   fairtrain predict --data people.t --id sex --id hired --out scores.csv
   fairtrain evaluate --predictions scores.csv --label-column hired --group sex`,
		Flags: append(command.TalkFlags(),
			input.ModelFlag(),
			input.DataFlag("", "score the rows of `NAME|FILE`, - for standard input"),
			input.ThresholdFlag("the model's"),
			&cli.StringSliceFlag{Name: "id", Category: "Output", Usage: "copy the column `COLUMN` of a CSV or Parquet file, such as an identifier; several with commas or repeated"},
			&cli.BoolFlag{Name: "safe-csv", Category: "Output", Usage: "write ' before text that a spreadsheet would take for a formula, such as =1+1", DisableDefaultText: true},
			&cli.IntFlag{Name: "reasons", Category: "Output", Usage: "add the `K` strongest reasons against a positive decision", DefaultText: "none"},
			&cli.BoolFlag{Name: "all-reasons", Category: "Output", Usage: "with reasons from columns whose effect runs against their own association with the label", DisableDefaultText: true},
			&cli.StringFlag{Name: "decisions", Category: "Output", Usage: "write decisions as `POSITIVE/NEGATIVE`, such as 1/0", DefaultText: "the label's words"},
			&cli.StringFlag{Name: "out", Category: "Output", Value: "-", Usage: "write the scores to `FILE`, - for standard output"},
			command.ForceFlag(),
		),
		Action: command.Action(readPredict, program{p}.predict),
	}
}

// predictOptions are the options of predict.
type predictOptions struct {
	model     input.ModelOptions
	data, out string
	ids       []string
	reasons   int        // 0 for none
	safe      bool       // no formulas of spreadsheets
	all       bool       // also those that run against the association of their column
	asCSV     bool       // with --json, too
	words     *[2]string // of positive and negative decisions; nil for those of the label
}

func readPredict(c *cli.Context) (o predictOptions, err error) {
	o = predictOptions{data: c.String("data"), ids: command.List(c, "id"), reasons: c.Int("reasons"), safe: c.Bool("safe-csv"), all: c.Bool("all-reasons"), out: c.String("out")}
	if o.model, err = input.ModelFlags(c); err != nil {
		return o, err
	}
	if err := checkScoring(c.Command.HelpName, o.data, o.model.Path); err != nil {
		return o, err
	}
	if c.IsSet("reasons") {
		if err := command.CheckRange("reasons", float64(o.reasons), 1, math.MaxInt32); err != nil {
			return o, err
		}
	} else if err := command.CheckAlone(c, "reasons", "all-reasons"); err != nil {
		return o, err
	}
	if c.IsSet("decisions") {
		positive, negative, _ := strings.Cut(c.String("decisions"), "/")
		if o.words = &[2]string{positive, negative}; positive == "" || negative == "" || positive == negative {
			return o, command.Usagef("--decisions is %q, must be two words such as 1/0", c.String("decisions"))
		}
	}
	f := command.NewFiles(c)
	f.Reads("model", o.model.Path)
	f.ReadsData("data", o.data)
	f.Writes("out", o.out, command.Scores)
	return o, f.Check()
}

// predictions is the output of predict. What it has for every row is computed when it is written,
// but for the columns that --id copies.
type predictions struct {
	*scoring.Scored
	stopped   func() error // why to stop, if there is a reason
	data      *dataset.Dataset
	positives int // decisions
	threshold float64
	words     [2]string // of positive and negative decisions

	safe    bool                // see predictOptions
	ids     []string            // names of the columns that --id copies, in the order of the flags
	columns map[string][]string // by name

	table         *tabular.Table            // of which the data were made; nil if they were features
	card          *classifier.Classifier    // nil if the model is no scorecard
	contributions *classifier.Contributions // nil without --reasons
	reasons       int                       // at most, for each row
}

// predict writes the scores of rows.
func (p program) predict(ctx context.Context, o predictOptions) error {
	m, err := input.LoadModel(ctx, p.Program, o.model)
	if err != nil {
		return err
	}
	return p.decide(ctx, m, o)
}

// WriteDecisions writes what a model makes of the rows of data to a file, with some of their columns.
func WriteDecisions(ctx context.Context, p *command.Program, m *classifier.Classifier, data, out string, ids []string) error {
	return program{p}.decide(ctx, m, predictOptions{data: data, out: out, ids: ids, asCSV: true})
}

// decide writes what a model makes of rows.
func (p program) decide(ctx context.Context, m *classifier.Classifier, o predictOptions) error {
	result := predictions{threshold: m.Threshold, words: wordsOf(&m.Features), ids: o.ids, safe: o.safe}
	if o.words != nil {
		result.words = *o.words
	}
	if o.reasons > 0 {
		result.reasons = min(o.reasons, len(m.Features.Columns()))
		if m.Reference == nil {
			return command.Advise(fmt.Errorf("%s: %w", o.model.Path, classifier.ErrNoReference),
				"fairtrain train, run again, adds it: --reasons compares with the average training row")
		}
	}
	if m.Points != nil {
		result.card = m
	}
	each, err := result.copying(m.Features.Kind)
	if err != nil {
		return err
	}
	from := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Each: each}
	d, table, err := from.WithTable(o.data, tabular.Options{AnyLabels: true})
	if err != nil {
		return err
	}
	result.table = table
	if err := result.judge(ctx, m, d); err != nil {
		return err
	}
	if result.contributions != nil {
		result.contributions.All = o.all
		if !o.all && len(m.Training.Opposed) > 0 {
			p.Remark("no reasons, as their effects run against their own association with the label (--all-reasons includes them): %s", opposed(m))
		}
	}
	write := result.writeCSV
	if p.JSON && !o.asCSV {
		write = result.writeJSON
	}
	if err := p.WriteOutput(o.out, write); err != nil {
		return err
	}
	if o.out != "-" {
		p.Remark("%d rows scored, %d decided positively: %s", result.data.Rows(), result.positives, o.out)
	}
	return nil
}

// opposed lists the columns whose effects run against their association.
func opposed(m *classifier.Classifier) string {
	var columns []string
	for _, o := range m.Training.Opposed {
		columns = append(columns, o.Column)
	}
	return strings.Join(columns, ", ")
}

// copying returns a function that collects the columns of --id while rows are read.
func (r *predictions) copying(kind string) (map[string]func(string) error, error) {
	if len(r.ids) == 0 {
		return nil, nil
	}
	if kind == classifier.LIBSVM {
		return nil, command.Usagef("--id %s: the model is of LIBSVM rows, whose columns have no names", r.ids[0])
	}
	r.columns = map[string][]string{}
	each := map[string]func(string) error{}
	for _, name := range r.ids {
		if _, taken := each[name]; taken || slices.Contains(r.made(), name) {
			return nil, command.Usagef("--id %s: the output has a column of that name already", name)
		}
		each[name] = func(value string) error {
			r.columns[name] = append(r.columns[name], strings.Clone(value))
			return nil
		}
	}
	return each, nil
}

// pointsColumn has the points of a scorecard.
const pointsColumn = "points"

// made returns the names of the columns of the output that --id does not copy.
func (r *predictions) made() []string {
	names := []string{input.ScoreColumn, input.DecisionColumn}
	if r.card != nil {
		names = append(names, pointsColumn)
	}
	for k := range r.reasons {
		names = append(names, fmt.Sprintf("reason_%d", k+1), fmt.Sprintf("contribution_%d", k+1))
	}
	return names
}

// judge scores the rows, counts the positive decisions, and prepares to explain each.
func (r *predictions) judge(ctx context.Context, m *classifier.Classifier, d *dataset.Dataset) (err error) {
	if r.Scored, err = scoring.New(m, d); err != nil {
		return err
	}
	if r.reasons > 0 {
		if r.contributions, err = m.Contributions(); err != nil {
			return err
		}
	}
	r.data, r.stopped = d, ctx.Err
	return r.each(func(_ int, score float64) error {
		if score >= r.threshold {
			r.positives++
		}
		return nil
	})
}

// each calls do with the score of every row, until the command is interrupted.
func (r *predictions) each(do func(row int, score float64) error) error {
	return r.Each(func(lo int, scores []float64) error {
		if err := r.stopped(); err != nil {
			return err
		}
		for k, score := range scores {
			if err := do(lo+k, score); err != nil {
				return err
			}
		}
		return nil
	})
}

// wordsOf are those of the label, in which decisions are written; 1 and 0 where it has not one for each,
// and the labels of LIBSVM.
func wordsOf(f *classifier.Features) [2]string {
	if f.Encoding == nil {
		return [2]string{"1", "-1"}
	}
	if positive, negative, ok := f.Encoding.Schema.Label.Words(); ok {
		return [2]string{positive, negative}
	}
	return [2]string{"1", "0"}
}

// decision is a word.
func (r *predictions) decision(score float64) string {
	if score >= r.threshold {
		return r.words[0]
	}
	return r.words[1]
}

// writeCSV writes scores so that reading them gives the same numbers.
func (r *predictions) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	header := slices.Concat(r.ids, r.made())
	write := out.Write
	if r.safe {
		write = func(line []string) error { return out.Write(withoutFormulas(line)) }
	}
	if err := write(slices.Clone(header)); err != nil {
		return err
	}
	line := make([]string, len(header))
	err := r.each(func(i int, score float64) error {
		for k, name := range r.ids {
			line[k] = r.columns[name][i]
		}
		line[len(r.ids)] = strconv.FormatFloat(score, 'g', -1, 64)
		line[len(r.ids)+1] = r.decision(score)
		if r.card != nil {
			line[len(r.ids)+2] = strconv.Itoa(r.card.RowPoints(r.data.X, i))
		}
		if r.reasons > 0 {
			cells := line[len(line)-2*r.reasons:]
			clear(cells)
			for k, reason := range r.contributions.Against(r.data.X, r.table, i, r.reasons) {
				cells[2*k], cells[2*k+1] = reason.Value, strconv.FormatFloat(reason.Amount, 'g', -1, 64)
			}
		}
		return write(line)
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// withoutFormulas puts an apostrophe before the cells of a line that a spreadsheet would take for
// formulas, as OWASP advises. Numbers stay.
func withoutFormulas(line []string) []string {
	for k, cell := range line {
		if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			continue
		}
		if _, err := strconv.ParseFloat(cell, 64); err != nil {
			line[k] = "'" + cell
		}
	}
	return line
}

// writeJSON writes an object with a list for everything that every row has.
func (r *predictions) writeJSON(w io.Writer) error {
	out := struct {
		Rows      int                         `json:"rows"`
		Positives int                         `json:"positives"`
		Threshold float64                     `json:"threshold"`
		Scores    []float64                   `json:"scores"`
		Decisions []any                       `json:"decisions"` // numbers, or words
		Points    []int                       `json:"points,omitempty"`
		Columns   map[string][]string         `json:"columns,omitempty"`
		Reference *float64                    `json:"reference_score,omitempty"`
		Reasons   [][]classifier.Contribution `json:"reasons,omitempty"`
	}{Rows: r.data.Rows(), Positives: r.positives, Threshold: r.threshold, Columns: r.columns}
	if r.reasons > 0 {
		out.Reference = new(r.contributions.Score())
	}
	err := r.each(func(row int, score float64) error {
		out.Scores, out.Decisions = append(out.Scores, score), append(out.Decisions, r.asJSON(r.decision(score)))
		if r.card != nil {
			out.Points = append(out.Points, r.card.RowPoints(r.data.X, row))
		}
		if r.reasons > 0 {
			out.Reasons = append(out.Reasons, r.contributions.Against(r.data.X, r.table, row, r.reasons))
		}
		return nil
	})
	if err != nil {
		return err
	}
	text, err := command.EncodeJSON(out)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// asJSON is a decision as it is in JSON: a number if both are.
func (r *predictions) asJSON(word string) any {
	for _, w := range r.words {
		if _, err := strconv.ParseFloat(w, 64); err != nil || !json.Valid([]byte(w)) {
			return word
		}
	}
	return json.Number(word)
}

// checkScoring checks the names that a command that applies a model to data is given.
func checkScoring(name, data, model string) error {
	if data == "" {
		return command.Usage(fmt.Errorf("%s needs --data", name), "for example: "+name+" --data a9a.t")
	}
	return command.CheckNames(model, data)
}
