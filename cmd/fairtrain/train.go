package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

func (p *program) train(c *cli.Context) error {
	if err := applyConfig(c); err != nil {
		return err
	}
	options, err := p.trainOptions(c)
	if err != nil {
		return err
	}
	data := trainNames(c)
	path := c.String("model")
	if path == "-" && isOn(c, "json") {
		return usagef("--json and --model - both want standard output")
	}
	f := data.files(c)
	if c.IsSet("card") {
		f.reads("card", c.String("card"))
	}
	f.writes("model", path, func(path string) bool { return c.Bool("force") || isModel(path) })
	handed, err := newHandover(c)
	if err != nil {
		return err
	}
	if handed != nil {
		f.writes("report", handed.path, ifForced(c))
	}
	if data.certify, err = newCertifying(c, &options, data); err != nil {
		return err
	}
	if data.certify != nil && data.certify.file != "" {
		f.readsData("certify", data.certify.file)
	}
	if err := f.check(); err != nil {
		return err
	}
	if handed != nil {
		if handed.card, err = loadCard(c); err != nil {
			return err
		}
	}
	if err := p.prepare(c, data, &options); err != nil {
		return err
	}

	what := describeRun(options)
	what.verbose = c.Bool("verbose")
	bar := p.newProgress(c, "training")
	options.Progress = func(g train.Progress) {
		bar.update(g.Share, fmt.Sprintf("KKT residual %.1e, goal %.0e", g.Residual, options.Tolerance))
	}
	found, trained, err := data.certify.train(c.Context, options)
	bar.finish()
	if err != nil {
		return err
	}
	found.UsesGroups = usedGroups(options)
	return p.conclude(c, found, trained, what, &options, handed)
}

// usedGroups returns the groups of the constraints that are features of the model.
func usedGroups(o train.Options) []string {
	specs := groupSpecs(o.Constraints)
	if o.Encoding != nil {
		return append([]string{}, o.Encoding.UsesGroups(specs)...)
	}
	return append([]string{}, specs...) // numbers of features
}

// prepare reads the data of a run and completes its options by what depends on them.
func (p *program) prepare(c *cli.Context, data names, o *train.Options) (err error) {
	if jobs := given(c, "jobs").Int("jobs"); jobs > 0 {
		runtime.GOMAXPROCS(jobs)
	}
	if err := p.loadTraining(c, data, o); err != nil {
		return err
	}
	what := fmt.Sprintf("%s: training on %d rows of %d features", data.data, o.Data.Rows(), o.Data.Features())
	if err := memory.Check(what, o.Memory()); err != nil {
		return err
	}
	o.NoIntercept = c.IsSet("intercept") && !c.Bool("intercept")
	o.Model.Weights, err = classWeights(o.Data, c.String("class-weight"))
	return err
}

// conclude writes the model and the reports of a run that has ended, and returns an error
// unless it ended well.
func (p *program) conclude(c *cli.Context, r *train.Report, trained *classifier.Classifier, what settings, o *train.Options, handed *handover) error {
	path := c.String("model")
	interrupted := r.Status == solver.Interrupted
	if interrupted && !c.Bool("save-on-interrupt") {
		return nothingSaved()
	}
	if r.Status != solver.Diverged && path != "-" {
		r.Model = path
	}
	text, err := renderReport(c, r, what) // an old model stays where there is no report
	if err != nil {
		return err
	}
	if r.Status != solver.Diverged {
		if err := p.writeModel(path, r, trained, o, handed); err != nil {
			return err
		}
		if handed != nil {
			p.remark(c, "report written to %s", handed.path)
		}
	}
	if err := p.printReport(c, text); err != nil {
		return err
	}
	return outcomeFailure(r)
}

// writeModel writes the model and, if it is asked for, the document about it: both or
// neither.
func (p *program) writeModel(path string, r *train.Report, trained *classifier.Classifier, o *train.Options, handed *handover) error {
	model, err := rendered(path, trained.Write)
	if err != nil {
		return err
	}
	outputs := []content{model}
	if handed != nil {
		document, err := handed.document(o, r, trained)
		if err != nil {
			return err
		}
		page, err := rendered(handed.path, documentWriter(document, handed.format))
		if err != nil {
			return err
		}
		outputs = append(outputs, page)
	}
	return p.writeOutputs(outputs...)
}

// nothingSaved is the error of an interrupted run that could have kept its model.
func nothingSaved() error {
	return &failure{
		err: errors.New("interrupted, nothing written"), code: exitInterrupted,
		hints: []string{"--save-on-interrupt keeps the best model so far"},
	}
}

// outcomeFailure returns an error unless a run ended well.
func outcomeFailure(r *train.Report) error {
	switch r.Status {
	case solver.Converged:
		return guaranteeFailure(r)
	case solver.Interrupted:
		return &failure{err: errors.New("interrupted"), code: exitInterrupted}
	case solver.Diverged:
		return &failure{
			err: fmt.Errorf("%s diverged", r.Method), code: exitDiverged,
			hints: []string{"a smaller step may help: fairtrain help " + r.Method},
		}
	case train.Infeasible:
		return &failure{
			err:   fmt.Errorf("infeasible: no scores satisfy %s", together(r.Conflict)),
			code:  exitNotReached,
			hints: []string{"a looser bound, or fewer constraints, may have a solution"},
		}
	case train.NotReached:
		var broken []string
		for i := range r.Requirements {
			if q := &r.Requirements[i]; !q.Satisfied {
				broken = append(broken, fmt.Sprintf("%s achieved %s", q.Spec, figure(q.Train)))
			}
		}
		return &failure{
			err:   fmt.Errorf("not reached: %s", strings.Join(broken, ", ")),
			code:  exitNotReached,
			hints: []string{"a looser bound, fewer constraints or larger groups may be reached", "--max-passes allows a longer search"},
		}
	}
	return &failure{
		err:   fmt.Errorf("KKT residual %.2e after %.0f passes, above the tolerance %.0e", r.ScaledResidual, r.Passes, r.Tolerance),
		code:  exitNotReached,
		hints: []string{"--max-passes allows more, --tol asks for less"},
	}
}

// renderReport returns the report as it is printed.
func renderReport(c *cli.Context, r *train.Report, what settings) ([]byte, error) {
	if isOn(c, "json") {
		return encodeJSON(r)
	}
	var b bytes.Buffer
	writeReport(&b, r, what)
	return b.Bytes(), nil
}

// printReport prints the report, on stderr as mere talk if the model has stdout.
func (p *program) printReport(c *cli.Context, report []byte) error {
	switch {
	case c.String("model") != "-" && isOn(c, "json"): // names as they are
		_, err := p.stdout.Write(report)
		return err
	case c.String("model") != "-":
		return p.print(report)
	case isOn(c, "quiet"):
		return nil
	}
	_, err := p.stderr.Write(report)
	return err
}

// isModel reports whether a file is a model, which a new one may replace.
func isModel(path string) bool {
	_, err := classifier.Load(path)
	return err == nil
}
