package decide

import (
	"fmt"
	"sync"

	"github.com/fairtrain/fairtrain/dataset"
)

// Places have the rows of which the rows here are a sample.
type Places interface {
	// Decided returns the answers of all places.
	Decided(q *Question) ([]*Answer, error)
}

// elsewhere are the rows in other places.
type elsewhere struct {
	places Places
	rows   int

	mu  sync.Mutex
	err error // the first one
}

// Err returns the first error of the places. What is counted afterwards means nothing.
func (j *Judge) Err() error {
	if j.elsewhere == nil {
		return nil
	}
	j.elsewhere.mu.Lock()
	defer j.elsewhere.mu.Unlock()
	return j.elsewhere.err
}

// ask returns the answer of all rows to a question about a line.
func (j *Judge) ask(q *Question, l Line) *Answer {
	if q.Scores == nil {
		q.Scores = make([]bool, len(j.touched))
	}
	sum := j.nothing(q)
	if j.elsewhere != nil {
		q.At, q.Along = l.T.linear(), l.D.linear()
		for _, on := range j.touched {
			q.Groups = append(q.Groups, Groups{on.Spec, on.Names, on.Unweighted() == on.Strata})
		}
		j.elsewhere.ask(q, sum)
		return sum
	}
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
			sum.add(a)
		}
	}
	return sum
}

// constantElsewhere returns the features of a partition that have in all rows the values which they
// have in each cell here.
func (j *Judge) constantElsewhere(p *Partition, values []map[int]float64) (features []int) {
	q := &Question{Grid: Grid{Points: 1}, Groups: []Groups{{Spec: p.Spec, Names: p.Names}}}
	for _, feature := range p.features {
		v := Values{Feature: feature, Of: make([]float64, len(p.Names)+1)}
		for c := range values {
			v.Of[c] = values[c][feature]
		}
		q.Values = append(q.Values, v)
	}
	if len(q.Values) == 0 {
		return nil
	}
	sum := q.nothing([]*dataset.Strata{p.Strata})
	j.elsewhere.ask(q, sum)
	for k, others := range sum.Others {
		if others == 0 {
			features = append(features, p.features[k])
		}
	}
	return features
}

// ask adds the answers of all places to a sum.
func (e *elsewhere) ask(q *Question, sum *Answer) {
	answers, err := e.places.Decided(q)
	for _, a := range answers {
		if err == nil && !a.like(sum) {
			err = fmt.Errorf("%d rows were counted for another question", a.Rows)
		}
		if err == nil {
			sum.add(a)
		}
	}
	if err == nil && sum.Rows != e.rows {
		err = fmt.Errorf("%d rows were counted, expected %d", sum.Rows, e.rows)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
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
