package train

import (
	"cmp"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// newClassifier returns the classifier of weights and intercept x, with what is known of its
// training before the report.
func newClassifier(t *task, loss string, centre float64, x []float64) *classifier.Classifier {
	n := t.Data.Features()
	trained := &classifier.Classifier{
		Features:  classifier.Features{Kind: classifier.LIBSVM, Count: n, Names: t.Data.Cols},
		Weights:   x[:n:n],
		Threshold: t.thresholdAt(centre),
		Training: classifier.Training{
			Version: t.Version, GoVersion: runtime.Version(),
			Method: t.Method.Name(), Options: map[string]string{}, Seed: t.Seed,
			Data: source(t.Data), Loss: loss, Command: t.Command,
		},
	}
	if t.Model.Intercept {
		trained.Intercept = x[n]
	}
	if t.Encoding != nil {
		trained.Features.Kind, trained.Features.Encoding = classifier.CSV, t.Encoding
	}
	if t.ConstraintData != t.Data {
		s := source(t.ConstraintData)
		trained.Training.ConstraintData = &s
	}
	for _, p := range t.Method.Params() {
		trained.Training.Options[p.Name] = p.Current()
	}
	return trained
}

// remember gives the classifier the weights of the unconstrained solution, calibrated if it is, and the
// intercept with which these decide.
func (t *task) remember(free fit, baseline, trained *classifier.Classifier) error {
	if len(t.requirements()) == 0 {
		return nil
	}
	scale := 1.0
	if trained.Training.Calibration != nil {
		p, err := t.points(baseline)
		if err != nil {
			return err
		}
		if slope, _, ok := p.Fit(); ok {
			scale = slope
		}
	}
	trained.Unconstrained = slices.Clone(baseline.Weights)
	floats.Scale(scale, trained.Unconstrained)
	trained.UnconstrainedIntercept = new(scale * (baseline.Intercept - free.centre))
	return nil
}

// compare measures what the constraints changed. The rows that say most about new people come first.
func (r *Report) compare(t *task, by *classifier.Classifier, sets map[*dataset.Dataset]*scored) (err error) {
	var rows []scoring.Rows
	add := func(role string, d *dataset.Dataset) {
		if d != nil {
			rows = append(rows, scoring.Rows{Role: role, Data: d, Shards: sets[d].shards})
		}
	}
	add(changes.Held, t.TestData)
	add(changes.Validation, t.ValidationData)
	if t.tuning != nil && by.Before() != nil {
		unseen := scoring.Rows{
			Role: changes.Unseen, Data: t.Choice.Data,
			Margins: [2][]float64{t.Choice.Decided(t.logOdds(), t.ClassWeight), t.tuning.chosen.margins},
		}
		rows = append(rows, unseen)
		found, err := scoring.Changes(by, t.requirements(), t.on, unseen)
		if err != nil {
			return err
		}
		by.Training.Unseen = new(*r.Unseen)
		by.Training.Unseen.Changes = found.Rounded(by.Features.LeastRows())
	}
	if t.ConstraintData != t.Data {
		add(changes.Constraints, t.ConstraintData)
	} else {
		add(changes.Training, t.Data)
	}
	r.Changes, err = scoring.Changes(by, t.requirements(), t.on, rows...)
	return err
}

// describe completes the model's provenance by what the report found.
func describe(trained *classifier.Classifier, of *task, r *Report) {
	t := &trained.Training
	t.Status, t.Objective, t.Passes = string(r.Status), r.Objective, r.Passes
	t.AlreadySatisfied = r.AlreadySatisfied
	t.Unseen = cmp.Or(t.Unseen, r.Unseen)
	t.KKTResidual, t.ScaledResidual, t.Tolerance, t.Costs = r.KKTResidual, r.ScaledResidual, r.Tolerance, r.Costs
	t.Monotone, t.GivenScore = r.Monotone, r.Given
	for _, s := range r.Shifts {
		t.Shifts = append(t.Shifts, s.Rounded(trained.Features.LeastRows()))
	}
	for _, q := range r.Requirements {
		value := 0.0 // where the measure is undefined
		if q.Train != nil {
			value = *q.Train - q.Bound
		}
		if q.AtLeast {
			value = -value
		}
		trained.Constraints = append(trained.Constraints, classifier.Constraint{
			Name: q.Measure, Spec: q.Spec, On: q.On, Value: value, Satisfied: q.Satisfied,
		})
	}
	free := r.Baselines.Unconstrained
	for _, b := range []struct {
		rows string
		data *dataset.Dataset
		*BaselineFigures
	}{
		{classifier.TrainRows, of.Data, free.Train},
		{classifier.ValidationRows, of.ValidationData, free.Validation},
		{classifier.TestRows, of.TestData, free.Test},
	} {
		if b.data != nil {
			t.Unconstrained = append(t.Unconstrained, classifier.Baseline{
				Rows: b.rows, Source: source(b.data), Accuracy: b.Accuracy, Requirements: b.Requirements, Unfinished: r.Baselines.Unfinished,
			})
		}
	}
}

// reference returns what the model file says about the training rows.
func (t *task) reference(f *classifier.Features) (*classifier.Reference, error) {
	groups := model.GroupsOf(t.requirements()...)
	if !t.sampled() {
		return f.Measure(t.Data, groups)
	}
	columns, err := scoring.ColumnsOf(t.shards())
	if err != nil {
		return nil, err
	}
	return f.MeasureSample(t.Data, columns, groups)
}

func source(d *dataset.Dataset) classifier.Source {
	s := classifier.SourceOf(d)
	s.Name = classifier.DataName(s.Name)
	return s
}
