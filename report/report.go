// Package report makes a document about a model and its decisions on rows: HTML to hand
// over, Markdown to paste, JSON to compute with. It is for readers who are no
// statisticians.
//
//	Document      every number of a report, this file
//	Build         model and rows → Document, build.go
//	              what was asked and achieved, asked.go; groups of people, groups.go;
//	              tables by category, categories.go; the verdict, verdict.go
//	cells         which groups are too small to be shown, cells.go
//	Card          what a person tells about the model, card.go
//	sections      Document → headings, sentences, tables and figures, sections*.go
//	WriteHTML     and WriteMarkdown, WriteJSON: sections → a file, html.go, markdown.go
//
// A document has no clock times, no paths and no rows, and groups of few people are merged.
// The same model and rows give the same bytes. All of its texts are inert: names from a
// file can neither be markup nor control a terminal.
package report

import (
	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
)

// Format names the version of the JSON form.
const Format = "fairtrain-report/1"

// Level is the confidence of all intervals.
const Level = 0.95

// DefaultMinGroup is the number of people below which groups are merged.
const DefaultMinGroup = 5

// Document is a report. Shares are fractions of 1; undefined figures are null in JSON.
type Document struct {
	Format       string        `json:"format"`
	Title        string        `json:"title"`
	Verdict      Verdict       `json:"verdict"`
	Requirements []Requirement `json:"requirements"`
	Guarantee    *Guarantee    `json:"guarantee"` // nil if there was no test
	// Tests are the tests that the model file remembers, the oldest first.
	Tests      []Test       `json:"tests"`
	Rows       []Rows       `json:"rows"`
	Comparison []Comparison `json:"comparisons"`
	Price      []Price      `json:"price"` // one for every set of rows
	Frontier   *Frontier    `json:"frontier"`
	Model      Model        `json:"model"`
	Categories *CategorySet `json:"categories"` // nil without columns of groups
	Card       *Card        `json:"card"`
	Command    string       `json:"command"` // that trains the model again; empty if not known
	Privacy    Privacy      `json:"privacy"`
	// SeveralRows are columns that seem to number people of whom the training data have several rows.
	SeveralRows []SeveralRows `json:"several_rows,omitempty"`
}

// SeveralRows is a column, and what shows that it numbers people who have several rows each.
type SeveralRows struct {
	Name string `json:"name"`
	Said string `json:"said"`
}

// Verdict is the answer to what was asked.
type Verdict struct {
	Outcome  Outcome `json:"outcome"`
	Sentence string  `json:"sentence"`
	// Remarks are what a reader of the sentence must know.
	Remarks []string `json:"remarks"`
}

// Outcome is a verdict in a word.
type Outcome string

// The outcomes, the best one first.
const (
	Guaranteed    Outcome = "guaranteed" // by a test on rows that had no part in training
	GuaranteedIf  Outcome = "guaranteed-on-condition"
	Met           Outcome = "met" // on all rows of the report
	MetWithin     Outcome = "met-within-one-decision"
	MetNearly     Outcome = "met-within-tolerance" // of training, which requirements on scores have
	NotGuaranteed Outcome = "not-guaranteed"       // met, but the test was not passed
	BrokenOutside Outcome = "broken-outside"       // met on the rows of training, and not on others
	NotMet        Outcome = "not-met"              // not met on the rows of training
	NotJudged     Outcome = "not-judged"           // the rows say nothing about a requirement
	NothingAsked  Outcome = "nothing-asked"        // no requirement
)

// Role says what rows are to the model.
type Role string

// The roles.
const (
	Training    Role = "training"   // the model was fitted to them
	Constraints Role = "constraint" // the requirements were to hold on them
	Validation  Role = "validation" // dealt out of the rows of training
	Held        Role = "test"       // others
	Certified   Role = "certified"  // the rows of the guarantee
)

// Rows are a set of rows and how the model does on all of them.
type Rows struct {
	Role   Role   `json:"role"`
	Name   string `json:"name"` // of the file
	SHA256 string `json:"sha256"`
	// Known says whether the rows are the rows that the model file names.
	Known    bool           `json:"known"`
	Rows     int            `json:"rows"`
	Weighted bool           `json:"weighted"`
	Missing  []MissingCount `json:"missing"` // of the columns from which features are made; nil if rows are features already
	Cell
}

// MissingCount is the number of rows without a value, undefined if they are few.
type MissingCount struct {
	Column string         `json:"column"`
	Rows   fairness.Value `json:"rows"`
}

// Counted reports whether figures of requirements on these rows are facts and not
// estimates: the model was fitted to have them there.
func (r Role) Counted() bool { return r == Training || r == Constraints }

// Requirement is what was asked for, and what was achieved.
type Requirement struct {
	Spec    string     `json:"spec"`
	On      string     `json:"on"`
	Measure string     `json:"measure"`
	Group   string     `json:"group"`
	Bound   float64    `json:"bound"`
	AtLeast bool       `json:"at_least"` // the measure must be at least the bound
	Met     bool       `json:"met"`      // on the rows of training, by the rules of training
	Results []Achieved `json:"achieved"`
	// WithinOneDecision are groups held to the bound within one decision of each.
	WithinOneDecision []string `json:"within_one_decision"`
	// BoundFrom are the rows of which the bound is a group's share; empty for other bounds.
	BoundFrom Role `json:"bound_from,omitempty"`

	feature  bool // the group is the rows that have a feature, of LIBSVM
	judgedBy Role // of the rows that have Bound
	within   bool // the rows of training kept it within one decision of each group, says the model file alone
}

// Achieved is the measure of a requirement on rows.
type Achieved struct {
	Role Role `json:"role"`
	// Value is undefined where no rows say anything about it; comparisons need rows of two groups, shares and ratios
	// a positive decision. It has an
	// interval if it is an estimate and the interval is known. On certified rows the end of
	// the interval is what the test has shown.
	fairness.Estimate
	Bound fairness.Value `json:"bound"` // that the value is judged by
	Holds bool           `json:"holds"` // the value keeps the bound; on certified rows: shown
	// Tolerance is that of training, if the value is beyond its bound and counts as kept, as scores
	// do within the tolerance.
	Tolerance float64 `json:"tolerance,omitempty"`
	// Measure is what the test of certified rows is about, if it is another figure than that of the
	// requirement; then its bound is the most that is allowed.
	Measure string `json:"measure,omitempty"`
	// Without are the groups about which held-out rows say nothing; the value leaves them
	// out.
	Without []string `json:"without,omitempty"`
	// Extremes are the groups with the lowest and the highest rate, where rates of decisions are
	// compared and groups that are shown make the value.
	Extremes *Extremes `json:"extremes,omitempty"`
	none     bool      // the value is 0/0: no decision is positive
}

// Extremes are the groups whose rates make the value of a requirement.
type Extremes struct {
	Rate     string    `json:"rate"` // that is compared, "selection_rate" say
	Lowest   GroupRate `json:"lowest"`
	Highest  GroupRate `json:"highest"`
	Weighted bool      `json:"weighted"` // rates count people by their weights
}

// GroupRate is the rate of a group. The number of people that the rate is about is unknown for people with weights
// and one label.
type GroupRate struct {
	Group string         `json:"group"`
	Value fairness.Value `json:"value"`
	Rows  fairness.Value `json:"rows"`
}

// Guarantee is the test of a model on rows that had no part in training.
type Guarantee struct {
	train.Guarantee
	// Remembered says whether the test was read from a file and the model file remembers it.
	Remembered bool `json:"remembered"`
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
	Positives     fairness.Value    `json:"positives"` // people with the positive label
	BaseRate      fairness.Estimate `json:"base_rate"`
	SelectionRate fairness.Estimate `json:"selection_rate"`
	TPR           fairness.Estimate `json:"tpr"`
	FPR           fairness.Estimate `json:"fpr"`
	Accuracy      fairness.Estimate `json:"accuracy"`
	AUC           fairness.Value    `json:"auc"`
	ECE           fairness.Value    `json:"ece"`
	// Calibration and ROC are curves; nil where people are too few.
	Calibration []fairness.CalibrationBin `json:"calibration"`
	ROC         []fairness.ROCPoint       `json:"roc"`
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
	Cell

	spec string // the name in a sentence
}

// Price is what the requirements cost on rows.
type Price struct {
	Role          Role           `json:"role"`
	Accuracy      fairness.Value `json:"accuracy"`
	Unconstrained fairness.Value `json:"unconstrained_accuracy"` // without requirements
	Gain          fairness.Value `json:"gain"`                   // by the requirements: the difference of the two, mostly below 0
	Majority      fairness.Value `json:"majority_accuracy"`      // the same answer for everybody
	Costs         *PaidCosts     `json:"costs,omitempty"`        // where decisions were chosen by them
	// Measures are the measures of the requirements for the classifier without requirements,
	// in their order.
	Measures   []fairness.Value `json:"unconstrained_measures"`
	Unfinished bool             `json:"unconstrained_unfinished,omitempty"` // its training ended before the tolerance
}

// PaidCosts are what wrong decisions cost, on average over rows.
type PaidCosts struct {
	Classifier  fairness.Value `json:"classifier"`
	AllPositive fairness.Value `json:"all_positive"` // if all decisions were positive
	AllNegative fairness.Value `json:"all_negative"`
}

// Frontier is accuracy against the bound of a requirement.
type Frontier struct {
	Constraint string          `json:"constraint"`
	On         string          `json:"on"` // of the bounds; the disparities are of decisions
	Measure    string          `json:"measure"`
	AtLeast    bool            `json:"at_least"` // the measure must be at least a bound
	Role       Role            `json:"role"`     // of the rows of the figures
	Points     []FrontierPoint `json:"points"`
}

// FrontierPoint is the classifier for a bound, which is undefined without requirement.
type FrontierPoint struct {
	Bound fairness.Value `json:"bound"`
	// TrainedFor is the bound that it was trained for, if that is another one; otherwise nil.
	TrainedFor *fairness.Value `json:"trained_for,omitempty"`

	Disparity fairness.Value `json:"disparity"`
	Accuracy  fairness.Value `json:"accuracy"`
	Chosen    bool           `json:"chosen"`
}

// Model is what the model is made of.
type Model struct {
	SHA256    string  `json:"sha256"` // of the model file
	Version   string  `json:"version"`
	Status    string  `json:"status"`
	Method    string  `json:"method"`
	Loss      string  `json:"loss"`
	Seed      uint64  `json:"seed"`
	Threshold float64 `json:"threshold"`
	// ThresholdOfCosts is where a probability makes both decisions cost the same; null without costs.
	ThresholdOfCosts fairness.Value    `json:"threshold_of_costs"`
	Costs            *classifier.Costs `json:"costs"` // nil if decisions were chosen by their accuracy
	Features         int               `json:"features"`
	Residual         float64           `json:"kkt_residual"`
	// ResidualOf says what was optimised to this residual: the model, the model before its scores were
	// made probabilities, or the smooth problem from which the search for decisions made it.
	ResidualOf string                  `json:"kkt_residual_of"`
	Objective  float64                 `json:"objective"`
	Training   classifier.Source       `json:"data"`
	Uses       *classifier.Explanation `json:"uses"`
}

// What a residual is that of.
const (
	ofModel        = "model"
	ofUncalibrated = "uncalibrated-model"
	ofSmooth       = "smooth-problem"
)

// Privacy says what the document hides.
type Privacy struct {
	MinGroup int `json:"min_group"` // people below which a group is not shown
	Folded   int `json:"folded"`    // groups that are not shown on their own
	Levels   int `json:"levels"`    // levels of columns that are left out
}
