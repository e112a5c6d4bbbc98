package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
)

// scored is a data set with the scores and decisions of a classifier, from which all of its
// figures are taken.
type scored struct {
	*dataset.Dataset
	scores    []float64
	decisions []float64 // 0 or 1
	threshold float64
}

func score(c *classifier.Classifier, d *dataset.Dataset) (*scored, error) {
	s := &scored{Dataset: d, scores: make([]float64, d.Rows()), decisions: make([]float64, d.Rows()), threshold: c.Threshold}
	if err := c.Scores(s.scores, d.X); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	for i, v := range s.scores {
		if v >= c.Threshold {
			s.decisions[i] = 1
		}
	}
	return s, nil
}

// values are what a requirement is judged by.
func (s *scored) values(on string) []float64 {
	if on == Decisions {
		return s.decisions
	}
	return s.scores
}

// figures returns the metrics, for the groups that the constraints name.
func (s *scored) figures(constraints []model.Constraint) (*Figures, error) {
	r, err := fairness.Evaluate(s.predictions(), s.groups(constraints))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return &Figures{Name: s.Name, Report: r}, nil
}

func (s *scored) predictions() fairness.Predictions {
	return fairness.Predictions{Scores: s.scores, Threshold: s.threshold, Labels: s.Y, Weights: s.Weights}
}

// groups returns those that the constraints name, each once.
func (s *scored) groups(constraints []model.Constraint) []fairness.Group {
	var groups []fairness.Group
	seen := map[string]bool{}
	for _, constraint := range constraints {
		grouped, ok := constraint.(model.Grouped)
		if !ok {
			continue
		}
		for _, spec := range grouped.Groups() {
			found, err := dataset.FindGroups(s.Dataset, spec)
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
	return groups
}

// achieved returns the measure of a constraint and the groups that it leaves out, nil if the
// rows lack what it is about.
func (s *scored) achieved(c model.Constraint, on string) (*float64, []string) {
	r, err := model.OnRowsHeldOut(c, s.Dataset, on)
	if err != nil {
		return nil, nil
	}
	a := r.Judge(s.values(on)).Achieved
	return &a, r.Unjudged
}

// accuracy returns the share of right decisions, each row counting by its weight.
func (s *scored) accuracy() float64 {
	right := 0.0
	for i, w := range shares(s.Weights, len(s.Y)) {
		if (s.decisions[i] == 1) == (s.Y[i] > 0) {
			right += w
		}
	}
	return right
}
