// Package report makes a document about decisions on rows, of a model or of any program: HTML to hand
// over, Markdown to paste, JSON to compute with. It is for readers who are no statisticians.
//
// Build makes a Document, which has every number, of rows and what decides on them; WriteHTML, WriteMarkdown and
// WriteJSON write it. Its sentences come from report/words, which train and certify print too.
//
// A document has no clock times, no paths and no rows, and groups of few people are merged. The
// same model and rows give the same bytes. All of its texts are inert: names from a file can
// neither be markup nor control a terminal.
package report

import (
	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
)

// Format names the version of the JSON form.
const Format = "fairtrain-report/2"

// Level is the confidence of all intervals.
const Level = 0.95

// DefaultMinGroup is the number of people below which groups are merged.
const DefaultMinGroup = 5

// Document is a report. Shares are fractions of 1; undefined figures are null in JSON.
type Document struct {
	Format       string          `json:"format"`
	Title        string          `json:"title"`
	Verdict      Verdict         `json:"verdict"`
	Requirements []words.Finding `json:"requirements"`
	// Verdicts are what the rows that say most about other people say of the constraints.
	Verdicts  []guarantee.Judgment `json:"verdicts,omitempty"`
	Guarantee *Guarantee           `json:"guarantee"` // nil if there was no test
	// Tests are the tests that the model file remembers, the oldest first.
	Tests      []Test       `json:"tests"`
	Rows       []Rows       `json:"rows"`
	Comparison []Comparison `json:"comparisons"`
	changes.Changes
	Cost      []Cost  `json:"cost"`  // one for every set of labelled rows
	Model     *Model  `json:"model"` // nil for predictions of any program
	Card      *Card   `json:"card"`
	Command   string  `json:"command"`   // that trains the model, or makes the report, again; empty if not known
	Threshold float64 `json:"threshold"` // of decisions on the first rows
	Decided   bool    `json:"decided"`   // their scores are decisions
	Privacy   Privacy `json:"privacy"`
}

// Verdict is the answer for all constraints.
type Verdict struct {
	Outcome words.Outcome `json:"outcome"`
	// TrainingOnly says that the rows are those of training: nothing is known of others.
	TrainingOnly bool   `json:"training_only,omitempty"`
	Sentence     string `json:"sentence"`
	// SideEffects names the differences between groups that rose by more than chance; empty for none.
	SideEffects string `json:"side_effects,omitempty"`
	// Remarks are what a reader of the sentence must know.
	Remarks []string `json:"remarks"`
}

// Role says what rows are to the model.
type Role = words.Role

// The roles.
const (
	Training    = words.Training
	Constraints = words.Constraints
	Unseen      = words.Unseen
	Validation  = words.Validation
	Held        = words.Held
	Certified   = words.Certified
	Predicted   = words.Predicted
)

// Rows are a set of rows and how the model does on all of them.
type Rows struct {
	Role     Role   `json:"role"`
	Name     string `json:"name"` // of the file
	SHA256   string `json:"sha256"`
	Rows     int    `json:"rows"`
	Weighted bool   `json:"weighted"`
	Labelled bool   `json:"labelled"`
	// of the columns from which features are made; nil if rows are features already
	Missing []MissingCount `json:"missing"`
	Cell
	// Gini and KS are those of fairness.Report.
	Gini fairness.Value `json:"gini"`
	KS   fairness.Value `json:"ks"`
}

// MissingCount is the number of rows without a value, undefined if they are few.
type MissingCount struct {
	Column string         `json:"column"`
	Rows   fairness.Value `json:"rows"`
}

// Guarantee is the test of a model on rows that had no part in training.
type Guarantee struct {
	train.Guarantee
	// Conditions are what the guarantee rests on besides its assumption, as nobody could check it.
	Conditions []string `json:"conditions"`
}

// Test is a test that a model file remembers.
type Test struct {
	Rows         int      `json:"rows"`
	Requirements []string `json:"requirements"`
	Confidence   float64  `json:"confidence"`
	Holds        bool     `json:"holds"`
}

// Cell is a set of people and how the model does on them. Rates have intervals, except on
// training rows.
type Cell struct {
	BaseRate      fairness.Estimate `json:"base_rate"`
	SelectionRate fairness.Estimate `json:"selection_rate"`
	TPR           fairness.Estimate `json:"tpr"`
	FPR           fairness.Estimate `json:"fpr"`
	Accuracy      fairness.Estimate `json:"accuracy"`
	AUC           fairness.Value    `json:"auc"`
	LogLoss       fairness.Value    `json:"log_loss"`
	ECE           fairness.Value    `json:"ece"`
}

// Comparison compares groups of people.
type Comparison struct {
	Group  string       `json:"group"` // specification
	Tables []GroupTable `json:"tables"`
	// Hidden is why no groups are shown, empty if they are.
	Hidden string `json:"hidden,omitempty"`
}

// GroupTable is a comparison on rows.
type GroupTable struct {
	Role   Role        `json:"role"`
	Groups []GroupCell `json:"groups"`
	// Folded is the number of groups that are merged into one of Groups, as they have few
	// people.
	Folded int `json:"folded"`
}

// GroupCell is a group of people.
type GroupCell struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	Folded bool   `json:"folded"` // several groups in one
	// ImpactRatio is the selection rate divided by the highest of a group that is shown on its own.
	ImpactRatio fairness.Value `json:"impact_ratio"`
	Cell
}

// Cost is what the constraints cost on rows.
type Cost struct {
	words.Cost
	Costs *PaidCosts `json:"costs,omitempty"` // where decisions were chosen by them
	// Measures are the measures of the constraints for the unconstrained baseline, in their order.
	Measures []fairness.Value `json:"unconstrained_measures"`
}

// PaidCosts are what wrong decisions cost, on average over rows.
type PaidCosts struct {
	Classifier  fairness.Value `json:"classifier"`
	AllPositive fairness.Value `json:"all_positive"` // if all decisions were positive
	AllNegative fairness.Value `json:"all_negative"`
}

// Model is what the model is made of.
type Model struct {
	SHA256  string             `json:"sha256"` // of the model file
	Version string             `json:"version"`
	Status  string             `json:"status"`
	Method  string             `json:"method"`
	Loss    string             `json:"loss"`
	Seed    uint64             `json:"seed"`
	Unseen  *classifier.Unseen `json:"unseen"` // figures by cross-validation; nil if there are none
	// Given is the column of a given score that was adjusted; empty where a model was trained.
	Given     string                  `json:"given_score,omitempty"`
	Costs     *classifier.Costs       `json:"costs"` // nil if decisions were chosen by their accuracy
	Features  int                     `json:"features"`
	Residual  float64                 `json:"kkt_residual"` // of the training problem
	Objective float64                 `json:"objective"`
	Training  classifier.Source       `json:"data"`
	Uses      *classifier.Explanation `json:"uses"`
	Points    *classifier.Scorecard   `json:"points,omitempty"` // of a scorecard
}

// Privacy says what the document hides.
type Privacy struct {
	MinGroup int `json:"min_group"` // people below which a group is not shown
	Folded   int `json:"folded"`    // groups that are not shown on their own
	Levels   int `json:"levels"`    // levels of columns that are left out
}
