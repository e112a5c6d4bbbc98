package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/solver/reference"
)

// Compare carries out the runs of a preset. Only the methods with the given labels run; no
// labels stand for all methods.
func Compare(ctx context.Context, p *Preset, only []string, s Settings) (*results.Store, error) {
	methods, err := p.labelled(only)
	if err != nil {
		return nil, err
	}
	in, err := newInstance(p.Problem)
	if err != nil {
		return nil, err
	}
	if err := in.checkMemory(s.Jobs); err != nil {
		return nil, err
	}
	if err := in.checkMethods(ctx, methods, p.Run.FirstSeed); err != nil {
		return nil, err
	}
	job, err := newJob(p, in)
	if err != nil {
		return nil, err
	}
	plan := Plan{Kind: results.Comparison, Spec: p, Data: in.files(), Job: job}
	if p.Problem.Reference > 0 {
		plan.Reference = referencePart{p.Problem.Reference}
	}
	for seed := range uint64(p.Run.Seeds) {
		for _, m := range methods {
			part := runPart{m.Label, p.Run.FirstSeed + seed}
			name, err := p.cell(part)
			if err != nil {
				return nil, err
			}
			plan.Cells = append(plan.Cells, Cell{Name: name, Parts: []any{part}})
		}
	}
	return Run(ctx, plan, s)
}

// checkMethods returns an error that names all methods that can't run on the problem with
// their options: an option may be left to a constant of the problem, which this one lacks.
func (in *instance) checkMethods(ctx context.Context, methods []MethodSpec, seed uint64) error {
	var errs []error
	for _, m := range methods {
		w, err := in.open(m.Scale)
		if err != nil {
			return err
		}
		_, err = w.trace(ctx, m, RunSpec{Budget: 1, Records: 1}, seed, 0)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// CheckLabels returns an error if no method of the preset has one of the labels.
func (p *Preset) CheckLabels(labels []string) error {
	var known []string
	for _, m := range p.Methods {
		known = append(known, m.Label)
	}
	for _, label := range labels {
		if !slices.Contains(known, label) {
			return fmt.Errorf("the preset has no method labelled %q, only %s", label, strings.Join(known, ", "))
		}
	}
	return nil
}

// labelled returns the methods with the given labels, all of them if there are none.
func (p *Preset) labelled(labels []string) ([]MethodSpec, error) {
	if len(labels) == 0 {
		return p.Methods, nil
	}
	return slices.DeleteFunc(slices.Clone(p.Methods),
		func(m MethodSpec) bool { return !slices.Contains(labels, m.Label) }), p.CheckLabels(labels)
}

// Restrict leaves only the methods with the given labels in the preset, all of them if there are
// none.
func (p *Preset) Restrict(labels []string) (err error) {
	p.Methods, err = p.labelled(labels)
	return err
}

// cell is the name of a run.
func (p *Preset) cell(part runPart) (string, error) {
	spec := map[string]any{"problem": p.Problem, "budget": p.Run.Budget, "records": p.Run.Records, "method": p.method(part.Label)}
	return results.Cell(part.Label, part.Seed, 0, spec)
}

// run is one run of one method. All methods of a seed draw from the same streams.
func (p *opened) run(ctx context.Context, part runPart) (run results.Run, err error) {
	m := p.method(part.Label)
	w, err := p.in.open(m.Scale)
	if err != nil {
		return run, err
	}
	if run, err = w.trace(ctx, m, p.Run, part.Seed, 0); err != nil {
		return run, err
	}
	run.Cell, err = p.cell(part)
	return run, err
}

// trace runs a method from a seed. Measuring a point takes a pass, so besides the start only
// points from a number of samples on are measured.
func (w *worker) trace(ctx context.Context, m MethodSpec, size RunSpec, seed uint64, from int64) (results.Run, error) {
	method, err := m.build()
	if err != nil {
		return results.Run{}, err
	}
	run, err := Trace(ctx, w.standard, method, size, seed, func(point *results.Point, it *solver.Iterate) {
		if it.K == 0 || point.Samples >= from {
			w.point(point, it)
		}
	})
	run.Label = m.Label
	run.Params = append(run.Params, results.Param{Name: "scale", Value: fmt.Sprint(w.standard.Kappa()[0])})
	if err != nil {
		return run, fmt.Errorf("%s, seed %d: %w", m.Label, seed, err)
	}
	return run, nil
}

// point fills in the values at an iterate in the units of the inner problem.
func (w *worker) point(point *results.Point, it *solver.Iterate) {
	r := w.measure(it)
	point.Objective, point.Constraint = w.inner.Objective, slices.Clone(w.inner.Constraint)
	point.Stationarity, point.Feasibility, point.Complementarity = r.Stationarity, r.Feasibility, r.Complementarity
	point.Multiplier = slices.Clone(it.Y)
	floats.Mul(point.Multiplier, w.standard.Kappa()) // of the unscaled constraints
}

// optimum is a reference optimum, or why there is none.
type optimum struct {
	results.Reference
	Unsolved string
}

// reference computes the optimum by the deterministic method.
func (in *instance) reference(ctx context.Context, residual float64) (o optimum, err error) {
	w, err := in.open(0)
	if err != nil {
		return o, err
	}
	r, err := reference.Solve(ctx, w.fair, residual, nil)
	if ctx.Err() != nil {
		return o, err
	}
	if err != nil { // the methods can be compared without it
		return optimum{Unsolved: err.Error()}, nil
	}
	w.fair.Evaluate(w.inner, r.X, nil)
	return optimum{Reference: results.Reference{
		Objective: r.Objective, Constraint: w.inner.Constraint, Multiplier: r.Y, Residual: r.Residual,
		Method: fmt.Sprintf("augmented Lagrangian over L-BFGS on exact values, %d evaluations", r.Passes),
	}}, nil
}
