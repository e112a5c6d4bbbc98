package decide

import (
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
)

// Err returns the first error of shards. What is counted afterwards means nothing.
func (j *Judge) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// askShards returns the answer of all shards; no rows after an error.
func (j *Judge) askShards(q *Question, strata []*dataset.Strata) *Answer {
	sum, err := shards.Sum[*Answer](j.shards, q)
	if err == nil {
		return sum
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = err
	}
	return q.nothing(strata)
}

// ask returns the answer of all rows to a question about a line.
func (j *Judge) ask(q *Question, l Line) *Answer {
	if q.Scores == nil {
		q.Scores = make([]bool, len(j.touched))
	}
	if j.shards != nil {
		q.At, q.Along = l.T.linear(), l.D.linear()
		for _, on := range j.touched {
			q.Groups = append(q.Groups, on.ID())
		}
		return j.askShards(q, j.strata())
	}
	sum := j.nothing(q)
	var answers [Parts]*Answer // nil for parts that few rows don't have
	for _, rows := range j.sets(l) {
		InParts(rows.t.Rows(), func(part, lo, hi int) {
			if answers[part] == nil {
				answers[part] = j.nothing(q)
			}
			rows.add(answers[part], q, lo, hi)
		})
	}
	for _, a := range answers {
		if a != nil {
			sum.Add(a)
		}
	}
	return sum
}

// nothing is the answer of no rows.
func (j *Judge) nothing(q *Question) *Answer { return q.nothing(j.strata()) }

func (j *Judge) strata() (all []*dataset.Strata) {
	for _, on := range j.touched {
		all = append(all, on.Strata)
	}
	return all
}

// sets returns the rows of a line that are here: one set, or those to train on and those of the
// constraints.
func (j *Judge) sets(l Line) []*counted {
	on := &counted{t: l.T, d: l.D, labels: j.d.Y, shares: &j.weight}
	if j.same {
		on.strata = j.strata()
		return []*counted{on}
	}
	return []*counted{on, {t: l.TS, d: l.DS, strata: j.strata()}}
}
