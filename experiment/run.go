package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// Settings say how to run an experiment, not what it is: none of them changes a result.
type Settings struct {
	Dir     string   // the folder of results
	Jobs    int      // runs at a time
	Only    []string // labels of the methods to run; empty means all
	Force   bool     // discard the results in the folder first
	Version string   // of the program, and
	Command []string // its command line, for the record of provenance

	// Progress, if not nil, is told the number of runs finished, of which some may stem
	// from an earlier call, and their total.
	Progress func(finished, total int)
	// Damaged, if not nil, is told of every stored file that is damaged and made again.
	Damaged func(error)
}

// Run carries out the runs of a preset that the folder lacks and returns the folder with
// all of them. A run that is interrupted leaves nothing; finished runs stay. Cancelling
// the context is an error after the runs under way have stopped. While a program runs an
// experiment no other one can in the same folder.
func Run(ctx context.Context, p *Preset, s Settings) (*results.Store, error) {
	cells, err := cellsOf(p, s.Only)
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
	lock, err := folderlock.Acquire(s.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if s.Force {
		if err := results.Discard(s.Dir); err != nil {
			return nil, err
		}
	}
	store, err := results.Create(s.Dir, p, results.NewMeta(s.Version, s.Command, in.files()...))
	if err != nil {
		return nil, err
	}
	damage := store.Damage()
	reference, err := store.Reference()
	if _, ok := errors.AsType[*results.Damage](err); ok {
		damage = append(damage, err)
	} else if err != nil {
		return nil, err
	}
	for _, d := range damage {
		if s.Damaged != nil {
			s.Damaged(d)
		}
	}
	var mu sync.Mutex
	finished := 0
	tell := func() {
		mu.Lock()
		defer mu.Unlock()
		finished++
		if s.Progress != nil {
			s.Progress(finished, len(cells))
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, s.Jobs))
	if p.Problem.Reference > 0 && reference == nil {
		group.Go(func() error { return saveReference(ctx, in, p, store) })
	}
	for _, c := range cells {
		if store.Finished(c.name) {
			tell()
			continue
		}
		group.Go(func() error {
			run, err := c.run(ctx, in, p)
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", c.method.Label, c.seed, err)
			}
			if err := store.Save(run); err != nil {
				return err
			}
			tell()
			return nil
		})
	}
	return store, group.Wait()
}

// cell is one run of one method.
type cell struct {
	name   string
	method MethodSpec
	seed   uint64
}

func cellsOf(p *Preset, only []string) ([]cell, error) {
	for _, label := range only {
		if !slices.ContainsFunc(p.Methods, func(m MethodSpec) bool { return m.Label == label }) {
			return nil, fmt.Errorf("the preset has no method labelled %q", label)
		}
	}
	var cells []cell
	for seed := range uint64(p.Run.Seeds) {
		for _, m := range p.Methods {
			if len(only) > 0 && !slices.Contains(only, m.Label) {
				continue
			}
			c := cell{method: m, seed: p.Run.FirstSeed + seed}
			spec := map[string]any{"problem": p.Problem, "budget": p.Run.Budget, "records": p.Run.Records, "method": m}
			var err error
			if c.name, err = results.Cell(m.Label, c.seed, 0, spec); err != nil {
				return nil, err
			}
			cells = append(cells, c)
		}
	}
	return cells, nil
}

// run does the run. All methods of a seed draw from the same streams.
func (c cell) run(ctx context.Context, in *instance, p *Preset) (results.Run, error) {
	w, err := in.open(c.method.Scale)
	if err != nil {
		return results.Run{}, err
	}
	method, err := c.method.build()
	if err != nil {
		return results.Run{}, err
	}
	run := results.Run{Cell: c.name, Method: method.Name(), Label: c.method.Label, Seed: c.seed}
	for _, option := range method.Params() {
		run.Params = append(run.Params, results.Param{Name: option.Name, Value: option.Current()})
	}
	run.Params = append(run.Params, results.Param{Name: "scale", Value: fmt.Sprint(w.standard.Kappa()[0])})
	recorder := solver.RecorderFunc(func(s *solver.Snapshot) (bool, error) {
		run.Points = append(run.Points, w.point(s))
		return false, nil
	})
	settings := solver.Settings{MaxSamples: p.Run.Budget, Records: p.Run.Records}
	r, err := solver.Run(ctx, w.standard, method, settings, solver.NewStreams(c.seed, 0), recorder)
	if err != nil {
		return run, err
	}
	if r.Status == solver.Interrupted {
		return run, errors.Join(ctx.Err(), errors.New("interrupted"))
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

// point is an iterate in the units of the inner problem.
func (w *worker) point(s *solver.Snapshot) results.Point {
	it := s.Iterate
	r := w.measure(it)
	point := results.Point{
		Samples: s.Counters.Samples(), Passes: problem.Passes(w.fair, s.Counters.Samples()), Seconds: s.Elapsed.Seconds(),
		Objective: w.inner.Objective, Constraint: slices.Clone(w.inner.Constraint),
		Stationarity: r.Stationarity, Feasibility: r.Feasibility, Complementarity: r.Complementarity,
		Step: it.Diag.Eta, Rho: it.Diag.Rho, SigmaMin: it.Diag.SigmaMin,
		Multiplier: slices.Clone(it.Y),
	}
	for i, kappa := range w.standard.Kappa() {
		point.Multiplier[i] *= kappa // of the unscaled constraint
	}
	return point
}

// saveReference computes the optimum by the deterministic method.
func saveReference(ctx context.Context, in *instance, p *Preset, store *results.Store) error {
	w, err := in.open(0)
	if err != nil {
		return err
	}
	_, m := w.fair.Dims()
	inequality := make([]bool, m)
	for i := range inequality {
		inequality[i] = true
	}
	r, err := solver.ALM(ctx, w.fair, inequality, p.Problem.Reference, nil)
	if err != nil {
		return fmt.Errorf("reference optimum: %w", err)
	}
	w.fair.Exact(w.inner, r.X)
	return store.SaveReference(results.Reference{
		Objective: r.Objective, Constraint: w.inner.Constraint, Multiplier: r.Y, Residual: r.Residual,
		Method: fmt.Sprintf("augmented Lagrangian over L-BFGS on exact values, %d evaluations", r.Passes),
	})
}
