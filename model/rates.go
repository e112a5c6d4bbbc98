package model

import (
	"cmp"
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
)

// rates bounds the differences, or the ratios, of mean scores among the rows of each label.
func (c GroupConstraint) rates(s *dataset.Dataset) ([]Inequality, error) {
	var rows []Inequality
	for _, label := range c.Labels {
		strata, groups, _, err := comparedGroups(s, c.Group, label)
		if err != nil {
			return nil, err
		}
		kind := c.among(label)
		name := func(g part, side string) string { return fmt.Sprintf("%s(%s) %s", kind, g.name, side) }
		if len(groups) == 2 {
			a, b := groups[0], groups[1]
			if c.Kind == Ratio {
				rows = append(rows,
					Inequality{Name: name(a, "below"), Strata: strata, Weight: combine(c.Level, b.mean, -1, a.mean)},
					Inequality{Name: name(a, "above"), Strata: strata, Weight: combine(c.Level, a.mean, -1, b.mean)})
			} else {
				rows = append(rows,
					Inequality{Name: name(a, "above"), Strata: strata, Weight: combine(1, a.mean, -1, b.mean), Constant: -c.Level},
					Inequality{Name: name(a, "below"), Strata: strata, Weight: combine(1, b.mean, -1, a.mean), Constant: -c.Level})
			}
			continue
		}
		base := fmt.Sprintf("%s(%s)", kind, c.Group)
		for _, g := range groups {
			above := Inequality{Name: name(g, "above"), Strata: strata, Weight: g.mean, Constant: -c.Level, Base: base, Slope: -1}
			if c.Kind == Ratio { // ℓ ≤ mean ≤ ℓ/level, in place of ℓ ≤ mean ≤ ℓ + level
				above.Weight, above.Constant = combine(c.Level, g.mean, 0, g.mean), 0
			}
			rows = append(rows, above,
				Inequality{Name: name(g, "below"), Strata: strata, Weight: combine(-1, g.mean, 0, g.mean), Base: base, Slope: 1})
		}
	}
	return rows, nil
}

// losses bounds the loss of each group.
func (c GroupConstraint) losses(s *dataset.Dataset) ([]Inequality, error) {
	strata, err := s.Strata(c.Group)
	if err != nil {
		return nil, err
	}
	var rows []Inequality
	for g, name := range strata.Names {
		w, err := mean(strata, name, g, anyLabel)
		if err != nil {
			return nil, err
		}
		row := Inequality{Name: fmt.Sprintf("%s(%s)", c.Name, name), Strata: strata, Weight: w, Constant: -c.Level}
		positive := 2*g + 1 // |1 − σ| = 1 − σ
		row.Constant += strata.Total(positive) * w[positive] / float64(s.Rows())
		w[positive] = -w[positive]
		rows = append(rows, row)
	}
	return rows, nil
}

// share demands the share of the group. All rows count alike.
func (c GroupConstraint) share(s *dataset.Dataset) ([]Inequality, error) {
	strata, omega, err := c.held(s)
	if err != nil {
		return nil, err
	}
	in, out := omega-1, omega
	return []Inequality{{
		Name: fmt.Sprintf("%s(%s)", c.Name, c.Group), Strata: strata, Weight: []float64{in, in, out, out},
	}}, nil
}

// held returns the strata of the one group and the share that it is to hold.
func (c GroupConstraint) held(s *dataset.Dataset) (*dataset.Strata, float64, error) {
	strata, err := s.Strata(c.Group)
	if err != nil {
		return nil, 0, err
	}
	if n := len(strata.Names); n != 1 {
		return nil, 0, fmt.Errorf("group %s names %d groups, expected one, such as %s", c.Group, n, strata.Names[0])
	}
	strata = strata.Unweighted()
	omega := c.Level
	if c.ofRows() {
		if omega = (strata.Total(0) + strata.Total(1)) / float64(s.Rows()); !inside(omega) {
			return nil, 0, fmt.Errorf("omega is %v, must be in %s", omega, levels[HeldShare].interval)
		}
	}
	return strata, omega, nil
}

// part is a group of rows in a comparison: the weights w, by stratum, for which
// (1/|S|) Σ w_i σ_i is its mean score.
type part struct {
	name string
	mean []float64
}

// maxGroups lets the states of a country fit, and no identifiers; mostNumbers lets their codes fit, and
// no ages, which are to be cut.
const maxGroups, mostNumbers = 200, 60

// comparedGroups returns the groups of a specification that are to be alike among the rows of
// one label, at least two: a single group comes with all other rows. Groups of which no row counts
// are left out and named in lacking, if two are left.
func comparedGroups(s *dataset.Dataset, spec string, label int8) (strata *dataset.Strata, parts []part, lacking []string, err error) {
	if strata, err = s.Strata(spec); err != nil {
		return nil, nil, nil, err
	}
	lacking = s.Lacking(spec)
	names := strata.Names
	most := maxGroups
	if s.IsNumber(spec) {
		most = mostNumbers
	}
	if len(names) > most {
		return nil, nil, nil, fmt.Errorf("group %s names %d groups, at most %d can be compared (of a number, a range such as %s<25 is a group; a schema's [[group]] cuts it into ranges and merges values)", spec, len(names), most, spec)
	}
	if len(names) == 1 {
		names = []string{names[0], OthersThan(spec)}
	}
	var fault error
	for g, name := range names {
		weight, err := mean(strata, name, g, label)
		if err != nil {
			lacking, fault = append(lacking, name), cmp.Or(fault, err)
			continue
		}
		parts = append(parts, part{name: name, mean: weight})
	}
	if fault != nil && (len(parts) < 2 || s.SampleOf > 0) { // the rows behind a sample may have it
		return nil, nil, nil, fault
	}
	return strata, parts, lacking, nil
}

// OthersThan names the rows that are not in the one group that a specification names.
func OthersThan(spec string) string { return "others than " + spec }

// mean returns weights w, by stratum, such that (1/|S|) Σ w_i σ_i is the mean score of the rows
// of group g that have the label.
func mean(s *dataset.Strata, name string, g int, label int8) ([]float64, error) {
	w := make([]float64, s.Len())
	total := 0.0
	for k := 2 * g; k < 2*g+2; k++ {
		if of := int8(2*(k-2*g) - 1); label == anyLabel || of == label {
			w[k] = 1
			total += s.Total(k)
		}
	}
	if total == 0 {
		if label == anyLabel {
			return nil, fmt.Errorf("no row of %s has a weight", name)
		}
		return nil, fmt.Errorf("%s: no row has the label %+d, so its rate among them is undefined (a schema's [[group]] merges it with another group)", name, label)
	}
	for k := range w {
		w[k] *= float64(s.Rows()) / total
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
