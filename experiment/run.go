package experiment

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/results"
)

// Plan is what a folder of results is to hold.
type Plan struct {
	Kind  results.Kind
	Spec  any                // the experiment, see results.Create
	Data  []results.DataFile // for the record of provenance
	Cells []Cell
	// Reference, if not nil, computes the reference optimum.
	Reference func(context.Context) (results.Reference, error)
}

// Cell is a unit of work, a method on a problem from a seed. It is stored, or done again, as
// a whole.
type Cell struct {
	Name string  // see results.Cell
	Work float64 // expected, in a unit of the plan's own
	// Parts, if there are any, are done before Run, side by side.
	Parts []func(context.Context) error
	Run   func(context.Context) (results.Run, error)
}

// Settings say how to run an experiment, not what it is: none of them changes a result.
type Settings struct {
	Dir     string   // the folder of results
	Jobs    int      // runs at a time
	Force   bool     // discard the results in the folder first
	Command []string // the program's command line, for the record of provenance

	// Progress, if not nil, is told after every part and every cell, one call at a time.
	Progress func(Progress)
	// Damaged, if not nil, is told of every stored file that is damaged and made again.
	Damaged func(error)
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
	work := 0.0
	for _, c := range plan.Cells {
		work += c.Work
	}
	return inFolder(plan, s, len(plan.Cells), work, func(r *runner) error { return r.do(ctx, plan.Cells) })
}

// runner does cells in a folder that it has locked.
type runner struct {
	store *results.Store
	jobs  int
	// reference computes the reference optimum; it is nil if the folder needs none.
	reference func(context.Context) (results.Reference, error)

	mu          sync.Mutex
	work, total float64
	progress    Progress
	tell        func(Progress)
}

// inFolder locks and reads the folder of a plan and calls do. In the end so many cells, with
// so much work, are expected in the folder.
func inFolder(plan Plan, s Settings, cells int, work float64, do func(*runner) error) (*results.Store, error) {
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
	r := &runner{store: store, jobs: max(1, s.Jobs), total: work, progress: Progress{Cells: cells}, tell: s.Progress}
	if reference == nil {
		r.reference = plan.Reference
	}
	return store, do(r)
}

// do does the cells that the folder lacks, and the reference optimum.
func (r *runner) do(ctx context.Context, cells []Cell) error {
	var missing []*Cell
	for i := range cells {
		if _, ok := r.store.Run(cells[i].Name); ok {
			r.total -= cells[i].Work
			r.progress.Finished++
		} else {
			missing = append(missing, &cells[i])
		}
	}
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(r.jobs)
	if r.reference != nil {
		group.Go(func() error {
			reference, err := r.reference(running)
			if err != nil {
				return err
			}
			return r.store.SaveReference(reference)
		})
	}
	for _, c := range missing {
		for _, task := range r.tasks(c) {
			group.Go(func() error {
				if running.Err() != nil {
					return running.Err()
				}
				return task(running)
			})
		}
	}
	return group.Wait()
}

// tasks are the parts of a cell, or the whole cell if it has no parts. The part that ends last
// does and stores the cell.
func (r *runner) tasks(c *Cell) []func(context.Context) error {
	share := c.Work / float64(len(c.Parts)+1)
	whole := func(ctx context.Context) error {
		run, err := c.Run(ctx)
		if err != nil {
			return err
		}
		if err := r.store.Save(run); err != nil {
			return err
		}
		r.add(share, 1)
		return nil
	}
	if len(c.Parts) == 0 {
		return []func(context.Context) error{whole}
	}
	left := new(atomic.Int64)
	left.Store(int64(len(c.Parts)))
	tasks := make([]func(context.Context) error, len(c.Parts))
	for i, part := range c.Parts {
		tasks[i] = func(ctx context.Context) error {
			if err := part(ctx); err != nil {
				return err
			}
			r.add(share, 0)
			if left.Add(-1) > 0 {
				return nil
			}
			return whole(ctx)
		}
	}
	return tasks
}

// add adds up what is done.
func (r *runner) add(work float64, cells int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.work += work
	r.progress.Share = r.work / r.total
	r.progress.Finished += cells
	if r.tell != nil {
		r.tell(r.progress)
	}
}
