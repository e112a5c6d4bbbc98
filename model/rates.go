package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// Rate is a figure of a group that is affine in the scores, or decisions, of its rows: the mean of
// offset + slope·σ over the rows of the labels that count.
type Rate struct {
	Name string // in specifications
	// Metric is the figure of package fairness that has the same differences between groups. If
	// the rate is its complement, Complement is true.
	Metric     string
	Complement bool
	// decisions and scores name it on these, for programs.
	decisions, scores string
	lines             [2]*line // of rows of the label −1 and of +1; nil for those that don't count
}

type line struct{ offset, slope float64 }

// What groups have rates of. On scores they are what is to be expected of decisions that are positive
// with the probability σ.
var (
	accepted, rejected = &line{0, 1}, &line{1, -1}

	SelectionRate = &Rate{"selection_rate", "selection_rate", false, "selection_rate", "mean_score", [2]*line{accepted, accepted}}
	TPR           = &Rate{"tpr", "tpr", false, "true_positive_rate", "mean_score_of_positives", [2]*line{nil, accepted}}
	FPR           = &Rate{"fpr", "fpr", false, "false_positive_rate", "mean_score_of_negatives", [2]*line{accepted, nil}}
	TNR           = &Rate{"tnr", "tnr", false, "true_negative_rate", "expected_true_negative_rate", [2]*line{rejected, nil}}
	Accuracy      = &Rate{"accuracy", "accuracy", false, "accuracy", "expected_accuracy", [2]*line{rejected, accepted}}
	ErrorRate     = &Rate{"error_rate", "accuracy", true, "error_rate", "expected_error_rate", [2]*line{accepted, rejected}}
)

// On names the rate of decisions, or of scores, for programs.
func (r *Rate) On(on string) string {
	if on == Scores {
		return r.scores
	}
	return r.decisions
}

// Label is that of the rows that the rate is about, 0 for both.
func (r *Rate) Label() int8 {
	switch {
	case r.lines[0] == nil:
		return +1
	case r.lines[1] == nil:
		return -1
	}
	return anyLabel
}

const anyLabel int8 = 0

// maxGroups lets the states of a country fit, and no identifiers; mostNumbers lets their codes fit, and
// no ages, which are to be cut. maxWithin is for all levels of a column together.
const maxGroups, mostNumbers, maxWithin = 200, 60, 1000

// comparisons returns what the constraint compares on the rows of s, of decisions or scores. Groups
// of which no row counts are left out and named in lacking, if enough are left; and those of too few rows,
// named in small, too.
func (c GroupConstraint) comparisons(s *dataset.Dataset, on string) (list []Comparison, lacking, small []string, err error) {
	if err := c.check(); err != nil {
		return nil, nil, nil, err
	}
	for _, spec := range []string{c.Group, c.Within} {
		if err := s.CheckKnown(spec); err != nil {
			return nil, nil, nil, err
		}
	}
	strata, err := s.Strata(c.Cells())
	if err != nil {
		return nil, nil, nil, err
	}
	if c.Kind == HeldShare {
		held, err := c.share(strata.Unweighted(), on)
		return []Comparison{held}, nil, nil, err
	}
	if err := c.checkNumber(s, strata); err != nil {
		return nil, nil, nil, err
	}
	lacking = s.Lacking(c.Group)
	for _, r := range c.Rates() {
		before, fault := len(list), error(nil)
		for k, level := range strata.Levels() {
			compared := Comparison{
				Rate: r.On(on), Kind: c.Kind, Bound: c.Level, Strata: strata,
				name: c.among(r), base: fmt.Sprintf("%s(%s) %d", c.among(r), c.Cells(), k),
			}
			for _, part := range level {
				if part.Others && !c.Kind.Compares() && c.Group != "" {
					continue
				}
				group, err := r.of(s, strata, part)
				if err != nil {
					lacking, fault = append(lacking, part.Name), cmp.Or(fault, err)
					continue
				}
				compared.Groups = append(compared.Groups, group.on(on))
			}
			small = append(small, compared.leaveOut(c.MinRows)...)
			if compared.isEnough() {
				list = append(list, compared)
				continue
			}
			for _, g := range compared.Groups { // with nobody to be compared with
				lacking = append(lacking, g.Name)
			}
		}
		if fault == nil && len(list) == before && len(small) > 0 {
			fault = fmt.Errorf("min-rows=%d leaves too few groups", c.MinRows)
		}
		if fault == nil && len(list) == before {
			fault = fmt.Errorf("%s: no level of %s has rows of two groups, so there is nothing to compare", c.Group, c.Within)
		}
		if fault != nil && (len(list) == before || s.SampleOf > 0) { // the rows behind a sample may have it
			return nil, nil, nil, fault
		}
	}
	slices.Sort(lacking)
	slices.Sort(small)
	return list, slices.Compact(lacking), slices.Compact(small), nil
}

// leaveOut takes the groups of too few rows out of the comparison, and names them.
func (c *Comparison) leaveOut(minRows int) (names []string) {
	c.Groups = slices.DeleteFunc(c.Groups, func(g RateGroup) bool {
		if g.Rows < minRows {
			names = append(names, g.Name)
		}
		return g.Rows < minRows
	})
	return names
}

// checkNumber reports too many groups.
func (c GroupConstraint) checkNumber(s *dataset.Dataset, strata *dataset.Strata) error {
	spec, n, most := c.Group, len(strata.Names), maxGroups
	switch {
	case c.Group == "":
		spec = c.Within
	case c.Within != "":
		if levels := len(strata.Levels()); s.IsNumber(c.Within) && levels > mostNumbers {
			return fmt.Errorf("within %s names %d values of a number, at most %d can be levels (a schema's [[group]] cuts it into ranges)", c.Within, levels, mostNumbers)
		}
		if n > maxWithin {
			return fmt.Errorf("group %s within %s makes %d groups, at most %d can be compared (a schema's [[group]] merges values, and cuts a number into ranges)", c.Group, c.Within, n, maxWithin)
		}
		return nil
	case s.IsNumber(c.Group):
		most = mostNumbers
	}
	if n > most {
		return fmt.Errorf("group %s names %d groups, at most %d can be compared (of a number, a range such as %s<25 is a group; a schema's [[group]] cuts it into ranges and merges values)", spec, n, most, spec)
	}
	return nil
}

// of returns the rate of a group.
func (r *Rate) of(s *dataset.Dataset, strata *dataset.Strata, part dataset.Part) (g RateGroup, err error) {
	g = RateGroup{Name: part.Name, mean: make([]float64, strata.Len()), Weight: make([]float64, strata.Len())}
	g.first, g.end = 2*part.Number, 2*part.Number+len(r.lines)
	rows := 0.0
	for k, line := range r.lines {
		if line == nil {
			continue
		}
		k += 2 * part.Number
		g.mean[k] = line.slope
		g.Constant += line.offset * strata.Total(k)
		g.total += strata.Total(k)
		g.squares += strata.Squares(k)
		g.fixed += line.offset * strata.Squares(k)
		rows += strata.Unweighted().Total(k)
	}
	if g.total == 0 {
		if r.Label() == anyLabel {
			return g, fmt.Errorf("no row of %s has a weight", part.Name)
		}
		return g, fmt.Errorf("%s: no row has the label %+d, so its rate among them is undefined (a schema's [[group]] merges it with another group)", part.Name, r.Label())
	}
	g.Constant /= g.total
	g.squares /= g.total * g.total
	g.fixed /= g.total * g.total
	all := float64(strata.Rows())
	for k := range g.mean {
		g.mean[k] *= all / g.total
		g.Weight[k] = g.mean[k] / all
	}
	rows *= float64(s.All()) / all
	g.Rows, g.Unit = int(math.Round(rows)), 1/rows
	return g, nil
}

// on returns the group with the unit of decisions, or of scores.
func (g RateGroup) on(on string) RateGroup {
	if on == Scores {
		g.Unit = 0
	}
	return g
}

// share is the comparison of what the one group holds with what all rows hold.
func (c GroupConstraint) share(strata *dataset.Strata, on string) (Comparison, error) {
	if n := len(strata.Names); n != 1 {
		return Comparison{}, fmt.Errorf("group %s names %d groups, expected one, such as %s", c.Group, n, strata.Names[0])
	}
	all := float64(strata.Rows())
	if c.ofRows() {
		if c.Level = (strata.Total(0) + strata.Total(1)) / all; !inside(c.Level) {
			return Comparison{}, fmt.Errorf("omega is %v, must be in %s", c.Level, levels[HeldShare].interval)
		}
	}
	part := func(name string, mean ...float64) RateGroup {
		g := RateGroup{Name: name, mean: mean, Weight: slices.Clone(mean), end: len(mean)}
		floats.Scale(1/all, g.Weight)
		return g
	}
	return Comparison{
		Rate: c.Measure(on), Kind: HeldShare, Bound: c.Level, Strata: strata, name: c.Name,
		Groups: []RateGroup{part(c.Group, 1, 1, 0, 0), part(c.Group, 1, 1, 1, 1)},
	}, nil
}

// inequalities are the comparison, each with the slack of its groups.
func (c *Comparison) inequalities() (rows []Inequality) {
	add := func(of *RateGroup, side string, alpha float64, a *RateGroup, beta float64, b *RateGroup, constant float64) *Inequality {
		name := fmt.Sprintf("%s(%s)", c.name, of.Name)
		if side != "" {
			name += " " + side
		}
		rows = append(rows, Inequality{
			Name: name, Strata: c.Strata, Weight: combine(alpha, a.mean, beta, b.mean),
			Constant: float64(alpha*a.Constant) + float64(beta*b.Constant) + constant - c.slack(a),
		})
		return &rows[len(rows)-1]
	}
	g := c.Groups
	switch {
	case c.Kind == HeldShare:
		add(&g[0], "", c.Bound, &g[1], -1, &g[0], 0)
	case c.Kind == AtMost:
		for k := range g {
			add(&g[k], "", 1, &g[k], 0, &g[k], -c.Bound)
		}
	case c.Kind == AtLeast:
		for k := range g {
			add(&g[k], "", -1, &g[k], 0, &g[k], c.Bound)
		}
	case len(g) == 2 && c.Kind == Ratio:
		add(&g[0], "below", c.Bound, &g[1], -1, &g[0], 0)
		add(&g[0], "above", c.Bound, &g[0], -1, &g[1], 0)
	case len(g) == 2:
		add(&g[0], "above", 1, &g[0], -1, &g[1], -c.Bound-c.slack(&g[1]))
		add(&g[0], "below", 1, &g[1], -1, &g[0], -c.Bound-c.slack(&g[0]))
	default:
		alpha, constant := 1.0, -c.Bound
		if c.Kind == Ratio { // ℓ ≤ rate ≤ ℓ/level, in place of ℓ ≤ rate ≤ ℓ + level
			alpha, constant = c.Bound, 0
		}
		for k := range g {
			above := add(&g[k], "above", alpha, &g[k], 0, &g[k], constant)
			above.Base, above.Slope = c.base, -1
			below := add(&g[k], "below", -1, &g[k], 0, &g[k], 0)
			below.Base, below.Slope = c.base, 1
		}
	}
	return rows
}

// combine returns αa + βb.
func combine(alpha float64, a []float64, beta float64, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range sum {
		sum[i] = float64(alpha*a[i]) + float64(beta*b[i])
	}
	return sum
}
