package model

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
)

// rates bounds the differences, or the ratios, of mean scores among the rows of each label.
func (c GroupConstraint) rates(s *dataset.Dataset) ([]Inequality, error) {
	var rows []Inequality
	for _, label := range c.Labels {
		groups, err := comparable(s, c.Group, label)
		if err != nil {
			return nil, err
		}
		kind := c.among(label)
		name := func(g part, side string) string { return fmt.Sprintf("%s(%s) %s", kind, g.name, side) }
		if len(groups) == 2 {
			a, b := groups[0], groups[1]
			if c.Kind == Ratio {
				rows = append(rows,
					Inequality{Name: name(a, "below"), Weight: combine(c.Level, b.mean, -1, a.mean)},
					Inequality{Name: name(a, "above"), Weight: combine(c.Level, a.mean, -1, b.mean)})
			} else {
				rows = append(rows,
					Inequality{Name: name(a, "above"), Weight: combine(1, a.mean, -1, b.mean), Constant: -c.Level},
					Inequality{Name: name(a, "below"), Weight: combine(1, b.mean, -1, a.mean), Constant: -c.Level})
			}
			continue
		}
		base := fmt.Sprintf("%s(%s)", kind, c.Group)
		for _, g := range groups {
			above := Inequality{Name: name(g, "above"), Weight: g.mean, Constant: -c.Level, Base: base, Slope: -1}
			if c.Kind == Ratio { // ℓ ≤ mean ≤ ℓ/level, in place of ℓ ≤ mean ≤ ℓ + level
				above.Weight, above.Constant = combine(c.Level, g.mean, 0, g.mean), 0
			}
			rows = append(rows, above,
				Inequality{Name: name(g, "below"), Weight: combine(-1, g.mean, 0, g.mean), Base: base, Slope: 1})
		}
	}
	return rows, nil
}

// losses bounds the loss of each group.
func (c GroupConstraint) losses(s *dataset.Dataset) ([]Inequality, error) {
	groups, err := dataset.FindGroups(s, c.Group)
	if err != nil {
		return nil, err
	}
	var rows []Inequality
	for _, g := range groups {
		w, err := mean(s, g.Name, g.Member, anyLabel)
		if err != nil {
			return nil, err
		}
		row := Inequality{Name: fmt.Sprintf("%s(%s)", c.Name, g.Name), Weight: w, Constant: -c.Level}
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

// share demands the share of the group.
func (c GroupConstraint) share(s *dataset.Dataset) ([]Inequality, error) {
	g, omega, err := c.held(s)
	if err != nil {
		return nil, err
	}
	w := make([]float64, s.Rows())
	for i, member := range g.Member {
		w[i] = omega
		if member {
			w[i]--
		}
	}
	return []Inequality{{Name: fmt.Sprintf("%s(%s)", c.Name, c.Group), Weight: w}}, nil
}

// held returns the one group and the share that it is to hold.
func (c GroupConstraint) held(s *dataset.Dataset) (*dataset.Group, float64, error) {
	groups, err := dataset.FindGroups(s, c.Group)
	if err != nil {
		return nil, 0, err
	}
	if len(groups) != 1 {
		return nil, 0, fmt.Errorf("group %s names %d groups, expected one, such as %s", c.Group, len(groups), groups[0].Name)
	}
	g, omega := groups[0], c.Level
	if c.ofRows() {
		if omega = float64(len(g.Rows)) / float64(s.Rows()); !inside(omega) {
			return nil, 0, fmt.Errorf("omega is %v, must be in %s", omega, levels[HeldShare].interval)
		}
	}
	return g, omega, nil
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
