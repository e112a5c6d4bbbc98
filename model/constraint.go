package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
)

// Inequality is a constraint that is linear in the scores,
//
//	c(x) = (1/|S|) Σ_i Weight[i] σ(a_iᵀx) + Slope·ℓ + Constant ≤ 0.
//
// Its sampled oracle draws a row i of S uniformly: Weight[i] σ(a_iᵀx) + Slope·ℓ + Constant.
type Inequality struct {
	Name string
	// Weight is one for each row of S or, if there are Strata, for each stratum. Then a row
	// counts by the weight of its stratum times that of the row itself in Strata.
	Weight   []float64
	Strata   *dataset.Strata
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

// inequalities returns those of c on the rows of s, all with strata.
func inequalities(c Constraint, s *dataset.Dataset) ([]Inequality, error) {
	rows, err := c.Inequalities(s)
	if err != nil {
		return nil, err
	}
	rows = slices.Clone(rows)
	for j := range rows {
		r := &rows[j]
		if r.Strata == nil {
			if len(r.Weight) != s.Rows() {
				return nil, fmt.Errorf("model: constraint %s has %d weights for %d rows", r.Name,
					len(r.Weight), s.Rows())
			}
			r.Strata, r.Weight = dataset.StrataOf(r.Weight)
		}
		if err := r.validate(s.Rows()); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
	}
	return rows, nil
}

func (r *Inequality) validate(rows int) error {
	if len(r.Weight) != r.Strata.Len() || r.Strata.Rows() != rows {
		return fmt.Errorf("constraint %s has %d weights for %d strata of %d rows, expected %d rows",
			r.Name, len(r.Weight), r.Strata.Len(), r.Strata.Rows(), rows)
	}
	for i, w := range r.Weight {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("constraint %s: weight of row %d is %v", r.Name, r.Strata.First(i), w)
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

// Of returns the weight of a row.
func (r *Inequality) Of(row int) float64 {
	return r.Weight[r.Strata.Of(row)] * r.Strata.Weight(row)
}

// Value returns c without the term of the base, for the given scores, one for each row of
// S. With decisions, 0 or 1, in place of scores it is the constraint on decisions.
func (r *Inequality) Value(scores []float64) float64 {
	weight := make([]float64, len(scores))
	for i := range weight {
		weight[i] = r.Of(i)
	}
	return floats.Dot(weight, scores)/float64(len(scores)) + r.Constant
}

// ValueOf is Value for totals of scores.
func (r *Inequality) ValueOf(t Totals) float64 {
	return floats.Dot(r.Weight, t[r.Strata])/float64(r.Strata.Rows()) + r.Constant
}

// Totals are sums of values of rows, one for every stratum, in which each row counts by its
// weight.
type Totals map[*dataset.Strata][]float64

// totalsFor returns totals for inequalities, of no rows.
func totalsFor(rows []Inequality) Totals {
	t := Totals{}
	for _, r := range rows {
		t[r.Strata] = make([]float64, r.Strata.Len())
	}
	return t
}

// Add adds the values of the rows from lo on.
func (t Totals) Add(values []float64, lo int) {
	for s, sums := range t {
		s.Add(sums, values, lo)
	}
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

// GroupsOf returns the specifications of the groups that constraints name, in their order.
func GroupsOf(constraints ...Constraint) []string {
	var specs []string
	for _, c := range constraints {
		if grouped, ok := c.(Grouped); ok {
			specs = append(specs, grouped.Groups()...)
		}
	}
	return specs
}

// CellsOf returns the specifications of the groups that rates are taken of.
func CellsOf(constraints ...Constraint) []string {
	var specs []string
	for _, c := range constraints {
		if g, ok := c.(GroupConstraint); ok && g.Cells() != dataset.Everyone {
			specs = append(specs, g.Cells())
		}
	}
	return specs
}

// WithinOf returns the specifications of the levels at which constraints look at groups, each once.
func WithinOf(constraints ...Constraint) []string {
	var specs []string
	for _, c := range constraints {
		if g, ok := c.(GroupConstraint); ok && g.Within != "" && !slices.Contains(specs, g.Within) {
			specs = append(specs, g.Within)
		}
	}
	return specs
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

// LeftOut returns the constraint that Without has left out.
func LeftOut(c Constraint) (left Constraint, ok bool) {
	w, ok := c.(without)
	if !ok {
		return nil, false
	}
	left, ok = w.Grouped.(Constraint)
	return left, ok
}

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
func OnDecisions(c Constraint) Constraint {
	if g, ok := c.(GroupConstraint); ok {
		c = onDecisions{g}
	}
	return Tempered(c)
}

type onDecisions struct{ GroupConstraint }

func (c onDecisions) Inequalities(s *dataset.Dataset) ([]Inequality, error) {
	return c.inequalitiesOn(s, Decisions)
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
	all, err := s.Strata(dataset.Everyone)
	if err != nil {
		return nil, err
	}
	all = all.Unweighted()
	return []Inequality{{Name: wordNone, Strata: all, Weight: make([]float64, all.Len()), Constant: -1}}, nil
}
