package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/evaluate"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
)

// scoreNames are what the column of the scores is called, if no flag names it.
var scoreNames = []string{"y_score", "y_pred", input.ScoreColumn}

// AdjustCommand is fairtrain adjust.
func AdjustCommand(p *command.Program) *cli.Command {
	const category = "Predictions"
	defaults := train.DefaultOptions()
	return &cli.Command{
		Name:  "adjust",
		Usage: "make fair decisions of the scores of any model, write them as a model",
		Description: `Takes scores from 0 to 1 of any model, with true labels and groups, and finds the most accurate
decisions that satisfy fairness constraints. Scores of rows that the model was not fitted to are
right, such as those of cross_val_predict of scikit-learn: docs/adjust.md.

With --use-group every group gets a threshold: exactly the best ones for these rows. Without it the
decisions don't depend on the group: the score is corrected by the other columns of the file, with
which it adds up to the log-odds of a fair score that never falls as the score rises.

   fairtrain adjust --predictions scores.csv --use-group --out decisions.csv \
      --constraint demographic-parity:group=sex,bound=0.02
   fairtrain adjust --predictions scores_and_columns.parquet --certify 0.3 --report report.html \
      --constraint equal-opportunity:group=sex,bound=0.05

The model that is written is one like others: its rows have the columns of the file. Constraints are
those of fairtrain train on decisions.`,
		Flags: slices.Concat(command.TalkFlags(), command.RunFlags(), []cli.Flag{
			&cli.StringFlag{Name: "predictions", Category: category, Usage: "adjust the predictions in the CSV or Parquet `FILE`, - for standard input"},
			&cli.StringFlag{Name: "label-column", Category: category, Value: "y_true", Usage: "`COLUMN` of the true labels"},
			&cli.StringFlag{Name: "score-column", Category: category, DefaultText: strings.Join(scoreNames[:2], ", ") + " or " + scoreNames[2], Usage: "`COLUMN` of the scores from 0 to 1"},
			&cli.Float64Flag{Name: "threshold", Category: category, Value: defaults.Threshold, Usage: "decisions before are positive for scores of at least `T`; a false positive costs T, a false negative 1-T"},
			&cli.StringFlag{Name: "test", Category: category, Usage: "evaluate on these held-out predictions too, `FILE` or -"},
			&cli.Float64Flag{Name: "validation", Category: category, Usage: "hold out the share `F` of the rows, at random, and evaluate on them too", DefaultText: "none"},
			&cli.StringSliceFlag{Name: "constraint", Category: "Problem", Usage: "satisfy the constraint `SPEC`; several with commas or repeated"},
			&cli.StringFlag{Name: "aim", Category: "Problem", Usage: "satisfy the constraints on `unseen|training` rows; unseen by cross-validation", DefaultText: "training with --use-group, else unseen"},
			&cli.Float64Flag{Name: "max-passes", Category: "Problem", Value: defaults.MaxPasses, Usage: "stop after `N` passes over the data, without --use-group"},
		}, adjustTableFlags(), certify.TrainFlags(), evaluate.ReportFlags(), []cli.Flag{
			&cli.StringFlag{Name: "out", Category: "Output", Usage: "write the adjusted score and decision of every row to `FILE`, as fairtrain predict does"},
			&cli.StringSliceFlag{Name: "id", Category: "Output", Usage: "with --out, copy the column `COLUMN`, such as an identifier; several with commas or repeated"},
		}, resultFlags("adjusted.json")),
		Action: command.Action(program{Program: p}.readAdjust, program{Program: p}.adjust),
	}
}

// adjustTableFlags are those of tables that make sense for predictions.
func adjustTableFlags() []cli.Flag {
	return slices.DeleteFunc(input.CSVFlags(), func(f cli.Flag) bool {
		return slices.Contains([]string{"schema", "label", "monotone"}, f.Names()[0])
	})
}

// adjustOptions are the options of adjust.
type adjustOptions struct {
	trainOptions
	out string
	ids []string
}

func (p program) readAdjust(c *cli.Context) (o adjustOptions, err error) {
	path := c.String("predictions")
	if path == "" {
		return o, command.Usage(errors.New("no --predictions: whose scores are to be adjusted?"),
			"for example --predictions scores.csv, with the columns y_true, y_score and those of the groups")
	}
	q := &request{names: input.Names{Data: path, Constraint: path, Test: c.String("test")}, useGroup: c.Bool("use-group"), validation: c.Float64("validation"), testGiven: c.IsSet("test"), passes: c.IsSet("max-passes")}
	o = adjustOptions{trainOptions{request: q, model: c.String("model"), verbose: c.Bool("verbose")}, c.String("out"), command.List(c, "id")}
	if err := q.readAdjust(c); err != nil {
		return o, err
	}
	if o.ids != nil && o.out == "" {
		return o, command.Usagef("--id needs --out")
	}
	if o.out != "" && path == "-" {
		return o, command.Usage(errors.New("--out reads the predictions again, but standard input can be read only once"),
			"fairtrain predict --model "+o.model+" decides about other rows")
	}
	f := command.NewFiles(c)
	if o.out != "" {
		f.Writes("out", o.out, command.Scores)
	}
	f.ReadsData("predictions", path)
	if q.names.Test != "" && q.names.Test != path {
		f.ReadsData("test", q.names.Test)
	}
	return o, p.readOutputs(c, &o.trainOptions, f)
}

// readAdjust reads the options of a run that adjusts.
func (q *request) readAdjust(c *cli.Context) (err error) {
	o := &q.options
	*o = train.DefaultOptions()
	o.Version, o.Command = results.ReadBuild().Version, command.Line(c, "Output", "Report")
	o.Seed = command.Given(c, "seed").Uint64("seed")
	o.Threshold, o.Aim, o.MaxPasses = c.Float64("threshold"), c.String("aim"), c.Float64("max-passes")
	if o.Thresholds = q.useGroup; o.Thresholds && o.Aim == "" {
		o.Aim = train.AimTraining
	}
	o.ChooseL2 = !o.Thresholds
	if o.Thresholds {
		o.Model.L2 = 1e-3 // of weights that are not used
	}
	if err := checkOptions(c, o); err != nil {
		return err
	}
	if o.Constraints, err = parseConstraints(command.List(c, "constraint"), ""); err != nil {
		return err
	}
	for _, constraint := range o.Constraints {
		if g, ok := constraint.(model.GroupConstraint); !ok || g.On != model.Decisions {
			return command.Usage(fmt.Errorf("--constraint %s: not about rates of decisions", constraint), "fairtrain train --help names the constraints, and which are on scores")
		}
	}
	if err := checkThreshold(o); err != nil {
		return err
	}
	if q.reading, err = input.CSVOptions(c, q.names.Data, o.Constraints); err != nil {
		return err
	}
	q.reading.CSV = true
	q.groups = slices.Concat(input.GroupSpecs(o.Constraints), command.List(c, "group"))
	s := q.reading.Schema
	o.Score = c.String("score-column")
	if o.Score == "" {
		o.Score, s.OtherNames = scoreNames[0], map[string]string{}
		for _, name := range scoreNames[1:] {
			s.OtherNames[name] = o.Score
		}
	}
	s.Label.Column = c.String("label-column")
	for _, flag := range []string{"label-column", "weight-column"} {
		if c.String(flag) == o.Score {
			return command.Usagef("--%s names the column %q, which has the scores", flag, o.Score)
		}
	}
	if slices.Contains(dataset.AttributesIn(q.groups...), o.Score) || slices.Contains(dataset.AttributesIn(q.groups...), s.Label.Column) {
		return command.Usagef("a group can't be made of the scores, or of the labels")
	}
	if q.useGroup {
		if err := q.exposeCells(slices.Concat(input.GroupSpecs(o.Constraints), model.WithinOf(o.Constraints...))); err != nil {
			return err
		}
	}
	s.Columns = append(s.Columns, tabular.ColumnSpec{Name: o.Score, As: tabular.LogOdds, Monotone: tabular.Rising})
	return nil
}

// exposeCells makes the groups of the constraints the only features beside the score: those of one
// specification as they are, and of several the combinations of the values of all their columns.
func (q *request) exposeCells(specs []string) error {
	s := q.reading.Schema
	s.Others, s.Crosses = tabular.Drop, specs
	if len(specs) > 1 {
		for _, t := range dataset.ParseTerms(strings.Join(specs, "*")) {
			if t.IsRange() {
				return command.Usage(fmt.Errorf("--use-group with the groups %s: a range can't be combined with other groups", strings.Join(specs, " and ")),
					"a column of the file that has the ranges as values can")
			}
		}
		s.Crosses = []string{strings.Join(dataset.AttributesIn(specs...), "*")}
	}
	return nil
}

// checkScores refuses a table without scores, or that has nothing to correct them by.
// Columns that follow the score are made no features, and added to a list.
func (q *request) checkScores(t *tabular.Table, made *[]string) error {
	score := q.options.Score
	c := t.Column(score)
	if c == nil {
		return fmt.Errorf("%s: there is no column %q of scores", t.Name, score)
	}
	for k := range t.Schema.Columns {
		if spec := &t.Schema.Columns[k]; spec.As != tabular.Drop && spec.Name != q.options.Score && follows(t.Column(spec.Name), c, t.Rows) {
			*spec = tabular.ColumnSpec{Name: spec.Name, As: tabular.Drop, Reason: "follows the score"}
			*made = append(*made, spec.Name)
		}
	}
	others := slices.ContainsFunc(t.Schema.Columns, func(c tabular.ColumnSpec) bool {
		return c.As != tabular.Drop && c.Name != q.options.Score
	})
	if others || q.useGroup {
		return nil
	}
	return command.Advise(fmt.Errorf("%s: there is no column beside the score and the groups by which the score could be corrected: one threshold for all is all that could change", t.Name),
		"--use-group gives every group a threshold of its own, where the group may be used for decisions",
		"a file with the columns that the model was trained on, too, lets them correct the score")
}

// follows reports whether a column never falls, or never rises, as the score rises, or has categories
// that part the scores into ranges: as decisions by the score do, or the score in other units. Such a
// column would decide in place of the score.
func follows(c, score *tabular.Column, rows int) bool {
	order := make([]int, rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(score.Numbers[i], score.Numbers[j]) })
	if c.Numbers == nil {
		ended, last := make([]bool, len(c.Levels)+1), -1
		if 2*len(c.Levels) > rows { // each is of one row, and says nothing
			return false
		}
		for _, i := range order {
			switch code := c.Codes.At(i); {
			case code == last:
			case ended[code]:
				return false
			default:
				ended[code], last = true, code
			}
		}
		return true
	}
	rises, falls, last := true, true, math.NaN()
	for _, i := range order {
		v := c.Numbers[i]
		rises, falls = rises && !(v < last), falls && !(v > last)
		if last = v; math.IsNaN(v) || !rises && !falls {
			return false
		}
	}
	return true
}

// adjust adjusts, and writes the decisions.
func (p program) adjust(ctx context.Context, o adjustOptions) error {
	if o.out != "" {
		o.written = func(m *classifier.Classifier) error {
			return evaluate.WriteDecisions(ctx, p.Program, m, o.names.Data, o.out, o.ids)
		}
	}
	return p.train(ctx, o.trainOptions)
}
