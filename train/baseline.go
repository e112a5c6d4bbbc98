package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/decide"
)

// The losses of Options.
const (
	// Logistic is log(1 + exp(−margin)): its scores are probabilities.
	Logistic = "logistic"
	// Robust is φ_α of it (the paper's eq. fairness): misfits count for less, which may
	// decide better.
	Robust = "robust"
)

// fit is the unconstrained solution for one loss.
type fit struct {
	loss     string
	accuracy float64 // on the rows to train on
	spread   float64 // standard deviation of the margins of some of them
	centre   float64 // the margin from which on decisions are positive
	*attempt
}

// tie is a difference of accuracies that does not count.
const tie = 5e-4

// unconstrained trains without constraints: with the loss of the options or, if they leave
// it open, with both losses. The better loss comes first, the logistic loss at a tie.
func unconstrained(ctx context.Context, o *Options) ([]fit, error) {
	losses := []string{o.Loss}
	switch {
	case o.Loss != "":
	case len(o.requirements()) > 0 && !o.OnDecisions():
		losses = []string{Robust}
	case o.Threshold != 0.5: // of probabilities
		losses = []string{Logistic}
	default:
		losses = []string{Logistic, Robust}
	}
	fits := make([]fit, len(losses))
	var runs errgroup.Group
	if len(o.requirements()) == 0 {
		runs.SetLimit(1) // with one method
	}
	for i, loss := range losses {
		with := o.with(loss)
		switch {
		case len(o.requirements()) == 0:
			with.Progress = o.part(i, len(losses)) // one after the other
		case i > 0:
			with.Progress = nil // they run side by side
		}
		runs.Go(func() (err error) {
			fits[i], err = with.free(ctx)
			return err
		})
	}
	if err := runs.Wait(); err != nil {
		return nil, err
	}
	if len(fits) > 1 && fits[1].accuracy > fits[0].accuracy+tie {
		fits[0], fits[1] = fits[1], fits[0]
	}
	return fits, nil
}

// free trains without constraints.
func (o *Options) free(ctx context.Context) (fit, error) {
	free := *o
	free.Constraints, free.stated = []model.Constraint{model.Unconstrained()}, nil
	if len(o.requirements()) > 0 { // a baseline, whatever method is on trial, and a start, with passes left for what follows
		free.Method, free.Output, free.MaxPasses = solver.DefaultFiniteSum(), solver.Best, o.MaxPasses/2
	}
	a, err := try(ctx, &free)
	if err != nil {
		return fit{}, err
	}
	x := a.classifier(&free)
	centre, err := o.calibratedCentre(x)
	if err != nil {
		return fit{}, err
	}
	t := o.margins(x, o.Data)
	judge := o.judge(&rows{Dataset: o.Data, places: o.places()})
	return fit{o.Loss, judge.Count(t, t, centre).Accuracy, spread(t), centre, a}, judge.Err()
}

// calibratedCentre returns the margin from which on decisions of an unconstrained solution are
// positive. A penalty shrinks margins, so there it is where the probability given the margin is
// the threshold. Rows count as in training: weights of classes are a wish for other decisions.
func (o *Options) calibratedCentre(x []float64) (float64, error) {
	if o.Model.L2 == 0 || !o.calibrates(o.Loss) {
		return o.logOdds(), nil
	}
	p, err := pointsOf(newClassifier(o, o.Loss, x), o.Data, o.places())
	if err != nil {
		return 0, err
	}
	p.weighClasses(o.classWeight())
	a, b, ok := logisticFit(p)
	if !ok {
		return o.logOdds(), nil
	}
	return (o.logOdds() - b) / a, nil
}

// with returns the options with a loss.
func (o *Options) with(loss string) *Options {
	chosen := *o
	chosen.Loss = loss
	if loss == Logistic {
		chosen.Model.Alpha = math.Inf(1)
	}
	return &chosen
}

// validateLoss reports a loss that is unknown.
func (o *Options) validateLoss() error {
	switch o.Loss {
	case "", Logistic, Robust:
		return nil
	}
	return fmt.Errorf("train: loss is %q, must be %s, %s or empty", o.Loss, Logistic, Robust)
}

// Baselines are the classifiers to compare a fair classifier with, on the same rows.
type Baselines struct {
	Majority      Baseline `json:"majority"`      // the same answer for everybody
	Unconstrained Baseline `json:"unconstrained"` // the classifier trained without constraints
	// Unfinished is whether that one ended before the tolerance, for lack of passes.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Baseline has the figures of one such classifier; nil for rows that are not there.
type Baseline struct {
	Train      *BaselineFigures `json:"train"`
	Validation *BaselineFigures `json:"validation,omitempty"`
	Test       *BaselineFigures `json:"test,omitempty"`
}

// BaselineFigures are the figures on one set of rows.
type BaselineFigures struct {
	Accuracy float64 `json:"accuracy"`
	// Requirements are the measures achieved, in the order of Report.Requirements; null
	// where one is undefined.
	Requirements []*float64 `json:"requirements"`
}

// baselines measures, on all rows, the unconstrained classifier and the constant answer
// that is right more often on the rows to train on.
func (o *Options) baselines(free *classifier.Classifier, sets map[*dataset.Dataset]*scored) (*Baselines, error) {
	majority := *free
	majority.Weights = make([]float64, len(free.Weights))
	majority.Intercept = 1
	positives := 0.0
	shares := decide.NewShares(o.Data.Weights, o.Data.Rows()) // of which accuracy is, whatever mistakes cost
	for i, y := range o.Data.Y {
		positives += float64(shares.At(i) * float64(y))
	}
	if positives < 0 {
		majority.Intercept = -1
	}
	majority.Threshold = 0.5
	b := new(Baselines)
	for _, baseline := range []struct {
		c  *classifier.Classifier
		to *Baseline
	}{{&majority, &b.Majority}, {free, &b.Unconstrained}} {
		scores := map[*dataset.Dataset]*scored{}
		for d, s := range sets {
			var err error
			if scores[d], err = s.score(baseline.c); err != nil {
				return nil, err
			}
		}
		baseline.to.Train = figuresOf(scores[o.Data], scores[o.ConstraintData])
		baseline.to.Validation = figuresOf(scores[o.ValidationData], scores[o.ValidationData])
		baseline.to.Test = figuresOf(scores[o.TestData], scores[o.TestData])
	}
	return b, nil
}

// figuresOf returns the accuracy on some rows and the measures on others, nil without rows.
func figuresOf(s, constrained *scored) *BaselineFigures {
	if s == nil {
		return nil
	}
	f := &BaselineFigures{Accuracy: s.right, Requirements: []*float64{}}
	for k := range constrained.requirements {
		achieved, _, _ := constrained.achieved(k, nil)
		f.Requirements = append(f.Requirements, achieved)
	}
	return f
}

// requirements returns the constraints without the one that stands for "none".
func (o *Options) requirements() []model.Constraint {
	return slices.DeleteFunc(slices.Clone(o.Constraints), model.IsNone)
}
