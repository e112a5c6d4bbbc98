package model

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
)

// The constraints of this file compare the mean scores of groups, over all of their rows
// or those of one label: what the rates of decisions are to people, with scores in place
// of decisions. Each is linear in the scores. Weighted rows count by their weights.

// DemographicParity bounds the differences between the mean scores of groups:
//
//	|mean over G of σ − mean over H of σ| ≤ Bound.
//
// A single group is compared with all other rows, and any two of several groups with each
// other.
type DemographicParity struct {
	Group string  // one group or several, see dataset.FindGroups
	Bound float64 // in [0, 1)
}

// EqualOpportunity is like DemographicParity among the rows of label +1: it bounds the
// differences of true positive rates.
type EqualOpportunity struct {
	Group string
	Bound float64
}

// EqualizedOdds is EqualOpportunity and the same for the rows of label −1: it bounds the
// differences of true and of false positive rates.
type EqualizedOdds struct {
	Group string
	Bound float64
}

// RateRatio bounds the ratios of mean scores, Min·(mean over H) ≤ mean over G for any
// two groups; on decisions, Min = 0.8 is the four-fifths rule. As in DemographicParity, a
// single group is compared with all other rows.
type RateRatio struct {
	Group string
	Min   float64 // in (0, 1]
}

// BoundedGroupLoss bounds the mean of |y − σ|, y = 1 for the label +1 and 0 for −1, over
// each group: the expected share of errors if σ were the probability of a positive
// decision.
type BoundedGroupLoss struct {
	Group string
	Bound float64 // in (0, 1)
}

// String returns "demographic-parity:group=71,bound=0.02".
func (c DemographicParity) String() string {
	return spec("demographic-parity", c.Group, "bound", c.Bound)
}

// String returns "equal-opportunity:group=sex,bound=0.02".
func (c EqualOpportunity) String() string {
	return spec("equal-opportunity", c.Group, "bound", c.Bound)
}

// String returns "equalized-odds:group=sex,bound=0.02".
func (c EqualizedOdds) String() string { return spec("equalized-odds", c.Group, "bound", c.Bound) }

// String returns "rate-ratio:group=sex,min=0.8".
func (c RateRatio) String() string { return spec("rate-ratio", c.Group, "min", c.Min) }

// String returns "bounded-group-loss:group=sex,bound=0.3".
func (c BoundedGroupLoss) String() string {
	return spec("bounded-group-loss", c.Group, "bound", c.Bound)
}

func spec(kind, group, key string, value float64) string {
	return fmt.Sprintf("%s:group=%s,%s=%v", kind, group, key, value)
}

// Groups returns the specification of the groups.
func (c DemographicParity) Groups() []string { return []string{c.Group} }

// Groups returns the specification of the groups.
func (c EqualOpportunity) Groups() []string { return []string{c.Group} }

// Groups returns the specification of the groups.
func (c EqualizedOdds) Groups() []string { return []string{c.Group} }

// Groups returns the specification of the groups.
func (c RateRatio) Groups() []string { return []string{c.Group} }

// Groups returns the specification of the groups.
func (c BoundedGroupLoss) Groups() []string { return []string{c.Group} }

// Level returns the bound.
func (c DemographicParity) Level() float64 { return c.Bound }

// Level returns the bound.
func (c EqualOpportunity) Level() float64 { return c.Bound }

// Level returns the bound.
func (c EqualizedOdds) Level() float64 { return c.Bound }

// Level returns the least ratio.
func (c RateRatio) Level() float64 { return c.Min }

// Level returns the bound.
func (c BoundedGroupLoss) Level() float64 { return c.Bound }

// WithBound returns the constraint with another bound.
func (c DemographicParity) WithBound(b float64) Constraint { c.Bound = b; return c }

// WithBound returns the constraint with another bound.
func (c EqualOpportunity) WithBound(b float64) Constraint { c.Bound = b; return c }

// WithBound returns the constraint with another bound.
func (c EqualizedOdds) WithBound(b float64) Constraint { c.Bound = b; return c }

// WithBound returns the constraint with another least ratio.
func (c RateRatio) WithBound(b float64) Constraint { c.Min = b; return c }

// WithBound returns the constraint with another bound.
func (c BoundedGroupLoss) WithBound(b float64) Constraint { c.Bound = b; return c }

// Inequalities returns two inequalities for two groups, and two for each of more.
func (c DemographicParity) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	return differences(s, c, "demographic-parity", c.Group, anyLabel, c.Bound)
}

// Inequalities returns as many as those of DemographicParity.
func (c EqualOpportunity) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	return differences(s, c, "equal-opportunity", c.Group, +1, c.Bound)
}

// Inequalities returns twice as many as those of DemographicParity.
func (c EqualizedOdds) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	tpr, err := differences(s, c, "equalized-odds TPR", c.Group, +1, c.Bound)
	if err != nil {
		return nil, err
	}
	fpr, err := differences(s, c, "equalized-odds FPR", c.Group, -1, c.Bound)
	return append(tpr, fpr...), err
}

// Inequalities returns as many as those of DemographicParity.
func (c RateRatio) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	if err := checkLevel(c.String(), c.Min, true); err != nil {
		return nil, err
	}
	groups, err := comparable(s, c.Group, anyLabel)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	name := func(g part, side string) string { return fmt.Sprintf("rate-ratio(%s) %s", g.name, side) }
	if len(groups) == 2 {
		a, b := groups[0], groups[1]
		return []Inequality{
			{Name: name(a, "below"), Weight: combine(c.Min, b.mean, -1, a.mean)},
			{Name: name(a, "above"), Weight: combine(c.Min, a.mean, -1, b.mean)},
		}, nil
	}
	var rows []Inequality
	base := fmt.Sprintf("rate-ratio(%s)", c.Group)
	for _, g := range groups { // ℓ ≤ mean ≤ ℓ/Min
		rows = append(rows,
			Inequality{Name: name(g, "above"), Weight: combine(c.Min, g.mean, 0, g.mean), Base: base, Slope: -1},
			Inequality{Name: name(g, "below"), Weight: combine(-1, g.mean, 0, g.mean), Base: base, Slope: 1})
	}
	return rows, nil
}

// Inequalities returns an inequality for each group.
func (c BoundedGroupLoss) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	if !(c.Bound > 0 && c.Bound < 1) {
		return nil, fmt.Errorf("constraint %s: bound is %v, must be in (0, 1)", c, c.Bound)
	}
	groups, err := dataset.FindGroups(s, c.Group)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	var rows []Inequality
	for _, g := range groups {
		w, err := mean(s, g.Name, g.Member, anyLabel)
		if err != nil {
			return nil, fmt.Errorf("constraint %s: %w", c, err)
		}
		row := Inequality{Name: fmt.Sprintf("bounded-group-loss(%s)", g.Name), Weight: w, Constant: -c.Bound}
		for i, y := range s.Y {
			if y > 0 { // |1 − σ| = 1 − σ
				row.Constant += w[i] / float64(len(w))
				w[i] = -w[i]
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// checkLevel reports a least ratio, or a bound on differences, that is out of range.
func checkLevel(spec string, level float64, ratio bool) error {
	switch {
	case ratio && !(level > 0 && level <= 1):
		return fmt.Errorf("constraint %s: min is %v, must be in (0, 1]", spec, level)
	case !ratio && !(level >= 0 && level < 1):
		return fmt.Errorf("constraint %s: bound is %v, must be in [0, 1)", spec, level)
	}
	return nil
}

// differences bounds the differences of mean scores among the rows of one label.
func differences(s *dataset.Dataset, c Constraint, kind, group string, label int8, bound float64) ([]Inequality, error) {
	if err := checkLevel(c.String(), bound, false); err != nil {
		return nil, err
	}
	groups, err := comparable(s, group, label)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	name := func(g part, side string) string { return fmt.Sprintf("%s(%s) %s", kind, g.name, side) }
	if len(groups) == 2 {
		a, b := groups[0], groups[1]
		return []Inequality{
			{Name: name(a, "above"), Weight: combine(1, a.mean, -1, b.mean), Constant: -bound},
			{Name: name(a, "below"), Weight: combine(1, b.mean, -1, a.mean), Constant: -bound},
		}, nil
	}
	var rows []Inequality
	base := fmt.Sprintf("%s(%s)", kind, group)
	for _, g := range groups { // ℓ ≤ mean ≤ ℓ + bound
		rows = append(rows,
			Inequality{Name: name(g, "above"), Weight: g.mean, Constant: -bound, Base: base, Slope: -1},
			Inequality{Name: name(g, "below"), Weight: combine(-1, g.mean, 0, g.mean), Base: base, Slope: 1})
	}
	return rows, nil
}

// part is a group of rows in a comparison: the weights w for which (1/|S|) Σ w_i σ_i is
// its mean score.
type part struct {
	name string
	mean []float64
}

// maxGroups is far above what is meant by groups of people, and below the number of
// distinct ages.
const maxGroups = 40

// comparable returns the groups of a specification that are to be alike among the rows of
// one label, at least two: a single group comes with all other rows.
func comparable(s *dataset.Dataset, spec string, label int8) ([]part, error) {
	parts, lacking, err := comparableParts(s, spec, label)
	if err != nil {
		return nil, err
	}
	if len(lacking) > 0 {
		return nil, lacking[0].err
	}
	return parts, nil
}

// lack is a group of which no row counts.
type lack struct {
	name string
	err  error
}

// comparableParts is comparable, with the groups of which no row counts apart.
func comparableParts(s *dataset.Dataset, spec string, label int8) (parts []part, lacking []lack, err error) {
	groups, err := dataset.FindGroups(s, spec)
	if err != nil {
		return nil, nil, err
	}
	if len(groups) > maxGroups {
		return nil, nil, fmt.Errorf("group %s names %d groups, at most %d can be compared (a schema's [[group]] cuts a number into ranges and merges values)", spec, len(groups), maxGroups)
	}
	if len(groups) == 1 {
		others := make([]bool, s.Rows())
		for i, in := range groups[0].Member {
			others[i] = !in
		}
		groups = append(groups, &dataset.Group{Name: "others than " + spec, Member: others})
	}
	for _, g := range groups {
		weight, err := mean(s, g.Name, g.Member, label)
		if err != nil {
			lacking = append(lacking, lack{g.Name, err})
			continue
		}
		parts = append(parts, part{name: g.Name, mean: weight})
	}
	return parts, lacking, nil
}

const anyLabel int8 = 0

// mean returns weights w such that (1/|S|) Σ w_i σ_i is the mean score of the members that
// have the label.
func mean(s *dataset.Dataset, name string, member []bool, label int8) ([]float64, error) {
	w := make([]float64, s.Rows())
	total := 0.0
	for i, in := range member {
		if !in || label != anyLabel && s.Y[i] != label {
			continue
		}
		w[i] = 1
		if s.Weights != nil {
			w[i] = s.Weights[i]
		}
		total += w[i]
	}
	if total == 0 {
		if label == anyLabel {
			return nil, fmt.Errorf("no row of %s has a weight", name)
		}
		return nil, fmt.Errorf("%s: no row has the label %+d, so its rate among them is undefined", name, label)
	}
	for i := range w {
		w[i] *= float64(len(w)) / total
	}
	return w, nil
}

// combine returns αa + βb.
func combine(alpha float64, a []float64, beta float64, b []float64) []float64 {
	sum := make([]float64, len(a))
	for i := range sum {
		sum[i] = float64(alpha*a[i]) + float64(beta*b[i])
	}
	return sum
}
