package main

import (
	"context"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// fit trains a classifier whose decisions satisfy a constraint on its training rows, or
// nearly so.
func fit(ctx context.Context, d *dataset.Dataset, c model.Constraint) (*classifier.Classifier, error) {
	o := train.DefaultOptions()
	o.Data, o.Constraints = d, []model.Constraint{c}
	o.Model.Intercept = true
	o.MaxPasses = 200
	_, trained, err := train.Run(ctx, o)
	return trained, err
}

// evidence returns what rows say about a classifier.
func evidence(m *classifier.Classifier, d *dataset.Dataset, r guarantee.Requirement) (guarantee.Evidence, error) {
	scores := make([]float64, d.Rows())
	if err := m.Scores(scores, d.X); err != nil {
		return guarantee.Evidence{}, err
	}
	return scoring.Evidence(d, scores, m.Threshold, []guarantee.Requirement{r})
}

// truth returns the disparity and the accuracy of a classifier on the population.
func (s *study) truth(m *classifier.Classifier) (truth, error) {
	requirement, err := train.ToGuarantee(s.constraint, train.Decisions)
	if err != nil {
		return truth{}, err
	}
	e, err := evidence(m, s.population, requirement)
	if err != nil {
		return truth{}, err
	}
	group := fairness.Group{Name: s.constraint.Group, Member: e.Groups[s.constraint.Group][0].Member}
	r, err := fairness.Evaluate(fairness.Predictions{Scores: e.Scores, Threshold: m.Threshold, Labels: s.population.Y}, []fairness.Group{group})
	if err != nil {
		return truth{}, err
	}
	return truth{true, float64(r.DemographicParityDifference), float64(r.Accuracy)}, nil
}

// merge returns the rows of both.
func merge(a, b *dataset.Dataset) *dataset.Dataset {
	var rows sparse.Builder
	for _, d := range []*dataset.Dataset{a, b} {
		for i := range d.Rows() {
			for j, v := range d.X.Row(i) {
				rows.Push(uint32(j), v)
			}
			rows.EndRow(d.Y[i])
		}
	}
	merged := *a
	merged.X, merged.Y = rows.Finish(a.Features())
	return &merged
}
