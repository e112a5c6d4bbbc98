package rows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

// Find returns the packed files that match a pattern as shards of which nothing else is known, in
// the order of their names.
func Find(pattern string) ([]Shard, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no file matches, expected packed files (data pack writes them)", pattern)
	}
	var list []Shard
	for k, path := range paths {
		list = append(list, Shard{Path: path, First: k})
	}
	return list, nil
}

// known returns shards of which all is known. They must be alike.
func known(list []Shard, all []*Found) ([]Shard, error) {
	first, features := 0, 0
	for k, f := range all {
		s := &list[k]
		s.First, s.Rows, s.Beginning = first, f.Rows, f.Beginning
		first += f.Rows
		features = max(features, f.Features)
		if f.Like == all[0].Like {
			continue
		}
		a, _, err := open(list[0].Path, 0)
		if err != nil {
			return nil, err
		}
		b, _, err := open(s.Path, 0)
		if err != nil {
			return nil, err
		}
		if err := alike(a, b); err != nil {
			return nil, err
		}
	}
	for k := range list {
		list[k].Features = features
	}
	return list, nil
}

// Sample is how many rows the driver is to hold, at random by the seed, of each label in each of
// some groups.
type Sample struct {
	Rows   int
	Groups []string
	Seed   uint64
}

// Open returns the shards that match a pattern, and their rows: all of them or, if they are more, a
// sample. Nothing but the sample comes here then: by looks at the files.
func (s Sample) Open(pattern string, by jobs.Executor) ([]Shard, catalogue.Input, error) {
	var in catalogue.Input
	list, err := Find(pattern)
	if err != nil {
		return nil, in, err
	}
	all, err := do[*Found](by, survey{s.Groups}, list)
	if err != nil {
		return nil, in, err
	}
	count, rows := cellsOf(all)
	if rows <= s.Rows {
		return Open(pattern)
	}
	if list, err = known(list, all); err != nil {
		return nil, in, err
	}
	if all[0].Weighted {
		return nil, in, fmt.Errorf("%s: the rows have weights, and must all be in this program, which --sample %d does", pattern, rows)
	}
	d := newDraw(s.Groups, count, rows, s.Rows, s.Seed)
	samples, err := do[drawn](by, d, list)
	if err != nil {
		return nil, in, err
	}
	if in, err = read(samples, list[0].Features); err != nil {
		return nil, in, err
	}
	in.Rows.Name = pattern
	if err := d.stand(in.Rows, count, rows); err != nil {
		return nil, in, err
	}
	in.Rows.Hash = hashOf(all)
	var lacking []dataset.ColumnCount
	for _, f := range all {
		lacking = append(lacking, f.Missing...)
	}
	in.Rows.Missing = missing(lacking, in.Encoding)
	return list, in, nil
}

// do does a job with shards and returns the outcomes.
func do[O any](by jobs.Executor, job jobs.Job, list []Shard) ([]O, error) {
	parts, outcomes := make([]any, len(list)), make([]O, len(list))
	for k, s := range list {
		parts[k] = s
	}
	return outcomes, by.Do(context.Background(), job, parts, func(k int, outcome any) error {
		outcomes[k] = outcome.(O)
		return nil
	})
}

// read reads the rows drawn.
func read(samples []drawn, features int) (catalogue.Input, error) {
	dir, err := os.MkdirTemp("", "fairtrain-sample-")
	if err != nil {
		return catalogue.Input{}, err
	}
	defer os.RemoveAll(dir)
	var opened []*packed.File
	for k, s := range samples {
		if len(s.File) == 0 {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.fpk", k))
		if err := os.WriteFile(path, s.File, 0o600); err != nil {
			return catalogue.Input{}, err
		}
		f, _, err := open(path, features)
		if err != nil {
			return catalogue.Input{}, err
		}
		opened = append(opened, f)
	}
	if len(opened) == 0 {
		return catalogue.Input{}, errors.New("no rows were drawn")
	}
	return join(opened, features)
}
