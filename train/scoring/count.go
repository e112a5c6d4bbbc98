package scoring

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
	s, err := byWeights(q.Weights, q.Intercept, q.Threshold, d)
	if err != nil {
		return nil, err
	}
	return s.added(q.Groups, func(spec string) (*dataset.Strata, error) { return d.StrataAs(spec, nil) })
}

// CountElsewhere returns what rows in other places say about requirements by the scores of a
// classifier. Some of the rows, or none, are in d; places have all. It fails where Evidence does.
func CountElsewhere(places Counter, d *dataset.Dataset, c *classifier.Classifier, requirements []guarantee.Requirement) (*guarantee.Added, error) {
	return (&Count{Weights: c.Weights, Intercept: c.Intercept, Threshold: c.Threshold, Groups: guarantee.GroupsOf(requirements)}).everywhere(places, d)
}

// everywhere returns the answer of all rows.
func (q *Count) everywhere(places Counter, d *dataset.Dataset) (*guarantee.Added, error) {
	answers, err := places.Count(q)
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

// Groups returns the rows by the groups of a specification, and the number of rows of each stratum. If
// the rows are a sample, the strata are those of the sample, with the names of the groups of all rows.
func (s *Scored) Groups(spec string) (*dataset.Strata, []int, error) {
	if s.places == nil {
		strata, err := s.data.Strata(spec)
		if err != nil {
			return nil, nil, err
		}
		sizes := make([]int, strata.Len())
		for k := range sizes {
			sizes[k] = strata.Size(k)
		}
		return strata, sizes, nil
	}
	g, err := s.count(spec, s.by.Threshold)
	if err != nil {
		return nil, nil, err
	}
	strata, err := s.data.StrataAs(spec, g.Names)
	if err != nil {
		return nil, nil, err
	}
	var sizes []int
	for k := range g.Sums {
		sizes = append(sizes, g.Sums[k].Rows)
	}
	return strata, sizes, nil
}

// From returns the number of rows of each stratum whose scores are at least a threshold.
func (s *Scored) From(threshold float64, strata *dataset.Strata) ([]int, error) {
	counts := make([]int, strata.Len())
	if s.places != nil {
		g, err := s.count(strata.Spec, threshold)
		if err != nil {
			return nil, err
		}
		for k := range counts {
			counts[k] = g.Sums[k].Positive
		}
		return counts, nil
	}
	return counts, s.Each(func(lo int, scores []float64) error {
		for k, score := range scores {
			if score >= threshold {
				counts[strata.Of(lo+k)]++
			}
		}
		return nil
	})
}

// count counts the rows of places by the groups of a specification.
func (s *Scored) count(spec string, threshold float64) (guarantee.AddedGroups, error) {
	q := &Count{Weights: s.by.Weights, Intercept: s.by.Intercept, Threshold: threshold, Groups: []string{spec}}
	added, err := q.everywhere(s.places, s.data)
	if err != nil {
		return guarantee.AddedGroups{}, err
	}
	return added.Groups[spec], nil
}
