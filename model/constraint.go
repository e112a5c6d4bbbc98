package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/fairtrain/fairtrain/dataset"
)

// Row is one inequality that is linear in the scores,
//
//	c(x) = (1/|S|) Σ_i Weight[i] σ(a_iᵀx) + Constant ≤ 0.
//
// Its sampled oracle draws a row i of S uniformly: Weight[i] σ(a_iᵀx) + Constant.
type Row struct {
	Name     string
	Weight   []float64 // one for each row of S
	Constant float64
}

func (r Row) validate(rows int) error {
	if len(r.Weight) != rows {
		return fmt.Errorf("constraint %s has %d weights for %d rows", r.Name, len(r.Weight), rows)
	}
	for i, w := range r.Weight {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("constraint %s: weight of row %d is %v", r.Name, i, w)
		}
	}
	if math.IsNaN(r.Constant) || math.IsInf(r.Constant, 0) {
		return fmt.Errorf("constraint %s: constant is %v", r.Name, r.Constant)
	}
	return nil
}

// Constraint turns a notion of fairness into rows of weights for given data.
type Constraint interface {
	// String is the constraint's specification, in the syntax of ParseConstraint if it
	// has one.
	String() string
	// Rows returns one or more inequalities on the rows of s.
	Rows(s *dataset.Dataset) ([]Row, error)
}

// Grouped is implemented by constraints about groups of rows.
type Grouped interface {
	// Groups returns specifications of the groups, as dataset.FindGroups takes them.
	Groups() []string
}

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

// Rows returns one inequality.
func (c Share) Rows(s *dataset.Dataset) ([]Row, error) {
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
	return []Row{{Name: fmt.Sprintf("share(%s)", c.Group), Weight: w}}, nil
}

// DemographicParity bounds the difference of mean scores between a group and the others
// in both directions:
//
//	|mean over G of σ(aᵀx) − mean over the others of σ(aᵀx)| ≤ Bound.
type DemographicParity struct {
	Group string  // of one group, see dataset.FindGroups
	Bound float64 // in [0, 1)
}

// String returns "demographic-parity:group=71,bound=0.02".
func (c DemographicParity) String() string {
	return fmt.Sprintf("demographic-parity:group=%s,bound=%v", c.Group, c.Bound)
}

// Groups returns the group.
func (c DemographicParity) Groups() []string { return []string{c.Group} }

// Rows returns two inequalities.
func (c DemographicParity) Rows(s *dataset.Dataset) ([]Row, error) {
	g, err := findGroup(s, c.Group)
	if err != nil {
		return nil, fmt.Errorf("constraint %s: %w", c, err)
	}
	if !(c.Bound >= 0 && c.Bound < 1) {
		return nil, fmt.Errorf("constraint %s: bound is %v, must be in [0, 1)", c, c.Bound)
	}
	all, members := float64(s.Rows()), float64(len(g.Rows))
	above, below := make([]float64, s.Rows()), make([]float64, s.Rows())
	for i, member := range g.Member {
		above[i] = -all / (all - members)
		if member {
			above[i] = all / members
		}
		below[i] = -above[i]
	}
	name := fmt.Sprintf("demographic-parity(%s)", c.Group)
	return []Row{
		{Name: name + " above", Weight: above, Constant: -c.Bound},
		{Name: name + " below", Weight: below, Constant: -c.Bound},
	}, nil
}

// Unconstrained is the constraint that always holds, −1 ≤ 0, for training without one.
func Unconstrained() Constraint { return unconstrained{} }

type unconstrained struct{}

func (unconstrained) String() string { return "none" }

func (unconstrained) Rows(s *dataset.Dataset) ([]Row, error) {
	if s.Rows() == 0 {
		return nil, errors.New("no rows")
	}
	return []Row{{Name: "none", Weight: make([]float64, s.Rows()), Constant: -1}}, nil
}
