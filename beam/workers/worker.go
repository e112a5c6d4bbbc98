package workers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

func init() {
	register.DoFn2x3[context.Context, Task, string, int, error](&Work{})
	if _, err := encode(&outcome{}); err != nil { // numbers its type, see jobs.Register
		panic(err)
	}
}

// Task is an element: a job with one of its parts.
type Task struct {
	Job  string // name of its file
	Part []byte // encoded
	Name string // of the file for the outcome
}

// outcome is what a task leaves.
type outcome struct {
	Value any
	Fault string // why the part cannot be done, if it can't. Nothing would be gained if it were tried again
}

// stop is a file that says that the driver has ended, and the ending of one that says it of a job.
const stop = "stop"

// Work does tasks.
type Work struct {
	Dir      string // has the jobs
	Outcomes string // folder

	name string // of the job that it did last
	job  jobs.Job
}

// ProcessElement does one task and returns its name. It is an error if the shared folder cannot be
// used; the runner may try again. What is done is not done again then.
func (f *Work) ProcessElement(ctx context.Context, t Task) (name string, _ int, _ error) {
	return t.Name, 0, f.do(ctx, t)
}

func (f *Work) do(ctx context.Context, t Task) error {
	path := filepath.Join(f.Outcomes, t.Name)
	if o, err := readOutcome(path); o != nil || err != nil || f.stopped(t) {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go f.watch(ctx, cancel, t)
	if err := f.load(t); err != nil {
		return err
	}
	var part any
	if err := decode(t.Part, &part); err != nil {
		return err
	}
	var o outcome
	value, err := f.job.Do(ctx, part)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		o.Fault, path = err.Error(), filepath.Join(f.Dir, t.Name) // it does not stay
	default:
		o.Value = value
	}
	text, err := encode(&o)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	return atomicfile.WriteFile(path, append(sum[:], text...))
}

// load makes the job of a task.
func (f *Work) load(t Task) error {
	if f.name == t.Job {
		return nil
	}
	text, err := atomicfile.ReadFile(filepath.Join(f.Dir, t.Job))
	if err == nil {
		err = decode(text, &f.job)
	}
	if err == nil {
		f.name = t.Job
	}
	return err
}

// stopped reports whether nobody waits for a task any more.
func (f *Work) stopped(t Task) bool {
	for _, name := range []string{stop, t.Job + stop} {
		if _, err := os.Stat(filepath.Join(f.Dir, name)); err == nil {
			return true
		}
	}
	_, err := os.Stat(f.Dir)
	return os.IsNotExist(err)
}

// watch cancels a task when nobody waits for it any more.
func (f *Work) watch(ctx context.Context, cancel context.CancelFunc, t Task) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if f.stopped(t) {
			cancel()
		}
	}
}

func encode[T any](value *T) ([]byte, error) {
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(value)
	return text.Bytes(), err
}

func decode[T any](text []byte, value *T) error {
	return gob.NewDecoder(bytes.NewReader(text)).Decode(value)
}
