// Package classifier is the product of training: a linear model that scores rows, and
// its file.
//
//	Classifier   weights, intercept, threshold and where they come from, this file
//	Load, Write   the model file, file.go
//	Explain      what it uses and how strongly, explain.go
//	Contributions   what made a score, contribution.go
//	Scorecard   a model of integer points, scorecard.go
//	Reference    averages of the training rows, reference.go
package classifier

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/internal/names"
)

// Classifier scores a row a with σ(wᵀa + b), σ(t) = 1/(1+e⁻ᵗ), and decides positively
// where the score is at least Threshold.
type Classifier struct {
	Features  Features  `json:"features"`  // what the columns of a are
	Weights   []float64 `json:"weights"`   // w, one a feature
	Intercept float64   `json:"intercept"` // b
	Threshold float64   `json:"threshold"` // in [0, 1]
	// Points make it a scorecard, see Scorecard; nil for most models.
	Points      *Points      `json:"points,omitempty"`
	Constraints []Constraint `json:"constraints"` // what the model was trained to satisfy
	Training    Training     `json:"training"`
	Tests       []Test       `json:"tests,omitempty"` // for a guarantee, the oldest first
	// Unconstrained are the weights without the constraints, for the same features: what they were
	// before, in the unit of Weights. Nil without constraints, and in older files.
	Unconstrained []float64 `json:"unconstrained_weights,omitempty"`
	// UnconstrainedIntercept goes with them: decisions without the constraints are positive where the
	// log-odds are at least 0. Nil in older files.
	UnconstrainedIntercept *float64 `json:"unconstrained_intercept,omitempty"`
	// Reference describes the training rows; nil in older files.
	Reference *Reference `json:"reference,omitempty"`
}

// Test is a test of the model on rows that had no part in training.
type Test struct {
	Time string `json:"time"` // RFC 3339
	Data string `json:"data"` // as a person calls them
	// Fingerprint names the rows, whatever their order; see package ledger.
	Fingerprint  string   `json:"fingerprint"`
	Rows         int      `json:"rows"`
	Requirements []string `json:"requirements"` // specifications
	Confidence   float64  `json:"confidence"`   // at which they were tested
	Holds        bool     `json:"holds"`
}

// DataName is the name of data in a model file. The file may be given to others, who need
// not know where a machine has the data: an absolute path is cut to its last part, and so are
// those of a list.
func DataName(name string) string {
	return names.EachPath(name, func(path string) string {
		if filepath.IsAbs(path) {
			return filepath.Base(path)
		}
		return path
	})
}

// Features says how the columns of a row are obtained from data.
type Features struct {
	Kind  string   `json:"kind"`            // LIBSVM or CSV
	Count int      `json:"count"`           // number of columns
	Names []string `json:"names,omitempty"` // one a column; nil means "1", "2", …
	// Encoding makes the columns of the rows of a CSV file, for the kind CSV.
	Encoding *encoding.Encoding `json:"encoding,omitempty"`
}

// The kinds of features.
const (
	LIBSVM = "libsvm" // feature j of a LIBSVM file, counted from 1, is column j−1
	CSV    = "csv"    // the encoding makes columns from the columns of a CSV file
)

// Constraint is a constraint of the training problem and its exact value at the model.
type Constraint struct {
	Name      string  `json:"name"`  // "share(71)"
	Spec      string  `json:"spec"`  // "share:group=71,omega=0.3"
	On        string  `json:"on"`    // "scores" or "decisions"
	Value     float64 `json:"value"` // c(x), ≤ 0 where it holds exactly
	Satisfied bool    `json:"satisfied"`
}

// Training is the provenance of a model: enough to train it again, and the final figures.
type Training struct {
	Version        string            `json:"version"` // of fairtrain
	GoVersion      string            `json:"go_version"`
	Solver         string            `json:"solver,omitempty"` // of older files, before Method; Read moves it there
	Method         string            `json:"method"`
	Options        map[string]string `json:"options"` // every option of the method
	Seed           uint64            `json:"seed"`
	Data           Source            `json:"data"`
	ConstraintData *Source           `json:"constraint_data,omitempty"` // nil: the constraints use Data
	Status         string            `json:"status"`
	Objective      float64           `json:"objective"`
	KKTResidual    float64           `json:"kkt_residual"`
	// ScaledResidual is the residual that the tolerance was for, see train.Report; 0 if it
	// is unknown.
	ScaledResidual float64 `json:"scaled_residual,omitempty"`
	// Tolerance is that of the residual and of requirements on scores; 0 in older files.
	Tolerance float64 `json:"tolerance,omitempty"`
	Passes    float64 `json:"passes"`
	Loss      string  `json:"loss,omitempty"` // "logistic" or "robust"
	// Calibration maps the trained margins to the margins of the model; nil if they are
	// the same.
	Calibration *Calibration `json:"calibration,omitempty"`
	// Costs are those of wrong decisions where decisions were chosen by them, not by accuracy.
	Costs *Costs `json:"costs,omitempty"`
	// Command is the command line that trains the model again, with files by their names
	// alone; empty if unknown.
	Command string `json:"command,omitempty"`
	// Unconstrained has the figures of the classifier trained without constraints on the
	// rows of the run; empty if there were no constraints, or if they are unknown.
	Unconstrained []Baseline `json:"unconstrained,omitempty"`
	// GivenScore is the column of a given score that was adjusted; empty where a model was trained. It is
	// the unconstrained classifier then.
	GivenScore string `json:"given_score,omitempty"`
	// Unseen is how such models do on rows that they were not fitted to; nil if it is unknown.
	Unseen *Unseen `json:"unseen,omitempty"`
	// AlreadySatisfied is whether the model is the unconstrained one, which satisfies the constraints.
	AlreadySatisfied bool `json:"already_satisfied,omitempty"`
	// Shifts are categories by which decisions on the training rows differ much more than those of
	// that classifier.
	Shifts []Shift `json:"shifts,omitempty"`
	// Monotone are the numbers in which the score was to be monotone.
	Monotone []Monotone `json:"monotone,omitempty"`
	// Opposed are the columns whose effects run against their own association with the label.
	Opposed []Opposed `json:"opposed,omitempty"`
}

// Monotone is a number with which the score never falls, or never rises.
type Monotone struct {
	Column    string `json:"column"`
	Direction string `json:"direction"` // "+" or "-"
	// Steps are those between neighbouring bins; 0 if the score has a multiple of the number.
	Steps int `json:"steps"`
	// Binding counts the steps, or 1 for the multiple, that are 0 in the solution that the classifier
	// was made from, and would go the other way without the constraint: with multipliers above 0.
	Binding int `json:"binding"`
}

// Unseen are figures of models trained like this one on rows that they were not fitted to: by
// cross-validation, of all training rows or many of them.
type Unseen struct {
	Rows     int            `json:"rows"`
	Accuracy fairness.Value `json:"accuracy"`
	AUC      fairness.Value `json:"auc"`
	LogLoss  fairness.Value `json:"log_loss"`
	// Unconstrained is the accuracy of the classifier trained without constraints.
	Unconstrained fairness.Value `json:"unconstrained_accuracy"`
	// Requirements are the measures of the constraints, in their order.
	Requirements []Estimate `json:"requirements,omitempty"`
	// UnconstrainedRequirements are those of the classifier trained without constraints.
	UnconstrainedRequirements []Estimate `json:"unconstrained_requirements,omitempty"`
	// Settings is the number of settings of the search for fair decisions of which this is the best
	// one on these rows, and Met whether it met the constraints there, but for chance.
	Settings int  `json:"settings,omitempty"`
	Met      bool `json:"met,omitempty"`
	// Changes are those of decisions by the constraints, on these rows; nil if they are unknown.
	*changes.Changes
}

// Estimate is a measure on rows held out, and the standard error of it for want of rows; nil where
// it is undefined.
type Estimate struct {
	Value *float64 `json:"value"`
	SE    *float64 `json:"se"`
}

// Costs say how bad wrong decisions are; their sum is 1. To decide positively for probabilities of
// at least T is best if they are T and 1−T. Class weights change them, too.
type Costs struct {
	WrongPositive float64 `json:"wrong_positive"`
	Missed        float64 `json:"missed"` // a wrong negative decision
}

// Baseline has the figures of another classifier on the same rows.
type Baseline struct {
	Rows     string  `json:"rows"` // TrainRows, ValidationRows or TestRows
	Source   Source  `json:"source"`
	Accuracy float64 `json:"accuracy"`
	// Requirements are the measures of the constraints, in their order; null where one is
	// undefined.
	Requirements []*float64 `json:"requirements"`
	Unfinished   bool       `json:"unfinished,omitempty"` // its training ended before the tolerance
}

// The rows of a training run.
const (
	TrainRows      = "train"
	ValidationRows = "validation"
	TestRows       = "test"
)

// Calibration turns trained margins m into Slope·m + Shift, whose scores are probabilities.
type Calibration struct {
	Slope float64 `json:"slope"`
	Shift float64 `json:"shift"`
}

// Fingerprint identifies how features are made: the same rows have the same
// features if they have the same fingerprint.
func (f *Features) Fingerprint() string {
	if f.Encoding == nil {
		return f.Kind
	}
	columns := slices.Clone(f.Encoding.Features)
	for k := range columns {
		columns[k].Range = nil // makes no feature
	}
	made, err := json.Marshal([]any{columns, f.Encoding.Crosses})
	if err != nil {
		panic(err) // they are finite numbers and text, see Validate
	}
	sum := sha256.Sum256(made)
	return hex.EncodeToString(sum[:8])
}

// LeastRows returns the least number of training rows of anything that the features name.
func (f *Features) LeastRows() int {
	if f.Encoding == nil {
		return tabular.DefaultMinCount
	}
	return f.Encoding.Schema.LeastRows()
}

// Source identifies a data set.
type Source struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	// Files are those of the files that have rows, if there are several.
	Files []string `json:"files_sha256,omitempty"`
	Rows  int      `json:"rows"`
}

// SourceOf returns the source of rows, by the name that they have here; see DataName.
func SourceOf(d *dataset.Dataset) Source {
	return Source{Name: d.Name, SHA256: d.Hash, Files: d.Files, Rows: d.All()}
}

// HasFileOf reports whether rows are from a file that the source has too: the same one, or one of
// several.
func (s Source) HasFileOf(d *dataset.Dataset) bool {
	files := append(slices.Clone(s.Files), s.SHA256)
	return slices.ContainsFunc(append(slices.Clone(d.Files), d.Hash),
		func(hash string) bool { return slices.Contains(files, hash) })
}

// Before returns a classifier of the decisions without the constraints; nil if the file has none.
func (c *Classifier) Before() *Classifier {
	if c.Unconstrained == nil || c.UnconstrainedIntercept == nil {
		return nil
	}
	const even = 0.5
	return &Classifier{Features: c.Features, Weights: c.Unconstrained, Intercept: *c.UnconstrainedIntercept, Threshold: even}
}

// Scores stores the score of every row of x in dst, of length rows. Columns that x lacks
// count as 0; an x with more columns than the model has features is an error.
func (c *Classifier) Scores(dst []float64, x *sparse.Matrix) error {
	rows, _ := x.Dims()
	if len(dst) != rows {
		panic(fmt.Sprintf("classifier: %d scores for %d rows", len(dst), rows))
	}
	return c.ScoresFrom(dst, x, 0)
}

// ScoresFrom is Scores for some rows, from row lo on.
func (c *Classifier) ScoresFrom(dst []float64, x *sparse.Matrix, lo int) error {
	if _, cols := x.Dims(); cols > len(c.Weights) {
		return fmt.Errorf("the data have %d features, the model has %d", cols, len(c.Weights))
	}
	x.MulRange(dst, c.Weights, lo, lo+len(dst))
	for i, t := range dst {
		dst[i] = sigmoid(t + c.Intercept)
	}
	return nil
}

// sigmoid is 1/(1+e⁻ᵗ), computed from e^−|t|, which can't overflow.
func sigmoid(t float64) float64 {
	e := math.Exp(-math.Abs(t))
	if t < 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
}

// Validate reports everything that makes c useless as a model: an unknown kind of features,
// counts that don't agree, weights that are not finite, a threshold outside [0, 1]. That other
// numbers are finite follows from the file: JSON has no others.
func (c *Classifier) Validate() error {
	var errs []error
	report := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	f := c.Features
	switch {
	case f.Kind != LIBSVM && f.Kind != CSV:
		report("features.kind is %q, must be %q or %q", f.Kind, LIBSVM, CSV)
	case (f.Kind == CSV) != (f.Encoding != nil):
		report("features.encoding must be there for the kind %q, and only then", CSV)
	case f.Kind == CSV:
		if err := f.Encoding.Validate(); err != nil {
			report("features.encoding: %w", err)
		} else if w := f.Encoding.Width(); w != f.Count {
			report("features.count is %d, but features.encoding makes %d", f.Count, w)
		}
	}
	if f.Count < 1 {
		report("features.count is %d, must be at least 1", f.Count)
	}
	if f.Names != nil && len(f.Names) != f.Count {
		report("features.names has %d entries for %d features", len(f.Names), f.Count)
	}
	if len(c.Weights) != f.Count {
		report("weights has %d entries for %d features", len(c.Weights), f.Count)
	}
	if c.Unconstrained != nil && len(c.Unconstrained) != f.Count {
		report("unconstrained_weights has %d entries for %d features", len(c.Unconstrained), f.Count)
	}
	if u := c.UnconstrainedIntercept; u != nil && c.Unconstrained == nil {
		report("unconstrained_intercept is there, but not unconstrained_weights")
	}
	const largest = 1e150 // products with features are finite then
	for j, w := range c.Weights {
		if !(math.Abs(w) <= largest) { // there may be millions of names
			report("weights[%d] is %v, must be at most %v in size", j, w, largest)
		}
	}
	if !(math.Abs(c.Intercept) <= largest) {
		report("intercept is %v, must be at most %v in size", c.Intercept, largest)
	}
	if !(c.Threshold >= 0 && c.Threshold <= 1) {
		report("threshold is %v, must be in [0, 1]", c.Threshold)
	}
	for i, b := range c.Training.Unconstrained {
		if len(b.Requirements) != len(c.Constraints) {
			report("training.unconstrained[%d].requirements has %d entries for %d constraints", i,
				len(b.Requirements), len(c.Constraints))
		}
	}
	if u := c.Training.Unseen; u != nil {
		for name, list := range map[string][]Estimate{"": u.Requirements, "unconstrained_": u.UnconstrainedRequirements} {
			if list != nil && len(list) != len(c.Constraints) {
				report("training.unseen.%srequirements has %d entries for %d constraints", name, len(list), len(c.Constraints))
			}
		}
	}
	if c.Reference != nil {
		if err := c.Reference.validate(&f); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Points != nil && errs == nil {
		errs = append(errs, c.validatePoints())
	}
	return errors.Join(errs...)
}

// Shift is a category by whose levels selection rates are much further apart than without the
// requirements.
type Shift struct {
	Column  string    `json:"column"`
	Lowest  LevelRate `json:"lowest"`
	Highest LevelRate `json:"highest"`
	// FreeLowest and FreeHighest are the rates that are furthest apart without the requirements, of
	// whichever levels.
	FreeLowest  float64 `json:"without_requirements_lowest"`
	FreeHighest float64 `json:"without_requirements_highest"`
}

// LevelRate is the selection rate of the rows that have a level, or a feature that is 1.
type LevelRate struct {
	Level string  `json:"level"`
	Rows  int     `json:"rows"`
	Rate  float64 `json:"selection_rate"`
}

// More is by how much further apart they are.
func (s *Shift) More() float64 {
	return s.Highest.Rate - s.Lowest.Rate - (s.FreeHighest - s.FreeLowest)
}

// Rounded returns it as in a model file: rates to three digits behind the point, rows to
// multiples of unit.
func (s Shift) Rounded(unit int) Shift {
	rate := func(v float64) float64 { return math.Round(1e3*v) / 1e3 }
	level := func(l LevelRate) LevelRate {
		return LevelRate{l.Level, unit * ((l.Rows + unit/2) / unit), rate(l.Rate)}
	}
	return Shift{s.Column, level(s.Lowest), level(s.Highest), rate(s.FreeLowest), rate(s.FreeHighest)}
}
