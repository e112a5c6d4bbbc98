// Package benchmark is the paper's first experiment (§5.1): stochastic methods on the
// equality-constrained problems of the CUTEst collection, with Gaussian noise added to
// ∇f, c and every entry of ∇c.
//
//	Instance    a deterministic problem, and why it may be left out       instance.go, rule.go
//	constants   estimates that all methods get of a problem               constants.go
//	judge       the best iterate of a run, and of all runs of a method    judge.go
//	Runner      the cells of an experiment: methods on problems           this file
//	trials      a cell made again in another process                      jobs.go
//	Table       wins and medians next to the paper's                      table.go, write.go
//
// Package experiment has the presets and runs the cells, package results stores them. Every
// candidate of a method runs on every problem until its samples are used up. The best
// iterate of all its runs, by exact values that no method sees, is the method's result on
// the problem; the candidate that found it is run once more for its trajectory.
package benchmark

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// Runner runs an experiment into a folder. Results that the folder holds already are
// continued; those of other settings stay.
type Runner struct {
	Preset     *experiment.Preset
	Problems   []*Instance
	Candidates int // per method and problem, evenly spread over the grid; 0 for all
}

// spec is what a folder of results is about.
type spec struct {
	Preset     *experiment.Preset `json:"preset"`
	Candidates int                `json:"candidates"` // per method and problem; 0 for all
	Problems   []specProblem      `json:"problems"`
}

// specProblem is a problem with the cells of all methods on it, in the order of the preset.
type specProblem struct {
	*Instance
	Cells []string `json:"cells"`
}

// Run does the missing cells, small problems first.
func (r *Runner) Run(ctx context.Context, s experiment.Settings) error {
	preset, err := r.Preset.TOML()
	if err != nil {
		return err
	}
	here := map[string]*cell{}
	plan := experiment.Plan{Kind: results.Benchmark, Job: trials{preset, r.Candidates, here}}
	content := spec{Preset: r.Preset, Candidates: r.Candidates}
	var all []*cell
	for _, instance := range r.Problems {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if instance.file.SHA256 != "" {
			plan.Data = append(plan.Data, instance.file)
		}
		cells, err := r.cells(instance)
		if err != nil {
			return fmt.Errorf("%s: %w", instance.Source, err)
		}
		p := specProblem{Instance: instance}
		for _, c := range cells {
			p.Cells = append(p.Cells, c.name)
		}
		content.Problems = append(content.Problems, p)
		all = append(all, cells...)
	}
	slices.SortStableFunc(all, func(a, b *cell) int { return cmp.Compare(size(a.instance), size(b.instance)) })
	for _, c := range all {
		here[c.id().key()] = c
		plan.Cells = append(plan.Cells, c.plan())
	}
	plan.Spec = content
	_, err = experiment.Run(ctx, plan, s)
	return err
}

// revision changes when equal settings begin to give other results.
const revision = 3

// size orders problems by the work of a step.
func size(i *Instance) int { return i.N * i.M * i.M }

// cells are the cells of all methods on a problem.
func (r *Runner) cells(instance *Instance) ([]*cell, error) {
	p, err := instance.Open()
	if err != nil {
		return nil, err
	}
	n, m := p.Dims()
	start, x := problem.NewValues(n, m), make([]float64, n)
	p.Start(x)
	p.Evaluate(start, x, nil)
	values, err := fingerprint([]any{x, start.Objective, start.Gradient, start.Constraint, start.Jacobian.Data})
	if err != nil {
		return nil, err
	}
	constants := estimateConstants(p, x, start)
	var cells []*cell
	for i := range r.Preset.Methods {
		c := &cell{preset: r.Preset, instance: instance, method: &r.Preset.Methods[i], constants: constants}
		c.candidates = r.Preset.Candidates(c.method, r.Candidates)
		if c.name, err = results.Cell(instance.Name+"-"+c.method.Label, r.Preset.Run.FirstSeed, 0, []any{
			revision, r.Preset.Benchmark, r.Preset.Run.Budget, r.Preset.Run.Records, c.method, c.candidates,
			constants, values,
		}); err != nil {
			return nil, err
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// fingerprint is a hash of a value's JSON.
func fingerprint(value any) (string, error) {
	text, err := json.Marshal(value)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// cell is a method on a problem, with all its candidates.
type cell struct {
	name       string
	preset     *experiment.Preset
	instance   *Instance
	method     *experiment.MethodSpec
	constants  constants
	candidates []experiment.Candidate
}

// plan is the cell for the runner of experiments: a part for every candidate.
func (c *cell) plan() experiment.Cell {
	parts := make([]any, len(c.candidates))
	for k := range parts {
		parts[k] = trialPart{c.id(), k}
	}
	return experiment.Cell{Name: c.name, Parts: parts, Finish: func(ctx context.Context, outcomes []any) (results.Run, error) {
		trials := make([]results.Trial, len(outcomes))
		for k, trial := range outcomes {
			trials[k] = trial.(results.Trial)
		}
		return c.trace(ctx, trials)
	}}
}

// id is how other processes know the cell.
func (c *cell) id() cellID {
	return cellID{c.instance.Name, c.instance.Source, c.instance.file.SHA256, c.method.Label}
}

// open returns the problem, the same with noise, and the method with a candidate's options.
func (c *cell) open(candidate int) (exact problem.Problem, noisy *problem.Noisy, method solver.Method, err error) {
	if exact, err = c.instance.Open(); err != nil {
		return nil, nil, nil, c.fail(err)
	}
	if noisy, err = problem.NewNoisy(exact, c.preset.Benchmark.Noise); err != nil {
		return nil, nil, nil, c.fail(err)
	}
	if method, err = c.constants.method(c.candidates[candidate]); err != nil {
		return nil, nil, nil, c.fail(err)
	}
	return exact, noisy, method, nil
}

func (c *cell) fail(err error) error {
	return fmt.Errorf("%s on %s: %w", c.method.Label, c.instance.Name, err)
}

// try does the trial of one candidate. All candidates of all methods draw from equal
// streams.
func (c *cell) try(ctx context.Context, candidate int) (trial results.Trial, err error) {
	exact, noisy, method, err := c.open(candidate)
	if err != nil {
		return trial, err
	}
	begin := time.Now()
	judge := newJudge(exact, c.preset.Benchmark.Feasible)
	settings := solver.Settings{MaxSamples: c.preset.Run.Budget}
	result, err := solver.Run(ctx, noisy, method, settings, solver.NewStreams(c.preset.Run.FirstSeed, 0), judge.record)
	if err != nil {
		return trial, c.fail(err)
	}
	if result.Status == solver.Interrupted {
		return trial, ctx.Err()
	}
	choice := c.candidates[candidate]
	return results.Trial{
		Batch: choice.Batch, Options: choice.Options, Status: results.Status(result.Status),
		Iterations: result.Iterations, Samples: result.Counters.Samples(),
		Best: judge.result(), Seconds: time.Since(begin).Seconds(),
	}, nil
}

// trace runs the candidate of the best trial once more, for its trajectory.
func (c *cell) trace(ctx context.Context, trials []results.Trial) (results.Run, error) {
	_, chosen := choose(trials, c.preset.Benchmark.Feasible)
	exact, noisy, method, err := c.open(chosen)
	if err != nil {
		return results.Run{}, err
	}
	n, m := exact.Dims()
	values, score := problem.NewValues(n, m), kkt.NewEvaluator(exact)
	run, err := experiment.Trace(ctx, noisy, method, c.preset.Run, c.preset.Run.FirstSeed,
		func(point *results.Point, it *solver.Iterate) {
			exact.Evaluate(values, it.X, nil)
			s := score.Score(values)
			point.Objective, point.Stationarity, point.Feasibility = values.Objective, s.Stationarity, s.Feasibility
			// The norms stand for the constraints, of which there may be hundreds.
			point.Constraint = []float64{floats.Norm(values.Constraint, math.Inf(1))}
			point.Multiplier = []float64{floats.Norm(it.Y, math.Inf(1))}
		})
	run.Cell, run.Problem, run.Label, run.Trials = c.name, c.instance.Name, c.method.Label, trials
	if err != nil {
		return run, c.fail(err)
	}
	return run, nil
}
