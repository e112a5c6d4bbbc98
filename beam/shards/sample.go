package shards

import (
	"errors"
	"fmt"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/packed"
)

// Find returns the packed files that match a pattern as shards of which nothing else is known, in the
// order of their names.
func Find(pattern string) ([]Shard, error) {
	paths, err := files.Glob(pattern)
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

// Asker has places answer for shards.
type Asker interface {
	Survey(list []Shard, s *Survey) ([]*Found, error)
	Draw(list []Shard, d *Draw) (paths []string, err error)
}

// Sample is how many rows the driver is to hold, at random by the seed, of each label in each of some
// groups.
type Sample struct {
	Rows   int
	Groups []string
	Seed   uint64
	Dir    string // by which workers hand them over
}

// Open returns the shards that match a pattern, and their rows: all of them or, if they are more, a
// sample. Nothing but the sample comes here then.
func (s Sample) Open(pattern string, ask Asker) ([]Shard, catalogue.Input, error) {
	var in catalogue.Input
	list, err := Find(pattern)
	if err != nil {
		return nil, in, err
	}
	survey := &Survey{Groups: s.Groups}
	all, err := ask.Survey(list, survey)
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
	draw := survey.draw(all, s.Rows, s.Seed, s.Dir)
	paths, err := ask.Draw(list, draw)
	if err != nil {
		return nil, in, err
	}
	in, err = s.read(paths, list[0].Features)
	if err != nil {
		return nil, in, err
	}
	in.Rows.Name = pattern
	if err := draw.stand(in.Rows, count, rows); err != nil {
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

// read reads the rows drawn.
func (s Sample) read(paths []string, features int) (catalogue.Input, error) {
	var opened []*packed.File
	for _, path := range paths {
		if path == "" {
			continue
		}
		f, _, err := open(path, features)
		if err != nil {
			return catalogue.Input{}, err
		}
		defer files.Remove(path)
		opened = append(opened, f)
	}
	if len(opened) == 0 {
		return catalogue.Input{}, errors.New("no rows were drawn")
	}
	return join(opened, features)
}
