package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/guarantee"
)

// Count asks for evidence: the scores of a classifier in groups, added up.
type Count struct {
	Weights              []float64
	Intercept, Threshold float64
	Groups               []string // specifications
}

// Counter has rows in other places, which answer.
type Counter interface {
	// Count returns the answers of all places, in the order of their rows.
	Count(q *Count) ([]*guarantee.Added, error)
}

// Of returns the answer of rows.
func (q *Count) Of(d *dataset.Dataset) (*guarantee.Added, error) {
	s, err := scoredBy(q.Weights, q.Intercept, q.Threshold, d)
	if err != nil {
		return nil, err
	}
	return s.added(q.Groups, func(spec string) (*dataset.Strata, error) { return d.StrataAs(spec, nil) })
}

// CountElsewhere returns what rows in other places say about requirements by the scores of a
// classifier. Some of the rows, or none, are in d; places have all. It fails where Evidence does.
func CountElsewhere(places Counter, d *dataset.Dataset, c *classifier.Classifier, requirements []guarantee.Requirement) (*guarantee.Added, error) {
	answers, err := places.Count(&Count{Weights: c.Weights, Intercept: c.Intercept, Threshold: c.Threshold, Groups: guarantee.GroupsOf(requirements)})
	if err != nil {
		return nil, err
	}
	all := new(guarantee.Added)
	for _, a := range answers {
		all.Merge(a)
	}
	if all.Rows != d.All() {
		return nil, fmt.Errorf("%s: %d rows were counted, expected %d", d.Name, all.Rows, d.All())
	}
	for spec, g := range all.Groups {
		names := d.Order(spec, g.Names)
		if len(names) != len(g.Names) {
			return nil, fmt.Errorf("%s: groups %q of %s, of which %q are known", d.Name, g.Names, spec, names)
		}
		g = g.Ordered(names)
		all.Groups[spec] = g
		for k, name := range g.Names {
			if err := dataset.CheckGroup(d.Name, name, g.Sums[2*k].Rows+g.Sums[2*k+1].Rows, all.Rows); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
