package experiment

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fairtrain/fairtrain/internal/cells"
	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/results"
)

// Plan is what a folder of results is to hold.
type Plan struct {
	Kind results.Kind
	Spec any                // the experiment, see results.Create
	Data []results.DataFile // for the record of provenance
	// Cells are methods on a problem from a seed, see results.Cell. The outcome of each is a run,
	// encoded.
	Cells []cells.Cell
	// Reference, if not nil, computes the reference optimum, in JSON.
	Reference *cells.Cell
}

// Settings say how to run an experiment, not what it is: none of them changes a result.
type Settings struct {
	Dir     string   // the folder of results
	Jobs    int      // runs at a time in this process
	Force   bool     // discard the results in the folder first
	Command []string // the program's command line, for the record of provenance
	// Elsewhere, if not nil, does the runs in other processes.
	Elsewhere cells.Executor

	// Progress, if not nil, is told after every part and every cell, one call at a time.
	Progress func(Progress)
	// Damaged, if not nil, is told of every stored file that is damaged and made again.
	Damaged func(error)
	// Unsolved, if not nil, is told why there is no reference optimum. It is tried again when the
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
	work := 0.0
	for _, c := range plan.Cells {
		work += c.Work
	}
	return inFolder(plan, s, len(plan.Cells), work, func(r *runner) error { return r.do(ctx, plan.Cells) })
}

// runner does cells in a folder that it has locked.
type runner struct {
	store    *results.Store
	executor cells.Executor
	// reference computes the reference optimum; it is nil if the folder needs none.
	reference *cells.Cell

	work, total float64
	progress    Progress
	tell        func(Progress)
	unsolved    func(error)
}

// inFolder locks and reads the folder of a plan and calls do. In the end so many cells, with
// so much work, are expected in the folder.
func inFolder(plan Plan, s Settings, size int, work float64, do func(*runner) error) (*results.Store, error) {
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
	r := &runner{store: store, executor: s.Elsewhere, total: work, progress: Progress{Cells: size}, tell: s.Progress, unsolved: s.Unsolved}
	if s.Elsewhere == nil {
		r.executor = cells.Local(s.Jobs)
	}
	if reference == nil {
		r.reference = plan.Reference
	}
	err = do(r)
	return store, errors.Join(err, store.WriteTable())
}

// do does the cells that the folder lacks, and the reference optimum.
func (r *runner) do(ctx context.Context, list []cells.Cell) error {
	var missing []cells.Cell
	if r.reference != nil {
		missing = append(missing, *r.reference)
	}
	for _, c := range list {
		if _, ok := r.store.Run(c.Name); ok {
			r.total -= c.Work
			r.progress.Finished++
		} else {
			missing = append(missing, c)
		}
	}
	return r.executor.Do(ctx, missing, r.keep)
}

// keep stores the outcome of a cell, and tells of it.
func (r *runner) keep(c *cells.Cell, outcome []byte) error {
	switch {
	case outcome == nil: // a part is done
	case c.Name == referenceName:
		var reference referenceOutcome
		if err := json.Unmarshal(outcome, &reference); err != nil {
			return err
		}
		if reference.Unsolved == "" {
			return r.store.SaveReference(reference.Reference)
		}
		if r.unsolved != nil {
			r.unsolved(errors.New(reference.Unsolved))
		}
		return nil
	default:
		run, err := results.DecodeRun(outcome)
		if err != nil {
			return err
		}
		if err := r.store.Save(run); err != nil {
			return err
		}
		r.progress.Finished++
	}
	r.work += c.Work / float64(c.Parts+1)
	r.progress.Share = r.work / r.total
	if r.tell != nil {
		r.tell(r.progress)
	}
	return nil
}
