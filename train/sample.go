package train

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Places have the rows of which the rows to train on are a sample. Steps draw from the sample; all
// exact values, and all figures of the report, are those of the places.
type Places interface {
	model.Remote
	Counter
	// Judge returns the answers of all places to a question.
	Judge(q *Question) ([]*Answer, error)
}

// validateSample reports what can't be trained on a sample.
func (o *Options) validateSample() error {
	if o.Data == nil || o.Data.SampleOf == 0 {
		return nil
	}
	if _, ok := o.Model.Remote.(Places); !ok {
		return errors.New("train: the data are a sample, but nothing evaluates the rows that it is of")
	}
	return nil
}

// Question asks what the scores of a classifier are in each group, or what one of its other parts
// does.
type Question struct {
	Decisions *decide.Question
	Spread    *Spread // of the margins

	Weights              []float64
	Intercept, Threshold float64
	Groups               []string
	Strata               []AskedStrata
}

// AskedStrata are groups, by their specification, with the names and numbers that they have among all
// rows. Number says which of Question.Groups they are.
type AskedStrata struct {
	Spec   string
	Names  []string
	Number []int
}

// Answer is what the scores of some rows are.
type Answer struct {
	Decisions *decide.Answer
	Spread    *Spreading

	Rows, Right int         // right decisions
	Sums        [][]float64 // of scores, by stratum of each of Question.Strata
	Positive    [][]float64 // decisions, by the same
	Figures     []byte      // by Question.Groups, see fairness.Binned
}

// Answer returns the answer of rows.
func (q *Question) Answer(d *dataset.Dataset) (*Answer, error) {
	if q.Decisions != nil {
		decided, err := q.Decisions.Answer(d)
		return &Answer{Decisions: decided}, err
	}
	s, err := scoredBy(q.Weights, q.Intercept, q.Threshold, d)
	if err != nil {
		return nil, err
	}
	if q.Spread != nil {
		return &Answer{Rows: d.Rows(), Spread: q.Spread.of(s.by, d, decide.NewShares(nil, 1))}, nil
	}
	groups := &Grouping{Names: q.Groups}
	a := &Answer{Rows: d.Rows()}
	for _, asked := range q.Strata {
		strata, err := d.StrataAs(asked.Spec, asked.Names)
		if err != nil {
			return nil, err
		}
		groups.Add(strata, asked.Number)
		a.Sums = append(a.Sums, make([]float64, strata.Len()))
		a.Positive = append(a.Positive, make([]float64, strata.Len()))
	}
	if a.Figures, err = s.binned(groups).MarshalBinary(); err != nil {
		return nil, err
	}
	return a, s.Each(func(lo int, scores []float64) error {
		decisions := make([]float64, len(scores))
		for k, score := range scores {
			if score >= q.Threshold {
				decisions[k] = 1
			}
			if (decisions[k] == 1) == (d.Y[lo+k] > 0) {
				a.Right++
			}
		}
		for k, of := range groups.of {
			of.strata.Add(a.Sums[k], scores, lo)
			of.strata.Add(a.Positive[k], decisions, lo)
		}
		return nil
	})
}

// scoredBy scores rows by a classifier of which no more is known.
func scoredBy(weights []float64, intercept, threshold float64, d *dataset.Dataset) (*Scored, error) {
	return NewScored(&classifier.Classifier{Features: classifier.Features{Count: len(weights)}, Weights: weights, Intercept: intercept, Threshold: threshold}, d)
}

// ask judges all rows, of which these are a sample.
func (r *rows) ask(c *classifier.Classifier) (*scored, error) {
	q := &Question{Weights: c.Weights, Intercept: c.Intercept, Threshold: c.Threshold, Groups: r.groups.Names}
	for _, of := range r.groups.of {
		q.Strata = append(q.Strata, AskedStrata{of.strata.Spec, of.strata.Names, of.number})
	}
	answers, err := r.places.Judge(q)
	if err != nil {
		return nil, err
	}
	all, figures := new(Answer), fairness.NewBinned(c.Threshold, q.Groups, false)
	for _, of := range r.groups.of {
		all.Sums = append(all.Sums, make([]float64, of.strata.Len()))
		all.Positive = append(all.Positive, make([]float64, of.strata.Len()))
	}
	for _, a := range answers {
		all.Rows += a.Rows
		all.Right += a.Right
		if err := figures.MergeBinary(a.Figures); err != nil {
			return nil, err
		}
		for k, sums := range a.Sums {
			floats.Add(all.Sums[k], sums)
			floats.Add(all.Positive[k], a.Positive[k])
		}
	}
	if all.Rows != r.All() {
		return nil, fmt.Errorf("%s: %d rows were judged, expected %d", r.Name, all.Rows, r.All())
	}
	s := &scored{rows: r, all: figures, right: float64(all.Right) / float64(all.Rows)}
	for k := range all.Sums { // in the units of the sample, in which requirements are stated
		floats.Scale(float64(r.Rows())/float64(r.All()), all.Sums[k])
		floats.Scale(float64(r.Rows())/float64(r.All()), all.Positive[k])
	}
	for _, requirement := range r.requirements {
		totals, sums := requirement.Totals(), all.Sums
		if requirement.On == Decisions {
			sums = all.Positive
		}
		for strata := range totals {
			k := slices.IndexFunc(r.groups.of, func(of numbering) bool { return of.strata == strata })
			copy(totals[strata], sums[k])
		}
		s.totals = append(s.totals, totals)
	}
	return s, nil
}
