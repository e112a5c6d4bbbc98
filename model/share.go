package model

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
)

// findGroup returns the one group that a specification names.
func findGroup(s *dataset.Dataset, spec string) (*dataset.Group, error) {
	groups, err := dataset.FindGroups(s, spec)
	if err != nil {
		return nil, err
	}
	if len(groups) != 1 {
		return nil, fmt.Errorf("group %s names %d groups, expected one, such as %s", spec, len(groups), groups[0].Name)
	}
	return groups[0], nil
}

// Share demands that a group holds at least the share Omega of all scores:
//
//	ω Σ_{a∈S} σ(aᵀx) − Σ_{a∈G} σ(aᵀx) ≤ 0,
//
// the paper's eq. fairness, divided by |S|. With Omega equal to the group's share of the
// rows it says that the group's mean score is at least that of all.
type Share struct {
	Group string  // of one group, see dataset.FindGroups
	Omega float64 // in (0, 1); 0 stands for the group's share of the rows
}

// String returns "share:group=71,omega=0.3".
func (c Share) String() string {
	if c.Omega == 0 {
		return fmt.Sprintf("share:group=%s,omega=share", c.Group)
	}
	return fmt.Sprintf("share:group=%s,omega=%v", c.Group, c.Omega)
}

// Groups returns the group.
func (c Share) Groups() []string { return []string{c.Group} }

// Level returns the least share, 0 if that is the group's share of the rows.
func (c Share) Level() float64 { return c.Omega }

// WithBound returns the constraint with another least share.
func (c Share) WithBound(omega float64) Constraint { c.Omega = omega; return c }

// Inequalities returns one inequality.
func (c Share) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	g, err := findGroup(s, c.Group)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	omega := c.Omega
	if omega == 0 {
		omega = float64(len(g.Rows)) / float64(s.Rows())
	}
	if !(omega > 0 && omega < 1) {
		return nil, fmt.Errorf("constraint %s: omega is %v, must be in (0, 1)", c, omega)
	}
	w := make([]float64, s.Rows())
	for i, member := range g.Member {
		w[i] = omega
		if member {
			w[i]--
		}
	}
	return []Inequality{{Name: fmt.Sprintf("share(%s)", c.Group), Weight: w}}, nil
}
