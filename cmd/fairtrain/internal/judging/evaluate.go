// Package judging has the commands that say what a model does on rows: evaluate, predict,
// explain and report.
package judging

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/table"
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
		Action: program{p}.evaluate,
	}
}

func (p program) evaluate(c *cli.Context) error {
	if err := input.CheckPredictionFlags(c); err != nil {
		return err
	}
	options, err := frameOptions(c)
	if err != nil {
		return err
	}
	format, err := p.frameFormat(c)
	if err != nil {
		return err
	}
	if err := checkSpecs(c.StringSlice("group")); err != nil {
		return err
	}
	if c.IsSet("predictions") {
		return p.evaluatePredictions(c, options, format)
	}
	if err := checkScoring(c); err != nil {
		return err
	}
	m, err := input.LoadModel(p.Program, c)
	if err != nil {
		return err
	}
	specs := c.StringSlice("group")
	needed := append([]string{}, dataset.AttributesIn(specs...)...)
	if !c.IsSet("group") {
		specs = constrainedGroups(m)
	}
	d, err := input.Reader{Program: p.Program, Flags: c, Features: m.Features, Groups: specs}.Read(c.String("data"), table.Options{Groups: needed})
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
	if !c.IsSet("group") && m.Features.Kind == classifier.CSV {
		specs, remarks = judgeable(d, specs)
	}
	if err := input.CheckGroupCount(d, specs); err != nil {
		return err
	}
	var compared []string
	for _, spec := range specs { // before the rows are scored
		about, err := groupRemarks(d, spec, c.IsSet("group"))
		remarks = append(remarks, about...)
		if _, ok := errors.AsType[*dataset.NoComparisonError](err); ok && !c.IsSet("group") {
			remarks = append(remarks, err.Error()) // nobody has asked for it
			continue
		}
		if err != nil {
			return command.Advise(err, "--group G judges other groups")
		}
		compared = append(compared, spec)
	}
	for _, remark := range remarks {
		p.Remark("%s", remark)
	}
	found, err := command.Interruptible(c.Context, func() (*audit, error) {
		scored, err := scoring.New(m, d)
		if err != nil {
			return nil, err
		}
		return newAudit(compared, func(spec string) (*fairness.Frame, error) { return frameOf(scored, d, spec, options) })
	})
	if err != nil {
		return err
	}
	found.seen, found.remarks = seen, remarks
	return p.printAudit(c, fmt.Sprintf("%s on %s, threshold %.4g", c.String("model"), d.Name, m.Threshold), found, &m.Features, format)
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

// frameOf compares the groups of a specification, if there is one.
func frameOf(scored *scoring.Scored, d *dataset.Dataset, spec string, options fairness.FrameOptions) (*fairness.Frame, error) {
	groups := new(scoring.Grouping)
	if spec != "" {
		var err error
		if groups, err = scoring.NewGrouping(d, spec); err != nil {
			return nil, err
		}
	}
	judged, err := scored.Judge(groups)
	if err != nil {
		return nil, err
	}
	f, err := judged.Frame(options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return f, nil
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
func (p program) evaluatePredictions(c *cli.Context, options fairness.FrameOptions, format results.TableFormat) error {
	name := c.String("predictions")
	if err := command.CheckNames(name); err != nil {
		return err
	}
	specs := []string{"group"}
	if c.IsSet("group") {
		specs = c.StringSlice("group")
	}
	columns, err := input.PredictionColumns(c, specs)
	if err != nil {
		return err
	}
	if k := slices.IndexFunc(options.Metrics, fairness.Metric.NeedsLabels); k >= 0 && c.IsSet("metric") && !columns.HasLabels() {
		return command.Usagef("--metric %s needs the true labels, but --label-column is none", options.Metrics[k].Name)
	}
	if err := command.CheckRange("threshold", c.Float64("threshold"), 0, 1); err != nil {
		return err
	}
	title := ""
	var remarks []string
	found, err := command.Interruptible(c.Context, func() (*audit, error) {
		d, err := columns.Read(p.Stdin, name, table.Options{})
		if err != nil {
			return nil, err
		}
		if c.IsSet("threshold") {
			d.Threshold = c.Float64("threshold")
		}
		prediction := fairness.Predictions{Scores: d.Scores, Threshold: d.Threshold, Weights: d.Weights}
		if columns.HasLabels() {
			prediction.Labels = d.Y
		}
		title = fmt.Sprintf("%s, threshold %.4g", name, d.Threshold)
		if areDecisions(prediction.Scores) {
			if d.Threshold > 0 && d.Threshold <= 1 { // or else all are decided alike
				title = name + ", decisions"
			}
			if !c.IsSet("metric") {
				options.Metrics = decisionMetrics
			}
		}
		if !columns.HasLabels() && !c.IsSet("metric") {
			options.Metrics = slices.DeleteFunc(slices.Clone(options.Metrics), fairness.Metric.NeedsLabels)
		}
		return newAudit(specs, func(spec string) (*fairness.Frame, error) {
			groups, err := scoring.NewGrouping(d.Dataset, spec)
			if err == nil && spec != "" {
				var about []string
				about, err = groupRemarks(d.Dataset, spec, true)
				remarks = append(remarks, about...)
			}
			if err != nil {
				return nil, err
			}
			return fairness.NewFrame(prediction, groups.Members(d.Rows()), options)
		})
	})
	if err != nil {
		return err
	}
	for _, remark := range remarks {
		p.Remark("%s", remark)
	}
	found.remarks = remarks
	return p.printAudit(c, title, found, nil, format)
}

// decisionMetrics are the metrics shown of decisions without scores.
var decisionMetrics = fairness.Named("rows", "accuracy", "selection_rate", "base_rate", "tpr", "fpr", "precision")

// areDecisions reports whether all scores are 0 or 1.
func areDecisions(scores []float64) bool {
	return !slices.ContainsFunc(scores, func(s float64) bool { return s != 0 && s != 1 })
}
