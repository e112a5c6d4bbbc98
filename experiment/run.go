package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/results"
)

// Plan is what a folder of results is to hold.
type Plan struct {
	Kind results.Kind
	Spec any                // the experiment, see results.Create
	Data []results.DataFile // for the record of provenance
	// Job does the parts of the cells, and Reference, unless that is nil: its outcome is an
	// optimum.
	Job       jobs.Job
	Cells     []Cell
	Reference any
}

// Cell is a method on a problem from a seed.
type Cell struct {
	Name  string // see results.Cell
	Parts []any
	// Finish makes the run of the outcomes of all parts. It is nil where that of the only part is
	// the run.
	Finish func(ctx context.Context, outcomes []any) (results.Run, error)
}

// Settings say how to run an experiment, not what it is: none of them changes a result.
type Settings struct {
	Dir      string        // the folder of results
	Jobs     int           // runs at a time in this process
	Force    bool          // discard the results in the folder first
	Command  []string      // the program's command line, for the record of provenance
	Executor jobs.Executor // nil: this process, so many Jobs at a time

	// Progress, if not nil, is called after every part and every cell, one call at a time.
	Progress func(Progress)
	// Damaged, if not nil, is called for every stored file that is damaged and made again.
	Damaged func(error)
	// Unsolved, if not nil, is called if there is no reference optimum. It is tried again when the
	// experiment is run again.
	Unsolved func(error)
}

// Progress says how far an experiment is.
type Progress struct {
	Cells, Finished int     // some finished cells may stem from an earlier call
	Share           float64 // of the work that was to be done in this call
}

// Run does the cells of a plan that the folder lacks, and returns the folder with all cells
// of the plan. A cell that is interrupted leaves nothing. Finished cells stay. If the context
// is cancelled, Run returns an error after the runs under way have stopped. Only one program
// at a time can run an experiment in a folder.
func Run(ctx context.Context, plan Plan, s Settings) (*results.Store, error) {
	return inFolder(plan, s, len(plan.Cells), func(r *runner) error { return r.do(ctx, plan.Cells) })
}

// runner does cells in a folder that it has locked.
type runner struct {
	Settings
	store     *results.Store
	job       jobs.Job
	reference any // see Plan; nil if the folder needs none

	mu       sync.Mutex
	done     float64 // cells and fractions of cells, of this call
	left     int     // cells that were to be done in this call
	progress Progress
}

// inFolder locks and reads the folder of a plan and calls do. In the end so many cells are
// expected in the folder.
func inFolder(plan Plan, s Settings, size int, do func(*runner) error) (*results.Store, error) {
	lock, err := folderlock.Acquire(s.Dir)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if s.Force {
		if err := results.Discard(s.Dir, plan.Kind); err != nil {
			return nil, err
		}
	}
	store, err := results.Create(s.Dir, plan.Kind, plan.Spec, results.NewMeta(s.Command, plan.Data...))
	if err != nil {
		return nil, err
	}
	for _, d := range store.Damage() {
		if s.Damaged != nil {
			s.Damaged(d)
		}
	}
	r := &runner{Settings: s, store: store, job: plan.Job, left: size, progress: Progress{Cells: size}}
	if s.Executor == nil {
		r.Executor = jobs.Local(s.Jobs)
	}
	if store.Reference() == nil {
		r.reference = plan.Reference
	}
	err = do(r)
	return store, errors.Join(err, store.WriteTable())
}

// do does the cells that the folder lacks, and the reference optimum.
func (r *runner) do(ctx context.Context, cells []Cell) error {
	var parts []any
	var of []*pending // the cell of each part; nil for the reference
	if r.reference != nil {
		parts, of = append(parts, r.reference), append(of, nil)
	}
	for k := range cells {
		c := &pending{Cell: &cells[k], first: len(parts), outcomes: make([]any, len(cells[k].Parts)), left: len(cells[k].Parts)}
		if _, ok := r.store.Run(c.Name); ok {
			r.left--
			r.progress.Finished++
			continue
		}
		parts, of = append(parts, c.Parts...), append(of, slices.Repeat([]*pending{c}, c.left)...)
	}
	finishing, ctx := errgroup.WithContext(ctx)
	finishing.SetLimit(max(1, r.Jobs))
	err := r.Executor.Do(ctx, r.job, parts, func(k int, outcome any) error {
		c := of[k]
		if c == nil {
			return r.storeReference(outcome.(optimum))
		}
		if c.Finish == nil {
			return r.storeRun(c, outcome.(results.Run))
		}
		c.outcomes[k-c.first] = outcome
		c.left--
		r.report(c, 0)
		if c.left == 0 {
			finishing.Go(func() error {
				run, err := c.Finish(ctx, c.outcomes)
				if err != nil {
					return err
				}
				return r.storeRun(c, run)
			})
		}
		return nil
	})
	return cmp.Or(finishing.Wait(), err)
}

// pending is a cell whose parts are being done.
type pending struct {
	*Cell
	first    int // of its parts among all
	outcomes []any
	left     int // parts
}

// storeReference stores the reference optimum, if there is one.
func (r *runner) storeReference(o optimum) error {
	if o.Unsolved == "" {
		return r.store.SaveReference(o.Reference)
	}
	if r.Unsolved != nil {
		r.Unsolved(errors.New(o.Unsolved))
	}
	return nil
}

// storeRun stores the run of a cell.
func (r *runner) storeRun(c *pending, run results.Run) error {
	if run.Cell != c.Name {
		return fmt.Errorf("cell %s is %s where it was done: by other data, or another version of the program", c.Name, run.Cell)
	}
	if err := r.store.Save(run); err != nil {
		return err
	}
	r.report(c, 1)
	return nil
}

// report reports that a part of a cell was done, or the cell finished.
func (r *runner) report(c *pending, finished int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	steps := 1
	if c.Finish != nil {
		steps += len(c.Parts)
	}
	r.done += 1 / float64(steps)
	r.progress.Finished += finished
	r.progress.Share = r.done / float64(r.left)
	if r.Progress != nil {
		r.Progress(r.progress)
	}
}
