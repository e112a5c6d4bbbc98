// Package evaluate has the commands about what a model does on rows: evaluate, predict,
// explain and report. The Action of each reads its flags into an options struct, once.
package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// EvaluateCommand is fairtrain evaluate.
func EvaluateCommand(p *command.Program) *cli.Command {
	var metrics []string
	for _, m := range fairness.MetricList() {
		metrics = append(metrics, m.Name)
	}
	frame := fairness.DefaultFrameOptions()
	return &cli.Command{
		Name:  "evaluate",
		Usage: "verdicts on constraints, and group metrics, of a model on data or of predictions",
		Description: `Says whether each constraint is satisfied or violated for the people that the rows were
drawn from, or undecided: whether its confidence interval is within the bound, beyond it, or
neither. Then it compares decisions with labels, for all rows and by group, with intervals. The
groups of one --group, such as the values of a column, are compared with each other; a single
group is compared with all other rows. Exit code 3: a constraint is violated.

   fairtrain evaluate --data people.t --group sex --group age
   fairtrain evaluate --predictions scores.csv --constraint demographic-parity:group=sex,bound=0.05
   fairtrain evaluate --predictions scores.csv --label-column hired --group "sex*race" --metric tpr
   fairtrain evaluate --predictions decisions.csv --label-column none   # selection rates alone`,
		Flags: slices.Concat(command.TalkFlags(), input.JudgedFlags("evaluate on the rows of `NAME|FILE`, - for standard input"), []cli.Flag{
			input.StrictFlag(),
			&cli.StringSliceFlag{
				Name: "group", Category: "Data", DefaultText: "the constrained groups",
				Usage: "compare the groups `G`: column, column=value, column=A|B, age<25, age[25,45], a product of them, or for LIBSVM a feature number; several with commas or repeated",
			},
			&cli.StringSliceFlag{
				Name: "metric", Category: "Table", DefaultText: "accuracy, selection_rate and a few more",
				Usage: "show the metric `NAME`; several with commas or repeated: " + strings.Join(metrics, "|"),
			},
			&cli.StringFlag{Name: "interval", Category: "Table", Value: string(frame.Interval), Usage: "confidence intervals by `METHOD`: standard (exact for shares, else a bootstrap)|none"},
			&cli.Float64Flag{Name: "level", Category: "Table", Value: frame.Level, Usage: "intervals have the confidence `P`, 0.5 or more"},
			&cli.Uint64Flag{Name: "seed", Category: "Table", Value: frame.Seed, Usage: "`N` selects the random numbers of a bootstrap"},
		}),
		Action: command.Action(readEvaluate, program{p}.evaluate),
	}
}

// evaluateOptions are the options of evaluate.
type evaluateOptions struct {
	input.Judged
	groups     []string // specifications; nil: those of the model's constraints
	frame      fairness.FrameOptions
	anyMetrics bool // --metric is given
	strict     bool // undecided is not enough
}

func readEvaluate(c *cli.Context) (o evaluateOptions, err error) {
	o = evaluateOptions{groups: command.List(c, "group"), anyMetrics: c.IsSet("metric"), strict: c.Bool("strict")}
	o.frame = fairness.FrameOptions{
		Metrics:  fairness.DefaultFrameOptions().Metrics,
		Interval: fairness.IntervalMethod(c.String("interval")),
		Level:    c.Float64("level"),
		Seed:     command.Given(c, "seed").Uint64("seed"),
	}
	if metrics := command.List(c, "metric"); len(metrics) > 0 {
		if !slices.Contains(metrics, "rows") { // without which no other figure can be judged
			metrics = append([]string{"rows"}, metrics...)
		}
		if o.frame.Metrics, err = fairness.FindMetrics(metrics...); err != nil {
			return o, command.Usage(fmt.Errorf("--metric: %w", err))
		}
	}
	if err := o.frame.Validate(); err != nil {
		return o, command.Usage(err)
	}
	if err := checkSpecs(o.groups); err != nil {
		return o, err
	}
	if o.groups == nil && c.IsSet("predictions") && !c.IsSet("constraint") {
		o.groups = []string{"group"}
	}
	if o.Judged, err = input.ReadJudged(c, o.groups); err != nil || o.Model != nil || o.Columns.HasLabels() {
		return o, err
	}
	needsLabels := fairness.Metric.NeedsLabels
	if k := slices.IndexFunc(o.frame.Metrics, needsLabels); k >= 0 && o.anyMetrics {
		return o, command.Usagef("--metric %s needs the true labels, but --label-column is none",
			o.frame.Metrics[k].Name)
	}
	o.frame.Metrics = slices.DeleteFunc(slices.Clone(o.frame.Metrics), needsLabels)
	return o, nil
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

func (p program) evaluate(ctx context.Context, o evaluateOptions) error {
	evaluate := p.evaluateModel
	if o.Model == nil {
		evaluate = p.evaluatePredictions
	}
	found, err := evaluate(ctx, o)
	if err != nil {
		return err
	}
	if err := p.print(found, o.frame.Level); err != nil {
		return err
	}
	return Failure(found.Verdicts, o.strict)
}

// Failure returns an error if a constraint is violated or, where that is asked for, undecided.
func Failure(verdicts []guarantee.Judgment, strict bool) error {
	for _, answer := range []guarantee.Answer{guarantee.Violated, guarantee.Undecided} {
		var specs []string
		for _, v := range verdicts {
			if v.Verdict == answer && (strict || answer == guarantee.Violated) {
				specs = append(specs, v.Spec)
			}
		}
		if specs != nil {
			return command.Fail(command.ExitNotReached, fmt.Errorf("%s: %s", answer, strings.Join(specs, ", ")))
		}
	}
	return nil
}

// evaluateModel compares the decisions of a model with labels.
func (p program) evaluateModel(ctx context.Context, o evaluateOptions) (*evaluation, error) {
	m, err := input.LoadModel(ctx, p.Program, *o.Model)
	if err != nil {
		return nil, err
	}
	e := &evaluation{features: &m.Features}
	requirements := o.Constraints
	if requirements == nil {
		var untested []error
		requirements, untested = input.TestedOf(m)
		for _, err := range untested {
			e.Remarks = append(e.Remarks, fmt.Sprintf("no verdict: %v", err))
		}
	}
	asked := slices.Concat(o.groups, guarantee.SpecsOf(o.Constraints)) // must be there
	specs, named := o.groups, o.groups != nil
	if !named {
		specs, named = guarantee.GroupsOf(o.Constraints), o.Constraints != nil
	}
	if !named {
		specs = constrainedGroups(m)
	}
	all := slices.Concat(specs, guarantee.SpecsOf(requirements))
	slices.Sort(all)
	all = slices.Compact(all)
	from := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: all}
	read := tabular.Options{Groups: dataset.AttributesIn(asked...), OnlyGroups: true}
	d, err := from.Read(o.Name, read)
	if input.LacksLabels(err) {
		selection := slices.DeleteFunc(slices.Clone(o.frame.Metrics), fairness.Metric.NeedsLabels)
		needed := o.anyMetrics && len(selection) < len(o.frame.Metrics)
		if needed || o.Name == "-" || input.NeedLabels(o.Constraints) || allNeedLabels(requirements) {
			return nil, command.Advise(err, "without labels, selection rates and constraints on them can be judged: "+
				"--metric selection_rate, --constraint demographic-parity:group=G,bound=0.05")
		}
		read.AnyLabels, o.frame.Metrics = true, selection
		d, err = from.Read(o.Name, read)
	}
	if err != nil {
		return nil, input.AdviseLabel(err)
	}
	e.title = fmt.Sprintf("%s on %s, threshold %.4g", o.Model.Path, d.Name, m.Threshold)
	switch e.Seen = m.Training.Data.HasFileOf(d); {
	case e.Seen:
		p.Remark("%s: the model was trained on rows of this file: on other people it may do worse, and less equally, than on these", d.Name)
	case len(constrainedGroups(m)) > 0:
		p.Remark("%s: whoever changes the model for what these rows show needs other rows for certify", d.Name)
	}
	if !named && m.Features.Kind == classifier.CSV {
		specs = slices.DeleteFunc(specs, func(spec string) bool {
			columns := dataset.AttributesIn(spec)
			k := slices.IndexFunc(columns, func(name string) bool { return d.Attribute(name) == nil })
			if k >= 0 {
				e.Remarks = append(e.Remarks, fmt.Sprintf("%s has no column for %q, so that nothing is said about the group %s", d.Name, columns[k], spec))
			}
			return k >= 0
		})
	}
	if o.Constraints == nil { // the model's are judged where they can be
		requirements = slices.DeleteFunc(requirements, func(r guarantee.Requirement) bool {
			_, err := d.Strata(r.Key())
			if err == nil && read.AnyLabels && r.NeedsLabels() {
				err = errors.New("it needs the labels of the rows")
			}
			if err != nil {
				e.Remarks = append(e.Remarks, fmt.Sprintf("no verdict on %s: %v", r.Spec, err))
			}
			return err != nil
		})
	}
	if err := input.CheckGroupCount(d, all); err != nil {
		return nil, err
	}
	for _, spec := range specs { // before the rows are scored
		about, err := groupRemarks(d, spec, named)
		e.Remarks = append(e.Remarks, about...)
		if _, ok := errors.AsType[*dataset.NoComparisonError](err); ok && !named {
			e.Remarks = append(e.Remarks, err.Error())
			continue
		}
		if err != nil {
			return nil, command.Advise(err, "--group G judges other groups")
		}
		e.specs = append(e.specs, spec)
	}
	return command.Interruptible(ctx, func() (*evaluation, error) {
		scored, err := scoring.New(m, d)
		if err != nil {
			return nil, err
		}
		if err := e.judge(scored.Evidence, requirements, o.frame.Level); err != nil {
			return nil, err
		}
		return e, e.compare(d, scored.Judge, o.frame)
	})
}

// allNeedLabels reports whether there are constraints, and none can be judged without labels.
func allNeedLabels(list []guarantee.Requirement) bool {
	return list != nil && !slices.ContainsFunc(list, func(r guarantee.Requirement) bool { return !r.NeedsLabels() })
}

// groupRemarks says which rows a comparison of groups leaves out. It fails if there is nothing
// to compare, or if named groups have no rows.
func groupRemarks(d *dataset.Dataset, spec string, named bool) ([]string, error) {
	_, err := d.Strata(spec)
	if err == nil && named {
		err = d.CheckLevels(spec)
	}
	if err != nil {
		return nil, err
	}
	var remarks []string
	for _, name := range d.Lacking(spec) {
		remarks = append(remarks, fmt.Sprintf("no row has %s: nothing is said about such people", name))
	}
	return append(remarks, words.LeftOut(d.LeftOut(spec))...), nil
}

// constrainedGroups returns the groups that a model's constraints name, each once. A
// constraint of a user's own program may name none.
func constrainedGroups(m *classifier.Classifier) []string { return input.GroupSpecs(constraintsOf(m)) }

// constraintsOf returns a model's constraints, without those of a user's own program.
func constraintsOf(m *classifier.Classifier) (known []model.Constraint) {
	for _, c := range m.Constraints {
		if parsed, err := model.ParseConstraint(c.Spec); err == nil {
			known = append(known, parsed)
		}
	}
	return known
}

// evaluatePredictions compares the predictions of any program with labels, if there are any.
func (p program) evaluatePredictions(ctx context.Context, o evaluateOptions) (*evaluation, error) {
	d, err := o.Predictions(ctx, p.Program, tabular.Options{})
	if err != nil {
		return nil, err
	}
	scored := scoring.Given(d.Dataset, d.Scores, d.Threshold)
	e := &evaluation{specs: o.groups, title: fmt.Sprintf("%s, threshold %.4g", o.Name, d.Threshold)}
	if e.specs == nil {
		e.specs = guarantee.GroupsOf(o.Constraints)
	}
	if scored.Decided() {
		if d.Threshold > 0 && d.Threshold <= 1 { // or else all are decided alike
			e.title = o.Name + ", decisions"
		}
		if !o.anyMetrics {
			o.frame.Metrics = decisionMetrics(scored.Labelled())
		}
	}
	for _, spec := range e.specs {
		about, err := groupRemarks(d.Dataset, spec, true)
		if err != nil {
			return nil, err
		}
		e.Remarks = append(e.Remarks, about...)
	}
	return command.Interruptible(ctx, func() (*evaluation, error) {
		if err := e.judge(scored.Evidence, o.Constraints, o.frame.Level); err != nil {
			return nil, err
		}
		return e, e.compare(d.Dataset, scored.Judge, o.frame)
	})
}

// decisionMetrics are the metrics shown of decisions without scores.
func decisionMetrics(labelled bool) []fairness.Metric {
	if !labelled {
		return fairness.Named("rows", "selection_rate")
	}
	return fairness.Named("rows", "accuracy", "selection_rate", "base_rate", "tpr", "fpr", "precision")
}
