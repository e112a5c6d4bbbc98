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
	groups []group // that the constraints name, each once
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

// group is one of the groups of strata.
type group struct {
	*dataset.Strata
	number int
}

func (g group) has(row int) bool { return g.Group(row) == g.number }

func (g group) name() string {
	if g.number == len(g.Names) {
		return fairness.Others
	}
	return g.Names[g.number]
}

// groupsOf returns the groups that constraints name, each once, without those that the rows
// lack. A single one comes with all others.
func groupsOf(d *dataset.Dataset, constraints ...model.Constraint) []group {
	var groups []group
	seen := map[string]bool{}
	for _, constraint := range constraints {
		grouped, ok := constraint.(model.Grouped)
		if !ok {
			continue
		}
		for _, spec := range grouped.Groups() {
			strata, err := d.Strata(spec)
			if err != nil {
				continue
			}
			for k, name := range strata.Names {
				if !seen[name] {
					seen[name] = true
					groups = append(groups, group{strata, k})
				}
			}
		}
	}
	if len(groups) == 1 {
		groups = append(groups, group{groups[0].Strata, groups[0].number + 1})
	}
	return groups
}

// scored is rows judged by the scores and decisions of a classifier. All figures of the classifier
// on these rows come from it.
type scored struct {
	*rows
	by     *classifier.Classifier
	scores []float64      // of the rows unless they are decide.Many
	totals []model.Totals // of the requirements
	right  float64        // accuracy: the share of right decisions, each row counting by its weight
}

// score judges the rows.
func (r *rows) score(c *classifier.Classifier) (*scored, error) {
	s := &scored{rows: r, by: c}
	if r.Rows() < decide.Many {
		s.scores = make([]float64, 0, r.Rows())
	}
	for _, q := range r.requirements {
		if q == nil {
			s.totals = append(s.totals, nil)
			continue
		}
		s.totals = append(s.totals, q.Totals())
	}
	shares, decisions := decide.NewShares(r.Weights, r.Rows()), make([]float64, scoredRows)
	err := r.eachScores(c, func(lo int, scores []float64) {
		for k, v := range scores {
			decisions[k] = 0
			if v >= c.Threshold {
				decisions[k] = 1
			}
			if (decisions[k] == 1) == (r.Y[lo+k] > 0) {
				s.right += shares.At(lo + k)
			}
		}
		for k, q := range r.requirements {
			switch {
			case q == nil:
			case q.On == Scores:
				s.totals[k].Add(scores, lo)
			default:
				s.totals[k].Add(decisions[:len(scores)], lo)
			}
		}
		if r.Rows() < decide.Many {
			s.scores = append(s.scores, scores...)
		}
	})
	return s, err
}

// scoredRows is the number of rows that are scored at a time.
const scoredRows = 1 << 10

// eachScores calls do with the scores of all rows, some at a time from row lo on.
func (r *rows) eachScores(c *classifier.Classifier, do func(lo int, scores []float64)) error {
	scores := make([]float64, scoredRows)
	for lo := 0; lo < r.Rows(); lo += scoredRows {
		part := scores[:min(scoredRows, r.Rows()-lo)]
		if err := c.ScoresFrom(part, r.X, lo); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		do(lo, part)
	}
	return nil
}

// judge judges requirement k, which the rows must have.
func (s *scored) judge(k int) model.Judgement { return s.requirements[k].JudgeTotals(s.totals[k]) }

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
	var r *fairness.Report
	var err error
	if s.scores != nil {
		r, err = fairness.Evaluate(s.predictions())
	} else {
		var b *fairness.Binned
		if b, err = s.binned(); err == nil {
			r, err = b.Evaluate()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return &Figures{Name: s.Name, Report: r}, nil
}

// predictions returns the scores, which must be kept, and the groups.
func (s *scored) predictions() (fairness.Predictions, []fairness.Group) {
	groups := make([]fairness.Group, len(s.groups))
	for k, g := range s.groups {
		groups[k] = fairness.Group{Name: g.name(), Member: make([]bool, s.Rows())}
		for i := range groups[k].Member {
			groups[k].Member[i] = g.has(i)
		}
	}
	return fairness.Predictions{Scores: s.scores, Threshold: s.by.Threshold, Labels: s.Y, Weights: s.Weights}, groups
}

// binned adds up the scores anew.
func (s *scored) binned() (*fairness.Binned, error) {
	var names []string
	for _, g := range s.groups {
		names = append(names, g.name())
	}
	b := fairness.NewBinned(s.by.Threshold, names, s.Weights != nil)
	err := s.eachScores(s.by, func(lo int, scores []float64) {
		for k, score := range scores {
			i := lo + k
			w := weight(s.Dataset, i)
			b.Add(fairness.All, score, s.Y[i], w)
			for g, group := range s.groups {
				if group.has(i) {
					b.Add(g, score, s.Y[i], w)
				}
			}
		}
	})
	return b, err
}
