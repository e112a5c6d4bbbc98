// Package shards asks questions about rows that are cut into shards.
//
// A Question is data with a method, which answers it for the rows of one shard. Answers of all
// shards come back in the order of the shards (Ask), or added up (Sum). An executor of package jobs
// has processors or other machines answer. Rows in memory are one shard of this process (InMemory),
// so that there is no second way of counting rows.
package shards

import (
	"context"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

// Shard has some of the rows of a data set.
type Shard interface {
	// Open returns the rows, and the number of rows in the shards before.
	Open() (d *dataset.Dataset, first int, err error)
}

// Question is asked of the rows of every shard.
type Question interface {
	// Of returns the answer of rows, given the number of rows before them.
	Of(d *dataset.Dataset, first int) (answer any, err error)
}

// Rows are the rows of a data set in shards, in their order.
type Rows struct {
	Shards   []Shard
	Executor jobs.Executor
}

// InMemory returns the rows of this process, which are one shard.
func InMemory(d *dataset.Dataset) *Rows {
	return &Rows{Shards: []Shard{memory{d, 0}}, Executor: jobs.Local(1)}
}

// Cut returns rows in shards of this process, each of which begins at one of some ascending numbers
// of rows, the first at 0.
func Cut(d *dataset.Dataset, at ...int) *Rows {
	r := &Rows{Executor: jobs.Local(1)}
	for k, lo := range at {
		hi := d.Rows()
		if k+1 < len(at) {
			hi = at[k+1]
		}
		rows := make([]int, hi-lo)
		for i := range rows {
			rows[i] = lo + i
		}
		r.Shards = append(r.Shards, memory{d.Pick(rows, d.Name), lo})
	}
	return r
}

// memory is a shard of this process.
type memory struct {
	*dataset.Dataset
	first int
}

func (m memory) Open() (*dataset.Dataset, int, error) { return m.Dataset, m.first, nil }

func init() { jobs.Register(onShards{}) }

// onShards is the job of a question. Its parts are shards.
type onShards struct{ Question Question }

// Do implements jobs.Job.
func (j onShards) Do(_ context.Context, part any) (any, error) {
	d, first, err := part.(Shard).Open()
	if err != nil {
		return nil, err
	}
	return j.Question.Of(d, first)
}

// Ask returns the answers of all shards, in their order.
func Ask[A any](r *Rows, q Question) ([]A, error) {
	parts, answers := make([]any, len(r.Shards)), make([]A, len(r.Shards))
	for k, s := range r.Shards {
		parts[k] = s
	}
	err := r.Executor.Do(context.Background(), onShards{q}, parts, func(k int, answer any) error {
		answers[k] = answer.(A)
		return nil
	})
	return answers, err
}

// Sum adds up the answers of all shards.
func Sum[A interface{ Add(A) }](r *Rows, q Question) (sum A, err error) {
	answers, err := Ask[A](r, q)
	if err != nil {
		return sum, err
	}
	sum = answers[0]
	for _, a := range answers[1:] {
		sum.Add(a)
	}
	return sum, nil
}
