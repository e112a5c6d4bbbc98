// Package jobstest does jobs as other processes do.
package jobstest

import (
	"bytes"
	"context"
	"encoding/gob"

	"github.com/fairtrain/fairtrain/internal/jobs"
)

// Encoded does jobs of which it knows no more than their encodings. Outcomes are encoded, too.
type Encoded struct{}

// Do implements jobs.Executor.
func (Encoded) Do(ctx context.Context, job jobs.Job, parts []any, done func(int, any) error) error {
	if err := again(&job); err != nil {
		return err
	}
	there := make([]any, len(parts))
	for k, part := range parts {
		if err := again(&part); err != nil {
			return err
		}
		there[k] = part
	}
	return jobs.Local(2).Do(ctx, job, there, func(k int, outcome any) error {
		if err := again(&outcome); err != nil {
			return err
		}
		return done(k, outcome)
	})
}

// again makes a value of its encoding.
func again[T any](value *T) error {
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(value); err != nil {
		return err
	}
	var read T
	err := gob.NewDecoder(&text).Decode(&read)
	*value = read
	return err
}
