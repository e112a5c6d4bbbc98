package train

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// rows is a data set with everything by which classifiers are judged on it, prepared once
// for all of them.
type rows struct {
	*dataset.Dataset
	groups *scoring.Grouping // that the constraints name
	// requirements are the requirements of the options on these rows; nil where the rows lack
	// what a requirement is about.
	requirements []*model.Requirement
	shards       *shards.Rows // all rows, if these are a sample; nil otherwise
	// several says that the groups are of several specifications: those of one are not compared
	// with those of another.
	several bool
}

// rows states the requirements on a data set. Only the rows of the constraints must have what
// all requirements are about.
func (t *task) rows(d *dataset.Dataset) (*rows, error) {
	specs := model.GroupsOf(t.Constraints...)
	other := func(spec string) bool { return spec != specs[0] }
	r := &rows{Dataset: d, groups: scoring.GroupingOf(d, specs...), several: slices.ContainsFunc(specs, other)}
	if d.SampleOf > 0 {
		r.shards = t.shards()
	}
	for _, c := range t.requirements() {
		stated, err := model.NewRequirement(c, d, t.on(c))
		if err != nil && d == t.ConstraintData {
			return nil, err
		}
		r.requirements = append(r.requirements, stated)
	}
	return r, nil
}

// scored is rows judged by the scores and decisions of a classifier. All figures of the classifier
// on these rows come from it.
type scored struct {
	*rows
	*scoring.Scored
	all    *fairness.Binned // of the rows that these are a sample of
	totals []model.Totals   // of the requirements
	right  float64          // accuracy: the share of right decisions, each row counting by its weight
}

// score judges the rows.
func (r *rows) score(c *classifier.Classifier) (*scored, error) {
	by, err := scoring.Over(c, r.Dataset, r.shards)
	if err != nil {
		return nil, err
	}
	groups := r.groups
	if r.shards == nil { // byGroup knows more of rows that are here
		groups = nil
	}
	all, err := by.Figures(groups, r.requirements)
	if err != nil {
		return nil, err
	}
	return &scored{rows: r, Scored: by, all: all.Binned, right: all.Right, totals: all.Totals}, nil
}

// judge judges requirement k, which the rows must have.
func (s *scored) judge(k int) model.Judgement { return s.requirements[k].JudgeTotals(s.totals[k]) }

// achieved returns the measure of requirement k, the groups that make it, and those that it leaves
// out, of all that it has on the rows it was asked for. It returns nil for no rows, and for rows
// that lack what the requirement is about.
func (s *scored) achieved(k int, asked *model.Requirement) (measure *float64, by *model.Extremes, without []string) {
	if s == nil || s.requirements[k] == nil {
		return nil, nil, nil
	}
	j := s.judge(k)
	return defined(&j), j.Extremes, s.requirements[k].Without(asked)
}

// defined returns the measure, nil if it is undefined.
func defined(j *model.Judgement) *float64 {
	if j.Undefined {
		return nil
	}
	return &j.Achieved
}

// byGroup returns the rows by the groups that the constraints name.
func (s *scored) byGroup() (*fairness.Judged, error) {
	if s.all != nil {
		return s.all.Judged()
	}
	return s.Judge(s.groups)
}

// figures returns the metrics, nil for no rows.
func (s *scored) figures() (*Figures, error) {
	if s == nil {
		return nil, nil
	}
	judged, err := s.byGroup()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	r := judged.Evaluate()
	if s.several {
		r.Disparities = fairness.NoDisparities()
	}
	return &Figures{Name: s.Name, Report: r}, nil
}
