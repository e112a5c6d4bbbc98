package guarantee

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Added is what is known of rows that are too many to be kept: sums of their scores.
type Added struct {
	Rows     int
	Labelled bool
	// Groups are the groups of every specification that a requirement names, no row in two of
	// them.
	Groups map[string]AddedGroups
}

// AddedGroups are the groups of a specification.
type AddedGroups struct {
	Names []string
	// Sums are of the rows of label −1 and of label +1 of each group, one after the other, and
	// at the end of all other rows. Where labels are unknown, it does not matter which is which.
	Sums []Sums
}

// with returns the scores of s and of t together, by Pébay's sums of powers (Sandia report
// SAND2008-6212, 2008).
func (s scores) with(t scores) scores {
	if s.count == 0 || t.count == 0 {
		if s.count == 0 {
			s = t
		}
		return s
	}
	a, b, n := s.rows(), t.rows(), s.rows()+t.rows()
	both := scores{count: s.count + t.count}
	if both.count <= fewRows {
		both.values = append(append(both.values, s.values...), t.values...)
	}
	d := t.mean - s.mean
	a, b = a/n, b/n
	both.mean = s.mean + float64(d*b)
	both.sum2 = s.sum2 + t.sum2 + float64(n*a*b*d*d)
	both.sum3 = s.sum3 + t.sum3 + float64(n*a*b*(a-b)*d*d*d) + float64(3*d*(float64(a*t.sum2)-float64(b*s.sum2)))
	both.sum4 = s.sum4 + t.sum4 + float64(n*a*b*(1-float64(3*a*b))*d*d*d*d) +
		float64(6*d*d*(float64(a*a*t.sum2)+float64(b*b*s.sum2))) + float64(4*d*(float64(a*t.sum3)-float64(b*s.sum3)))
	return both
}

// scaled returns the scores factor·x + shift.
func (s scores) scaled(factor, shift float64) scores {
	f2 := factor * factor
	out := scores{count: s.count, mean: float64(factor*s.mean) + shift, sum2: f2 * s.sum2, sum3: f2 * factor * s.sum3, sum4: f2 * f2 * s.sum4}
	for _, x := range s.values {
		out.values = append(out.values, float64(factor*x)+shift)
	}
	return out
}

// Merge adds other rows, which come after these. New groups get a place behind those that are there.
func (a *Added) Merge(b *Added) {
	a.Labelled = b.Labelled && (a.Labelled || a.Rows == 0)
	a.Rows += b.Rows
	if a.Groups == nil {
		a.Groups = map[string]AddedGroups{}
	}
	for spec, from := range b.Groups {
		to := a.Groups[spec]
		to.add(from)
		a.Groups[spec] = to
	}
}

func (g *AddedGroups) add(other AddedGroups) {
	if g.Sums == nil {
		g.Sums = make([]Sums, 2)
	}
	for k := range other.Sums {
		at := len(g.Names)
		if k/2 < len(other.Names) {
			name := other.Names[k/2]
			if at = slices.Index(g.Names, name); at < 0 {
				at = len(g.Names)
				g.Names = append(g.Names, name)
				g.Sums = slices.Insert(g.Sums, 2*at, Sums{}, Sums{})
			}
		}
		g.Sums[2*at+k%2].Merge(&other.Sums[k])
	}
}

// Ordered returns the groups that are named, in that order. The others must have no rows.
func (g AddedGroups) Ordered(names []string) AddedGroups {
	var o AddedGroups
	o.Sums = make([]Sums, 2*len(names)+2)
	for k, name := range names {
		if at := slices.Index(g.Names, name); at >= 0 {
			copy(o.Sums[2*k:], g.Sums[2*at:2*at+2])
		}
	}
	copy(o.Sums[2*len(names):], g.Sums[len(g.Sums)-2:])
	for k := range o.Sums {
		o.Sums[k].Few = slices.Clip(o.Sums[k].Few) // the next score of either is not to be the other's
	}
	o.Names = names
	return o
}

func (a *Added) validate() error {
	for spec, g := range a.Groups {
		if len(g.Sums) != 2*len(g.Names)+2 {
			return fmt.Errorf("%s: %d sums for %d groups and the other rows", spec, len(g.Sums), len(g.Names))
		}
		rows := 0
		for k := range g.Sums {
			rows += g.Sums[k].Rows
		}
		if rows != a.Rows {
			return fmt.Errorf("%s: sums of %d rows, of %d", spec, rows, a.Rows)
		}
	}
	if a.Rows == 0 {
		return errors.New("no rows")
	}
	return nil
}

func (a *Added) size() int      { return a.Rows }
func (a *Added) labelled() bool { return a.Labelled }

func (a *Added) mean() float64 {
	var all scores
	for k := range a.any().Sums {
		all = all.with(a.any().Sums[k].scores())
	}
	return all.mean
}

// any returns the groups of the first specification: they have all rows, as all others have, and
// the order of sums must not depend on that of a map.
func (a *Added) any() AddedGroups {
	return a.Groups[slices.Min(slices.Collect(maps.Keys(a.Groups)))]
}

func (a *Added) groups(spec string) ([]cell, error) {
	g, known := a.Groups[spec]
	if !known {
		return nil, fmt.Errorf("there are no groups %q", spec)
	}
	sums := make([]scores, len(g.Sums))
	for k := range sums {
		sums[k] = g.Sums[k].scores()
	}
	var cells []cell
	for k, name := range append(g.Names[:len(g.Names):len(g.Names)], Others) {
		negative, positive := sums[2*k], sums[2*k+1]
		cells = append(cells, cell{
			name: name,
			arm: func(label int8) arm {
				decisions := [2]int{g.Sums[2*k].Positive, g.Sums[2*k+1].Positive}
				switch {
				case label > 0:
					return arm{positive: decisions[1], scores: positive}
				case label < 0:
					return arm{positive: decisions[0], scores: negative}
				}
				return arm{positive: decisions[0] + decisions[1], scores: negative.with(positive)}
			},
			loss: func() scores { return negative.with(positive.scaled(-1, 1)) },
			share: func(delta float64) *groupShare {
				inside, outside := negative.with(positive), scores{}
				for j := range sums {
					if j/2 != k {
						outside = outside.with(sums[j])
					}
				}
				at := func(bound float64) scores {
					return inside.scaled(-bound, bound).with(outside.scaled(1-bound, bound))
				}
				all := inside.with(outside)
				return &groupShare{at: at, share: inside.mean * inside.rows() / (all.mean * all.rows()), all: all.mean, delta: delta}
			},
		})
	}
	return cells, nil
}
