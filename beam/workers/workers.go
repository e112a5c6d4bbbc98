// Package workers does jobs with pipelines of Apache Beam.
//
//	Executor  the driver's side: pipelines, and outcomes as they come, this file
//	Work      the workers' side, worker.go
//
// Driver and workers share a folder. It has the jobs, and the outcomes of their parts, each in a
// file that is complete or not there. The name of an outcome's file is a hash of the job and the
// part.
package workers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

// Executor implements jobs.Executor. Starting a pipeline takes time, and so calls that come while
// one runs are done together by the next one.
type Executor struct {
	dir    string // that workers share
	stored string // a folder in which outcomes stay; empty: nothing stays

	mu        sync.Mutex
	waiting   []*call
	busy      bool
	pipelines int
}

// New returns what does jobs by workers that share a folder with this process. In the folder stored,
// unless it is empty, outcomes stay for a program that asks the same after this one.
func New(dir, stored string) *Executor { return &Executor{dir: dir, stored: stored} }

// Pipelines returns the number of pipelines so far.
func (e *Executor) Pipelines() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pipelines
}

// Movable is a part whose outcome does not depend on where its files are.
type Movable interface{ Anywhere() any }

// call is a call of Do.
type call struct {
	ctx   context.Context
	job   []byte // encoded
	name  string // of the job's file
	tasks []Task
	left  map[int]bool // parts without an outcome
	done  func(int, any) error
	ended chan error
}

// Do implements jobs.Executor. If a pipeline fails, another one does what is missing.
func (e *Executor) Do(ctx context.Context, job jobs.Job, parts []any, done func(int, any) error) error {
	c := &call{ctx: ctx, left: map[int]bool{}, done: done, ended: make(chan error, 1)}
	var err error
	if c.job, err = encode(&job); err != nil {
		return err
	}
	c.name = hash(c.job)
	for k := range parts {
		part, err := encode(&parts[k])
		if err != nil {
			return err
		}
		id := part
		if same, ok := parts[k].(Movable); ok && e.stored != "" {
			here := same.Anywhere()
			if id, err = encode(&here); err != nil {
				return err
			}
		}
		c.left[k] = true
		c.tasks = append(c.tasks, Task{Job: c.name, Part: part, Name: "result-" + hash(append([]byte(c.name), id...))})
	}
	if e.stored != "" {
		if err := c.collect(e.stored); err != nil {
			return err
		}
	}
	if len(c.left) == 0 {
		return nil
	}
	e.mu.Lock()
	e.waiting = append(e.waiting, c)
	if !e.busy {
		e.busy = true
		go e.work()
	}
	e.mu.Unlock()
	return <-c.ended
}

// work runs pipelines until nobody waits.
func (e *Executor) work() {
	for {
		e.mu.Lock()
		calls := e.waiting
		e.waiting = nil
		e.busy = len(calls) > 0
		e.mu.Unlock()
		if len(calls) == 0 {
			return
		}
		began := time.Now()
		b := &batch{Executor: e, calls: calls}
		if err := b.do(); err != nil {
			b.end(err)
		}
		e.gather(len(calls), time.Since(began)/10)
	}
}

// gather waits for so many calls, for some time at most: who was answered soon asks again, and one
// pipeline then answers what two would otherwise in turn.
func (e *Executor) gather(expected int, most time.Duration) {
	for began := time.Now(); time.Since(began) < most; time.Sleep(time.Millisecond) {
		e.mu.Lock()
		n := len(e.waiting)
		e.mu.Unlock()
		if n >= expected {
			return
		}
	}
}

// batch is calls that are done together.
type batch struct {
	*Executor
	calls    []*call // that have not ended
	dir      string  // of jobs, and of faults
	outcomes string  // folder
}

// attempts is how often a pipeline is tried. Runners give up when too many workers die.
const attempts = 3

func (b *batch) do() (err error) {
	b.dir = filepath.Join(b.Executor.dir, "jobs-"+rand.Text())
	b.outcomes = b.dir
	if b.stored != "" {
		b.outcomes = b.stored
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	for _, c := range b.calls {
		if err := atomicfile.WriteFile(filepath.Join(b.dir, c.name), c.job); err != nil {
			return err
		}
	}
	for range attempts {
		if err = b.run(); err == nil || len(b.calls) == 0 {
			break
		}
	}
	if err != nil { // workers may go on
		return errors.Join(err, atomicfile.WriteFile(filepath.Join(b.dir, stop), []byte(stop)))
	}
	return os.RemoveAll(b.dir)
}

// run does what is missing with a pipeline, and hands over outcomes as they come. Calls that can't
// be done end, and when all have ended, an error is returned.
func (b *batch) run() error {
	b.mu.Lock()
	b.pipelines++
	b.mu.Unlock()
	var tasks []Task
	for _, c := range b.calls {
		for k := range c.tasks {
			if c.left[k] {
				tasks = append(tasks, c.tasks[k])
			}
		}
	}
	pipeline, scope := beam.NewPipelineWithRoot()
	done := beam.ParDo(scope, &Work{Dir: b.dir, Outcomes: b.outcomes},
		beam.Reshuffle(scope, beam.CreateList(scope, tasks)))
	beam.GroupByKey(scope, done) // Prism keeps a processor busy while a stage without output runs
	ended := make(chan error, 1)
	go func() { ended <- beamx.Run(context.Background(), pipeline) }()
	for wait := time.Duration(0); ; {
		select {
		case err := <-ended:
			if b.collect(); len(b.calls) > 0 {
				return errors.Join(errors.New("a pipeline has ended before all was done"), err)
			}
			return nil
		case <-time.After(wait):
		}
		began := time.Now()
		if b.collect(); len(b.calls) == 0 {
			return b.finished(ended)
		}
		const often, share = 50 * time.Millisecond, 10 // of the time is spent on looking
		wait = max(often, share*time.Since(began))
	}
}

// finished waits for a pipeline that has nothing more to do, unless calls were given up.
func (b *batch) finished(ended <-chan error) error {
	const soon = 10 * time.Second
	select {
	case <-ended:
		return nil
	case <-time.After(soon):
		return errors.New("a pipeline goes on after its calls have ended")
	}
}

// collect hands over outcomes, and ends calls that are done, or can't be.
func (b *batch) collect() {
	b.calls = slices.DeleteFunc(b.calls, func(c *call) bool {
		err := c.collect(b.dir)
		if err == nil && b.stored != "" {
			err = c.collect(b.stored)
		}
		if err == nil {
			err = c.ctx.Err()
		}
		if err == nil && len(c.left) > 0 {
			return false
		}
		if err != nil {
			err = errors.Join(err, atomicfile.WriteFile(filepath.Join(b.dir, c.name+stop), []byte(stop)))
		}
		c.ended <- err
		return true
	})
}

// end ends all calls.
func (b *batch) end(err error) {
	for _, c := range b.calls {
		c.ended <- err
	}
}

// collect hands over the outcomes that are in a folder.
func (c *call) collect(dir string) error {
	for k := range c.tasks {
		if !c.left[k] {
			continue
		}
		o, err := readOutcome(filepath.Join(dir, c.tasks[k].Name))
		if err != nil {
			return err
		}
		if o == nil {
			continue
		}
		if o.Fault != "" {
			return errors.New(o.Fault)
		}
		delete(c.left, k)
		if err := c.done(k, o.Value); err != nil {
			return err
		}
	}
	return nil
}

// readOutcome returns what is in a file, nil if it is not there. A damaged one is none.
func readOutcome(path string) (*outcome, error) {
	content, err := atomicfile.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if len(content) < sha256.Size {
		return nil, nil
	}
	text := content[sha256.Size:]
	if sha256.Sum256(text) != [sha256.Size]byte(content[:sha256.Size]) {
		return nil, nil
	}
	o := new(outcome)
	if err := decode(text, o); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Quiet keeps Beam from logging what it does: it logs every pipeline.
func Quiet() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}
