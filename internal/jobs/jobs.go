// Package jobs is the seam between work that falls into parts and what does it.
//
// A Job does one part at a time: a run of a comparison, or a question about a shard of rows. Both
// job and parts are data, which gob can encode, so that an Executor may do them in this process
// (Local) or in others (the module beam). Package dataset/shards asks questions about rows by it.
package jobs

import (
	"context"
	"encoding/gob"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Job is what is to be done with each of some parts. What other processes need for it is in its
// exported fields; others may have what this process need not make again. It must find the same
// files in each process: other data are an error.
type Job interface {
	// Do returns the outcome for a part, the same wherever and whenever it is done, but for times.
	Do(ctx context.Context, part any) (outcome any, err error)
}

// Executor does jobs.
type Executor interface {
	// Do does a job with all parts, in any order. It calls done with the index of each part and its
	// outcome, one call at a time. It returns when all are done, or at the first error, also one of
	// done. Then some may be done, and none is done in part.
	Do(ctx context.Context, job Job, parts []any, done func(k int, outcome any) error) error
}

// Local does jobs in this process, so many parts at a time.
type Local int

// Do implements Executor.
func (l Local) Do(ctx context.Context, job Job, parts []any, done func(int, any) error) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(1, int(l)))
	var one sync.Mutex
	for k, part := range parts {
		group.Go(func() error {
			if running.Err() != nil {
				return running.Err()
			}
			outcome, err := job.Do(running, part)
			if err != nil {
				return err
			}
			one.Lock()
			defer one.Unlock()
			if running.Err() != nil {
				return running.Err()
			}
			return done(k, outcome)
		})
	}
	return group.Wait()
}

// Register makes types of jobs, parts and outcomes known to other processes. Equal values have
// equal encodings in all processes of a program: gob numbers types in the order in which it meets
// them, which is that of these calls, if packages make them when they are initialised.
func Register(values ...any) {
	for _, v := range values {
		gob.Register(v)
		if err := gob.NewEncoder(io.Discard).Encode(&v); err != nil {
			panic(err) // the type has nothing that can be encoded
		}
	}
}

// Cache has values by key, such as data that a process opens for several parts. Each is made when
// it is asked for first. One whose making failed is made again when it is asked for again: what
// was missing may be there then. The zero value is ready for use.
type Cache[K comparable, V any] struct{ made sync.Map } // from K to func() (V, error)

// Get returns the value of a key, which make makes. Of calls at the same time, one makes it.
func (v *Cache[K, V]) Get(key K, make func() (V, error)) (V, error) {
	f, _ := v.made.LoadOrStore(key, sync.OnceValues(make))
	value, err := f.(func() (V, error))()
	if err != nil {
		v.made.Delete(key)
	}
	return value, err
}
