// Package scoringtest has places with rows, for tests.
package scoringtest

import (
	"math"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Places are two places that have rows of a data set.
type Places struct {
	Parts []*dataset.Dataset
	Lost  bool // the answer of one of them
}

// InPlaces returns the places that have the rows of d.
func InPlaces(d *dataset.Dataset) Places {
	const cut = 12_288
	rows := func(lo, hi int) (list []int) {
		for i := lo; i < hi; i++ {
			list = append(list, i)
		}
		return list
	}
	return Places{Parts: []*dataset.Dataset{d.Pick(rows(0, cut), d.Name), d.Pick(rows(cut, d.Rows()), d.Name)}}
}

// Evaluate implements model.Remote.
func (p Places) Evaluate(plan *model.Plan, x []float64) (parts []model.Part, err error) {
	first := 0
	for _, d := range p.Parts {
		local, err := model.NewLocal(plan, d, first)
		if err != nil {
			return nil, err
		}
		parts, first = append(parts, local.Evaluate(x)...), first+d.Rows()
	}
	return parts, nil
}

// Judge implements scoring.Places.
func (p Places) Judge(q *scoring.Question) ([]*scoring.Answer, error) { return answersOf(p, q.Answer) }

// Count implements scoring.Places.
func (p Places) Count(q *scoring.Count) ([]*scoring.Counted, error) { return answersOf(p, q.Of) }

func answersOf[A any](p Places, of func(*dataset.Dataset) (A, error)) (answers []A, err error) {
	for _, d := range p.Parts {
		a, err := of(d)
		if err != nil {
			return nil, err
		}
		answers = append(answers, a)
	}
	if p.Lost {
		answers = answers[1:]
	}
	return answers, nil
}

// Sampled returns a fifth of the rows of each label and of feature 71, and half of the women with it.
func Sampled(d *dataset.Dataset) *dataset.Dataset {
	strata, err := d.Strata("71")
	if err != nil {
		panic(err)
	}
	drawn, rows := map[int]int{}, []int{}
	for i := range d.Rows() {
		k := strata.Of(i)
		every := 5
		if k < 2 {
			every = 2
		}
		if i%every == 0 {
			rows = append(rows, i)
			drawn[k]++
		}
	}
	s, each := d.Pick(rows, d.Name), float64(len(rows))/float64(d.Rows())
	s.SampleOf, s.Weights = d.Rows(), nil
	for _, i := range rows {
		k := strata.Of(i)
		s.Weights = append(s.Weights, float64(strata.Size(k))/float64(drawn[k])*each)
	}
	return s
}

// Classifier returns a classifier of rows with the features of d, whose weights differ.
func Classifier(d *dataset.Dataset) *classifier.Classifier {
	c := &classifier.Classifier{Features: classifier.Features{Count: d.Features()}, Weights: make([]float64, d.Features()), Threshold: 0.4}
	for j := range c.Weights {
		c.Weights[j] = math.Sin(float64(j)) / 2
	}
	return c
}
