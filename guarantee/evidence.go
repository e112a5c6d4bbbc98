package guarantee

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Rows are what is known of rows: Evidence, row by row, or Added, which are sums.
type Rows interface {
	added() (*Added, error) // without faults
}

// Evidence is rows.
type Evidence struct {
	Scores    []float64 // in [0, 1], one a row
	Threshold float64   // the decision is positive where score ≥ Threshold
	Labels    []int8    // −1 or +1, one a row; nil if unknown
	Weights   []float64 // not below 0, one a row; nil for rows that count alike
	// Groups are the groups of every specification that a requirement names, no row in
	// two of them. A single group is compared with all other rows.
	Groups map[string][]Group
}

// Group is a named set of rows.
type Group struct {
	Name   string
	Member []bool // one a row
	Place
}

// Place says what a group is compared with: the groups of the same level. Others are the rows that are
// not in the one group that is bounded.
type Place struct {
	Level  int
	Others bool
}

// Others is the name of the rows that are not in a group that is alone.
const Others = "others"

// Everybody is the name of all rows where they are the group.
const Everybody = "all rows"

// Added is the sums of rows.
type Added struct {
	Rows     int
	Labelled bool
	Weighted bool
	// Groups are the groups of every specification that a requirement names, no row in two of
	// them.
	Groups map[string]AddedGroups
}

// AddedGroups are the groups of a specification.
type AddedGroups struct {
	Names  []string
	Places []Place // nil if any two groups are compared
	// Sums are of the rows of label −1 and of label +1 of each group, one after the other, and
	// at the end of all other rows. Where labels are unknown, it does not matter which is which.
	Sums []Sums
}

// Sums add up the scores of rows one by one. The zero value has no rows.
type Sums struct {
	Rows, Positive int // decisions
	// Few are the scores in their order, nil if there are more than fewRows.
	Few []float64
	// Powers are the sums of the first four powers of score − ½ if there are more than fewRows.
	Powers [4]Sum
	// Weighted is used instead of Few and Powers for rows that have weights.
	Weighted *Weighted
}

// Sum is a sum of numbers by Kahan (Communications of the ACM 8, 1965): its error does not grow
// with their number.
type Sum struct{ Value, Excess float64 }

func (s *Sum) add(x float64) {
	x -= s.Excess
	next := s.Value + x
	s.Excess = (next - s.Value) - x
	s.Value = next
}

// centre is what scores are measured from, so that little cancels.
const centre = 0.5

// Add adds a row, whose score is in [0, 1].
func (s *Sums) Add(score float64, positive bool) {
	if positive {
		s.Positive++
	}
	if s.Rows++; s.Rows <= fewRows {
		s.Few = append(s.Few, score)
		return
	}
	for _, x := range append(s.Few, score) {
		power := 1.0
		for k := range s.Powers {
			power *= x - centre
			s.Powers[k].add(power)
		}
	}
	s.Few = nil
}

// scores returns the scores by their moments.
func (s *Sums) scores() scores {
	if s.Weighted != nil {
		return s.Weighted.Scores.scores()
	}
	if s.Rows == len(s.Few) {
		return newScores(s.Few)
	}
	n := float64(s.Rows)
	p1, p2, p3, p4 := s.Powers[0].Value, s.Powers[1].Value, s.Powers[2].Value, s.Powers[3].Value
	d := p1 / n
	d2 := float64(d * d)
	return scores{
		count: s.Rows, mean: centre + d,
		sum2: max(0, p2-float64(d*p1)),
		sum3: p3 - float64(3*d*p2) + float64(2*d2*p1),
		sum4: max(0, p4-float64(4*d*p3)+float64(6*d2*p2)-float64(3*d2*d*p1)),
	}
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
	if s.weighted != nil {
		return s.weighted.with(t.weighted).scores()
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
	if s.weighted != nil {
		return s.weighted.scaled(factor, shift).scores()
	}
	f2 := factor * factor
	out := scores{count: s.count, mean: float64(factor*s.mean) + shift, sum2: f2 * s.sum2, sum3: f2 * factor * s.sum3, sum4: f2 * f2 * s.sum4}
	for _, x := range s.values {
		out.values = append(out.values, float64(factor*x)+shift)
	}
	return out
}

// added fails if the sums are not of the same rows for every specification.
func (a *Added) added() (*Added, error) {
	for spec, g := range a.Groups {
		if len(g.Sums) != 2*len(g.Names)+2 {
			return nil, fmt.Errorf("%s: %d sums for %d groups and the other rows", spec, len(g.Sums), len(g.Names))
		}
		rows := 0
		for k := range g.Sums {
			rows += g.Sums[k].Rows
		}
		if rows != a.Rows {
			return nil, fmt.Errorf("%s: sums of %d rows, of %d", spec, rows, a.Rows)
		}
	}
	if a.Rows == 0 {
		return nil, errors.New("no rows")
	}
	return a, nil
}

// added adds the rows up.
func (e Evidence) added() (*Added, error) {
	if err := e.validate(); err != nil {
		return nil, err
	}
	a := &Added{Rows: len(e.Scores), Labelled: e.Labels != nil, Weighted: e.Weights != nil, Groups: map[string]AddedGroups{}}
	for spec, groups := range e.Groups {
		group := slices.Repeat([]int{len(groups)}, len(e.Scores)) // of each row
		names, places := make([]string, len(groups)), make([]Place, len(groups))
		for k, g := range groups {
			names[k], places[k] = g.Name, g.Place
			if len(g.Member) != len(group) {
				return nil, fmt.Errorf("group %s has %d entries for %d rows", g.Name, len(g.Member), len(group))
			}
			for i, in := range g.Member {
				switch {
				case in && group[i] < len(groups):
					return nil, fmt.Errorf("row %d is in group %s and in another one", i+1, g.Name)
				case in:
					group[i] = k
				}
			}
		}
		sums := make([]Sums, 2*len(groups)+2)
		for i, score := range e.Scores {
			k := 2 * group[i]
			if a.Labelled && e.Labels[i] > 0 {
				k++
			}
			if a.Weighted {
				sums[k].AddWeighted(score, score >= e.Threshold, e.Weights[i])
			} else {
				sums[k].Add(score, score >= e.Threshold)
			}
		}
		a.Groups[spec] = AddedGroups{names, places, sums}
	}
	return a, nil
}

func (e Evidence) validate() error {
	if len(e.Scores) == 0 {
		return errors.New("no rows")
	}
	for i, s := range e.Scores {
		if !(s >= 0 && s <= 1) {
			return fmt.Errorf("the score of row %d is %v, must be in [0, 1]", i+1, s)
		}
	}
	if math.IsNaN(e.Threshold) {
		return errors.New("the threshold is not a number")
	}
	if e.Labels != nil && len(e.Labels) != len(e.Scores) {
		return fmt.Errorf("%d labels for %d scores", len(e.Labels), len(e.Scores))
	}
	if e.Weights != nil && len(e.Weights) != len(e.Scores) {
		return fmt.Errorf("%d weights for %d scores", len(e.Weights), len(e.Scores))
	}
	for i, w := range e.Weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("the weight of row %d is %v, must be 0 or more and finite", i+1, w)
		}
	}
	for i, y := range e.Labels {
		if y != 1 && y != -1 {
			return fmt.Errorf("the label of row %d is %d, must be -1 or +1", i+1, y)
		}
	}
	return nil
}

// mean returns the mean of all scores. All specifications have all rows; the sum must not depend on
// the order of a map.
func (a *Added) mean() float64 {
	var all scores
	g := a.Groups[slices.Min(slices.Collect(maps.Keys(a.Groups)))]
	for k := range g.Sums {
		all = all.with(g.Sums[k].scores())
	}
	return all.mean
}

// cell is one of the groups, by the label of its rows.
type cell struct {
	name               string
	negative, positive stratum
	level              int
	others             bool
}

// stratum are the rows of a group and a label.
type stratum struct {
	*Sums
	scores scores
}

// cells returns the groups of a specification, and then the other rows.
func (a *Added) cells(spec string) ([]cell, error) {
	g, known := a.Groups[spec]
	if !known {
		return nil, fmt.Errorf("there are no groups %q", spec)
	}
	sums := slices.Clone(g.Sums)
	largest := 0.0
	for _, s := range sums {
		if s.Weighted != nil {
			largest = max(largest, s.Weighted.Decisions.Largest)
		}
	}
	for k := range sums {
		if w := sums[k].Weighted; w != nil {
			sums[k].Weighted = w.largest(largest)
		}
	}
	var cells []cell
	for k, name := range append(g.Names[:len(g.Names):len(g.Names)], Others) {
		negative, positive := &sums[2*k], &sums[2*k+1]
		c := cell{name: name, negative: stratum{negative, negative.scores()}, positive: stratum{positive, positive.scores()}}
		if k < len(g.Places) {
			c.level, c.others = g.Places[k].Level, g.Places[k].Others
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// rows is the number of rows of both labels.
func (c *cell) rows() int { return c.count(anyLabel) }

// sameLevel reports whether a cell is at the same level.
func (c *cell) sameLevel(other cell) bool { return c.level == other.level }

// count is the number of rows of a label.
func (c *cell) count(label int8) (n int) {
	for _, s := range c.strata(label) {
		n += s.Rows
	}
	return n
}

// strata returns the rows of a label.
func (c *cell) strata(label int8) []stratum {
	switch {
	case label > 0:
		return []stratum{c.positive}
	case label < 0:
		return []stratum{c.negative}
	}
	return []stratum{c.negative, c.positive}
}

// scores returns those of the rows of a label.
func (c *cell) scores(label int8) (all scores) {
	for _, s := range c.strata(label) {
		all = all.with(s.scores)
	}
	return all
}

// arm returns a rate among the rows of a label, without a name: by their scores, or their decisions.
func (c *cell) arm(label int8, rate Rate, decisions bool) arm {
	var a arm
	var weighted scores
	for k, s := range []stratum{c.negative, c.positive} {
		if label != anyLabel && (label > 0) != (k > 0) {
			continue
		}
		of := func(x scores) scores {
			if rate.flips(k > 0) {
				return x.scaled(-1, 1)
			}
			return x
		}
		a.scores = a.with(of(s.scores))
		if s.Weighted != nil {
			weighted = weighted.with(of(s.Weighted.Decisions.scores()))
		}
		if rate.flips(k > 0) {
			a.least += s.Rows - s.Positive
		} else {
			a.least += s.Positive
		}
	}
	if !decisions {
		a.rate = a.mean
		return a
	}
	a.most, a.rate = a.least, float64(a.least)/a.rows()
	if weighted.count > 0 { // what is not a whole number speaks for neither side
		const rounding = 1e-9
		a.scores, a.rate = weighted, weighted.mean
		positive := a.rate * a.rows()
		a.least, a.most = int(math.Floor(positive+rounding)), int(math.Ceil(positive-rounding))
	}
	return a
}
