package passes

import (
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// OpenExam returns the shards that match a pattern, to test on, and what is known of their rows.
func OpenExam(pattern string, s shards.Sample) ([]shards.Shard, catalogue.Input, error) {
	return s.Exam(pattern, first{s.Dir})
}

// Count returns what all shards say about groups.
func (p *Passes) Count(q *scoring.Count) (answers []*guarantee.Added, err error) {
	replies, err := p.ask(&question{Count: q})
	for _, r := range replies {
		answers = append(answers, r.Added)
	}
	return answers, err
}

// Hashes returns those by which a sketch of all rows knows them again.
func (p *Passes) Hashes() (hashes []uint64, err error) {
	last := p.shards[len(p.shards)-1]
	replies, err := p.ask(&question{Known: last.First + last.Rows})
	for _, r := range replies {
		hashes = append(hashes, r.Hashes...)
	}
	return hashes, err
}
