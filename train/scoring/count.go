package scoring

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Count asks for numbers of rows by the groups of a specification, and how many of them a classifier
// decides positively.
type Count struct {
	Weights              []float64
	Intercept, Threshold float64
	Group                string // a specification
}

// Counted are these numbers, by label −1 and +1 of each group, one after the other, and at the end of all
// other rows.
type Counted struct {
	Names          []string // of the groups
	Rows, Positive []int
}

// Of returns the answer of rows.
func (q *Count) Of(d *dataset.Dataset) (*Counted, error) {
	strata, err := d.StrataAs(q.Group, nil)
	if err != nil {
		return nil, err
	}
	s, err := byWeights(q.Weights, q.Intercept, q.Threshold, d)
	if err != nil {
		return nil, err
	}
	c := &Counted{Names: strata.Names, Rows: make([]int, strata.Len())}
	for k := range c.Rows {
		c.Rows[k] = strata.Size(k)
	}
	c.Positive, err = s.From(q.Threshold, strata)
	return c, err
}

// place returns where the numbers of a group are; "" stands for all other rows. A new group gets a place.
func (c *Counted) place(name string) int {
	if name == "" {
		return 2 * len(c.Names)
	}
	at := slices.Index(c.Names, name)
	if at < 0 {
		at = len(c.Names)
		c.Names = append(c.Names, name)
		c.Rows, c.Positive = slices.Insert(c.Rows, 2*at, 0, 0), slices.Insert(c.Positive, 2*at, 0, 0)
	}
	return 2 * at
}

// add adds the numbers of other rows, of groups in this order.
func (c *Counted) add(other *Counted, names []string) {
	for _, name := range append(slices.Clone(names), "") {
		to, from := c.place(name), other.place(name)
		for k := range 2 {
			c.Rows[to+k] += other.Rows[from+k]
			c.Positive[to+k] += other.Positive[from+k]
		}
	}
}

// count counts the rows of places by the groups of a specification, in the order of the groups.
func (s *Scored) count(spec string, threshold float64) (*Counted, error) {
	d := s.data
	answers, err := s.places.Count(&Count{Weights: s.by.Weights, Intercept: s.by.Intercept, Threshold: threshold, Group: spec})
	if err != nil {
		return nil, err
	}
	sum := &Counted{Rows: make([]int, 2), Positive: make([]int, 2)}
	for _, a := range answers {
		sum.add(a, a.Names)
	}
	names := d.Order(spec, sum.Names)
	if len(names) != len(sum.Names) {
		return nil, fmt.Errorf("%s: groups %q of %s, of which %q are known", d.Name, sum.Names, spec, names)
	}
	all := &Counted{Rows: make([]int, 2), Positive: make([]int, 2)}
	all.add(sum, names)
	rows := 0
	for _, n := range all.Rows {
		rows += n
	}
	if rows != d.All() {
		return nil, fmt.Errorf("%s: %d rows were counted, expected %d", d.Name, rows, d.All())
	}
	for k, name := range names {
		if err := dataset.CheckGroup(d.Name, name, all.Rows[2*k]+all.Rows[2*k+1], rows); err != nil {
			return nil, err
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
	counted, err := s.count(spec, s.by.Threshold)
	if err != nil {
		return nil, nil, err
	}
	strata, err := s.data.StrataAs(spec, counted.Names)
	return strata, counted.Rows, err
}

// From returns the number of rows of each stratum whose scores are at least a threshold.
func (s *Scored) From(threshold float64, strata *dataset.Strata) ([]int, error) {
	if s.places != nil {
		counted, err := s.count(strata.Spec, threshold)
		if err != nil {
			return nil, err
		}
		return counted.Positive, nil
	}
	counts := make([]int, strata.Len())
	return counts, s.Each(func(lo int, scores []float64) error {
		for k, score := range scores {
			if score >= threshold {
				counts[strata.Of(lo+k)]++
			}
		}
		return nil
	})
}
