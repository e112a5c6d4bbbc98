// Package train turns data and constraints into a fair classifier and a certificate:
// it states the problem, runs a method on it, and measures the result exactly.
//
//	Run       options (options.go) → report and classifier, this file
//	Report    what was achieved, and the certificate, report.go
//	RunToPass training for a test on other rows, topass.go
//
// attempt.go solves one smooth problem, onscores.go that of constraints on scores. Where
// constraints bound decisions, decisions.go searches for the most accurate classifier that
// satisfies them: it solves many such problems, and candidates.go makes classifiers from
// their solutions with package decide. Only outcome.go decides how a run ended, baseline.go
// has the classifiers to compare with, and probability.go turns scores into probabilities.
// Package scoring judges rows by scores, here or in other places; package frontier trains
// for several bounds. docs/decisions.md says what is guaranteed and what is not.
//
// The command fairtrain train is a thin layer over it.
package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Run trains. It returns an error if the problem can't be stated. Report.Status says how
// far the run got; a run that was cancelled or diverged still returns the best point that
// it certified.
func Run(ctx context.Context, o Options) (*Report, *classifier.Classifier, error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	o.prepare()
	first, then := o.stages()
	free, err := unconstrained(ctx, first)
	if err != nil {
		return nil, nil, err
	}
	found, err := then.run(ctx, free, new(effort))
	if err != nil {
		return nil, nil, err
	}
	return found.Report, found.Classifier, nil
}

// run solves the problem and judges the result, given the unconstrained solutions. The
// report has the sum of its effort and of the effort spent before.
func (o *Options) run(ctx context.Context, free []fit, spent *effort) (*Outcome, error) {
	o = o.decidingAs(free)
	aimed := *o
	if o.aims != nil {
		aimed.Constraints = o.aims
	}
	found, err := solve(ctx, &aimed, free)
	if err != nil {
		return nil, err
	}
	spent.add(found.effort)
	found.effort = *spent
	return o.judged(found, free)
}

// judged judges what was found.
func (o *Options) judged(found *solution, free []fit) (*Outcome, error) {
	report := newReport(o, found)
	trained := newClassifier(o, found.loss, found.x)
	features := trained.Features // calibration writes to trained
	var reference *classifier.Reference
	var measuring errgroup.Group
	measuring.Go(func() (err error) {
		reference, err = o.reference(&features)
		return err
	})
	if o.calibrates(found.loss) {
		if err := calibrate(trained, o.Threshold, o.with(found.loss).centre(), o.Data, o.places()); err != nil {
			return nil, errors.Join(err, measuring.Wait())
		}
	}
	sets, err := report.measure(o, trained, newClassifier(o, free[0].loss, free[0].classifier(o)))
	if err := errors.Join(err, measuring.Wait()); err != nil {
		return nil, err
	}
	report.Baselines.Unfinished = free[0].status != solver.Converged
	trained.Reference = reference
	if warning := classifier.LeakWarning(reference.Leaks); warning != "" {
		report.Warnings = append(report.Warnings, warning)
	}
	if warning := classifier.ProxyWarning(reference.Proxies, o.withheld()); warning != "" {
		report.Warnings = append(report.Warnings, warning)
	}
	report.Shifts = append(report.Shifts, o.shifted(found, free[0])...)
	for k := range report.Shifts {
		share := func(rate float64) string { return fmt.Sprintf("%.4f", rate) }
		report.Warnings = append(report.Warnings, report.Shifts[k].Said(share, strconv.Itoa))
	}
	if err := report.conclude(o, found.status); err != nil {
		return nil, err
	}
	describe(trained, o, report)
	return &Outcome{report, trained, sets, sets[o.ConstraintData]}, nil
}

// prepare completes what the options leave open.
func (o *Options) prepare() {
	if o.ConstraintData == nil {
		o.ConstraintData = o.Data
	}
	if o.Model.Weights == nil {
		o.Model.Weights = o.Data.Weights
	}
	o.Model.Intercept = o.HasIntercept()
}

// HasIntercept reports whether the model has an intercept.
func (o *Options) HasIntercept() bool {
	return o.Model.Intercept || o.Encoding != nil && !o.NoIntercept
}

// solution is the classifier of a run, and the solution of the smooth problem from which it
// was made.
type solution struct {
	x    []float64 // weights and intercept
	loss string
	how  string // it was made of from
	// objective is that of x, where x is not the solution itself.
	objective float64
	from      *attempt
	status    solver.Status // of the method
	effort
}

// solve finds the classifier, given the unconstrained solutions, the best one first.
func solve(ctx context.Context, o *Options, free []fit) (*solution, error) {
	switch {
	case len(o.requirements()) == 0:
		a := free[0]
		return &solution{x: a.classifier(o), loss: a.loss, how: AsSolved, from: a.attempt, status: a.status, effort: a.effort}, nil
	case !o.OnDecisions():
		return solveOnScores(ctx, o, free[0])
	}
	s, err := newSearch(o)
	if err != nil {
		return nil, err
	}
	for k, f := range free {
		if o.triesAll() {
			s.o.Progress = o.part(k, len(free))
		}
		if err := s.run(ctx, f); err != nil {
			return nil, err
		}
		if s.status == solver.Interrupted || s.status == solver.Diverged || !o.triesAll() {
			break
		}
	}
	s.constants(o.with(s.last.options.Loss))
	s.coordinates(free[0].accuracy)
	if err := s.certify(ctx); err != nil {
		return nil, err
	}
	c := s.chosen()
	return &solution{x: c.x, loss: c.loss, how: c.how, objective: c.objective, from: c.from, status: s.status, effort: s.total}, s.err()
}

// triesAll reports whether the data are so few that the search solves the smooth problems
// of both losses, not only of the loss that is better without constraints.
func (o *Options) triesAll() bool {
	const few = 150_000 // non-zeros
	return float64(o.Data.X.NNZ())*float64(o.Data.All()) <= few*float64(o.Data.Rows())
}

// OnDecisions reports whether a requirement is on decisions.
func (o *Options) OnDecisions() bool {
	return slices.ContainsFunc(o.requirements(), func(c model.Constraint) bool { return o.on(c) == Decisions })
}

// calibrates reports whether scores are to be made probabilities. They are not if
// constraints bound scores, or would but for a comparison, or if the logistic loss has made
// them probabilities already, which a penalty or weights of classes prevent.
func (o *Options) calibrates(loss string) bool {
	for _, c := range o.Constraints {
		left, ok := model.LeftOut(c)
		if ok {
			c = left
		}
		if (ok || !model.IsNone(c)) && o.on(c) == Scores {
			return false
		}
	}
	return loss != Logistic || o.OnDecisions() || !o.Model.Intercept || o.Model.L2 > 0 || o.classWeight() != 1
}

func newReport(o *Options, s *solution) *Report {
	a := s.from
	report := &Report{
		Status: s.status, Method: o.Method.Name(), Seed: o.Seed, Loss: s.loss,
		KKTResidual:    a.residual.Norm(),
		KKT:            KKT{a.residual.Stationarity, a.residual.Feasibility, a.residual.Complementarity},
		ScaledResidual: a.scaled,
		Tolerance:      o.Tolerance,
		Temperature:    a.temperature,
		MadeBy:         s.how,
		Passes:         problem.Passes(a.fair, s.samples),
		Samples:        s.samples,
		Evaluations:    s.evaluations,
		Iterations:     s.iterations,
		Rounds:         s.rounds,
		Seconds:        s.elapsed.Seconds(),
		Constants:      a.constants,
		UsesGroups:     []string{}, Warnings: []string{}, Shifts: []classifier.Shift{}, Requirements: []Requirement{}, Constraints: []Constraint{},
	}
	if o.ConstraintData != o.Data {
		report.ConstraintData = o.ConstraintData.Name
	}
	report.Costs = o.costs()
	report.Objective = a.values.Objective
	if s.how != AsSolved {
		report.Objective = s.objective
	}
	report.Problem.Variables, report.Problem.Constraints = len(a.x), len(a.fair.Constraints())
	report.Problem.Rows, report.Problem.ConstraintRows = o.Data.All(), o.ConstraintData.All()
	rows := float64(o.ConstraintData.All())
	for i, row := range a.fair.Constraints() {
		c := Constraint{
			Name: row.Name, Spec: a.fair.Specs()[i],
			Value: a.values.Constraint[i], Shift: a.shift[i],
			Multiplier: a.residual.Multiplier[i], Scale: a.kappa[i],
		}
		c.Raw = c.Value * rows
		c.Satisfied = c.Value <= o.Tolerance
		report.Constraints = append(report.Constraints, c)
	}
	return report
}

// measure judges the classifier and the baselines on all rows. It returns the scores of
// the classifier.
func (r *Report) measure(o *Options, trained, free *classifier.Classifier) (map[*dataset.Dataset]*scored, error) {
	sets := map[*dataset.Dataset]*scored{}
	for _, d := range []*dataset.Dataset{o.ConstraintData, o.Data, o.ValidationData, o.TestData} {
		if d == nil || sets[d] != nil {
			continue
		}
		stated, err := o.rows(d)
		if err != nil {
			return nil, err
		}
		if sets[d], err = stated.score(trained); err != nil {
			return nil, err
		}
	}
	var errs [3]error
	r.Train, errs[0] = sets[o.Data].figures()
	r.Validation, errs[1] = sets[o.ValidationData].figures()
	r.Test, errs[2] = sets[o.TestData].figures()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for k := range o.requirements() {
		r.Requirements = append(r.Requirements, o.requirement(k, sets))
	}
	var err error
	r.Baselines, err = o.baselines(free, sets)
	return sets, err
}

// requirement judges requirement k.
func (o *Options) requirement(k int, sets map[*dataset.Dataset]*scored) Requirement {
	s := sets[o.ConstraintData]
	r, j := s.requirements[k], s.judge(k)
	q := Requirement{
		Spec: r.Spec, On: r.On, Measure: r.Measure, Bound: r.Bound, AtLeast: r.AtLeast,
		Train: defined(&j), TrainExtremes: j.Extremes, Satisfied: j.Excess <= 0, WithinOneDecision: append([]string{}, j.WithinOneDecision...),
	}
	if r.On == Scores {
		q.Satisfied = r.ExcessOfScores(j, o.Tolerance) <= 0
	}
	if len(q.WithinOneDecision) > 0 {
		q.Allowed = j.Allowed
	}
	q.Validation, q.ValidationExtremes, q.ValidationWithout = sets[o.ValidationData].achieved(k, r)
	q.Test, q.TestExtremes, q.TestWithout = sets[o.TestData].achieved(k, r)
	return q
}
