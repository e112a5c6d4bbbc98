package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Runner runs an experiment into a folder. Results that the folder holds already are
// kept, those of other settings are replaced.
type Runner struct {
	Preset     *Preset
	Problems   []*Instance
	Candidates int    // per method and problem, evenly spread over the grid; 0 for all
	Jobs       int    // runs at a time; results do not depend on it
	Dir        string // of the results
	// Report, if not nil, is called after every run, one call at a time.
	Report func(Progress)
	// Damaged, if not nil, is told of every stored result that is damaged and made again.
	Damaged func(error)
}

// Progress says how far an experiment is.
type Progress struct {
	Cells, CellsDone int     // methods on problems
	Share            float64 // of the expected work of the cells that were to be done
}

// Run does the runs that are missing. Small problems come first. While it does no other
// program can in the same folder.
func (r *Runner) Run(ctx context.Context) error {
	s := store{r.Dir}
	if err := s.create(); err != nil {
		return err
	}
	lock, err := folderlock.Acquire(r.Dir)
	if err != nil {
		return err
	}
	defer lock.Release()
	cells, err := r.cells()
	if err != nil {
		return err
	}
	if err := s.writeManifest(newManifest(r, cells)); err != nil {
		return err
	}
	s.sweep()
	cells, err = s.missing(cells, r.Damaged)
	if err != nil {
		return err
	}
	track := newTracker(r, cells)
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(1, r.Jobs))
	for _, c := range cells {
		for i := range c.candidates {
			if running.Err() != nil {
				break
			}
			group.Go(func() error {
				if err := c.run(running, r.Preset, i); err != nil {
					return err
				}
				return track.finish(c, s, i)
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// cells lists all cells, small problems first.
func (r *Runner) cells() ([]*pending, error) {
	problems := slices.Clone(r.Problems)
	slices.SortStableFunc(problems, func(a, b *Instance) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a.Name, b.Name))
	})
	var cells []*pending
	for _, instance := range problems {
		p, err := instance.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", instance.Source, err)
		}
		n, m := p.Dims()
		start, x := problem.NewValues(n, m), make([]float64, n)
		p.Start(x)
		problem.Exact(p, start, x)
		constants := estimateConstants(p, x, start)
		for i := range r.Preset.Methods {
			method := &r.Preset.Methods[i]
			c := &pending{
				Cell:       Cell{Problem: instance.Name, Method: method.Name},
				instance:   instance,
				constants:  constants,
				candidates: spread(r.Preset.Candidates(method), len(r.Preset.Batches), r.Candidates),
			}
			c.left = len(c.candidates)
			c.Trials = make([]Trial, c.left)
			c.Key = fingerprint([]any{
				revision, r.Preset.Noise, r.Preset.Budget, r.Preset.Feasible, r.Preset.Seed, method, c.candidates,
				constants, x, start.Objective, start.Gradient, start.Constraint, start.Jacobian.Data,
			})
			cells = append(cells, c)
		}
	}
	return cells, nil
}

// revision changes when equal settings come to give other results.
const revision = 2

// size orders problems by the work of a step.
func size(i *Instance) int { return i.N * i.M * i.M }

// pending is a cell in the making.
type pending struct {
	Cell
	instance   *Instance
	constants  Constants
	candidates []Candidate
	left       int // trials still to be done
}

// run does the trial of one candidate. All candidates of all methods draw from equal
// streams.
func (c *pending) run(ctx context.Context, preset *Preset, candidate int) error {
	choice := c.candidates[candidate]
	fail := func(err error) error { return fmt.Errorf("%s on %s: %w", c.Method, c.Problem, err) }
	exact, err := c.instance.Open()
	if err != nil {
		return fail(err)
	}
	noisy, err := problem.NewNoisy(exact, preset.Noise)
	if err != nil {
		return fail(err)
	}
	method, err := choice.Method(c.constants)
	if err != nil {
		return fail(err)
	}
	begin := time.Now()
	judge := newJudge(exact, preset.Feasible)
	result, err := solver.Run(ctx, noisy, method, solver.Settings{MaxSamples: preset.Budget}, solver.NewStreams(preset.Seed, 0), judge)
	if err != nil {
		return fail(err)
	}
	if result.Status == solver.Interrupted {
		return ctx.Err()
	}
	last := nowhere
	if result.Status != solver.Diverged {
		last = judge.last(result.X, result.Iterations)
	}
	c.Trials[candidate] = Trial{
		Batch: choice.Batch, Options: choice.Options, Status: string(result.Status),
		Iterations: result.Iterations, Samples: result.Counters.Samples(),
		Best: judge.result(), Last: &last, Seconds: time.Since(begin).Seconds(),
	}
	return nil
}

// tracker keeps count of the trials and stores a cell when its last one is done.
type tracker struct {
	mu          sync.Mutex
	threshold   float64
	report      func(Progress)
	progress    Progress
	work, total float64
}

func newTracker(r *Runner, cells []*pending) *tracker {
	t := &tracker{threshold: r.Preset.Feasible, report: r.Report}
	t.progress.Cells = len(r.Problems) * len(r.Preset.Methods)
	t.progress.CellsDone = t.progress.Cells - len(cells)
	for _, c := range cells {
		for i := range c.candidates {
			t.total += c.expected(i)
		}
	}
	return t
}

// expected is the work of a trial, in nanoseconds or so: as many steps as the batch size
// allows, each of which draws n·m numbers; half of the methods factorise JJᵀ.
func (c *pending) expected(candidate int) float64 {
	n, m := float64(c.instance.N), float64(c.instance.M)
	step := 3000 + 12*n*m
	if c.Method == "fsfo" || c.Method == "ssqp" {
		step += 0.2*n*m*m + 0.1*m*m*m
	}
	return step / float64(c.candidates[candidate].Batch)
}

func (t *tracker) finish(c *pending, s store, candidate int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.work += c.expected(candidate)
	c.left--
	if c.left == 0 {
		if err := c.finish(t.threshold); err != nil {
			return err
		}
		if err := s.writeCell(&c.Cell); err != nil {
			return err
		}
		t.progress.CellsDone++
	}
	if t.report != nil {
		t.progress.Share = t.work / t.total
		t.report(t.progress)
	}
	return nil
}
