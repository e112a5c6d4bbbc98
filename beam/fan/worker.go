package fan

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/elsewhere"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/cells"
	"github.com/fairtrain/fairtrain/internal/once"
)

func init() {
	register.DoFn2x3[context.Context, Task, string, int, error](&Do{})
	for _, order := range []cells.Order{
		experiment.RunOrder{}, experiment.ScoreOrder{}, experiment.ReferenceOrder{}, benchmark.Order{}, elsewhere.FrontierOrder{},
	} {
		gob.Register(order)
	}
}

// Task is an element: a part of a cell, or the cell if it has no parts.
type Task struct {
	Cell string
	Part int
}

// The files in the shared folder. Besides these there is one for every outcome.
const (
	orders = "orders" // of the cells, by their names
	fault  = "fault"  // why a cell cannot be done. It ends the jobs
	stop   = "stop"   // the driver has ended
)

func partFile(cell string, k int) string { return fmt.Sprintf("%s.part-%05d", cell, k) }
func wholeFile(cell string) string       { return cell + ".whole" }

// Do does tasks.
type Do struct{ Dir string }

// ProcessElement does one task and returns its names. It is an error if the shared folder cannot be
// used; the runner may try again. What is done is not done again then.
func (f *Do) ProcessElement(ctx context.Context, t Task) (cell string, part int, err error) {
	return t.Cell, t.Part, f.task(ctx, t)
}

func (f *Do) task(ctx context.Context, t Task) error {
	if ended, err := f.ended(); ended || err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go f.watch(ctx, cancel)
	err := f.do(ctx, t)
	if failure, ok := errors.AsType[*cellError](err); ok && ctx.Err() == nil {
		return files.Write(f.path(fault), []byte(failure.Error()))
	}
	return err
}

// cellError is an error of a cell. Nothing would be gained if the cell were done again.
type cellError struct{ error }

func (f *Do) path(name string) string { return files.Join(f.Dir, name) }

// ended reports whether there is nothing to do any more.
func (f *Do) ended() (bool, error) {
	for _, name := range []string{fault, stop} {
		if text, err := files.Read(f.path(name)); text != nil || err != nil {
			return text != nil, err
		}
	}
	return false, nil
}

// watch cancels a task when there is nothing to do any more.
func (f *Do) watch(ctx context.Context, cancel context.CancelFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if ended, _ := f.ended(); ended {
			cancel()
		}
	}
}

// do does a task, and the whole cell if no other part is left.
func (f *Do) do(ctx context.Context, t Task) error {
	c, err := f.cell(ctx, t.Cell)
	if err != nil {
		return err
	}
	parts := make([][]byte, c.Parts)
	if c.Parts > 0 {
		err := f.once(partFile(c.Name, t.Part), func() ([]byte, error) { return c.Part(ctx, t.Part) })
		if err != nil {
			return err
		}
	}
	for k := range parts {
		if parts[k], err = files.Read(f.path(partFile(c.Name, k))); err != nil || parts[k] == nil {
			return err
		}
	}
	return f.once(wholeFile(c.Name), func() ([]byte, error) { return c.Whole(ctx, parts) })
}

// once does something unless its outcome is there.
func (f *Do) once(name string, do func() ([]byte, error)) error {
	if outcome, err := files.Read(f.path(name)); outcome != nil || err != nil {
		return err
	}
	outcome, err := do()
	if err != nil {
		return &cellError{err}
	}
	return files.Write(f.path(name), outcome)
}

// The orders and cells that this worker has made, by the paths of their folders and by their names.
var (
	ordered once.Values[string, map[string]cells.Order]
	made    once.Values[string, cells.Cell]
)

// cell returns a cell by its name.
func (f *Do) cell(ctx context.Context, name string) (cells.Cell, error) {
	all, err := ordered.Get(f.Dir, f.read)
	if err != nil {
		return cells.Cell{}, err
	}
	return made.Get(f.path(name), func() (cells.Cell, error) {
		c, err := all[name].Cell(ctx)
		if err == nil && c.Name != name {
			err = fmt.Errorf("cell %s is %s here: this worker has other data, or is another version of the program", name, c.Name)
		}
		if err != nil {
			return c, &cellError{err}
		}
		return c, nil
	})
}

func (f *Do) read() (all map[string]cells.Order, err error) {
	text, err := files.Read(f.path(orders))
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(text)).Decode(&all)
	}
	return all, err
}
