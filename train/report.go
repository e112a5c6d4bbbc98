package train

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/crossval"
)

// Report is the result of training, in exact values over all data: the certificate. Its
// JSON form is the output of train --json.
type Report struct {
	// Status is how the run ended, see outcome.go.
	Status solver.Status `json:"status"`
	Method string        `json:"method"` // its name
	// SolvedBy is the method whose solution the classifier is made of: that, the one that continues
	// where finite-sum is slow, or the one of the unconstrained baseline.
	SolvedBy string `json:"solved_by"`
	// ModelClass is Additive or Linear.
	ModelClass string `json:"model_class"`
	Seed       uint64 `json:"seed"`
	Loss       string `json:"loss"` // Logistic or Robust

	// Objective is f at the model. KKTResidual is the residual of the paper's §5.2 and KKT
	// its terms: at the model if all constraints are on scores, and otherwise at the
	// solution of the smooth problem from which the model was made (docs/decisions.md).
	Objective   float64 `json:"objective"`
	KKTResidual float64 `json:"kkt_residual"`
	KKT         KKT     `json:"kkt"`
	// ScaledResidual is the same residual with every feature in a unit in which its values
	// that are not 0 have the root mean square 1. It does not depend on the units of the
	// data. The tolerance is for this residual.
	ScaledResidual float64 `json:"scaled_residual"`
	Tolerance      float64 `json:"tolerance"`
	// Temperature is the temperature of the smooth problem; 1 if all constraints are on
	// scores that are not tempered.
	Temperature float64 `json:"temperature"`
	// MadeBy says how the model was made from that solution: "solution" for the solution itself,
	// "restoration", "constant decisions" or, of a given score, "thresholds".
	MadeBy string `json:"made_by"`
	// Given is the column of a given score that was adjusted; empty where a model was trained.
	Given string `json:"given,omitempty"`
	// Thresholds are those of groups on the given score; nil where it was corrected by other columns.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	// Gap is by how much other thresholds of a given score can be more accurate on the training rows at
	// most: 0 where these are the best ones, undefined where they don't satisfy the constraints.
	Gap *fairness.Value `json:"gap,omitempty"`
	// Impossible is whether it is proved that no thresholds satisfy the constraints.
	Impossible bool `json:"impossible,omitempty"`

	// Samples counts a batch once, Evaluations at every point; Passes is Samples in
	// units of one exact evaluation of ∇f, c and ∇c. An unconstrained solution that the
	// method starts from, or on the way to, is included.
	Passes      float64 `json:"passes"`
	Samples     int64   `json:"samples"`
	Evaluations int64   `json:"evaluations"`
	Iterations  int     `json:"iterations"`
	Rounds      int     `json:"rounds"`  // runs of the method
	Seconds     float64 `json:"seconds"` // cross-validation included

	// AlreadySatisfied is whether the classifier is the unconstrained one, as it satisfies the
	// requirements, on unseen rows too where these are known.
	AlreadySatisfied bool          `json:"already_satisfied,omitempty"`
	Requirements     []Requirement `json:"requirements"`
	// Changes are those of decisions by the constraints, on the rows that say most about new people.
	changes.Changes
	Baselines *Baselines `json:"baselines"`
	// UsesGroups are the groups of the constraints that are features of the model too; the
	// caller fills it.
	UsesGroups []string `json:"uses_group"`
	// Withheld are the columns that are no features, as groups are made of them; the caller fills
	// it.
	Withheld []string `json:"withheld,omitempty"`
	// Costs are those of wrong decisions where decisions were chosen by them, not by accuracy.
	Costs *classifier.Costs `json:"costs,omitempty"`
	// Warnings are what a reader of the verdict must know, in sentences; the caller fills them
	// (report/words.Warnings).
	Warnings []string `json:"warnings"`
	// Notes are what reading the rows to train on has found out about their columns; the caller fills
	// it.
	Notes []tabular.Note `json:"notes,omitempty"`
	// Shifts are categories by which decisions differ much more than without the constraints.
	Shifts []classifier.Shift `json:"shifts"`
	// Monotone are the numbers in which the score was to be monotone.
	Monotone []classifier.Monotone `json:"monotone,omitempty"`
	// Leaks are columns that alone predict the label, Proxies columns that alone predict a group of
	// a sensitive attribute that is no feature.
	Leaks []classifier.Leak `json:"leaks,omitempty"`
	// InformationValues are those of columns for the label.
	InformationValues []classifier.InformationValue `json:"information_values,omitempty"`
	// Points are the scorecard that the model is; nil if it is none.
	Points  *classifier.Scorecard `json:"points,omitempty"`
	Proxies []classifier.Proxy    `json:"proxies,omitempty"`
	// Weighted is whether rates count rows by weights. LeftOut says how many rows are in no group
	// of a constraint.
	Weighted bool              `json:"weighted,omitempty"`
	LeftOut  []dataset.LeftOut `json:"left_out,omitempty"`

	Constraints []Constraint       `json:"constraints"`
	Problem     Size               `json:"problem"`
	Constants   []problem.Constant `json:"constants"` // in use, in a reader's order
	Train       *Figures           `json:"train"`
	// Unseen are figures of models made like this one on rows that they were not fitted to.
	Unseen *classifier.Unseen `json:"unseen,omitempty"`
	// Aim is AimUnseen or AimTraining where settings of the search for fair decisions were
	// cross-validated, and Settings are those.
	Aim      string     `json:"aim,omitempty"`
	Settings []*Setting `json:"settings,omitempty"`
	// InOneFold are groups with too few rows for cross-validation, where nothing was left to compare
	// without them, so that there was none of fair decisions.
	InOneFold []string `json:"in_one_fold,omitempty"`
	// CrossValidation is what it chose, for the rows without constraints.
	CrossValidation *crossval.Choice `json:"cross_validation,omitempty"`
	Validation      *Figures         `json:"validation,omitempty"`
	Test            *Figures         `json:"test,omitempty"`

	// ConstraintData names the rows of the constraints if they are not the rows to train on.
	ConstraintData string `json:"constraint_data,omitempty"`
	// Guarantee is the outcome of a test on rows that had no part in training; the caller
	// fills it.
	Guarantee *Guarantee `json:"guarantee,omitempty"`
	// Model is the path that the model was written to; the caller fills it.
	Model string `json:"model,omitempty"`
}

// Threshold is the given score from which on decisions about a group are positive. The last one of
// several is that of the rows of no group that the model names.
type Threshold struct {
	Group string  `json:"group"`
	Rows  int     `json:"rows"` // of training
	Score float64 `json:"score"`
}

// KKT is the residual split into its terms, all in the Euclidean norm.
type KKT struct {
	Stationarity    float64 `json:"stationarity"`
	Feasibility     float64 `json:"feasibility"`
	Complementarity float64 `json:"complementarity"`
}

// Requirement is a constraint as it was asked for, and what was achieved.
type Requirement struct {
	Spec    string  `json:"spec"`
	On      string  `json:"on"`      // Scores or Decisions
	Measure string  `json:"measure"` // what is bounded, "selection_rate_difference" say
	Bound   float64 `json:"bound"`
	AtLeast bool    `json:"at_least"` // the measure must be at least the bound, not at most
	// Train is the measure achieved on the rows of the constraints, Validation and Test on
	// rows held out; nil where there are none or they lack the groups.
	Train *float64 `json:"train"`
	// Unseen is the measure on rows that models made like this one were not fitted to, by
	// cross-validation, and UnseenSE its standard error for want of rows; nil where there is none.
	Unseen     *float64 `json:"unseen"`
	UnseenSE   *float64 `json:"unseen_se"`
	Validation *float64 `json:"validation"`
	Test       *float64 `json:"test"`
	// These name the groups that Train, Unseen, Validation and Test leave out, as no row of these
	// groups counts or, for Unseen, as those that do are in a single fold.
	TrainWithout      []string `json:"train_without,omitempty"`
	UnseenWithout     []string `json:"unseen_without,omitempty"`
	ValidationWithout []string `json:"validation_without,omitempty"`
	TestWithout       []string `json:"test_without,omitempty"`
	// Satisfied is whether the requirement holds on the rows of the constraints: exactly
	// for decisions, to within the tolerance for scores.
	Satisfied bool `json:"satisfied"`
	// Verdict is that on all rows in a word (report/words.Outcome), TrainingOnly says that nothing is
	// known of rows but those of training; the caller fills them.
	Verdict      string `json:"verdict"`
	TrainingOnly bool   `json:"training_only,omitempty"`
	// WithinOneDecision names groups in which one decision moves the rate by more than the
	// bound, and which meet the bound only within one decision of each.
	WithinOneDecision []string `json:"within_one_decision"`
	// TooSmall names groups of too few rows, which the requirement leaves out.
	TooSmall []string `json:"too_small,omitempty"`
	// Allowed is then what Train may be: the bound, and one decision of each of the two groups that
	// make it if it moves their rates by more than the bound; 0 if no groups are named.
	Allowed float64 `json:"allowed,omitempty"`
	// TrainExtremes, ValidationExtremes and TestExtremes are the groups with the lowest and the
	// highest rate, where the requirement compares rates.
	TrainExtremes      *model.Extremes `json:"train_extremes,omitempty"`
	ValidationExtremes *model.Extremes `json:"validation_extremes,omitempty"`
	TestExtremes       *model.Extremes `json:"test_extremes,omitempty"`
	// ValidationInterval and TestInterval are 95 % confidence intervals of values that violate the
	// constraint; the caller fills them.
	ValidationInterval *[2]float64 `json:"validation_interval,omitempty"`
	TestInterval       *[2]float64 `json:"test_interval,omitempty"`
}

// Keeps reports whether a measure that was achieved on held-out rows keeps the bound, on
// scores to within the tolerance.
func (r *Requirement) Keeps(achieved, tolerance float64) bool {
	if r.AtLeast {
		tolerance = min(tolerance, model.Short)
	}
	return r.Holds(achieved) || r.On == Scores && math.Abs(achieved-r.Bound) <= tolerance
}

// Holds reports whether a measure that was achieved keeps the bound.
func (r *Requirement) Holds(achieved float64) bool { return meets(achieved, r.Bound, r.AtLeast) }

// meets reports whether a value meets a bound.
func meets(value, bound float64, atLeast bool) bool {
	if atLeast {
		return value >= bound
	}
	return value <= bound
}

// Constraint is one inequality c(x) ≤ 0 of the smooth problem, at its solution.
type Constraint struct {
	Name       string  `json:"name"`
	Value      float64 `json:"value"` // c(x), a mean over the constraint data
	Raw        float64 `json:"raw"`   // the sum over its rows, the paper's eq. fairness
	Shift      float64 `json:"shift"` // what decisions add beyond scores, a part of Value
	Satisfied  bool    `json:"satisfied"`
	Multiplier float64 `json:"multiplier"`
	Scale      float64 `json:"scale"` // κ, the unit in which the method saw it
	Spec       string  `json:"spec"`  // of the constraint that it is a part of
}

// What the constraints bound.
const (
	Scores    = model.Scores
	Decisions = model.Decisions
)

// Size is the problem in numbers.
type Size struct {
	Variables      int `json:"variables"`
	Constraints    int `json:"constraints"`
	Rows           int `json:"rows"`
	ConstraintRows int `json:"constraint_rows"`
}

// Figures are the metrics of one data set. Disparities are undefined where constraints name groups
// of several specifications: Requirements have those that are meant.
type Figures struct {
	Name string `json:"name"`
	*fairness.Report
}

// Satisfied reports whether every requirement holds.
func (r *Report) Satisfied() bool {
	return !slices.ContainsFunc(r.Requirements, func(q Requirement) bool { return !q.Satisfied })
}

// OnDecisions reports whether a requirement is on decisions.
func (r *Report) OnDecisions() bool {
	return slices.ContainsFunc(r.Requirements, func(q Requirement) bool { return q.On == Decisions })
}
