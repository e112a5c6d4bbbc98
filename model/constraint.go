package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// Inequality is a constraint that is linear in the scores,
//
//	c(x) = (1/|S|) Σ_i Weight[i] σ(a_iᵀx) + Slope·ℓ + Constant ≤ 0.
//
// Its sampled oracle draws a row i of S uniformly: Weight[i] σ(a_iᵀx) + Slope·ℓ + Constant.
type Inequality struct {
	Name     string
	Weight   []float64 // one for each row of S
	Constant float64
	// Base names ℓ, a variable of the problem that all inequalities of this name share;
	// empty stands for none. That no two of k means are further apart than ε is the same as
	// that there is an ℓ with all of them in [ℓ, ℓ+ε]: 2k inequalities, and no pairs.
	Base  string
	Slope float64
	// Tempered inequalities see σ((aᵀx − t₀)/T) in place of σ(aᵀx), with Options.Temperature and
	// Options.Centre.
	Tempered bool
}

func (r Inequality) validate(rows int) error {
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
	if (r.Slope != 0) != (r.Base != "") || math.IsNaN(r.Slope) || math.IsInf(r.Slope, 0) {
		return fmt.Errorf("constraint %s: slope is %v of base %q", r.Name, r.Slope, r.Base)
	}
	return nil
}

// Value returns c without the term of the base, for the given scores, one for each row of
// S. With decisions, 0 or 1, in place of scores it is the constraint on decisions.
func (r Inequality) Value(scores []float64) float64 {
	return floats.Dot(r.Weight, scores)/float64(len(scores)) + r.Constant
}

// WithBases adds to values of rows, which are those at bases of 0, the terms of the bases
// that suit them best.
func WithBases(rows []Inequality, values []float64) {
	fitted := map[string]float64{}
	for _, r := range rows {
		if _, ok := fitted[r.Base]; !ok && r.Base != "" {
			fitted[r.Base] = fitBase(rows, r.Base, values)
		}
	}
	for j, r := range rows {
		values[j] += r.Slope * fitted[r.Base]
	}
}

// fitBase returns the base in the middle between the rows that bound it from below and
// those that bound it from above, given the rows' values at a base of 0.
func fitBase(rows []Inequality, base string, values []float64) float64 {
	low, high := math.Inf(-1), math.Inf(1)
	for j, r := range rows {
		switch at := -values[j] / r.Slope; { // where the row is 0
		case r.Base != base:
		case r.Slope < 0:
			low = max(low, at)
		default:
			high = min(high, at)
		}
	}
	switch {
	case math.IsInf(low, 0):
		return high
	case math.IsInf(high, 0):
		return low
	}
	return low + (high-low)/2
}

// Constraint turns a notion of fairness into rows of weights for given data.
type Constraint interface {
	// String is the constraint's specification, in the syntax of ParseConstraint if it
	// has one.
	String() string
	// Inequalities returns one or more inequalities on the rows of s.
	Inequalities(s *dataset.Dataset) ([]Inequality, error)
}

// Grouped is implemented by constraints about groups of rows.
type Grouped interface {
	// Groups returns specifications of the groups, as dataset.FindGroups takes them.
	Groups() []string
}

// Unconstrained is the constraint that always holds, −1 ≤ 0, for training without one.
func Unconstrained() Constraint { return unconstrained{} }

// IsNone reports whether a constraint stands for none.
func IsNone(c Constraint) bool {
	switch c := c.(type) {
	case unconstrained:
		return true
	case without:
		return IsNone(c.Constraint)
	}
	return false
}

// Without returns no constraint, with the groups of another one: for a classifier that is
// to be compared with those that satisfy it.
func Without(c Grouped) Constraint { return without{Unconstrained(), c} }

// Tempered returns the constraint with all of its rows tempered.
func Tempered(c Constraint) Constraint { return tempered{c} }

type tempered struct{ Constraint }

func (c tempered) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	rows, err := c.Constraint.Inequalities(s)
	for i := range rows {
		rows[i].Tempered = true
	}
	return rows, err
}

// OnDecisions returns the constraint with all of its rows tempered, to stand for the same
// constraint on decisions. Differences need hold only within one decision for the groups in
// which one decision moves the rate by more than the bound (Comparison.Tiny).
func OnDecisions(c Constraint) Constraint { return onDecisions{tempered{c}} }

type onDecisions struct{ tempered }

func (c onDecisions) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	rows, err := c.tempered.Inequalities(s)
	if g, ok := c.Constraint.(GroupConstraint); ok && g.Kind == Difference {
		for i := range rows {
			rows[i].Constant -= rows[i].allowance(g.Level)
		}
	}
	return rows, err
}

// allowance is what one decision in each tiny group adds to the bound of a difference: the
// positive weights are those of one group and the negative ones those of the other.
func (r Inequality) allowance(bound float64) float64 {
	n, sum := float64(len(r.Weight)), 0.0
	for _, unit := range []float64{floats.Max(r.Weight) / n, -floats.Min(r.Weight) / n} {
		if unit > bound {
			sum += unit
		}
	}
	return sum
}

type without struct {
	Constraint
	Grouped
}

type unconstrained struct{}

func (unconstrained) String() string { return "none" }

func (unconstrained) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	if s.Rows() == 0 {
		return nil, errors.New("no rows")
	}
	return []Inequality{{Name: "none", Weight: make([]float64, s.Rows()), Constant: -1}}, nil
}
