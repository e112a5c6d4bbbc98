// Package train turns data and constraints into a fair classifier and a certificate:
// it states the problem, runs a method on it, and measures the result exactly.
//
//	Run       options → report and classifier, this file
//	Report    the certificate, report.go
//	Frontier  what a constraint costs at different bounds, frontier.go
//
// attempt.go runs the method once, decisions.go as often as it takes for the constraints
// to hold for decisions, with anchor.go for small groups; feasibility.go finds out whether
// they contradict each other.
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
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Options state a training run.
type Options struct {
	Data           *dataset.Dataset // labelled rows of the objective
	ConstraintData *dataset.Dataset // rows of the constraints; nil means Data
	ValidationData *dataset.Dataset // rows held out; nil for none
	TestData       *dataset.Dataset // nil for none
	// Encoding is how the rows were made from CSV files; nil if they were features already.
	Encoding *dataset.Encoding

	Constraints []model.Constraint
	// Decisions makes the constraints bound decisions: where one is violated by the
	// decisions on ConstraintData, that on scores is tightened and training goes on. See
	// Anchor for groups of few rows.
	Decisions bool
	// Model states the objective. Its Weights nil means those of Data.
	Model model.Options

	Method solver.Method
	// Scale switches the automatic scaling of the constraints on: κ_i = 1/‖∇c_i(x₀)‖.
	Scale bool

	Tolerance float64 // of the KKT residual, which includes the violation
	MaxPasses float64 // over the data; see problem.Passes
	Output    solver.Output
	Seed      uint64
	Threshold float64 // on the score, of a positive decision
	Version   string  // of the program, for the model file

	anchors *anchors // of rounds on decisions

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
		Tolerance: 3e-4,
		MaxPasses: 2000,
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
	if o.Decisions && !(o.Threshold > 0 && o.Threshold < 1) {
		errs = append(errs, fmt.Errorf("train: threshold is %v, must be in (0, 1) for constraints on decisions", o.Threshold))
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
	if o.Model.Weights == nil {
		o.Model.Weights = o.Data.Weights
	}
	run := try
	if o.Decisions {
		run = tighten
		o.Model.Centre = math.Log(o.Threshold / (1 - o.Threshold)) // where decisions change
	}
	a, err := run(ctx, &o)
	if err != nil {
		return nil, nil, err
	}
	report, err := newReport(&o, a)
	if err != nil {
		return nil, nil, err
	}
	if report.Status == solver.Exhausted && !(o.Decisions && report.Satisfied()) {
		if conflict := findConflict(ctx, &o, a); conflict != nil {
			report.Status, report.Conflict = Infeasible, conflict
		}
	}
	trained := newClassifier(&o, a, report)
	for _, judged := range []struct {
		data *dataset.Dataset
		to   **Figures
	}{{o.Data, &report.Train}, {o.ValidationData, &report.Validation}, {o.TestData, &report.Test}} {
		if judged.data == nil {
			continue
		}
		if *judged.to, err = figures(trained, judged.data, o.Constraints); err != nil {
			return nil, nil, err
		}
	}
	return report, trained, nil
}

func newReport(o *Options, a *attempt) (*Report, error) {
	report := &Report{
		Status: a.status, Solver: o.Method.Name(), Seed: o.Seed,
		Objective:   a.values.Objective,
		KKTResidual: a.residual.Norm(),
		KKT:         KKT{a.residual.Stationarity, a.residual.Feasibility, a.residual.Complementarity},
		Tolerance:   o.Tolerance,
		Passes:      problem.Passes(a.fair, a.samples),
		Samples:     a.samples,
		Evaluations: a.evaluations,
		Iterations:  a.iterations,
		Rounds:      a.rounds,
		Seconds:     a.elapsed.Seconds(),
		Constants:   constants(a.standard.Bounds()),
		On:          Scores,
		Anchors:     a.anchors,
	}
	if o.Decisions {
		report.On = Decisions
	}
	report.Problem.Variables, _ = a.fair.Dims()
	report.Problem.Constraints = a.asked
	report.Problem.Rows, report.Problem.ConstraintRows = o.Data.Rows(), o.ConstraintData.Rows()
	decisions, err := a.onDecisions(o)
	if err != nil {
		return nil, err
	}
	var onTest map[string]Levels
	if o.TestData != nil {
		onTest, _ = levelsOn(o, a, o.TestData) // rows that lack a group have no levels
	}
	rows := float64(o.ConstraintData.Rows())
	excess := model.Excess(a.fair.Rows(), decisions)
	for i, row := range a.fair.Rows()[:a.asked] {
		c := Constraint{
			Name: row.Name, Spec: a.fair.Specs()[i],
			Value: a.values.Constraint[i] - a.shift[i], Decisions: decisions[i],
			Step:       floats.Norm(row.Weight, math.Inf(1)) / rows,
			Multiplier: a.residual.Multiplier[i], Scale: a.standard.Kappa()[i],
		}
		c.Raw = c.Value * rows
		c.Satisfied = c.Value <= o.Tolerance
		if o.Decisions {
			c.Satisfied = excess[i] <= 0
		}
		if l, ok := onTest[row.Name]; ok {
			c.Test = &l
		}
		report.Constraints = append(report.Constraints, c)
	}
	return report, nil
}

func newClassifier(o *Options, a *attempt, r *Report) *classifier.Classifier {
	weights, intercept := a.fair.Split(a.x)
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
	if o.Encoding != nil {
		trained.Features.Kind, trained.Features.Encoding = classifier.CSV, o.Encoding
	}
	if o.ConstraintData != o.Data {
		s := source(o.ConstraintData)
		trained.Training.ConstraintData = &s
	}
	for _, p := range o.Method.Params() {
		trained.Training.Options[p.Name] = p.Current()
	}
	for _, c := range r.Constraints {
		value := c.Value
		if o.Decisions {
			value = c.Decisions
		}
		trained.Constraints = append(trained.Constraints, classifier.Constraint{
			Name: c.Name, Spec: c.Spec, On: r.On, Value: value, Satisfied: c.Satisfied,
		})
	}
	return trained
}

func source(d *dataset.Dataset) classifier.Source {
	return classifier.Source{Name: d.Name, SHA256: d.Hash, Rows: d.Rows()}
}
