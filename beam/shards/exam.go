package shards

import (
	"fmt"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/ledger"
)

// Are reports whether a name is that of shards: one that matches packed files, or paths elsewhere.
func Are(name string) bool {
	paths, err := files.Glob(name)
	return err != nil || len(paths) > 0 && (!files.Local(name) || catalogue.IsPacked(paths[0]))
}

// Exam returns the shards that match a pattern, to test on, and their rows or, if they are more than
// those of the sample, a sample of none of them: what they are called, and the levels of their groups.
func (s Sample) Exam(pattern string, ask Asker) ([]Shard, catalogue.Input, error) {
	var in catalogue.Input
	list, err := Find(pattern)
	if err != nil {
		return nil, in, err
	}
	all, err := ask.Survey(list, &Survey{})
	if err != nil {
		return nil, in, err
	}
	_, rows := cellsOf(all)
	if rows <= s.Rows {
		return openAll(pattern, s.Features)
	}
	if all[0].Weighted {
		return nil, in, fmt.Errorf("%s: the rows have weights, but a test by workers counts every row once; %d rows are compared here, by --sample %[2]d", pattern, rows)
	}
	if list, err = known(list, all); err != nil {
		return nil, in, err
	}
	for k := range list {
		list[k].Features = max(list[k].Features, s.Features)
	}
	one, _, err := open(list[0].Path, list[0].Features)
	if err != nil {
		return nil, in, err
	}
	d := &dataset.Dataset{Name: pattern, Hash: hashOf(all), SampleOf: rows}
	for _, a := range one.Data.Attributes {
		d.Attributes = append(d.Attributes, dataset.Attribute{Name: a.Name, Levels: a.Levels})
	}
	return list, catalogue.Input{Packed: true, Encoding: one.Encoding, Rows: d}, nil
}

// Hashes returns those by which a sketch of so many rows knows the rows of a shard again.
func (s Shard) Hashes(rows int) ([]uint64, error) {
	f, err := s.load()
	if err != nil {
		return nil, err
	}
	ids, err := catalogue.Input{Rows: f.Data, Encoding: f.Encoding, Identities: f.Identities}.Identified()
	if err != nil {
		return nil, err
	}
	return ledger.NewSketch(rows, ids).Hashes, nil
}
