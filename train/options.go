package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/crossval"
)

// Options state a training run.
type Options struct {
	Data           *dataset.Dataset // labelled rows of the objective
	ConstraintData *dataset.Dataset // rows of the constraints; nil means Data
	ValidationData *dataset.Dataset // rows held out; nil for none
	TestData       *dataset.Dataset // nil for none
	// Encoding is how the rows were made from CSV files; nil if they were features already.
	// Zero has no common meaning for such rows, so the model gets an intercept unless
	// NoIntercept is set.
	Encoding    *encoding.Encoding
	NoIntercept bool

	// Class is Additive or Linear; empty for rows that are features already.
	Class string
	// ChooseL2 makes Learn choose Model.L2 by cross-validation.
	ChooseL2 bool
	// Aim is AimUnseen or AimTraining; empty stands for the first. It matters where Choice allows
	// cross-validation.
	Aim string
	// Score is the column of a given score (tabular.LogOdds), which stands for the classifier trained
	// without constraints; empty for none. With Thresholds it gets a threshold for each group of the
	// crosses of Encoding, and nothing is trained.
	Score      string
	Thresholds bool
	// Interactions is the largest number of pairs of columns that Learn adds to the features.
	Interactions int
	// Choice is what Learn has chosen; nil where nothing was.
	Choice *crossval.Choice

	Constraints []model.Constraint
	// On says what the constraints bound, Scores or Decisions on ConstraintData. Empty
	// leaves it to each constraint: parities and the rate ratio bound decisions, share and
	// bounded group loss bound scores.
	On string
	// Loss is Logistic, or Robust with Model.Alpha. Empty stands for Logistic or, where the rows
	// are features already and all constraints are on scores, for Robust.
	Loss string
	// Model states the objective. If its Weights are nil, the weights of Data count. Its
	// Temperature T makes σ(margin/T) the scores if all constraints are on scores; 0 stands for 1.
	// For constraints on decisions it is the last temperature of the continuation; 0 stands for
	// 0.03.
	Model model.Options

	// ClassWeight is how many times a positive row counts in training, beside the weights of the
	// data; 0 stands for 1.
	ClassWeight float64

	// Points make the classifier a scorecard of integer points; nil for none.
	Points *classifier.Scale

	Method solver.Method
	// Scale switches the automatic scaling of the constraints on: κ_i = 1/‖∇c_i(x₀)‖.
	Scale bool

	Tolerance float64 // of Report.ScaledResidual, which includes the violation
	MaxPasses float64 // over the data; see problem.Passes
	Output    solver.Output
	Seed      uint64
	Threshold float64 // on the score, of a positive decision
	Version   string  // of the program, for the model file
	Command   string  // that starts this run, for the model file; may be empty

	// Progress, if not nil, is told about every certificate on the way.
	Progress func(Progress)
}

// DefaultOptions returns options that suit most data; Data and Constraints remain to be
// set.
func DefaultOptions() Options {
	return Options{
		Model:     model.DefaultOptions(),
		Method:    solver.DefaultFiniteSum(),
		Scale:     true,
		Tolerance: 3e-4,
		MaxPasses: 3000,
		Output:    solver.Best,
		Seed:      1,
		Threshold: 0.5,
	}
}

// Validate reports the options that are out of range.
func (o *Options) Validate() error {
	var errs []error
	if o.Data == nil {
		errs = append(errs, errors.New("train: no data"))
	}
	for _, d := range []*dataset.Dataset{o.Data, o.ConstraintData, o.ValidationData, o.TestData} {
		if d != nil {
			errs = append(errs, d.Validate())
		}
	}
	if o.Method == nil {
		errs = append(errs, errors.New("train: no method"))
	}
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 0) {
		errs = append(errs, fmt.Errorf("train: tolerance is %v, must be positive", o.Tolerance))
	}
	if !(o.MaxPasses > 0) || o.MaxPasses > 1e9 {
		errs = append(errs, fmt.Errorf("train: passes are %v, must be in (0, 1e9]", o.MaxPasses))
	}
	if !(o.Threshold >= 0 && o.Threshold <= 1) {
		errs = append(errs, fmt.Errorf("train: threshold is %v, must be in [0, 1]", o.Threshold))
	}
	if o.OnDecisions() && !(o.Threshold > 0 && o.Threshold < 1) {
		errs = append(errs, fmt.Errorf("train: threshold is %v, must be in (0, 1) for constraints on decisions", o.Threshold))
	}
	if o.Score != "" && (o.Encoding == nil || o.Data.SampleOf > 0 || o.ConstraintData != nil && o.ConstraintData != o.Data) {
		errs = append(errs, errors.New("train: a given score is that of encoded rows of this process, on which the constraints are"))
	}
	if !(o.ClassWeight >= 0) || math.IsInf(o.ClassWeight, 0) {
		errs = append(errs, fmt.Errorf("train: class weight is %v, must be positive", o.ClassWeight))
	}
	if o.Points != nil {
		f := classifier.Features{Kind: classifier.LIBSVM}
		if o.Encoding != nil {
			f = classifier.Features{Kind: classifier.CSV, Encoding: o.Encoding}
		}
		errs = append(errs, o.Points.Validate(), f.CheckScorecard())
	}
	switch o.Loss {
	case "", Logistic, Robust:
	default:
		errs = append(errs, fmt.Errorf("train: loss is %q, must be %s, %s or empty", o.Loss, Logistic, Robust))
	}
	if o.Model.Shards == nil && o.Data != nil && o.Data.SampleOf > 0 {
		errs = append(errs, errors.New("train: the data are a sample, but nothing evaluates the rows that it is of"))
	}
	return errors.Join(errs...)
}

// requirements returns the constraints without the one that stands for "none".
func (o *Options) requirements() []model.Constraint {
	return slices.DeleteFunc(slices.Clone(o.Constraints), model.IsNone)
}

// on returns what a constraint bounds.
func (o *Options) on(c model.Constraint) string {
	if o.On != "" {
		return o.On
	}
	if g, ok := c.(model.GroupConstraint); ok {
		return g.On
	}
	return Scores
}

// OnDecisions reports whether a requirement is on decisions.
func (o *Options) OnDecisions() bool {
	return slices.ContainsFunc(o.requirements(), func(c model.Constraint) bool { return o.on(c) == Decisions })
}

// HasIntercept reports whether the model has an intercept.
func (o *Options) HasIntercept() bool {
	return o.Model.Intercept || o.Encoding != nil && !o.NoIntercept
}

// Progress is the state of a run at a full pass.
type Progress struct {
	Share     float64 // of the run that is done, about; it never falls
	Objective float64
	Residual  float64 // see Report.ScaledResidual
}
