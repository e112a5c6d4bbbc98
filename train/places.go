package train

import (
	"errors"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/train/decide"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// validateSample reports what can't be trained on a sample.
func (o *Options) validateSample() error {
	if o.Data == nil || o.Data.SampleOf == 0 {
		return nil
	}
	if _, ok := o.Model.Remote.(scoring.Places); !ok {
		return errors.New("train: the data are a sample, but nothing evaluates the rows that it is of")
	}
	return nil
}

// sampled reports whether the rows are a sample.
func (o *Options) sampled() bool { return o.Data.SampleOf > 0 }

// places are those that have all rows, nil if these are no sample.
func (o *Options) places() scoring.Places {
	if !o.sampled() {
		return nil
	}
	return o.Model.Remote.(scoring.Places) // Validate has looked
}

// judge returns the judge of the requirements on rows.
func (o *Options) judge(on *rows) *decide.Judge {
	shares := decide.NewShares(o.Model.Weights, o.Data.Rows()).Worth(o.Data.Y, o.logOdds())
	return decide.NewJudge(o.Data, on.Dataset, shares, on.requirements, asked{on.places})
}

// asked are places that are asked for decisions.
type asked struct{ scoring.Places }

// Decided implements decide.Places.
func (p asked) Decided(q *decide.Question) (decided []*decide.Answer, err error) {
	answers, err := p.Judge(&scoring.Question{Decisions: q})
	for _, a := range answers {
		decided = append(decided, a.Decisions)
	}
	return decided, err
}

// complete computes the objectives that candidates lack, on all rows and all at once, so that places
// answer them together.
func (s *search) complete(candidates ...*candidate) {
	var asking errgroup.Group
	for _, c := range candidates {
		if math.IsNaN(c.objective) {
			asking.Go(func() (err error) {
				c.objective, err = s.o.with(c.loss).everywhere(c.x)
				return err
			})
		}
	}
	if err := asking.Wait(); s.failed == nil {
		s.failed = err
	}
}

// everywhere returns the objective of a classifier on all rows.
func (o *Options) everywhere(classifier []float64) (float64, error) {
	fair, err := o.state(o.Model)
	if err != nil {
		return math.NaN(), err
	}
	n, _ := fair.Dims()
	x := make([]float64, n)
	copy(x, fair.Chosen(classifier))
	f := problem.Objective(fair, x, nil)
	return f, fair.Err()
}
