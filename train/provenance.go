package train

import (
	"math"
	"runtime"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// newClassifier returns the classifier of weights and intercept x, with what is known of its
// training before the report.
func newClassifier(o *Options, loss string, x []float64) *classifier.Classifier {
	n := o.Data.Features()
	trained := &classifier.Classifier{
		Features:  classifier.Features{Kind: classifier.LIBSVM, Count: n, Names: o.Data.Cols},
		Weights:   x[:n:n],
		Threshold: o.thresholdAt(loss),
		Training: classifier.Training{
			Version: o.Version, GoVersion: runtime.Version(),
			Method: o.Method.Name(), Options: map[string]string{}, Seed: o.Seed,
			Data: source(o.Data), Loss: loss, Command: o.Command,
		},
	}
	if o.Model.Intercept {
		trained.Intercept = x[n]
	}
	if o.Encoding != nil {
		trained.Features.Kind, trained.Features.Encoding = classifier.CSV, o.Encoding
	}
	if o.ConstraintData != o.Data {
		s := source(o.ConstraintData)
		trained.Training.ConstraintData = &s
	}
	for _, p := range o.Method.Params() {
		trained.Training.Options[p.Name] = p.Current()
	}
	return trained
}

// thresholdAt returns the score from which on decisions of a loss are positive, before scores are
// calibrated.
func (o *Options) thresholdAt(loss string) float64 {
	centre, ok := o.centres[loss]
	if !ok || centre == o.logOdds() {
		return o.Threshold
	}
	return 1 / (1 + math.Exp(-centre))
}

// describe completes the model's provenance by what the report found.
func describe(trained *classifier.Classifier, o *Options, r *Report) {
	t := &trained.Training
	t.Status, t.Objective, t.Passes = string(r.Status), r.Objective, r.Passes
	t.KKTResidual, t.ScaledResidual, t.Tolerance, t.Costs = r.KKTResidual, r.ScaledResidual, r.Tolerance, r.Costs
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
		{classifier.TrainRows, o.Data, free.Train},
		{classifier.ValidationRows, o.ValidationData, free.Validation},
		{classifier.TestRows, o.TestData, free.Test},
	} {
		if b.data != nil {
			t.Unconstrained = append(t.Unconstrained, classifier.Baseline{
				Rows: b.rows, Source: source(b.data), Accuracy: b.Accuracy, Requirements: b.Requirements, Unfinished: r.Baselines.Unfinished,
			})
		}
	}
}

// reference returns what the model file says about the training rows.
func (o *Options) reference(f *classifier.Features) (*classifier.Reference, error) {
	groups := model.GroupsOf(o.requirements()...)
	if !o.sampled() {
		return f.Measure(o.Data, groups)
	}
	columns, err := columnsElsewhere(o.places(), o.Data)
	if err != nil {
		return nil, err
	}
	return f.MeasureSample(o.Data, columns, groups)
}

// columnsElsewhere returns what is known of the columns of all rows, of which d is a sample.
func columnsElsewhere(places scoring.Places, d *dataset.Dataset) (classifier.Columns, error) {
	columns := make(classifier.Columns, d.Features())
	err := scoring.Ask(places, d, &scoring.Question{Columns: true}, func(a *scoring.Answer) error {
		columns.Add(a.Columns)
		return nil
	})
	return columns, err
}

func source(d *dataset.Dataset) classifier.Source {
	s := classifier.SourceOf(d)
	s.Name = classifier.DataName(s.Name)
	return s
}
