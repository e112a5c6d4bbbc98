package scoring

import (
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

func init() { jobs.Register(&compared{}, &changes.Table{}) }

// compared asks how many people two classifiers decide differently about, by group.
type compared struct {
	Before, After by
	Groups        []dataset.Groups
}

// compare counts the decisions of two classifiers. Groups that the rows lack are left out.
func compare(before, after *classifier.Classifier, r Rows, specs []string) (*changes.Table, error) {
	q := &compared{Before: byOf(before), After: byOf(after)}
	for _, s := range strataOf(r.Data, specs) {
		q.Groups = append(q.Groups, s.ID())
	}
	if r.Shards != nil {
		return shards.Sum[*changes.Table](r.Shards, q)
	}
	t, err := q.Of(r.Data, 0)
	if err != nil {
		return nil, err
	}
	return t.(*changes.Table), nil
}

// compareMargins is compare for decisions that are positive where margins are at least 0.
func compareMargins(r Rows, specs []string) *changes.Table {
	strata := strataOf(r.Data, specs)
	t := tableOf(strata)
	for i, before := range r.Margins[0] {
		count(t, strata, r.Data, i, before >= 0, r.Margins[1][i] >= 0)
	}
	return t
}

// Of implements shards.Question.
func (q *compared) Of(d *dataset.Dataset, _ int) (any, error) {
	var strata []*dataset.Strata
	for _, id := range q.Groups {
		s, err := d.StrataOf(id)
		if err != nil {
			return nil, err
		}
		strata = append(strata, s)
	}
	before, err := q.Before.score(d)
	if err != nil {
		return nil, err
	}
	after, err := q.After.score(d)
	if err != nil {
		return nil, err
	}
	var parts [decide.Parts]*changes.Table
	after.InParts(func(part, lo int, scores []float64) {
		if parts[part] == nil {
			parts[part] = tableOf(strata)
		}
		_ = before.between(lo, lo+len(scores), func(lo int, earlier []float64) error {
			for k, score := range scores {
				was, is := earlier[k] >= q.Before.Threshold, score >= q.After.Threshold
				count(parts[part], strata, d, lo+k, was, is)
			}
			return nil
		})
	})
	sum := tableOf(strata)
	for _, t := range parts {
		if t != nil {
			sum.Add(t)
		}
	}
	return sum, nil
}

// strataOf returns the groups that rows have.
func strataOf(d *dataset.Dataset, specs []string) (list []*dataset.Strata) {
	for _, spec := range specs {
		if s, err := d.Strata(spec); err == nil {
			list = append(list, s)
		}
	}
	return list
}

// tableOf returns the counts of nobody. A single group comes with all other rows.
func tableOf(strata []*dataset.Strata) *changes.Table {
	t := new(changes.Table)
	for _, s := range strata {
		names := s.Names
		if len(names) == 1 {
			names = []string{names[0], fairness.Others}
		}
		of := make([]changes.Counts, len(names))
		t.Groups = append(t.Groups, changes.Groups{Spec: s.Spec, Names: names, Of: of})
	}
	return t
}

// count counts a row.
func count(t *changes.Table, strata []*dataset.Strata, d *dataset.Dataset, row int, before, after bool) {
	bit := func(positive bool) int {
		if positive {
			return 1
		}
		return 0
	}
	label, weight := bit(d.Y[row] > 0), d.Weight(row)
	t.All.Add(label, bit(before), bit(after), weight)
	for k, s := range strata {
		if g := s.Group(row); g < len(t.Groups[k].Of) {
			t.Groups[k].Of[g].Add(label, bit(before), bit(after), weight)
		}
	}
}

// Rows are rows that may say what constraints changed.
type Rows struct {
	Role   string
	Data   *dataset.Dataset
	Shards *shards.Rows // all rows, if Data are a sample
	// Margins are, before and after, those of each row from where decisions are positive, by classifiers
	// that were not fitted to it. Nil for those of the classifier itself.
	Margins [2][]float64
}

// Changes are those of decisions by constraints that a classifier was trained for, each on scores or
// decisions, on the first of some rows that have all of their groups; on the last if none has. There are
// none without constraints, or if the classifier knows nothing of the decisions before.
func Changes(c *classifier.Classifier, constraints []model.Constraint, on func(model.Constraint) string,
	rows ...Rows,
) (changes.Changes, error) {
	none, specs, bounded := changes.Changes{SideEffects: []changes.SideEffect{}}, []string{}, changes.Bounded{}
	for _, k := range constraints {
		groups := model.GroupsOf(k)
		if len(groups) == 0 { // each level is held to the bound by itself
			groups = model.WithinOf(k)
		}
		for _, spec := range groups {
			if !slices.Contains(specs, spec) {
				specs = append(specs, spec)
			}
			if g, ok := k.(model.GroupConstraint); ok && on(k) == model.Decisions && g.Within == "" && g.Kind.Compares() {
				bounded[spec] = append(bounded[spec], g.Metrics()...)
			}
		}
	}
	before := c.Before()
	if before == nil || len(constraints) == 0 {
		return none, nil
	}
	for k, r := range rows {
		if len(strataOf(r.Data, specs)) < len(specs) && k < len(rows)-1 {
			continue
		}
		if r.Margins[0] != nil {
			return compareMargins(r, specs).Judge(r.Role, bounded), nil
		}
		table, err := compare(before, c, r, specs)
		if err != nil {
			return none, err
		}
		return table.Judge(r.Role, bounded), nil
	}
	return none, nil
}
