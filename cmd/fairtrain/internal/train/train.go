// Package train has the commands that train: train and frontier. Read flags.go for the
// options, data.go for the rows, train.go for the run, report.go for its report.
package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/evaluate"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// program adds the commands of this package to what all of them share.
type program struct {
	*command.Program
	sharded   Sharded           // nil: the rows are not in shards
	executors command.Executors // of frontiers; nil: this process
}

func (p program) trainAction() cli.ActionFunc { return command.Action(p.readTrain, p.train) }

// trainOptions are the options of train: those of all training, and what to do with the model.
type trainOptions struct {
	*request
	test            *certify.TrainOptions // nil for no test
	report          *evaluate.RunReport   // nil for no report
	model           string                // path, - for standard output
	saveInterrupted bool
	verbose         bool
	failOn          []words.Role                       // rows that decide about the exit code
	written         func(*classifier.Classifier) error // what to do when the model is written; nil for nothing
}

// readTrain reads the flags of train and checks that its files can be read and written.
func (p program) readTrain(c *cli.Context) (o trainOptions, err error) {
	o = trainOptions{
		model: c.String("model"), saveInterrupted: c.Bool("save-on-interrupt"),
		verbose: c.Bool("verbose"),
	}
	if o.request, err = p.request(c); err != nil {
		return o, err
	}
	if o.options.Points, err = scaleOf(c); err != nil {
		return o, err
	}
	return o, p.readOutputs(c, &o, o.files(command.NewFiles(c)))
}

// readOutputs reads the flags of what a run writes, and of its test.
func (p program) readOutputs(c *cli.Context, o *trainOptions, f *command.Files) (err error) {
	if o.model == "-" && p.JSON {
		return command.Usagef("--json and --model - both want standard output")
	}
	if o.test, err = certify.ReadTrainOptions(c); err != nil {
		return err
	}
	if o.failOn, err = failOn(c, o.request); err != nil {
		return err
	}
	f.Writes("model", o.model, isModel)
	if o.test != nil && o.test.File != "" {
		f.ReadsData("certify", o.test.File)
	}
	if c.IsSet("report") {
		o.report = &evaluate.RunReport{
			Path: c.String("report"), Card: c.String("card"), MinGroup: c.Int("min-group"), Groups: command.List(c, "group"),
		}
		if o.report.Path != "-" {
			f.Writes("report", o.report.Path, command.Report)
		}
		if o.report.Card != "" {
			f.Reads("card", o.report.Card)
		}
	} else if err := command.CheckAlone(c, "report", "card", "min-group"); err != nil {
		return err
	}
	return errors.Join(f.Check(), o.report.Prepare())
}

// train loads the data, trains, tests if there is a test, and writes the results.
func (p program) train(ctx context.Context, t trainOptions) error {
	test, err := certify.NewTest(t.test, &t.options, t.names)
	if err != nil {
		return err
	}
	o, err := p.load(ctx, t.request, test)
	if err != nil {
		return err
	}
	if err := errors.Join(checkUnseen(t.failOn, o), t.report.Check(o)); err != nil {
		return err
	}
	var seen []string
	if t.testGiven || t.validation > 0 {
		seen = certify.Seen(o.Data, certify.Judged{Rows: o.ValidationData, Which: "validation"},
			certify.Judged{Rows: o.TestData, Which: "test"})
	}
	bar := p.NewProgress("training")
	o.Progress = func(g train.Progress) {
		state := fmt.Sprintf("KKT residual %.1e, goal %.0e", g.Residual, o.Tolerance)
		bar.Update(g.Share, state)
	}
	found, trained, err := test.Train(ctx, *o)
	bar.Finish()
	if err != nil {
		return err
	}
	if leaks := found.Leaks; len(leaks) > 0 && t.reading.Table.Strict {
		return fmt.Errorf("%s: in doubt is\n  %s --drop %s leaves it out", o.Data.Name, words.Leaks(leaks), names.ShellItem(leaks[0].Column))
	}
	found.Warnings = append(append([]string{}, seen...), words.Warnings(found)...)
	if t.report != nil {
		t.report.Remarks = seen
	}
	found.Notes = t.notes
	found.UsesGroups, found.Withheld = groupsUsed(o)
	if err := measureViolations(found, trained, o); err != nil {
		return err
	}
	for k, finding := range words.Findings(found) {
		q, outcome := &found.Requirements[k], finding.Outcome()
		q.Verdict, q.TrainingOnly = outcome.Word(), outcome == words.SatisfiedThere
	}
	return p.conclude(found, trained, o, t, t.settings(o, t.rowsAgain(test)), test)
}

// measureViolations enters the confidence intervals of values on held-out rows that violate their
// constraint: whether that is statistically significant.
func measureViolations(r *train.Report, trained *classifier.Classifier, o *train.Options) error {
	k := 0
	for _, c := range o.Constraints {
		if model.IsNone(c) || k >= len(r.Requirements) {
			continue
		}
		q := &r.Requirements[k]
		k++
		for _, held := range []struct {
			data     *dataset.Dataset
			value    *float64
			interval **[2]float64
		}{{o.ValidationData, q.Validation, &q.ValidationInterval}, {o.TestData, q.Test, &q.TestInterval}} {
			if held.data == nil || held.data.SampleOf > 0 || held.value == nil || q.Keeps(*held.value, r.Tolerance) {
				continue
			}
			scored, err := scoring.New(trained, held.data)
			if err != nil {
				return err
			}
			found, err := report.Judge(scored, held.data, c, q.On)
			if err != nil {
				return err
			}
			if found != nil && found.Measure != words.Shortfall { // the limits are of another figure than the share
				*held.interval = &[2]float64{*found.Lower, *found.Upper}
			}
		}
	}
	return nil
}

// groupsUsed returns the groups of the constraints that are features of the model, and the columns
// that are no features, as groups are made of them.
func groupsUsed(o *train.Options) (used, withheld []string) {
	specs := input.GroupSpecs(o.Constraints)
	if o.Encoding == nil {
		return append([]string{}, specs...), nil // numbers of features
	}
	return append([]string{}, o.Encoding.UsesGroups(specs)...), o.Encoding.Schema.Withheld()
}

// conclude writes the model and the reports of a run that has ended, and returns an error
// unless it ended well.
func (p program) conclude(r *train.Report, trained *classifier.Classifier, o *train.Options, t trainOptions, what settings, test *certify.Test) error {
	if r.Status == solver.Interrupted && !t.saveInterrupted {
		return command.NothingSaved()
	}
	if r.Status != solver.Diverged && t.model != "-" {
		r.Model = t.model
	}
	text, err := p.renderReport(r, what) // if there is no report, an old model stays
	if err != nil {
		return err
	}
	if r.Status != solver.Diverged {
		if err := p.writeModel(t.model, r, trained, o, t.report); err != nil {
			return command.Rescue(err, "the model", "model", trained.Write, test.Folders()...)
		}
		if t.report != nil {
			p.Remark("report written to %s", t.report.Path)
		}
	}
	switch {
	case t.model != "-" && p.JSON: // names as they are
		_, err = p.Stdout.Write(text)
	case t.model != "-":
		err = p.Print(text)
	case !p.Quiet: // standard output is for the model
		_, err = p.Stderr.Write(text)
	}
	if err == nil && t.written != nil && r.Status != solver.Diverged {
		err = t.written(trained)
	}
	if err != nil {
		return err
	}
	return outcomeFailure(r, o.MaxPasses, t.failOn)
}

// writeModel writes the model and, if there is one, the report about it: both or neither.
func (p program) writeModel(path string, r *train.Report, trained *classifier.Classifier, o *train.Options, page *evaluate.RunReport) error {
	if page == nil {
		return p.WriteOutput(path, trained.Write)
	}
	model, err := command.Rendered(path, trained.Write)
	if err != nil {
		return err
	}
	rendered, err := page.Rendered(o, r, trained)
	if err != nil {
		return err
	}
	return p.WriteOutputs(model, rendered)
}

// renderReport returns the report as it is printed.
func (p program) renderReport(r *train.Report, what settings) ([]byte, error) {
	if p.JSON {
		return command.EncodeJSON(r)
	}
	var b bytes.Buffer
	writeReport(&b, r, what)
	return b.Bytes(), nil
}

// isModel reports whether a file is a model, which a new one may replace.
func isModel(path string) bool {
	_, err := classifier.Load(path)
	return err == nil
}
