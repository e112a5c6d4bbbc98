// Package training has the commands that train: train and frontier. Read flags.go for the
// options, data.go for the rows, train.go for the run, verdict.go for the words about its
// outcome.
package training

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certifying"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/judging"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// program adds the commands of this package to what all of them share.
type program struct {
	*command.Program
	elsewhere Elsewhere         // nil: the rows are here
	executors command.Executors // of frontiers; nil: this process
}

func (p program) train(c *cli.Context) error {
	options, err := p.trainOptions(c)
	if err != nil {
		return err
	}
	data := trainNames(c)
	path := c.String("model")
	if path == "-" && p.JSON {
		return command.Usagef("--json and --model - both want standard output")
	}
	f := filesOf(data, c)
	if c.IsSet("card") {
		f.Reads("card", c.String("card"))
	}
	f.Writes("model", path, func(path string) bool { return c.Bool("force") || isModel(path) })
	handed, err := judging.NewHandover(c)
	if err != nil {
		return err
	}
	if handed != nil {
		f.Writes("report", handed.Path, command.IfForced(c))
	}
	test, err := certifying.NewTest(c, &options, data)
	if err != nil {
		return err
	}
	if test != nil && test.File != "" {
		f.ReadsData("certify", test.File)
	}
	if err := f.Check(); err != nil {
		return err
	}
	if err := handed.LoadCard(); err != nil {
		return err
	}
	if err := p.prepare(c, data, test, &options); err != nil {
		return err
	}
	if err := handed.Check(&options); err != nil {
		return err
	}
	if c.Bool("dry-run") {
		return p.dryRun(c, &options)
	}
	var seen []string
	if c.IsSet("test") || c.Float64("validation") > 0 { // test rows that data known by name bring are others
		seen = certifying.Seen(options.Data, certifying.Judged{Rows: options.ValidationData, Which: "validation"}, certifying.Judged{Rows: options.TestData, Which: "test"})
	}

	what := describeRun(options)
	what.verbose = c.Bool("verbose")
	bar := p.NewProgress("training")
	options.Progress = func(g train.Progress) {
		state := fmt.Sprintf("KKT residual %.1e, goal %.0e", g.Residual, options.Tolerance)
		if places, ok := options.Model.Remote.(Places); ok {
			state += ", " + places.Done()
		}
		bar.Update(g.Share, state)
	}
	found, trained, err := test.Train(c.Context, options)
	bar.Finish()
	if err != nil {
		return err
	}
	found.Warnings = append(found.Warnings, seen...)
	if handed != nil {
		handed.Remarks = seen
	}
	found.UsesGroups, found.Withheld = usedGroups(options), withheld(options)
	return p.conclude(c, found, trained, what, &options, handed, test)
}

// usedGroups returns the groups of the constraints that are features of the model.
func usedGroups(o train.Options) []string {
	specs := input.GroupSpecs(o.Constraints)
	if o.Encoding != nil {
		return append([]string{}, o.Encoding.UsesGroups(specs)...)
	}
	return append([]string{}, specs...) // numbers of features
}

// withheld returns the columns that are no features, as groups are made of them.
func withheld(o train.Options) []string {
	if o.Encoding == nil {
		return nil
	}
	return o.Encoding.Schema.Withheld()
}

// prepare reads the data of a run and completes the options that depend on the data.
func (p program) prepare(c *cli.Context, data input.Names, test *certifying.Test, o *train.Options) (err error) {
	if jobs := command.Given(c, "jobs").Int("jobs"); jobs > 0 {
		runtime.GOMAXPROCS(jobs)
	}
	if err := p.loadTraining(c, data, test, o); err != nil {
		return err
	}
	if !c.IsSet("max-passes") {
		o.MaxPasses = passesOver(o.Data.All())
	}
	weights := 0.0
	if c.IsSet("class-weight") {
		const perRow = 8
		weights = perRow * float64(o.Data.Rows())
	}
	what := fmt.Sprintf("%s: training on %d rows of %d features", data.Data, o.Data.Rows(), o.Data.Features())
	if err := memory.Check(what, o.Memory()+weights); err != nil {
		if memory.Fits(o.MemoryPacked() + weights) {
			err = command.Advise(err, "data pack packs the rows into a file, whose values take none")
		}
		return err
	}
	if d := o.Data; d.SampleOf > 0 {
		p.Remark("steps draw from a sample of %d of the %d rows, everything exact is of all rows", d.Rows(), d.SampleOf)
	}
	o.NoIntercept = c.IsSet("intercept") && !c.Bool("intercept")
	o.Model.Weights, err = classWeights(o.Data, c.String("class-weight"))
	return err
}

// conclude writes the model and the reports of a run that has ended, and returns an error
// unless it ended well.
func (p program) conclude(c *cli.Context, r *train.Report, trained *classifier.Classifier, what settings, o *train.Options, handed *judging.Handover, test *certifying.Test) error {
	path := c.String("model")
	interrupted := r.Status == solver.Interrupted
	if interrupted && !c.Bool("save-on-interrupt") {
		return command.NothingSaved()
	}
	if r.Status != solver.Diverged && path != "-" {
		r.Model = path
	}
	text, err := p.renderReport(r, what) // if there is no report, an old model stays
	if err != nil {
		return err
	}
	if r.Status != solver.Diverged {
		if err := p.writeModel(path, r, trained, o, handed); err != nil {
			return command.Keep(err, "the model", "model", trained.Write, test.Folders()...)
		}
		if handed != nil {
			p.Remark("report written to %s", handed.Path)
		}
	}
	if err := p.printReport(c, text); err != nil {
		return err
	}
	return outcomeFailure(r, o.MaxPasses)
}

// writeModel writes the model and, if asked for, the report about it: both or neither.
func (p program) writeModel(path string, r *train.Report, trained *classifier.Classifier, o *train.Options, handed *judging.Handover) error {
	if handed == nil {
		return p.StreamOutput(path, func(w *bufio.Writer) error { return trained.Write(w) })
	}
	model, err := command.Rendered(path, trained.Write)
	if err != nil {
		return err
	}
	page, err := handed.Rendered(o, r, trained)
	if err != nil {
		return err
	}
	return p.WriteOutputs(model, page)
}

// outcomeFailure returns an error unless a run ended well, which had so many passes.
func outcomeFailure(r *train.Report, maxPasses float64) error {
	switch r.Status {
	case solver.Converged:
		return certifying.Failure(r)
	case solver.Interrupted:
		return command.Fail(command.ExitInterrupted, errors.New("interrupted"))
	case solver.Diverged:
		return command.Fail(command.ExitDiverged, fmt.Errorf("%s diverged", r.Method), "a smaller step may help: fairtrain help "+r.Method)
	case train.Infeasible:
		return command.Fail(command.ExitNotReached, fmt.Errorf("infeasible: no scores satisfy %s", together(r.Conflict)),
			"a looser bound, or fewer constraints, may have a solution")
	case train.NotReached:
		var broken []string
		for i := range r.Requirements {
			if q := &r.Requirements[i]; !q.Satisfied {
				broken = append(broken, fmt.Sprintf("%s achieved %s", q.Spec, figure(q, q.Train, r)))
			}
		}
		hints := []string{"a looser bound, fewer constraints or larger groups may be reached"}
		if r.Passes >= maxPasses {
			hints = append(hints, "--max-passes allows a longer search")
		}
		return command.Fail(command.ExitNotReached, fmt.Errorf("not reached: %s", strings.Join(broken, ", ")), hints...)
	}
	hint := "--max-passes allows more, --tol asks for less"
	if r.Passes < maxPasses {
		hint = "the search ended before --max-passes: --tol asks for less"
	}
	return command.Fail(command.ExitNotReached,
		fmt.Errorf("KKT residual %.2e after %.0f passes, above the tolerance %.0e", r.ScaledResidual, r.Passes, r.Tolerance), hint)
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

// printReport prints the report, on stderr if stdout is for the model.
func (p program) printReport(c *cli.Context, report []byte) error {
	switch {
	case c.String("model") != "-" && p.JSON: // names as they are
		_, err := p.Stdout.Write(report)
		return err
	case c.String("model") != "-":
		return p.Print(report)
	case p.Quiet:
		return nil
	}
	_, err := p.Stderr.Write(report)
	return err
}

// isModel reports whether a file is a model, which a new one may replace.
func isModel(path string) bool {
	_, err := classifier.Load(path)
	return err == nil
}
