package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// rows is a data set with everything by which classifiers are judged on it, prepared once
// for all of them.
type rows struct {
	*dataset.Dataset
	groups []fairness.Group // that the constraints name, each once
	// requirements are the requirements of the options on these rows; nil where the rows lack
	// what a requirement is about.
	requirements []*model.Requirement
}

// rows states the requirements on a data set. Only the rows of the constraints must have what
// all requirements are about.
func (o *Options) rows(d *dataset.Dataset) (*rows, error) {
	r := &rows{Dataset: d, groups: groupsOf(d, o.Constraints...)}
	for _, c := range o.requirements() {
		state := model.OnRowsHeldOut
		if d == o.ConstraintData {
			state = model.NewRequirement
		}
		stated, err := state(c, d, o.on(c))
		if err != nil && d == o.ConstraintData {
			return nil, err
		}
		r.requirements = append(r.requirements, stated)
	}
	return r, nil
}

// groupsOf returns the groups that constraints name, each once, without those that the rows
// lack.
func groupsOf(d *dataset.Dataset, constraints ...model.Constraint) []fairness.Group {
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
				continue
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

// scored is rows with the scores and decisions of a classifier. All figures of the classifier
// on these rows come from it.
type scored struct {
	*rows
	scores    []float64
	decisions []float64 // 0 or 1
	threshold float64
}

func (r *rows) score(c *classifier.Classifier) (*scored, error) {
	s := &scored{rows: r, scores: make([]float64, r.Rows()), decisions: make([]float64, r.Rows()), threshold: c.Threshold}
	if err := c.Scores(s.scores, r.X); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	for i, v := range s.scores {
		if v >= c.Threshold {
			s.decisions[i] = 1
		}
	}
	return s, nil
}

// judge judges requirement k, which the rows must have.
func (s *scored) judge(k int) model.Judgement {
	values := s.decisions
	if s.requirements[k].On == Scores {
		values = s.scores
	}
	return s.requirements[k].Judge(values)
}

// achieved returns the measure of requirement k and the groups that the measure leaves out.
// It returns nil for no rows, and for rows that lack what the requirement is about.
func (s *scored) achieved(k int) (measure *float64, without []string) {
	if s == nil || s.requirements[k] == nil {
		return nil, nil
	}
	a := s.judge(k).Achieved
	return &a, s.requirements[k].Unjudged
}

// figures returns the metrics, nil for no rows.
func (s *scored) figures() (*Figures, error) {
	if s == nil {
		return nil, nil
	}
	r, err := fairness.Evaluate(s.predictions(), s.groups)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return &Figures{Name: s.Name, Report: r}, nil
}

func (s *scored) predictions() fairness.Predictions {
	return fairness.Predictions{Scores: s.scores, Threshold: s.threshold, Labels: s.Y, Weights: s.Weights}
}

// accuracy returns the share of right decisions, each row counting by its weight.
func (s *scored) accuracy() float64 {
	right := 0.0
	shares := decide.NewShares(s.Weights, len(s.Y))
	for i, y := range s.Y {
		if (s.decisions[i] == 1) == (y > 0) {
			right += shares.At(i)
		}
	}
	return right
}
