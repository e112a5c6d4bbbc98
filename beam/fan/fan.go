// Package fan does cells as elements of pipelines of Apache Beam.
//
//	Fan   the driver's side: jobs, and outcomes as they come, this file
//	Do    the workers' side, worker.go
//
// Driver and workers share a folder. It has the orders of the cells, and what parts and cells have
// found, each in a file that is complete or not there.
package fan

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/internal/cells"
)

// Fan does cells by jobs. It implements cells.Executor.
type Fan struct {
	dir  string
	jobs int
}

// New returns what does cells. Workers leave outcomes in the folder dir, which they must share with
// the driver.
func New(dir string) *Fan { return &Fan{dir: dir} }

// Jobs returns the number of jobs so far.
func (f *Fan) Jobs() int { return f.jobs }

// attempts is how often a job is tried. Runners give up a job when too many workers die.
const attempts = 3

// Do does cells with one job. If it fails, another one does what is missing. If the driver ends
// early, it tells the workers.
func (f *Fan) Do(ctx context.Context, list []cells.Cell, done cells.Done) error {
	if len(list) == 0 {
		return nil
	}
	b := &batch{dir: files.Join(f.dir, "cells-"+rand.Text()), list: list, done: done, told: map[string]bool{}}
	if err := b.begin(); err != nil {
		return err
	}
	var err error
	for range attempts {
		f.jobs++
		err = b.job(ctx)
		if _, failed := errors.AsType[*jobError](err); !failed {
			break
		}
	}
	if err != nil {
		return errors.Join(err, files.Write(b.path(stop), []byte(stop)))
	}
	b.clear()
	return nil
}

// jobError is an error of a job. Another job may not have it.
type jobError struct{ error }

// batch is the cells of one call of Do.
type batch struct {
	dir  string
	list []cells.Cell
	done cells.Done
	told map[string]bool // names of files
}

func (b *batch) path(name string) string { return files.Join(b.dir, name) }

// begin makes the folder, with the orders for the workers.
func (b *batch) begin() error {
	if err := files.Folder(b.dir); err != nil {
		return err
	}
	all := map[string]cells.Order{}
	for _, c := range b.list {
		all[c.Name] = c.Order
	}
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(all); err != nil {
		return err
	}
	return files.Write(b.path(orders), text.Bytes())
}

// clear removes the folder.
func (b *batch) clear() {
	paths, _ := files.Glob(b.path("*"))
	for _, p := range append(paths, b.dir) {
		files.Remove(p)
	}
}

// job does what is missing, and tells of outcomes as they come.
func (b *batch) job(ctx context.Context) error {
	pipeline, scope := beam.NewPipelineWithRoot()
	done := beam.ParDo(scope, &Do{Dir: b.dir}, beam.Reshuffle(scope, beam.CreateList(scope, b.missing())))
	beam.GroupByKey(scope, done) // Prism keeps a processor busy while a stage without output runs
	ended := make(chan error, 1)
	go func() { ended <- beamx.Run(ctx, pipeline) }()
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return errors.Join(b.collect(), ctx.Err())
		case err := <-ended:
			if failed := b.collect(); failed != nil {
				return failed
			}
			if missing := len(b.missing()); missing > 0 {
				return &jobError{errors.Join(fmt.Errorf("a job has ended with %d tasks undone", missing), err)}
			}
			return nil
		case <-time.After(wait):
		}
		begin := time.Now()
		if err := b.collect(); err != nil {
			return err
		}
		const often, share = 100 * time.Millisecond, 10 // of the time is spent on looking
		wait = max(often, share*time.Since(begin))
	}
}

// missing returns the tasks that are to be done: parts, and cells whose parts are all done.
func (b *batch) missing() []Task {
	var tasks []Task
	for _, c := range b.list {
		if b.told[wholeFile(c.Name)] {
			continue
		}
		undone := 0
		for k := range c.Parts {
			if !b.told[partFile(c.Name, k)] {
				tasks = append(tasks, Task{c.Name, k})
				undone++
			}
		}
		if undone == 0 {
			tasks = append(tasks, Task{Cell: c.Name})
		}
	}
	return tasks
}

// collect tells of outcomes that it has not told of. An error of a worker's is an error.
func (b *batch) collect() error {
	paths, err := files.Glob(b.path("*"))
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, p := range paths {
		there[path.Base(p)] = true
	}
	if there[fault] {
		text, err := files.Read(b.path(fault))
		return errors.Join(errors.New(string(text)), err)
	}
	for i := range b.list {
		c := &b.list[i]
		for k := range c.Parts {
			if name := partFile(c.Name, k); there[name] && !b.told[name] {
				b.told[name] = true
				if err := b.done(c, nil); err != nil {
					return err
				}
			}
		}
		if name := wholeFile(c.Name); there[name] && !b.told[name] {
			outcome, err := files.Read(b.path(name))
			if err != nil {
				return err
			}
			b.told[name] = true
			if err := b.done(c, outcome); err != nil {
				return err
			}
		}
	}
	return nil
}
