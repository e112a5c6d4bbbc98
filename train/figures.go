package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// figures evaluates the classifier on d, with the groups that the constraints name.
func figures(c *classifier.Classifier, d *dataset.Dataset, constraints []model.Constraint) (*Figures, error) {
	scores := make([]float64, d.Rows())
	if err := c.Scores(scores, d.X); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	var groups []fairness.Group
	seen := map[string]bool{}
	for _, constraint := range constraints {
		grouped, ok := constraint.(model.Grouped)
		if !ok {
			continue
		}
		for _, spec := range grouped.Groups() {
			found, err := dataset.FindGroups(d, spec)
			if err != nil {
				continue // a data set without the group has no figures for it
			}
			for _, g := range found {
				if !seen[g.Name] {
					seen[g.Name] = true
					groups = append(groups, fairness.Group{Name: g.Name, Member: g.Member})
				}
			}
		}
	}
	r, err := fairness.Evaluate(fairness.Predictions{Scores: scores, Threshold: c.Threshold, Labels: d.Y, Weights: d.Weights}, groups)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return &Figures{Name: d.Name, Report: r}, nil
}

// levelsOn returns the levels of the constraints on the rows of d, by the constraints'
// names.
func levelsOn(o *Options, a *attempt, d *dataset.Dataset) (map[string]Levels, error) {
	options := o.Model
	options.Weights = nil // of the objective, which plays no part
	fair, err := model.New(d, d, o.Constraints, options)
	if err != nil {
		return nil, err
	}
	c := make([]float64, len(fair.Rows()))
	fair.Constraint(c, a.x, nil)
	decisions, err := decide(o, a, d)
	if err != nil {
		return nil, err
	}
	levels := map[string]Levels{}
	for i, row := range fair.Rows() {
		levels[row.Name] = Levels{c[i], row.Value(decisions)}
	}
	return levels, nil
}

// decide returns the decisions on the rows of d as 0 and 1, those of the classifier to be.
func decide(o *Options, a *attempt, d *dataset.Dataset) ([]float64, error) {
	weights, intercept := a.fair.Split(a.x)
	c := classifier.Classifier{Weights: weights, Intercept: intercept}
	decisions := make([]float64, d.Rows())
	if err := c.Scores(decisions, d.X); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	for i, score := range decisions {
		decisions[i] = 0
		if score >= o.Threshold {
			decisions[i] = 1
		}
	}
	return decisions, nil
}
