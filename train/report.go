package train

import (
	"slices"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// Report is what training found, in exact values over all data: the certificate. Its
// JSON form is the output of train --json.
type Report struct {
	Status solver.Status `json:"status"`
	Solver string        `json:"solver"`
	Seed   uint64        `json:"seed"`

	// Objective is f at the model, KKTResidual the residual of the paper's §5.2 and KKT
	// its terms.
	Objective   float64 `json:"objective"`
	KKTResidual float64 `json:"kkt_residual"`
	KKT         KKT     `json:"kkt"`
	Tolerance   float64 `json:"tolerance"`

	// Samples counts a batch once, Evaluations at every point; Passes is Samples in
	// units of one exact evaluation of ∇f, c and ∇c.
	Passes      float64 `json:"passes"`
	Samples     int64   `json:"samples"`
	Evaluations int64   `json:"evaluations"`
	Iterations  int     `json:"iterations"`
	Rounds      int     `json:"rounds"` // runs of the method; see Options.Decisions
	// Anchors are the rates that small groups made necessary.
	Anchors []Anchor `json:"anchors,omitempty"`
	Seconds float64  `json:"seconds"`

	On          string       `json:"on"` // Scores or Decisions: what had to satisfy the constraints
	Constraints []Constraint `json:"constraints"`
	Conflict    *Conflict    `json:"conflict,omitempty"` // of the status Infeasible
	Problem     Size         `json:"problem"`
	Constants   []Constant   `json:"constants"` // in use, in a reader's order
	Train       *Figures     `json:"train"`
	Validation  *Figures     `json:"validation,omitempty"`
	Test        *Figures     `json:"test,omitempty"`

	// Model is the path that the model was written to; the caller fills it.
	Model string `json:"model,omitempty"`
}

// KKT is the residual split in its terms, all in the Euclidean norm.
type KKT struct {
	Stationarity    float64 `json:"stationarity"`
	Feasibility     float64 `json:"feasibility"`
	Complementarity float64 `json:"complementarity"`
}

// Constraint is one inequality c(x) ≤ 0 at the model.
type Constraint struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"` // c(x), a mean over the constraint data
	Raw   float64 `json:"raw"`   // the sum over its rows, the paper's eq. fairness
	// Decisions is the value with decisions, 0 and 1, in place of scores.
	Decisions float64 `json:"decisions"`
	// Step is by how much one decision can change Decisions. Where groups are small, it
	// may be more than a bound leaves.
	Step float64 `json:"step"`
	// Test has both values on the test rows; nil if there are none or they lack a group.
	Test *Levels `json:"test,omitempty"`
	// Satisfied is Value ≤ Tolerance; for constraints on decisions it is Decisions ≤ 0 or,
	// of more than two groups, that no two differ by more than the bound (model.Excess).
	Satisfied  bool    `json:"satisfied"`
	Multiplier float64 `json:"multiplier"`
	Scale      float64 `json:"scale"` // κ, the unit in which the method saw it
	Spec       string  `json:"spec"`  // of the constraint that it is a part of
}

// What the constraints had to hold for.
const (
	Scores    = "scores"
	Decisions = "decisions"
)

// Infeasible is the ending of a run that found no point satisfying the constraints, nor a
// direction in which all of their violations shrink.
const Infeasible solver.Status = "infeasible"

// Levels are values of a constraint.
type Levels struct {
	Scores    float64 `json:"scores"`
	Decisions float64 `json:"decisions"`
}

// Conflict says which constraints contradict each other: where the sum of their squared
// violations is least, these are violated.
type Conflict struct {
	Constraints []string `json:"constraints"` // names, most violated first
	// Violations are in units of the mean score for shares and ratios.
	Violations []float64 `json:"violations"`
}

// Size is the problem in numbers.
type Size struct {
	Variables      int `json:"variables"`
	Constraints    int `json:"constraints"`
	Rows           int `json:"rows"`
	ConstraintRows int `json:"constraint_rows"`
}

// Constant is a named number of the method.
type Constant struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Figures are the metrics of one data set.
type Figures struct {
	Name string `json:"name"`
	*fairness.Report
}

// Satisfied reports whether every constraint holds for what it was to hold for.
func (r *Report) Satisfied() bool {
	return !slices.ContainsFunc(r.Constraints, func(c Constraint) bool { return !c.Satisfied })
}

// constants lists those of the paper's assumptions that are known.
func constants(c problem.Constants) []Constant {
	all := []Constant{
		{"G", c.G},
		{"M", c.M},
		{"L_f", c.Lf},
		{"L_c", c.Lc},
		{"L_J", c.LJ},
		{"L_h^f", c.Lhf},
		{"L_h^c", c.Lhc},
		{"σ_f", c.SigmaF},
		{"σ_c", c.SigmaC},
		{"σ_J", c.SigmaJ},
		{"ν", c.Nu},
	}
	known := all[:0]
	for _, k := range all {
		if k.Value > 0 {
			known = append(known, k)
		}
	}
	return known
}
