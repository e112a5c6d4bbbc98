// Package train turns data and constraints into a fair classifier and a certificate:
// it states the problem, runs a method on it, and measures the result exactly.
//
//	Run      options → report and classifier, this file
//	Report   the certificate, report.go
//
// The command fairtrain train is a thin layer over it.
package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Options state a training run.
type Options struct {
	Data           *dataset.Dataset // labelled rows of the objective
	ConstraintData *dataset.Dataset // rows of the constraints; nil means Data
	TestData       *dataset.Dataset // nil for none

	Constraints []model.Constraint
	Model       model.Options

	Method solver.Method
	// Scale switches the automatic scaling of the constraints on: κ_i = 1/‖∇c_i(x₀)‖.
	Scale bool

	Tolerance float64 // of the KKT residual, which includes the violation
	MaxPasses float64 // over the data; see problem.Passes
	Output    solver.Output
	Seed      uint64
	Threshold float64 // on the score, of a positive decision
	Version   string  // of the program, for the model file

	// Progress, if not nil, is told about every certificate on the way.
	Progress func(Progress)
}

// Progress is the state of a run at a full pass.
type Progress struct {
	Passes, MaxPasses float64
	Objective         float64
	KKTResidual       float64
}

// DefaultOptions returns options that suit most data; Data and Constraints remain to be
// set.
func DefaultOptions() Options {
	return Options{
		Model:     model.DefaultOptions(),
		Method:    solver.DefaultFSFO(),
		Scale:     true,
		Tolerance: 1e-3,
		MaxPasses: 400,
		Output:    solver.Best,
		Seed:      1,
		Threshold: 0.5,
	}
}

// Validate reports the options that are out of range.
func (o *Options) Validate() error {
	var errs []error
	if o.Data == nil {
		errs = append(errs, errors.New("train: no data"))
	}
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0) {
		errs = append(errs, fmt.Errorf("train: tolerance is %v, must be positive", o.Tolerance))
	}
	if !(o.MaxPasses > 0) || o.MaxPasses > 1e9 {
		errs = append(errs, fmt.Errorf("train: passes are %v, must be in (0, 1e9]", o.MaxPasses))
	}
	if !(o.Threshold >= 0 && o.Threshold <= 1) {
		errs = append(errs, fmt.Errorf("train: threshold is %v, must be in [0, 1]", o.Threshold))
	}
	return errors.Join(errs...)
}

// Run trains. It returns an error if the problem can't be stated; how far the run got is
// told by Report.Status, and a run that was cancelled or diverged still returns the best
// point it certified.
func Run(ctx context.Context, o Options) (*Report, *classifier.Classifier, error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	if o.ConstraintData == nil {
		o.ConstraintData = o.Data
	}
	fair, err := model.New(o.Data, o.ConstraintData, o.Constraints, o.Model)
	if err != nil {
		return nil, nil, err
	}
	standard, err := standardForm(fair, o.Scale)
	if err != nil {
		return nil, nil, err
	}
	certifier := newCertifier(standard, o)
	objective, constraint := fair.Populations()
	settings := solver.Settings{
		MaxSamples: int64(o.MaxPasses * float64(objective+2*constraint)),
		Records:    int(min(1000, math.Ceil(o.MaxPasses))),
		Output:     o.Output,
	}
	result, err := solver.Run(ctx, standard, o.Method, settings, solver.NewStreams(o.Seed, 0), certifier)
	if err != nil {
		return nil, nil, err
	}
	x := standard.X(result.X)
	residual := certifier.exact(fair, x)
	report := &Report{
		Status: result.Status, Solver: o.Method.Name(), Seed: o.Seed,
		Objective:   certifier.inner.Objective,
		KKTResidual: residual.Norm(),
		KKT:         KKT{residual.Stationarity, residual.Feasibility, residual.Complementarity},
		Tolerance:   o.Tolerance,
		Passes:      problem.Passes(fair, result.Counters.Samples()),
		Samples:     result.Counters.Samples(),
		Evaluations: result.Counters.Evaluations(),
		Iterations:  result.Iterations,
		Seconds:     result.Elapsed.Seconds(),
		Constants:   constants(standard.Bounds()),
	}
	report.Problem.Variables, report.Problem.Constraints = fair.Dims()
	report.Problem.Rows, report.Problem.ConstraintRows = o.Data.Rows(), o.ConstraintData.Rows()
	for i, name := range fair.Names() {
		c := certifier.inner.Constraint[i]
		report.Constraints = append(report.Constraints, Constraint{
			Name: name, Spec: fair.Specs()[i], Value: c, Raw: c * float64(constraint),
			Satisfied: c <= o.Tolerance, Multiplier: residual.Multiplier[i], Scale: standard.Kappa()[i],
		})
	}
	trained := newClassifier(o, fair, x, report)
	if report.Train, err = figures(trained, o.Data, o.Constraints); err != nil {
		return nil, nil, err
	}
	if o.TestData != nil {
		if report.Test, err = figures(trained, o.TestData, o.Constraints); err != nil {
			return nil, nil, err
		}
	}
	return report, trained, nil
}

// standardForm gives every constraint a slack and, if scale is set, unit gradients at
// the start.
func standardForm(p problem.Problem, scale bool) (*problem.Standard, error) {
	n, m := p.Dims()
	inequalities := make([]int, m)
	for i := range inequalities {
		inequalities[i] = i
	}
	if !scale {
		return problem.NewStandard(p, inequalities, nil)
	}
	x := make([]float64, n)
	p.Start(x)
	j := problem.NewJacobian(m, n)
	p.Jacobian(j, x, nil)
	kappa := make([]float64, m)
	for i := range kappa {
		kappa[i] = 1
		// A gradient this small says nothing about the constraint's unit.
		const negligible = 1e-8
		if norm := floats.Norm(j.Data[i*n:(i+1)*n], 2); norm > negligible {
			kappa[i] = 1 / norm
		}
	}
	return problem.NewStandard(p, inequalities, kappa)
}

// certifier measures iterates exactly and ends the run at the tolerance.
type certifier struct {
	standard  *problem.Standard
	tolerance float64
	maxPasses float64
	progress  func(Progress)
	values    *problem.Values // of the standard form, where the method has none
	inner     *problem.Values // of the inner problem
	kkt       *kkt.Evaluator
}

func newCertifier(q *problem.Standard, o Options) *certifier {
	n, m := q.Inner().Dims()
	nz, _ := q.Dims()
	return &certifier{
		standard: q, tolerance: o.Tolerance, maxPasses: o.MaxPasses, progress: o.Progress,
		values: problem.NewValues(nz, m), inner: problem.NewValues(n, m), kkt: kkt.NewEvaluator(n, m),
	}
}

// Record takes the method's own exact values where it has them, and otherwise computes
// them at the driver's expense.
func (c *certifier) Record(s *solver.Snapshot) (bool, error) {
	v := s.Iterate.Exact
	if v == nil {
		v = c.values
		problem.Exact(c.standard, v, s.Iterate.X)
	}
	c.standard.Original(c.inner, v, s.Iterate.X)
	r := c.kkt.Inequality(c.inner)
	s.Residual = r.Norm()
	if c.progress != nil {
		c.progress(Progress{
			Passes:    problem.Passes(c.standard, s.Counters.Samples()),
			MaxPasses: c.maxPasses, Objective: c.inner.Objective, KKTResidual: s.Residual,
		})
	}
	return s.Residual <= c.tolerance, nil
}

// exact evaluates the inner problem at x afresh.
func (c *certifier) exact(p problem.Problem, x []float64) kkt.Residual {
	problem.Exact(p, c.inner, x)
	return c.kkt.Inequality(c.inner)
}

func newClassifier(o Options, fair *model.Fair, x []float64, r *Report) *classifier.Classifier {
	weights, intercept := fair.Split(x)
	trained := &classifier.Classifier{
		Features:  classifier.Features{Kind: classifier.LIBSVM, Count: len(weights), Names: o.Data.Cols},
		Weights:   append([]float64(nil), weights...),
		Intercept: intercept,
		Threshold: o.Threshold,
		Training: classifier.Training{
			Version: o.Version, GoVersion: runtime.Version(),
			Solver: o.Method.Name(), Options: map[string]string{}, Seed: o.Seed,
			Data:   source(o.Data),
			Status: string(r.Status), Objective: r.Objective, KKTResidual: r.KKTResidual, Passes: r.Passes,
		},
	}
	if o.ConstraintData != o.Data {
		s := source(o.ConstraintData)
		trained.Training.ConstraintData = &s
	}
	for _, p := range o.Method.Params() {
		trained.Training.Options[p.Name] = p.Current()
	}
	for _, c := range r.Constraints {
		trained.Constraints = append(trained.Constraints, classifier.Constraint{
			Name: c.Name, Spec: c.Spec, Value: c.Value, Satisfied: c.Satisfied,
		})
	}
	return trained
}

func source(d *dataset.Dataset) classifier.Source {
	return classifier.Source{Name: d.Name, SHA256: d.Hash, Rows: d.Rows()}
}

// figures evaluates the classifier on d, with the groups that the constraints name.
func figures(c *classifier.Classifier, d *dataset.Dataset, constraints []model.Constraint) (*Figures, error) {
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	var groups []fairness.Group
	seen := map[string]bool{}
	for _, constraint := range constraints {
		grouped, ok := constraint.(model.Grouped)
		if !ok {
			continue
		}
		for _, spec := range grouped.Groups() {
			found, err := dataset.FindGroups(d, spec)
			if err != nil {
				continue // a data set without the group has no figures for it
			}
			for _, g := range found {
				if !seen[g.Name] {
					seen[g.Name] = true
					groups = append(groups, fairness.Group{Name: g.Name, Member: g.Member})
				}
			}
		}
	}
	r, err := fairness.Evaluate(fairness.Predictions{Scores: scores, Threshold: c.Threshold, Labels: d.Y}, groups)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return &Figures{Name: d.Name, Report: r}, nil
}
