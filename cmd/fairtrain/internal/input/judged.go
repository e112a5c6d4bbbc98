package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// JudgedFlags are the flags of commands that judge decisions, of a model on data or of predictions of any
// program: which ones, and by which constraints. data says what the rows of --data are.
func JudgedFlags(data string) []cli.Flag {
	const category = "Constraints"
	return append(
		PredictionFlags(), ModelFlag(), DataFlag("", data), SkipLabelFlag(),
		ThresholdFlag("the model's, or as --predictions were decided, or 0.5"),
		&cli.StringSliceFlag{Name: "constraint", Category: category, Usage: "judge by the constraint `SPEC`, written as for train; several with commas or repeated", DefaultText: "the model's"},
		&cli.StringFlag{Name: "on", Category: category, Usage: "the given constraints bound `scores|decisions`; shares always bound scores", DefaultText: "decisions; shares and losses: scores"},
	)
}

// StrictFlag is the flag that makes an undecided constraint a failure.
func StrictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict", Category: "Constraints", Usage: "exit code 3 also if a constraint is undecided", DisableDefaultText: true}
}

// Judged says which decisions are judged, and by which constraints.
type Judged struct {
	Model       *ModelOptions           // nil for predictions of any program
	Name        string                  // of the rows, or of the predictions
	Columns     Columns                 // of predictions
	Threshold   *float64                // nil: the model's, or as predictions were decided
	Constraints []guarantee.Requirement // nil: none are given
}

// ReadJudged reads JudgedFlags; groups are specifications of groups besides those of the constraints.
func ReadJudged(c *cli.Context, groups []string) (j Judged, err error) {
	if j.Constraints, err = GivenConstraints(c); err != nil {
		return j, err
	}
	useless, reason := []string{"model", "data", "test", "certificate"}, "excludes --predictions, which brings scores and labels along"
	if !c.IsSet("predictions") {
		useless, reason = []string{"label-column", "score-column", "weight-column", "positive"}, "needs --predictions"
	}
	for _, name := range useless {
		if c.IsSet(name) {
			return j, command.Usagef("--%s %s", name, reason)
		}
	}
	o, err := ModelFlags(c)
	if err != nil {
		return j, err
	}
	j.Threshold = o.Threshold
	if !c.IsSet("predictions") {
		if j.Model, j.Name = &o, c.String("data"); j.Name == "" {
			return j, command.Usage(fmt.Errorf("%s needs --data or --predictions", c.Command.HelpName),
				"for example: "+c.Command.HelpName+" --data people.csv")
		}
		return j, command.CheckNames(o.Path, j.Name)
	}
	if j.Name = c.String("predictions"); c.String("label-column") == NoLabels && NeedLabels(j.Constraints) {
		return j, command.Usagef("--label-column none: a constraint on errors needs the true labels")
	}
	groups = slices.Concat(guarantee.SpecsOf(j.Constraints), groups)
	if j.Columns, err = PredictionColumns(c, groups); err != nil {
		return j, err
	}
	return j, command.CheckNames(j.Name)
}

// Predictions reads predictions, and says what was taken for what.
func (j *Judged) Predictions(ctx context.Context, p *command.Program, options tabular.Options) (*Predictions, error) {
	d, err := command.Interruptible(ctx, func() (*Predictions, error) { return j.Columns.Read(p.Stdin, j.Name, options) })
	if err != nil {
		return nil, err
	}
	if j.Threshold != nil {
		d.Threshold = *j.Threshold
	}
	for _, remark := range d.Remarks {
		p.Remark("%s", remark)
	}
	return d, nil
}

// GivenConstraints returns those of --constraint and --on, nil for none.
func GivenConstraints(c *cli.Context) (list []guarantee.Requirement, err error) {
	on := c.String("on")
	if on != "" && on != train.Scores && on != train.Decisions {
		return nil, command.Usagef("--on is %q, must be %s or %s", on, train.Scores, train.Decisions)
	}
	for _, spec := range command.List(c, "constraint") {
		if list, err = add(list, spec, on); err != nil {
			return nil, command.Usage(err)
		}
	}
	return list, nil
}

// ConstraintsOf returns the constraints that a model was trained for. It fails if one has no test.
func ConstraintsOf(m *classifier.Classifier, path string) ([]guarantee.Requirement, error) {
	list, untested := TestedOf(m)
	for _, err := range untested {
		return nil, command.Advise(fmt.Errorf("%s: %w", path, err), "--constraint SPEC says what to judge by")
	}
	if len(list) == 0 {
		return nil, command.Usage(errors.New("the model has no constraints, --constraint SPEC says what to judge by"))
	}
	return list, nil
}

// TestedOf returns the constraints that a model was trained for and that have a test, and why others, as
// those of a user's own program, have none.
func TestedOf(m *classifier.Classifier) (list []guarantee.Requirement, untested []error) {
	for _, c := range m.Constraints {
		if c.Spec == model.Unconstrained().String() {
			continue
		}
		var err error
		if list, err = add(list, c.Spec, c.On); err != nil {
			untested = append(untested, err)
		}
	}
	return list, untested
}

// add adds a constraint, unless it is there.
func add(list []guarantee.Requirement, spec, on string) ([]guarantee.Requirement, error) {
	constraint, err := model.ParseConstraint(spec)
	if err != nil {
		return list, err
	}
	if g, ok := constraint.(model.GroupConstraint); ok {
		on = cmp.Or(on, g.On)
	}
	r, err := train.ToGuarantee(constraint, on)
	if err != nil || slices.ContainsFunc(list, func(other guarantee.Requirement) bool { return other.Spec == r.Spec }) {
		return list, err
	}
	return append(list, r), nil
}

// NeedLabels reports whether labels play a part in constraints.
func NeedLabels(list []guarantee.Requirement) bool {
	return slices.ContainsFunc(list, func(r guarantee.Requirement) bool {
		return r.NeedsLabels()
	})
}
