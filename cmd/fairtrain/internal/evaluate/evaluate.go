// Package evaluate has the commands that say what a model does on rows: evaluate, predict,
// explain and report.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// EvaluateCommand is fairtrain evaluate.
func EvaluateCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "evaluate",
		Usage: "group metrics of a model on data, or of predictions",
		Description: `Compares the decisions of a model with the labels of the data, for all rows and by
group, and says how sure the figures are. The groups that one --group names, such as the
values of a column, are compared with each other. A single group is compared with all other
rows.

   fairtrain evaluate --data a9a.t
   fairtrain evaluate --data a9a.t --group 72 --group 73 --threshold 0.4 --json

--predictions judges the predictions of any other program, from a CSV file whose header has
the columns y_true, y_pred and group, or the columns that flags name; "*" makes
intersections of groups. It also takes the output of fairtrain predict, with the columns
that --id copied.

   fairtrain evaluate --predictions scores.csv
   fairtrain evaluate --predictions scores.csv --group sex --group "sex*race" --metric tpr --format markdown
   fairtrain evaluate --predictions scores.csv --label-column hired --group sex --metric ece
   fairtrain evaluate --predictions decisions.csv --label-column none   # selection rates: nobody knows the labels`,
		Flags: slices.Concat(command.TalkFlags(), frameFlags(), input.PredictionFlags(), []cli.Flag{
			input.ModelFlag(),
			input.DataFlag("", "judge on the labelled rows of `NAME|FILE`, - for standard input"),
			&cli.StringSliceFlag{
				Name: "group", Category: "Data",
				Usage: "judge the groups `G`: column=value, column=A|B, age<25, age[25,45], column, a product of them, or for LIBSVM a feature number counted from 1; repeatable, each compared on its own", DefaultText: "the constrained groups",
			},
			input.ThresholdFlag(),
			input.SkipLabelFlag(),
		}),
		Action: command.Action(program{p}.readEvaluate, program{p}.evaluate),
	}
}

// evaluateOptions are the flags of evaluate.
type evaluateOptions struct {
	model      input.ModelOptions
	data       string
	groups     []string // specifications; nil: those of the model's constraints
	frame      fairness.FrameOptions
	anyMetrics bool // somebody has named the metrics
	format     results.TableFormat

	predictions string        // made elsewhere; "" for none
	columns     input.Columns // of these
}

func (p program) readEvaluate(c *cli.Context) (o evaluateOptions, err error) {
	if err := input.CheckPredictionFlags(c); err != nil {
		return o, err
	}
	o = evaluateOptions{data: c.String("data"), groups: c.StringSlice("group"), anyMetrics: c.IsSet("metric"), predictions: c.String("predictions")}
	if o.frame, err = frameOptions(c); err != nil {
		return o, err
	}
	if o.format, err = p.frameFormat(c); err != nil {
		return o, err
	}
	if err := checkSpecs(o.groups); err != nil {
		return o, err
	}
	if o.model, err = input.ModelFlags(c); err != nil {
		return o, err
	}
	if !c.IsSet("predictions") {
		return o, checkScoring(c.Command.HelpName, o.data, o.model.Path)
	}
	if err := command.CheckNames(o.predictions); err != nil {
		return o, err
	}
	if o.groups == nil {
		o.groups = []string{"group"}
	}
	if o.columns, err = input.PredictionColumns(c, o.groups); err != nil || o.columns.HasLabels() {
		return o, err
	}
	needsLabels := fairness.Metric.NeedsLabels
	if k := slices.IndexFunc(o.frame.Metrics, needsLabels); k >= 0 && o.anyMetrics {
		return o, command.Usagef("--metric %s needs the true labels, but --label-column is none", o.frame.Metrics[k].Name)
	}
	o.frame.Metrics = slices.DeleteFunc(slices.Clone(o.frame.Metrics), needsLabels)
	return o, nil
}

func (p program) evaluate(ctx context.Context, o evaluateOptions) error {
	if o.predictions != "" {
		return p.evaluatePredictions(ctx, o)
	}
	return p.evaluateModel(ctx, o)
}

// evaluateModel compares the decisions of a model with labels.
func (p program) evaluateModel(ctx context.Context, o evaluateOptions) error {
	m, err := input.LoadModel(ctx, p.Program, o.model)
	if err != nil {
		return err
	}
	specs, asked := o.groups, o.groups != nil
	if !asked {
		specs = constrainedGroups(m)
	}
	needed := append([]string{}, dataset.AttributesIn(o.groups...)...)
	from := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: specs}
	d, err := from.Read(o.data, tabular.Options{Groups: needed})
	if input.LacksLabels(err) {
		return command.Advise(err, "predict scores rows without labels, and evaluate --predictions with --label-column none compares their selection rates")
	}
	if err != nil {
		return input.AdviseLabel(err)
	}
	seen := m.Training.Data.HasFileOf(d)
	if seen {
		p.Remark("%s: the model was trained on rows of this file: on other people it may do worse, and less equally, than on these", d.Name)
	}
	var remarks []string
	if !asked && m.Features.Kind == classifier.CSV {
		specs, remarks = judgeable(d, specs)
	}
	if err := input.CheckGroupCount(d, specs); err != nil {
		return err
	}
	var compared []string
	for _, spec := range specs { // before the rows are scored
		about, err := groupRemarks(d, spec, asked)
		remarks = append(remarks, about...)
		if _, ok := errors.AsType[*dataset.NoComparisonError](err); ok && !asked {
			remarks = append(remarks, err.Error()) // nobody has asked for it
			continue
		}
		if err != nil {
			return command.Advise(err, "--group G judges other groups")
		}
		compared = append(compared, spec)
	}
	found, err := command.Interruptible(ctx, func() (*audit, error) {
		scored, err := scoring.New(m, d)
		if err != nil {
			return nil, err
		}
		return newAudit(compared, d, scored.Judge, o.frame)
	})
	if err != nil {
		return err
	}
	found.seen, found.remarks, found.features = seen, remarks, &m.Features
	return p.printAudit(fmt.Sprintf("%s on %s, threshold %.4g", o.model.Path, d.Name, m.Threshold), found, o.format)
}

// groupRemarks says about whom a comparison of groups says nothing. It fails if there is nothing to compare, or if
// groups that were asked for have no rows.
func groupRemarks(d *dataset.Dataset, spec string, asked bool) ([]string, error) {
	_, err := d.Strata(spec)
	if err == nil && asked {
		err = d.CheckLevels(spec)
	}
	if err != nil {
		return nil, err
	}
	var remarks []string
	for _, name := range d.Lacking(spec) {
		remarks = append(remarks, fmt.Sprintf("no row has %s: nothing is said about such people", name))
	}
	return append(remarks, d.LeftOut(spec)...), nil
}

// constrainedGroups returns the groups that a model's constraints name, each once. A
// constraint of a user's own program may name none.
func constrainedGroups(m *classifier.Classifier) []string {
	var known []model.Constraint
	for _, c := range m.Constraints {
		if parsed, err := model.ParseConstraint(c.Spec); err == nil {
			known = append(known, parsed)
		}
	}
	return input.GroupSpecs(known)
}

// judgeable returns the specifications of groups for which the data have all columns, and
// says which are left out.
func judgeable(d *dataset.Dataset, specs []string) (judged, remarks []string) {
	absent := func(name string) bool { return d.Attribute(name) == nil }
	judged = slices.DeleteFunc(specs, func(spec string) bool {
		k := slices.IndexFunc(dataset.AttributesIn(spec), absent)
		if k >= 0 {
			remarks = append(remarks, fmt.Sprintf("%s has no column for %q, so that nothing is said about the group %s", d.Name, dataset.AttributesIn(spec)[k], spec))
		}
		return k >= 0
	})
	return judged, remarks
}

// checkSpecs refuses a specification of groups that is given twice.
func checkSpecs(specs []string) error {
	for k, spec := range specs {
		if slices.Contains(specs[:k], spec) {
			return command.Usagef("--group %s is given twice", spec)
		}
		if err := input.CheckGroup(spec); err != nil {
			return err
		}
	}
	return nil
}

// evaluatePredictions judges predictions made elsewhere.
func (p program) evaluatePredictions(ctx context.Context, o evaluateOptions) error {
	title := ""
	found, err := command.Interruptible(ctx, func() (*audit, error) {
		d, err := o.columns.Read(p.Stdin, o.predictions, tabular.Options{})
		if err != nil {
			return nil, err
		}
		if t := o.model.Threshold; t != nil {
			d.Threshold = *t
		}
		prediction := fairness.Predictions{Scores: d.Scores, Threshold: d.Threshold, Weights: d.Weights}
		if o.columns.HasLabels() {
			prediction.Labels = d.Y
		}
		title = fmt.Sprintf("%s, threshold %.4g", o.predictions, d.Threshold)
		if areDecisions(prediction.Scores) {
			if d.Threshold > 0 && d.Threshold <= 1 { // or else all are decided alike
				title = o.predictions + ", decisions"
			}
			if !o.anyMetrics {
				o.frame.Metrics = decisionMetrics(o.columns.HasLabels())
			}
		}
		var remarks []string
		for _, spec := range o.groups {
			about, err := groupRemarks(d.Dataset, spec, true)
			if err != nil {
				return nil, err
			}
			remarks = append(remarks, about...)
		}
		judge := func(g *scoring.Grouping) (*fairness.Judged, error) { return prediction.By(g.Members(d.Rows())) }
		a, err := newAudit(o.groups, d.Dataset, judge, o.frame)
		if err == nil {
			a.remarks = remarks
		}
		return a, err
	})
	if err != nil {
		return err
	}
	return p.printAudit(title, found, o.format)
}

// decisionMetrics are the metrics shown of decisions without scores.
func decisionMetrics(labelled bool) []fairness.Metric {
	if !labelled {
		return fairness.Named("rows", "selection_rate")
	}
	return fairness.Named("rows", "accuracy", "selection_rate", "base_rate", "tpr", "fpr", "precision")
}

// areDecisions reports whether all scores are 0 or 1.
func areDecisions(scores []float64) bool {
	return !slices.ContainsFunc(scores, func(s float64) bool { return s != 0 && s != 1 })
}
