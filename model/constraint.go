package model

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

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
	// Family is set in rows that together bound the differences between all groups of a
	// constraint: those of Side +1 say that no group's mean is far above that of all, those
	// of Side −1 that none is far below. See Excess.
	Family string
	Side   int
}

// Excess returns, for each row, by how much what it stands for is violated, ≤ 0 if it is
// not, given the rows' values. For a row of a family that is half of the sum of the largest
// values of either side: any two groups differ by no more than the bound if and only if
// it is ≤ 0, though a single value may be above 0.
func Excess(rows []Row, values []float64) []float64 {
	type side struct {
		family string
		side   int
	}
	largest := map[side]float64{}
	for i, r := range rows {
		k := side{r.Family, r.Side}
		if v, ok := largest[k]; !ok || values[i] > v {
			largest[k] = values[i]
		}
	}
	excess := make([]float64, len(rows))
	for i, r := range rows {
		excess[i] = values[i]
		if r.Family != "" {
			excess[i] = (largest[side{r.Family, 1}] + largest[side{r.Family, -1}]) / 2
		}
	}
	return excess
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

// Value returns c for the given scores, one for each row of S. With decisions, 0 or 1, in
// place of scores it is the constraint on decisions.
func (r Row) Value(scores []float64) float64 {
	return floats.Dot(r.Weight, scores)/float64(len(scores)) + r.Constant
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

// Bounded is implemented by constraints with a number that says how fair is fair enough.
type Bounded interface {
	Constraint
	Grouped
	// Level returns that number: the bound on a difference or a loss, the least ratio or
	// the least share.
	Level() float64
	// WithBound returns the constraint with another such number, which Rows and not
	// WithBound checks.
	WithBound(level float64) Constraint
}

// Unconstrained is the constraint that always holds, −1 ≤ 0, for training without one.
func Unconstrained() Constraint { return unconstrained{} }

// Without returns no constraint, with the groups of another one: for a classifier that is
// to be compared with those that satisfy it.
func Without(c Grouped) Constraint { return without{Unconstrained(), c} }

type without struct {
	Constraint
	Grouped
}

type unconstrained struct{}

func (unconstrained) String() string { return "none" }

func (unconstrained) Rows(s *dataset.Dataset) ([]Row, error) {
	if s.Rows() == 0 {
		return nil, errors.New("no rows")
	}
	return []Row{{Name: "none", Weight: make([]float64, s.Rows()), Constant: -1}}, nil
}
