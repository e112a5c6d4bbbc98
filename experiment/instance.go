package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// instance is a problem's data and constraints, shared by all workers.
type instance struct {
	spec        ProblemSpec
	data        *dataset.Dataset
	constraint  *dataset.Dataset
	constraints []model.Constraint
}

func newInstance(spec ProblemSpec) (*instance, error) {
	in := &instance{spec: spec}
	var err error
	if in.data, err = catalogue.Load(spec.Data, noInput, libsvm.Options{}); err != nil {
		return nil, err
	}
	in.constraint = in.data
	if spec.ConstraintData != "" {
		in.constraint, err = catalogue.Load(spec.ConstraintData, noInput,
			libsvm.Options{Features: in.data.Features(), AnyLabels: true})
		if err != nil {
			return nil, err
		}
	}
	for _, text := range spec.Constraints {
		c, err := model.ParseConstraint(text)
		if err != nil {
			return nil, err
		}
		in.constraints = append(in.constraints, c)
	}
	_, err = in.open(0)
	return in, err
}

// checkMemory returns an error if so many runs at a time take more memory than the budget. A
// run has about a hundred vectors at most, for the method, the problem and its residual.
func (in *instance) checkMemory(jobs int) error {
	const perRun = 100 * 8
	features := in.data.Features()
	what := fmt.Sprintf("%s: %d runs at a time with %d features", in.spec.Data, max(1, jobs), features)
	return memory.Check(what, perRun*float64(features)*float64(max(1, jobs)))
}

// noInput is in place of standard input. An experiment may be resumed, so it can't read its
// data from there.
var noInput io.Reader

// worker is an instance's problem with scratch memory for one goroutine.
type worker struct {
	fair     *model.Fair
	standard *problem.Standard
	values   *problem.Values // of the standard form
	inner    *problem.Values
	kkt      *kkt.Evaluator
}

// open states the problem with all constraints scaled by scale, 0 meaning 1.
func (in *instance) open(scale float64) (*worker, error) {
	o := model.DefaultOptions()
	o.Alpha, o.L2, o.Intercept = in.spec.Alpha, in.spec.L2, in.spec.Intercept
	o.Stratified = in.spec.Stratified
	fair, err := model.New(in.data, in.constraint, in.constraints, o)
	if err != nil {
		return nil, err
	}
	_, m := fair.Dims()
	kappa := slices.Repeat([]float64{cmp.Or(scale, 1)}, m)
	standard, err := problem.NewStandard(fair, kappa)
	if err != nil {
		return nil, err
	}
	return &worker{
		fair: fair, standard: standard,
		values: problem.NewValues(standard.Dims()), inner: problem.NewValues(fair.Dims()), kkt: kkt.NewEvaluator(fair),
	}, nil
}

// measure returns the exact residual at an iterate of the standard form. It leaves the exact
// values of the inner problem in w.inner.
func (w *worker) measure(it *solver.Iterate) kkt.Residual {
	v := it.Exact
	if v == nil {
		v = w.values
		w.standard.Evaluate(v, it.X, nil)
	}
	w.standard.Original(w.inner, v, it.X)
	return w.kkt.Residual(w.inner)
}

// files describes the data for the record of provenance.
func (in *instance) files() []results.DataFile {
	describe := func(d *dataset.Dataset) results.DataFile {
		return results.DataFile{Name: d.Name, SHA256: d.Hash, Rows: d.Rows(), Columns: d.Features(), NonZeros: d.X.NNZ()}
	}
	files := []results.DataFile{describe(in.data)}
	if in.constraint != in.data {
		files = append(files, describe(in.constraint))
	}
	return files
}

// Trace runs a method from a seed until the budget is used up and records its trajectory.
// measure fills in the exact values at an iterate, and the multiplier.
func Trace(ctx context.Context, p problem.Problem, method solver.Method, size RunSpec, seed uint64, measure func(*results.Point, *solver.Iterate)) (results.Run, error) {
	run := results.Run{Method: method.Name(), Seed: seed}
	for _, option := range method.Params() {
		run.Params = append(run.Params, results.Param{Name: option.Name, Value: option.Current()})
	}
	recorder := func(s *solver.Snapshot) (bool, error) {
		point := results.Point{
			Samples: s.Counters.Samples(), Passes: problem.Passes(p,
				s.Counters.Samples()), Seconds: s.Elapsed.Seconds(),
			Step: s.Iterate.Diag.Eta, Rho: s.Iterate.Diag.Rho, SigmaMin: s.Iterate.Diag.SigmaMin,
		}
		measure(&point, s.Iterate)
		run.Points = append(run.Points, point)
		return false, nil
	}
	settings := solver.Settings{MaxSamples: size.Budget, Records: size.Records}
	r, err := solver.Run(ctx, p, method, settings, solver.NewStreams(seed, 0), recorder)
	if err != nil {
		return run, err
	}
	if r.Status == solver.Interrupted {
		return run, errors.Join(ctx.Err(), errors.New("interrupted"))
	}
	for _, constant := range solver.Known(method) {
		run.Params = append(run.Params, results.Param{Name: "known_" + constant.Name, Value: fmt.Sprint(constant.Value)})
	}
	run.Status = results.Status(r.Status)
	run.Iterations = r.Iterations
	run.Seconds = r.Elapsed.Seconds()
	run.Counters = results.Counters{
		Objective: results.Count(r.Counters.Objective), Gradient: results.Count(r.Counters.Gradient),
		Constraint: results.Count(r.Counters.Constraint), Jacobian: results.Count(r.Counters.Jacobian),
	}
	return run, nil
}
